import { type KeyboardEvent, type ReactNode, useId } from 'react'
import css from './popup.module.css'
import { PopupPanel } from './popup-button.tsx'
import { type PopupAlign, usePopup } from './use-popup.ts'

export interface MenuEntry {
  key: string
  label: ReactNode
  onSelect: () => void
  danger?: boolean
  disabled?: boolean
  /** Why it is disabled, or what it does. */
  title?: string | undefined
}

/** A button with a menu under it: arrows, Home, End and first letters move, Enter chooses, Escape closes. */
export function MenuButton({
  label,
  className,
  align = 'end',
  items,
  children,
}: {
  /** Name for those who cannot see it; absent where the children say it. */
  label?: string | undefined
  className?: string | undefined
  align?: PopupAlign
  items: readonly MenuEntry[]
  children: ReactNode
}) {
  const popup = usePopup(align)
  const id = useId()
  const onKeyDown = (event: KeyboardEvent) => {
    const entries = [...(popup.panel.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
    const at = entries.indexOf(document.activeElement as HTMLElement)
    const to = targetOf(event.key, at, entries)
    if (to === undefined) return
    event.preventDefault()
    event.stopPropagation()
    to.focus()
  }
  return (
    <>
      <button
        ref={popup.button}
        type="button"
        className={className}
        {...(label === undefined ? {} : { 'aria-label': label, title: label })}
        aria-haspopup="menu"
        aria-expanded={popup.open}
        aria-controls={popup.open ? id : undefined}
        onClick={event => {
          event.stopPropagation()
          if (popup.open) popup.close()
          else popup.show()
        }}
        onKeyDown={event => {
          if (event.key !== 'ArrowDown' || popup.open) return
          event.preventDefault()
          popup.show()
        }}
      >
        {children}
      </button>
      {popup.open && (
        <PopupPanel popup={popup} id={id} label={label ?? ''} role="menu" className={css.menu}>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: keys bubble up here from the entries */}
          <div onKeyDown={onKeyDown}>
            {items.map(item => (
              <button
                key={item.key}
                type="button"
                role="menuitem"
                tabIndex={-1}
                className={`${css.item} ${item.danger ? css.danger : ''}`}
                aria-disabled={item.disabled === true}
                title={item.title}
                onClick={() => {
                  if (item.disabled) return
                  popup.close()
                  item.onSelect()
                }}
              >
                {item.label}
              </button>
            ))}
          </div>
        </PopupPanel>
      )}
    </>
  )
}

function targetOf(key: string, at: number, entries: HTMLElement[]): HTMLElement | undefined {
  const count = entries.length
  if (key === 'ArrowDown') return entries[(at + 1) % count]
  if (key === 'ArrowUp') return entries[(at - 1 + count) % count]
  if (key === 'Home') return entries[0]
  if (key === 'End') return entries.at(-1)
  if (key.length !== 1 || key === ' ') return undefined
  const after = [...entries.slice(at + 1), ...entries.slice(0, at + 1)]
  return after.find(entry => entry.textContent?.trim().toLowerCase().startsWith(key.toLowerCase()))
}
