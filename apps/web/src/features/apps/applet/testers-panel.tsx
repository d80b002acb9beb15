import type { AppletView } from '@thingwright/contracts/wechat-applets.contract'
import { Button, Input, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { Panel } from '../../../ui/panel.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../apps.module.css'

/** WeChat users who may open the trial version. */
export function TestersPanel({ applet, isManaged }: { applet: AppletView; isManaged: boolean }) {
  const { t } = useTranslation('apps')
  const params = { id: applet.id }
  const testers = useRead('wechatApplets.testers', { params })
  const mayWrite = useMay('wechatApplets.addTester') && isManaged
  const [wechatId, setWechatId] = useState('')
  const add = useAct('wechatApplets.addTester', {
    done: () => {
      setWechatId('')
      notify.success(t('applet.testerAdded'))
    },
  })
  const remove = useAct('wechatApplets.removeTester', { done: () => notify.success(t('removed')) })
  return (
    <Panel title={t('applet.testers')} hint={t('applet.testersHint')}>
      {testers.isError ? (
        <ErrorState error={testers.error} onRetry={() => void testers.refetch()} />
      ) : !testers.data ? (
        <Skeleton active />
      ) : testers.data.items.length === 0 ? (
        <p className={css.note}>{t('applet.noTesters')}</p>
      ) : (
        <ul className={css.steps}>
          {testers.data.items.map(item => (
            <li key={item.id}>
              <span className={css.stepText}>
                <b>{item.wechatId}</b>
                <small>
                  <TimeText value={item.createdAt} />
                </small>
              </span>
              {mayWrite && (
                <Button
                  danger
                  aria-label={t('applet.removeTester', { name: item.wechatId })}
                  onClick={() => void remove.run({ params: { ...params, testerId: item.id } })}
                >
                  {t('remove')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {mayWrite && (
        <form
          className={css.foot}
          onSubmit={event => {
            event.preventDefault()
            void add.run({ params, body: { wechatId: wechatId.trim() } })
          }}
        >
          <Input
            aria-label={t('applet.wechatId')}
            placeholder={t('applet.wechatId')}
            style={{ width: 240 }}
            maxLength={20}
            value={wechatId}
            onChange={event => setWechatId(event.target.value)}
          />
          <Button htmlType="submit" loading={add.pending} disabled={wechatId.trim() === ''}>
            {t('applet.addTester')}
          </Button>
        </form>
      )}
    </Panel>
  )
}
