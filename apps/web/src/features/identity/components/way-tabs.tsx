import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import css from './sign-in.module.css'

/** Two or three ways to the same end, as tabs; the arrow keys change between them. */
export function WayTabs<K extends string>({
  id,
  ways,
  active,
  onChange,
  children,
}: {
  id: string
  ways: readonly { key: K; label: string }[]
  active: K
  onChange: (key: K) => void
  children: ReactNode
}) {
  const tabs = useRef<HTMLDivElement>(null)
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    const at = ways.findIndex(way => way.key === active)
    const next = ways[(at + step + ways.length) % ways.length]!.key
    onChange(next)
    tabs.current?.querySelector<HTMLElement>(`#${id}-${next}`)?.focus()
  }
  return (
    <>
      <div className={css.tabs} role="tablist" ref={tabs} onKeyDown={onKeyDown}>
        {ways.map(way => (
          <button
            key={way.key}
            type="button"
            role="tab"
            id={`${id}-${way.key}`}
            aria-selected={active === way.key}
            aria-controls={`${id}-panel`}
            tabIndex={active === way.key ? 0 : -1}
            className={css.tab}
            onClick={() => onChange(way.key)}
          >
            {way.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${active}`}>
        {children}
      </div>
    </>
  )
}
