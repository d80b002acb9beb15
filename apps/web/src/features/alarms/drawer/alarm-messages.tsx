import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatDateTime } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { ErrorState } from '../../../ui/states.tsx'
import css from '../alarms.module.css'

/** Messages about an alarm: receiver, channel and state, the newest first. */
export function AlarmMessages({ id }: { id: string }) {
  const { t } = useTranslation('alarms')
  const may = useMay('contacts.records')
  const read = useRead('contacts.records', { query: { alarmId: id, limit: 50 } }, { enabled: may })
  if (!may) return null
  const { data } = read
  return (
    <section className={css.trail} aria-label={t('messages.title')} data-testid="alarm-messages">
      <h3>{t('messages.title')}</h3>
      {read.isError && !data ? (
        <ErrorState error={read.error} onRetry={() => void read.refetch()} />
      ) : !data ? (
        <Skeleton active paragraph={{ rows: 2 }} />
      ) : data.items.length === 0 ? (
        <p>{t('messages.none')}</p>
      ) : (
        <ol>
          {data.items.map(row => (
            <li key={row.id} data-kind={row.state}>
              <time dateTime={row.createdAt}>{formatDateTime(row.createdAt)}</time>
              <span>
                <b dir="auto">
                  {[t(`messages.way.${row.channel}`), row.contactName, row.address].filter(Boolean).join(' · ')}
                </b>
                <span className={css.result} dir="auto">
                  {[
                    t(`messages.state.${row.state}`),
                    ...(row.receipt ? [t(`messages.receipt.${row.receipt}`)] : []),
                    ...(row.state === 'failed' && row.reason ? [row.reason] : []),
                    ...(row.simulated ? [t('messages.simulated')] : []),
                  ].join(' · ')}
                </span>
              </span>
            </li>
          ))}
        </ol>
      )}
      {data?.nextCursor && <Link to="/admin/alarme?tab=records">{t('messages.all')}</Link>}
    </section>
  )
}
