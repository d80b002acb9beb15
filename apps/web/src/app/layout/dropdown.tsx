import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import css from './header.module.css'

/** A button with a menu under it: arrows move, Escape and a click elsewhere close. */
export function Dropdown({
  label,
  button,
  className,
  buttonClass,
  head,
  items,
}: {
  label: string
  button: ReactNode
  className?: string | undefined
  buttonClass?: string | undefined
  head?: ReactNode
  items: { key: string; label: ReactNode; onSelect: () => void }[]
}) {
  const [open, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const id = useId()
  useEffect(() => {
    if (!open) return
    box.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus()
    const outside = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false)
    }
    document.addEventListener('pointerdown', outside)
    return () => document.removeEventListener('pointerdown', outside)
  }, [open])
  const close = () => {
    setOpen(false)
    box.current?.querySelector('button')?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open) return
    const entries = [...(box.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
    const at = entries.indexOf(document.activeElement as HTMLElement)
    if (event.key === 'Escape') close()
    else if (event.key === 'ArrowDown') entries[(at + 1) % entries.length]?.focus()
    else if (event.key === 'ArrowUp') entries[(at - 1 + entries.length) % entries.length]?.focus()
    else if (event.key === 'Tab') setOpen(false)
    else return
    if (event.key !== 'Tab') event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys bubble up here from the button and the entries
    <div className={`${css.menuBox} ${className ?? ''}`} ref={box} onKeyDown={onKeyDown}>
      <button
        type="button"
        className={`${css.tool} ${buttonClass ?? ''}`}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        {button}
      </button>
      {open && (
        <div className={css.menuList}>
          {head && <div className={css.menuHead}>{head}</div>}
          <div id={id} role="menu" aria-label={label}>
            {items.map(item => (
              <button
                key={item.key}
                type="button"
                role="menuitem"
                className={css.menuItem}
                data-testid={`menu-${item.key}`}
                onClick={() => {
                  close()
                  item.onSelect()
                }}
              >
                {item.label}
              </button>
            ))}
          </div>
        </div>
      )}
    </div>
  )
}
