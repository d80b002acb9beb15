import type { CallView } from '@thingwright/contracts/developer.contract'
import { Skeleton } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import type { Read } from '../../../lib/server-state/use-read.ts'
import { Panel } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../developer.module.css'
import { statusKind } from './call-status.ts'
import own from './calls.module.css'

const CallDrawer = lazy(async () => ({ default: (await import('./call-drawer.tsx')).CallDrawer }))

/** The last calls, newest first; one of them opens with what was sent and answered. */
export function CallLog({
  query,
  narrowed,
  onClear,
}: {
  query: Read<{ items: CallView[] }>
  narrowed: boolean
  onClear: () => void
}) {
  const { t } = useTranslation('developer')
  const [open, setOpen] = useState<string | null>(null)
  const items = query.data?.items
  return (
    <Panel flush title={t('calls.log')} hint={t('calls.logHint')}>
      {query.isError ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !items ? (
        <div className={css.padded}>
          <Skeleton active paragraph={{ rows: 6 }} />
        </div>
      ) : items.length === 0 ? (
        narrowed ? (
          <EmptyState onClear={onClear} />
        ) : (
          <EmptyState title={t('calls.logEmpty')} description={t('calls.emptyText')} />
        )
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long table is scrolled by keyboard too
        <section className={own.scrollBox} tabIndex={0} aria-label={t('calls.log')}>
          <table className={`${css.table} ${own.log}`} data-testid="call-log">
            <thead>
              <tr>
                <th>{t('calls.at')}</th>
                <th>{t('calls.request')}</th>
                <th>{t('calls.result')}</th>
                <th className={css.number}>ms</th>
                <th>{t('calls.key')}</th>
                <th>{t('calls.from')}</th>
              </tr>
            </thead>
            <tbody>
              {items.map(row => (
                <tr key={row.id}>
                  <td>
                    <TimeText value={row.at} />
                  </td>
                  <th scope="row">
                    <button
                      type="button"
                      className={css.nameLink}
                      title={row.path}
                      data-testid="call"
                      onClick={() => setOpen(row.id)}
                    >
                      <code>
                        {row.method} {row.path}
                      </code>
                    </button>
                  </th>
                  <td>
                    <StatusTag kind={statusKind(row.status)} title={row.code ?? ''}>
                      {row.status} {row.code && <small className={css.quiet}>{row.code}</small>}
                    </StatusTag>
                  </td>
                  <td className={css.number}>{formatNumber(Math.round(row.durationMs))}</td>
                  <td className={own.cut} title={row.keyName} dir="auto">
                    {row.keyName}
                  </td>
                  <td className={css.mono}>{row.ip}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <Suspense>{open !== null && <CallDrawer id={open} onClose={() => setOpen(null)} />}</Suspense>
    </Panel>
  )
}
