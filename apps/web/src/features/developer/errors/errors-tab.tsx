import { Skeleton } from 'antd'
import { useDeferredValue, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { LazySelect } from '../../../ui/lazy-select/lazy-select.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import css from '../developer.module.css'
import { useErrorCodes } from '../hooks.ts'

/** Every code that an answer may carry, with its status and what it means. */
export function ErrorsTab() {
  const { t } = useTranslation('developer')
  const codes = useErrorCodes(locale())
  const [typed, setTyped] = useState('')
  const [status, setStatus] = useState<string | null>(null)
  const text = useDeferredValue(typed.trim().toLowerCase())
  const items = codes.data?.items
  const statuses = useMemo(() => [...new Set((items ?? []).map(item => item.status))].sort((a, b) => a - b), [items])
  const found = useMemo(
    () =>
      (items ?? []).filter(
        item =>
          (status === null || String(item.status) === status) &&
          (text === '' || `${item.code} ${item.status} ${item.message}`.toLowerCase().includes(text)),
      ),
    [items, text, status],
  )
  const clear = () => {
    setTyped('')
    setStatus(null)
  }
  return (
    <Panel flush title={t('errors.title')} hint={t('errors.hint')}>
      {codes.isError ? (
        <ErrorState error={codes.error} onRetry={() => void codes.refetch()} />
      ) : !items ? (
        <div className={css.padded}>
          <Skeleton active paragraph={{ rows: 8 }} />
        </div>
      ) : (
        <>
          <div className={css.bar}>
            <SearchField className={css.search} value={typed} onChange={setTyped} label={t('errors.search')} />
            <LazySelect
              className={css.select}
              aria-label={t('errors.status')}
              placeholder={t('errors.status')}
              allowClear
              value={status}
              options={statuses.map(each => ({ value: String(each), label: String(each) }))}
              onChange={value => setStatus(value ?? null)}
            />
            <span className={css.quiet} aria-live="polite">
              {t('errors.count', { count: found.length })}
            </span>
          </div>
          {found.length === 0 ? (
            <EmptyState onClear={clear} />
          ) : (
            <table className={css.table}>
              <thead>
                <tr>
                  <th>{t('errors.code')}</th>
                  <th className={css.number}>{t('errors.status')}</th>
                  <th>{t('errors.meaning')}</th>
                </tr>
              </thead>
              <tbody>
                {found.map(item => (
                  <tr key={item.code}>
                    <th scope="row">
                      <CopyId value={item.code} quiet />
                    </th>
                    <td className={css.number}>{item.status}</td>
                    <td>{item.message}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </>
      )}
    </Panel>
  )
}
