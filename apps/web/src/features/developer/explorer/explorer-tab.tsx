import { Skeleton } from 'antd'
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { type Operation, search } from '../../../ui/api-docs/openapi.ts'
import { Panel } from '../../../ui/panel.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import css from '../developer.module.css'
import { useOpenApi } from '../hooks.ts'
import own from './explorer.module.css'
import { OperationList } from './operation-list.tsx'
import { OperationPanel } from './operation-panel.tsx'

/** Every interface of this server, to be read, tried and copied; the open one stands in the address. */
export function ExplorerTab() {
  const { t } = useTranslation('developer')
  const api = useOpenApi()
  const [params, setParams] = useSearchParams()
  const [typed, setTyped] = useState(() => params.get('q') ?? '')
  const box = useRef<HTMLInputElement>(null)
  const text = useDeferredValue(typed)
  const groups = api.data?.groups
  const found = useMemo(() => search(groups ?? [], text), [groups, text])
  const count = found.reduce((sum, group) => sum + group.operations.length, 0)
  const asked = params.get('op')
  const operation: Operation | undefined = useMemo(() => {
    const all = (groups ?? []).flatMap(group => group.operations)
    return all.find(each => each.id === asked) ?? all.find(each => each.path === '/api/v1/devices') ?? all[0]
  }, [groups, asked])
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement && event.target.closest('input, textarea, [contenteditable]')
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || typing) return
      event.preventDefault()
      box.current?.focus()
    }
    document.addEventListener('keydown', focus)
    return () => document.removeEventListener('keydown', focus)
  }, [])
  const open = (id: string) => setParams({ tab: 'explorer', op: id }, { replace: true, preventScrollReset: true })
  if (api.isError)
    return (
      <Panel>
        <ErrorState error={api.error} onRetry={() => void api.refetch()} />
      </Panel>
    )
  if (!groups)
    return (
      <Panel>
        <Skeleton active paragraph={{ rows: 10 }} />
      </Panel>
    )
  return (
    <div className={own.explorer}>
      <aside className={own.operations} aria-label={t('explorer.all')}>
        <div className={own.operationsHead}>
          <SearchField
            className={own.fill}
            value={typed}
            onChange={setTyped}
            label={t('explorer.search')}
            inputRef={box}
            shortcut="/"
            onKeyDown={event => {
              if (event.key !== 'ArrowDown') return
              event.preventDefault()
              document.querySelector<HTMLElement>('[data-operation]')?.focus()
            }}
          />
          <p className={css.quiet} aria-live="polite">
            {t('explorer.count', { count, version: api.data?.version ?? '' })}
          </p>
        </div>
        {count === 0 ? (
          <EmptyState onClear={() => setTyped('')} />
        ) : (
          <OperationList groups={found} open={operation?.id ?? ''} unfolded={text !== ''} onOpen={open} />
        )}
      </aside>
      {operation && <OperationPanel key={operation.id} operation={operation} />}
    </div>
  )
}
