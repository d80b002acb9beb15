import type { KeyboardEvent, ReactNode } from 'react'
import css from './tab-bar.module.css'

export interface TabItem {
  key: string
  label: ReactNode
}

/** Tabs in a row; arrow keys walk them. What they open is drawn by the caller; `extra` stands at the right. */
export function TabBar({
  items,
  active,
  onChange,
  label,
  extra,
}: {
  items: readonly TabItem[]
  active: string
  onChange: (key: string) => void
  /** Name of the row for those who cannot see it. */
  label: string
  extra?: ReactNode
}) {
  const press = (event: KeyboardEvent<HTMLButtonElement>, at: number) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const next = items[(at + step + items.length) % items.length]!
    onChange(next.key)
    const row = event.currentTarget.parentElement
    row?.querySelector<HTMLElement>(`[data-tab="${CSS.escape(next.key)}"]`)?.focus()
  }
  return (
    <div className={css.bar}>
      <div role="tablist" aria-label={label} className={css.tabs}>
        {items.map((item, at) => (
          <button
            key={item.key}
            type="button"
            role="tab"
            data-tab={item.key}
            aria-selected={item.key === active}
            tabIndex={item.key === active ? 0 : -1}
            className={css.tab}
            onClick={() => onChange(item.key)}
            onKeyDown={event => press(event, at)}
          >
            {item.label}
          </button>
        ))}
      </div>
      {extra}
    </div>
  )
}
