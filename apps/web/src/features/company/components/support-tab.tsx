import { Button, Modal, Skeleton, Switch } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { InputNumber } from '../../../ui/input-number.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../company.module.css'
import { useSupportGrants } from '../hooks.ts'

/** Lets people of the platform in for some hours, and says when they were allowed to. */
export function SupportTab() {
  const { t } = useTranslation('company')
  const grants = useSupportGrants()
  const end = useAct('account.endSupport', { done: () => notify.success(t('supportEnded')) })
  const [opening, setOpening] = useState(false)
  const running = grants.data?.items.find(grant => !grant.endedAt && Date.parse(grant.expiresAt) > serverNow())
  return (
    <Panel
      title={t('tab.support')}
      hint={t('supportHint')}
      actions={
        <Button type="primary" onClick={() => setOpening(true)}>
          {t('letIn')}
        </Button>
      }
    >
      {running && (
        <p className={css.lead} role="status">
          <StatusTag kind="warning">{t(running.mayWrite ? 'supportWriting' : 'supportReading')}</StatusTag> {t('until')}{' '}
          <TimeText value={running.expiresAt} mode="absolute" />{' '}
          <Button danger size="small" onClick={() => void end.run({ params: { id: running.id } })}>
            {t('endNow')}
          </Button>
        </p>
      )}
      {grants.isError ? (
        <ErrorState error={grants.error} onRetry={() => void grants.refetch()} />
      ) : !grants.data ? (
        <Skeleton active />
      ) : grants.data.items.length === 0 ? (
        <EmptyState title={t('neverLetIn')} description={t('neverLetInText')} />
      ) : (
        <ul className={css.history}>
          {grants.data.items.map(grant => (
            <li key={grant.id}>
              <span>{t(grant.mayWrite ? 'writing' : 'reading')}</span>
              <span>
                {grant.grantedBy} · <TimeText value={grant.grantedAt} mode="absolute" /> –{' '}
                <TimeText value={grant.endedAt ?? grant.expiresAt} mode="absolute" />
              </span>
              <span className={css.muted}>{grant.endedAt ? t('endedEarly') : ''}</span>
            </li>
          ))}
        </ul>
      )}
      {opening && <GrantDialog onClose={() => setOpening(false)} />}
    </Panel>
  )
}

function GrantDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('company')
  const [hours, setHours] = useState(4)
  const [mayWrite, setMayWrite] = useState(false)
  const grant = useAct('account.grantSupport', {
    done: () => {
      notify.success(t('letInDone'))
      onClose()
    },
  })
  return (
    <Modal
      open
      width={480}
      title={t('letIn')}
      okText={t('letInOk')}
      cancelText={t('cancel')}
      okButtonProps={{ loading: grant.pending }}
      onOk={() => void grant.run({ body: { hours, mayWrite } })}
      onCancel={onClose}
    >
      <p className={css.lead}>{t('letInText')}</p>
      <div className={css.choices}>
        <label htmlFor="support-hours">
          {t('hoursLabel')}
          <InputNumber
            id="support-hours"
            min={1}
            max={72}
            precision={0}
            value={hours}
            onChange={value => setHours(value ?? 1)}
          />
        </label>
        <label htmlFor="support-write">
          <Switch id="support-write" checked={mayWrite} onChange={setMayWrite} />
          {t('mayWrite')}
        </label>
      </div>
    </Modal>
  )
}
