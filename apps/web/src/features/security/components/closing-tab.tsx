import { Alert, Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { goTo } from '../../../lib/navigation.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { endSession, useSession } from '../../../lib/session.ts'
import { ConfirmTyped } from '../../../ui/confirm-typed.tsx'
import { Panel, Stack } from '../../../ui/panel.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { useOverview } from '../hooks.ts'
import css from '../security.module.css'
import { Loaded } from './loaded.tsx'

export function ClosingTab() {
  const { t } = useTranslation('security')
  const closeOwn = useAct('security.closeOwn', { own: false })
  const overview = useOverview()
  const username = useSession(s => s.me?.username ?? '')
  const [asking, setAsking] = useState(false)
  return (
    <Loaded query={overview}>
      {data => (
        <Stack>
          <Panel title={t('closing.own')}>
            <div className={css.danger}>
              <p>{t('closing.ownText')}</p>
              {data.closeOwnBlocked && (
                <Alert type="info" showIcon title={t(`closing.blocked.${data.closeOwnBlocked}`)} />
              )}
              <Button danger disabled={data.closeOwnBlocked !== null} onClick={() => setAsking(true)}>
                {t('closing.ownButton')}
              </Button>
            </div>
          </Panel>
          {data.mayCloseCompany && <CloseCompany />}
          <ConfirmTyped
            open={asking}
            title={t('closing.own')}
            expected={username}
            confirmText={t('closing.ownButton')}
            onCancel={() => setAsking(false)}
            onConfirm={async () => {
              await closeOwn.send({ body: { username } })
              endSession()
              goTo('/index')
            }}
          >
            <p>{t('closing.ownAsk')}</p>
          </ConfirmTyped>
        </Stack>
      )}
    </Loaded>
  )
}

function CloseCompany() {
  const { t } = useTranslation('security')
  const preview = useRead('security.closePreview')
  const [asking, setAsking] = useState(false)
  const keep = useAct('security.keepCompany', { done: () => notify.success(t('closing.kept')) })
  const close = useAct('security.closeCompany', {
    done: () => {
      notify.warning(t('closing.asked'))
      setAsking(false)
    },
  })
  return (
    <Loaded query={preview}>
      {data => (
        <Panel title={t('closing.company')}>
          <div className={css.danger}>
            {data.dueAt ? (
              <Alert
                type="error"
                showIcon
                title={
                  <>
                    {t('closing.pending')} <TimeText value={data.dueAt} mode="absolute" />
                  </>
                }
                description={t('closing.pendingText')}
                action={
                  <Button loading={keep.pending} onClick={() => void keep.run()}>
                    {t('closing.keep')}
                  </Button>
                }
              />
            ) : (
              <p>{t('closing.companyText', { days: data.coolingOffDays })}</p>
            )}
            <p>{t('closing.goes')}</p>
            <ul className={css.goes}>
              {data.goes.map(({ kind, count }) => (
                <li key={kind}>
                  {t(`closing.kind.${kind}`)} <b>{formatNumber(count)}</b>
                </li>
              ))}
              <li>{t('closing.kind.rest')}</li>
            </ul>
            <p>{t('closing.stays')}</p>
            {!data.dueAt && (
              <Button danger onClick={() => setAsking(true)}>
                {t('closing.companyButton')}
              </Button>
            )}
          </div>
          <ConfirmTyped
            open={asking}
            title={t('closing.company')}
            expected={data.name}
            confirmText={t('closing.companyButton')}
            onCancel={() => setAsking(false)}
            onConfirm={() => close.send({ body: { name: data.name } })}
          >
            <p>{t('closing.companyAsk', { days: data.coolingOffDays })}</p>
          </ConfirmTyped>
        </Panel>
      )}
    </Loaded>
  )
}
