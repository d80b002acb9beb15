import type { EndUserView } from '@thingwright/contracts/end-users.contract'
import { Button, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { Panel } from '../../../ui/panel.tsx'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../end-users.module.css'

const KIND = { ok: 'success', refused: 'error', second_factor: 'processing' } as const
const SHOWN = 50

/** Where an end user is signed in, and when he came in or was refused. */
export function AccessTab({ user, onKick }: { user: EndUserView; onKick: () => void }) {
  const { t } = useTranslation('end-users')
  const params = { id: user.id }
  const sessions = useRead('endUsers.sessions', { params })
  const signIns = useRead('endUsers.signIns', { params, query: { limit: SHOWN } })
  return (
    <div className={css.columns}>
      <Panel
        flush
        title={t('sessions')}
        actions={
          <PermissionGate of="endUsers.endSessions">
            <Button danger disabled={!sessions.data?.items.length} onClick={onKick}>
              {t('ask.endSessions.action')}
            </Button>
          </PermissionGate>
        }
      >
        {sessions.isError ? (
          <ErrorState error={sessions.error} onRetry={() => void sessions.refetch()} />
        ) : !sessions.data ? (
          <Skeleton active />
        ) : sessions.data.items.length === 0 ? (
          <p className={css.row}>{t('noSessions')}</p>
        ) : (
          <ul className={css.rows}>
            {sessions.data.items.map(session => (
              <li key={session.id} className={css.row}>
                <span>
                  {session.client || t('unknownClient')} <span className={css.muted}>{session.ip ?? ''}</span>
                </span>
                <TimeText value={session.lastSeenAt} />
              </li>
            ))}
          </ul>
        )}
      </Panel>
      <Panel flush title={t('signIns')}>
        {signIns.isError ? (
          <ErrorState error={signIns.error} onRetry={() => void signIns.refetch()} />
        ) : !signIns.data ? (
          <Skeleton active />
        ) : signIns.data.items.length === 0 ? (
          <p className={css.row}>{t('noSignIns')}</p>
        ) : (
          <ul className={css.rows}>
            {signIns.data.items.map(event => (
              <li key={event.id} className={css.row}>
                <span>
                  <StatusTag kind={KIND[event.result]}>{t(`results.${event.result}`)}</StatusTag>{' '}
                  <span className={css.muted}>
                    {event.client} {event.ip ?? ''}
                  </span>
                </span>
                <TimeText value={event.at} />
              </li>
            ))}
          </ul>
        )}
      </Panel>
    </div>
  )
}
