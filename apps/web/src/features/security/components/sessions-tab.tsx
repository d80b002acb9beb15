import { Button, Popconfirm } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { every } from '../../../lib/every.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { Panel } from '../../../ui/panel.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../security.module.css'
import { Loaded } from './loaded.tsx'
import { Row } from './row.tsx'

export function SessionsTab() {
  const { t } = useTranslation('security')
  const sessions = useRead('security.sessions', {}, { refetchInterval: every(60_000) })
  const [asked, setAsked] = useState<string | null>(null)
  const one = useAct('security.endSession', { done: () => notify.success(t('sessions.ended', { count: 1 })) })
  const others = useAct('security.endOtherSessions', {
    done: ({ ended: count }) => notify.success(t('sessions.ended', { count })),
  })
  const end = (id: string) => {
    setAsked(id)
    return one.run({ params: { id } })
  }
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
              onConfirm={() => void others.run()}
              disabled={items.length < 2}
            >
              <Button danger disabled={items.length < 2} loading={others.pending}>
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
                    <Button loading={one.pending && asked === session.id} onClick={() => void end(session.id)}>
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
