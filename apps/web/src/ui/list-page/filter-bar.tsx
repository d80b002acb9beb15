import { CloseOutlined, FilterOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { type ReactNode, type Ref, useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { LazySelect } from '../lazy-select/lazy-select.tsx'
import { PopupButton } from '../popup/popup-button.tsx'
import { SearchField } from '../search-field.tsx'
import css from './list-page.module.css'
import type { ListFilter } from './list-types.ts'
import type { ListState } from './use-list-state.ts'

const VISIBLE = 3
const TYPING_MS = 300

/** Search, the first three filters, the rest behind one button. */
export function FilterBar({
  state,
  filters,
  searchPlaceholder,
  searchRef,
  before,
}: {
  state: ListState
  filters: readonly ListFilter[]
  searchPlaceholder: string
  searchRef: Ref<HTMLInputElement>
  /** Stands before the filters. */
  before?: ReactNode
}) {
  const { t } = useTranslation('list-page')
  const chosen = filters.filter(filter => !filter.chipOnly)
  const open = chosen.slice(0, VISIBLE)
  const rest = chosen.slice(VISIBLE)
  const hidden = rest.filter(({ key }) => state.filters[key] !== undefined).length
  return (
    <search className={css.filters}>
      {searchPlaceholder !== '' && <SearchBox state={state} placeholder={searchPlaceholder} inputRef={searchRef} />}
      {before && <span className={css.before}>{before}</span>}
      {open.map(filter => (
        <FilterControl key={filter.key} filter={filter} state={state} className={css.filter} />
      ))}
      {rest.length > 0 && (
        <PopupButton
          label={t('filters')}
          className={css.moreButton}
          content={() => (
            <div className={css.more}>
              {rest.map(filter => (
                <LabelledFilter key={filter.key} filter={filter} state={state} />
              ))}
            </div>
          )}
        >
          <FilterOutlined aria-hidden />
          {t('filters')}
          {hidden > 0 && <span className={css.badge}>{hidden}</span>}
        </PopupButton>
      )}
    </search>
  )
}

function LabelledFilter({ filter, state }: { filter: ListFilter; state: ListState }) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id}>{filter.label}</label>
      <FilterControl filter={filter} state={state} id={id} />
    </div>
  )
}

function FilterControl({
  filter,
  state,
  className,
  id,
}: {
  filter: ListFilter
  state: ListState
  className?: string | undefined
  id?: string
}) {
  const value = state.filters[filter.key]
  if (!filter.options) return <TextFilter filter={filter} state={state} className={className} id={id} />
  const options = [...filter.options]
  if (value !== undefined && !options.some(option => option.value === value))
    options.push({ value, label: filter.display?.(value) ?? value })
  return (
    <LazySelect
      id={id}
      className={className}
      allowClear
      aria-label={filter.label}
      placeholder={filter.label}
      value={value ?? null}
      loading={filter.loading === true}
      popupMatchSelectWidth={false}
      onChange={(next: string | null | undefined) => state.setFilter(filter.key, next ?? null)}
      options={options}
      {...(options.length > 8 || filter.onSearch
        ? {
            showSearch: {
              optionFilterProp: 'label',
              ...(filter.onSearch ? { onSearch: filter.onSearch, filterOption: false as const } : {}),
            },
          }
        : {})}
    />
  )
}

function TextFilter({
  filter,
  state,
  className,
  id,
}: {
  filter: ListFilter
  state: ListState
  className?: string | undefined
  id?: string | undefined
}) {
  const value = state.filters[filter.key] ?? ''
  const [typed, setTyped] = useTyped(value, next => state.setFilter(filter.key, next))
  return (
    <SearchField
      id={id}
      className={className}
      magnifier={false}
      label={filter.label}
      value={typed}
      maxLength={64}
      onChange={setTyped}
    />
  )
}

function SearchBox({
  state,
  placeholder,
  inputRef,
}: {
  state: ListState
  placeholder: string
  inputRef: Ref<HTMLInputElement>
}) {
  const [typed, setTyped] = useTyped(state.q, state.setQ)
  return (
    <SearchField
      inputRef={inputRef}
      className={css.search}
      label={placeholder}
      shortcut="/"
      value={typed}
      onChange={setTyped}
      onKeyDown={event => {
        if (event.key === 'Escape') event.currentTarget.blur()
      }}
    />
  )
}

/** Text that is handed over once the person pauses, and follows changes from outside (back button, chips). */
function useTyped(value: string, commit: (value: string) => void): [string, (value: string) => void] {
  const [typed, setTyped] = useState(value)
  const sent = useRef(value)
  /** What was handed over and has not come back yet: on a slow machine the person has typed on by then. */
  const under = useRef<string[]>([])
  const latest = useRef(commit)
  latest.current = commit
  useEffect(() => {
    const own = under.current.indexOf(value)
    if (own >= 0) under.current.splice(0, own + 1)
    else if (value !== sent.current) {
      sent.current = value
      setTyped(value)
    }
  }, [value])
  useEffect(() => {
    const next = typed.trim()
    if (next === sent.current) return
    const timer = setTimeout(() => {
      sent.current = next
      under.current.push(next)
      latest.current(next)
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return [typed, setTyped]
}

/** How many there are, and what narrows them down, each to be removed by a click. */
export function FilterChips({
  state,
  filters,
  total,
}: {
  state: ListState
  filters: readonly ListFilter[]
  total: ReactNode
}) {
  const { t } = useTranslation('list-page')
  const set = filters.filter(({ key }) => state.filters[key] !== undefined)
  return (
    <div className={css.chips}>
      <span className={css.count} aria-live="polite">
        {total}
      </span>
      {state.q !== '' && (
        <Chip text={t('chip', { name: t('search'), value: state.q })} onRemove={() => state.setQ('')} />
      )}
      {set.map(filter => {
        const value = state.filters[filter.key]!
        const word = filter.options?.find(option => option.value === value)?.label ?? filter.display?.(value) ?? value
        return (
          <Chip
            key={filter.key}
            text={t('chip', { name: filter.label, value: word })}
            onRemove={() => state.setFilter(filter.key, null)}
          />
        )
      })}
      {set.length + (state.q === '' ? 0 : 1) > 1 && (
        <Button type="link" size="small" onClick={state.clear}>
          {t('clear')}
        </Button>
      )}
    </div>
  )
}

function Chip({ text, onRemove }: { text: string; onRemove: () => void }) {
  const { t } = useTranslation('list-page')
  return (
    <span className={css.chip}>
      <span className={css.chipText} title={text} dir="auto">
        {text}
      </span>
      <button type="button" className={css.chipClose} aria-label={`${t('remove')} ${text}`} onClick={onRemove}>
        <CloseOutlined aria-hidden />
      </button>
    </span>
  )
}
