import type { MemberView } from '@thingwright/contracts/members.contract'
import { Button, Drawer, Popconfirm, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, type Reply } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useMade } from '../../../lib/server-state/use-read.ts'
import { ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { nameOf } from '../hooks.ts'
import css from '../members.module.css'

const SHOWN_SIGN_INS = 10
const KIND = { ok: 'success', refused: 'error', second_factor: 'processing' } as const

/** How a member signs in: second step, sessions, last sign-ins; with what may be done about them. */
export function MemberSecurityDrawer({ member, onClose }: { member: MemberView; onClose: () => void }) {
  const { t } = useTranslation('members')
  const params = { id: member.id }
  const query = useMade('security.memberSecurity', { params }, async ({ signal }) => {
    const [protection, sessions, signIns] = await Promise.all([
      call('security.memberSecurity', { params, signal }),
      call('security.memberSessions', { params, signal }),
      call('security.companyHistory', { query: { loginId: member.id, limit: SHOWN_SIGN_INS }, signal }),
    ])
    return { protection, sessions: sessions.items, signIns: signIns.items }
  })
  const [ended, setEnded] = useState<string | null>(null)
  const sessions = useAct('security.endMemberSessions', {
    always: true,
    done: ({ ended: count }) => notify.success(t('safety.ended', { count })),
  })
  const factors = useAct('security.resetMemberFactors', {
    always: true,
    done: () => notify.success(t('safety.resetDone', { name: nameOf(member) })),
  })
  const busy = sessions.pending ? ended : null
  const end = (sessionId?: string) => {
    setEnded(sessionId ?? 'all')
    return sessions.run({ params, body: sessionId ? { sessionId } : {} })
  }
  return (
    <Drawer
      open
      size={640}
      title={<span title={nameOf(member)}>{t('safety.title', { name: nameOf(member) })}</span>}
      onClose={onClose}
    >
      {query.data ? (
        <div className={css.safety} data-testid="member-security">
          <Protection
            member={member}
            data={query.data.protection}
            busy={factors.pending}
            onReset={() => void factors.run({ params })}
          />
          <section>
            <header>
              <h3>{t('safety.sessions')}</h3>
              <Popconfirm
                title={t('safety.endAllAsk', { count: query.data.sessions.length })}
                okText={t('safety.endAll')}
                cancelText={t('cancel')}
                disabled={query.data.sessions.length === 0}
                onConfirm={() => void end()}
              >
                <Button danger disabled={query.data.sessions.length === 0} loading={busy === 'all'}>
                  {t('safety.endAll')}
                </Button>
              </Popconfirm>
            </header>
            {query.data.sessions.length === 0 && <p>{t('safety.noSessions')}</p>}
            <ul>
              {query.data.sessions.map(session => (
                <li key={session.id}>
                  <div>
                    <b>{session.client || t('safety.unknownClient')}</b>
                    <span>
                      {session.ip ?? '–'} · {t(`safety.place.${session.place}`, session.place)} · {t('safety.seen')}{' '}
                      <TimeText value={session.lastSeenAt} />
                    </span>
                  </div>
                  {session.current ? (
                    <StatusTag kind="online">{t('safety.current')}</StatusTag>
                  ) : (
                    <Button
                      loading={busy === session.id}
                      aria-label={t('safety.endOf', { client: session.client })}
                      onClick={() => void end(session.id)}
                    >
                      {t('safety.end')}
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          </section>
          <SignIns items={query.data.signIns} />
        </div>
      ) : query.isError ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Skeleton active paragraph={{ rows: 8 }} />
      )}
    </Drawer>
  )
}

function Protection({
  member,
  data,
  busy,
  onReset,
}: {
  member: MemberView
  data: Reply<'security.memberSecurity'>
  busy: boolean
  onReset: () => void
}) {
  const { t } = useTranslation('members')
  const has = data.factors.length > 0 || data.passkeys > 0
  return (
    <section>
      <header>
        <h3>{t('safety.factors')}</h3>
        {!member.isSelf && (
          <Popconfirm
            title={t('safety.resetAsk', { name: nameOf(member) })}
            description={t('safety.resetText')}
            okText={t('safety.reset')}
            cancelText={t('cancel')}
            okButtonProps={{ danger: true }}
            disabled={!has}
            onConfirm={onReset}
          >
            <Button danger disabled={!has} loading={busy}>
              {t('safety.reset')}
            </Button>
          </Popconfirm>
        )}
      </header>
      <dl>
        <dt>{t('safety.secondStep')}</dt>
        <dd>
          {data.factors.length > 0
            ? data.factors.map(factor => t(`safety.factor.${factor}`)).join(', ')
            : t('safety.none')}
          {data.secondFactorRequired && <> · {t('safety.required')}</>}
        </dd>
        <dt>{t('safety.passkeys')}</dt>
        <dd>{data.passkeys}</dd>
        <dt>{t('safety.backupCodes')}</dt>
        <dd>{t('safety.left', { count: data.backupCodesLeft })}</dd>
        <dt>{t('safety.passwordChangedAt')}</dt>
        <dd>
          <TimeText value={data.passwordChangedAt} />
        </dd>
      </dl>
    </section>
  )
}

function SignIns({ items }: { items: Reply<'security.companyHistory'>['items'] }) {
  const { t } = useTranslation('members')
  return (
    <section>
      <header>
        <h3>{t('safety.signIns')}</h3>
      </header>
      {items.length === 0 && <p>{t('safety.noSignIns')}</p>}
      <ul>
        {items.map(event => (
          <li key={event.id}>
            <div>
              <b>
                <TimeText value={event.at} mode="absolute" />
              </b>
              <span>
                {event.client || t('safety.unknownClient')} · {event.ip ?? '–'}
                {event.newDevice && <> · {t('safety.newDevice')}</>}
              </span>
            </div>
            <StatusTag kind={KIND[event.result]} {...(event.reason ? { title: event.reason } : {})}>
              {t(`safety.result.${event.result}`)}
            </StatusTag>
          </li>
        ))}
      </ul>
    </section>
  )
}
