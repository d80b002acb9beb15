import { Button, Popconfirm } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { every } from '../../../lib/every.ts'
import { notify } from '../../../lib/notify.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { Panel } from '../../../ui/panel.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { useSecurityChanged } from '../hooks.ts'
import css from '../security.module.css'
import { Loaded } from './loaded.tsx'
import { Row } from './row.tsx'

export function SessionsTab() {
  const { t } = useTranslation('security')
  const sessions = useRead('security.sessions', {}, { refetchInterval: every(60_000) })
  const changed = useSecurityChanged()
  const { attempt } = useWork()
  const [busy, setBusy] = useState<string | null>(null)
  const run = async (what: string, work: () => Promise<string>) => {
    setBusy(what)
    await attempt(async () => {
      notify.success(await work())
      await changed()
    })
    setBusy(null)
  }
  const end = (id: string) =>
    run(id, async () => {
      await call('security.endSession', { params: { id } })
      return t('sessions.ended', { count: 1 })
    })
  const endOthers = () =>
    run('others', async () => {
      const { ended } = await call('security.endOtherSessions')
      return t('sessions.ended', { count: ended })
    })
  return (
    <Loaded query={sessions}>
      {({ items }) => (
        <Panel
          title={t('sessions.title')}
          hint={t('sessions.hint')}
          flush
          actions={
            <Popconfirm
              title={t('sessions.endOthersAsk', { count: items.length - 1 })}
              okText={t('sessions.endOthers')}
              cancelText={t('cancel')}
              onConfirm={() => void endOthers()}
              disabled={items.length < 2}
            >
              <Button danger disabled={items.length < 2} loading={busy === 'others'}>
                {t('sessions.endOthers')}
              </Button>
            </Popconfirm>
          }
        >
          <ul className={css.rows} data-testid="sessions">
            {items.map(session => (
              <Row
                key={session.id}
                title={session.client || t('sessions.unknownClient')}
                text={
                  <>
                    {session.ip ?? '–'} · {t(`place.${session.place}`)} · {t('sessions.began')}{' '}
                    <TimeText value={session.createdAt} /> · {t('sessions.seen')}{' '}
                    <TimeText value={session.lastSeenAt} />
                  </>
                }
                state={session.current ? <StatusTag kind="online">{t('sessions.current')}</StatusTag> : undefined}
                actions={
                  !session.current && (
                    <Button loading={busy === session.id} onClick={() => void end(session.id)}>
                      {t('sessions.end')}
                    </Button>
                  )
                }
              />
            ))}
          </ul>
        </Panel>
      )}
    </Loaded>
  )
}
