import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, type Reply } from '../../lib/api-client.ts'
import { formatDate } from '../../lib/format.ts'
import { serverNow } from '../../lib/server-clock.ts'
import css from './pages.module.css'

/** The state of the company account; null until it is known. Without an answer the page says enough by itself. */
export function useAccountState(): Reply<'account.state'> | null {
  const [state, setState] = useState<Reply<'account.state'> | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    call('account.state', { signal: stop.signal }).then(setState, () => undefined)
    return () => stop.abort()
  }, [])
  return state
}

/** What the company account's state is in detail, and whom to ask. */
export function AccountFacts({ state }: { state: Reply<'account.state'> | null }) {
  const { t } = useTranslation('shell')
  if (!state) return null
  const { status, frozenReason, expiresAt, graceEndsAt, graceDaysLeft, takesData, contact } = state
  const left = graceDaysLeft ?? -1
  const isOver = graceEndsAt !== null && Date.parse(graceEndsAt) <= serverNow()
  const rows: [string, ReactNode][] = [
    ['state', `${state.name} · ${t(`account.states.${status}`)}`],
    ...(frozenReason ? ([['frozen', frozenReason]] as [string, ReactNode][]) : []),
    ...(expiresAt ? ([['expiresAt', formatDate(expiresAt)]] as [string, ReactNode][]) : []),
    ...(graceEndsAt
      ? ([
          [
            'grace',
            t(
              isOver || left < 0
                ? 'account.facts.graceOver'
                : left === 0
                  ? 'account.facts.graceToday'
                  : 'account.facts.graceLeft',
              {
                count: left,
                date: formatDate(graceEndsAt),
              },
            ),
          ],
        ] as [string, ReactNode][])
      : []),
    ['data', t(takesData ? 'account.facts.taken' : 'account.facts.refused')],
    ...(contact.name || contact.phone || contact.email
      ? ([
          [
            'contact',
            <>
              {[contact.name, contact.phone].filter(Boolean).join(' · ')}{' '}
              {contact.email && <a href={`mailto:${contact.email}`}>{contact.email}</a>}
            </>,
          ],
        ] as [string, ReactNode][])
      : []),
  ]
  return (
    <dl className={css.facts} data-testid="account-facts">
      {rows.map(([key, value]) => (
        <div key={key}>
          <dt>{t(`account.facts.${key}`)}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
