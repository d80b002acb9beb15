import type { MenuItem } from '@thingwright/contracts/identity.contract'
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { menuName } from '../../lib/menu.ts'
import { MenuEntry, MenuIcon } from './menu-entry.tsx'
import css from './side-menu.module.css'

/** Long enough to cross the gap between an icon and what flew out beside it. */
const LEAVE_MS = 200
const EDGE = 8

interface Match {
  id: string
  parents: readonly string[]
}

/** The menu as a rail of icons: a group's entries fly out beside it, an entry of its own says its name on hover. */
export function MenuRail({ menus, match }: { menus: readonly MenuItem[]; match: Match | null }) {
  const [open, setOpen] = useState<string | null>(null)
  return (
    <ul>
      {menus.map(item => (
        <li key={item.id}>
          {item.children.length > 0 ? (
            <RailGroup
              item={item}
              match={match}
              open={open === item.id}
              show={() => setOpen(item.id)}
              hide={() => setOpen(now => (now === item.id ? null : now))}
            />
          ) : (
            <MenuEntry item={item} selected={match?.id === item.id}>
              <MenuIcon item={item} />
            </MenuEntry>
          )}
        </li>
      ))}
    </ul>
  )
}

function RailGroup({
  item,
  match,
  open,
  show,
  hide,
}: {
  item: MenuItem
  match: Match | null
  open: boolean
  show: () => void
  hide: () => void
}) {
  const box = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const leaving = useRef<ReturnType<typeof setTimeout> | null>(null)
  const [top, setTop] = useState(0)
  const id = useId()
  const name = menuName(item)
  const stay = () => {
    if (leaving.current !== null) clearTimeout(leaving.current)
    leaving.current = null
  }
  useEffect(() => () => clearTimeout(leaving.current ?? undefined), [])
  useLayoutEffect(() => {
    if (!open || !button.current || !panel.current) return
    const lowest = window.innerHeight - panel.current.offsetHeight - EDGE
    setTop(Math.max(EDGE, Math.min(button.current.getBoundingClientRect().top, lowest)))
  }, [open])
  useEffect(() => {
    if (!open) return
    const elsewhere = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) hide()
    }
    document.addEventListener('pointerdown', elsewhere)
    return () => document.removeEventListener('pointerdown', elsewhere)
  }, [open, hide])

  const onKeyDown = (event: KeyboardEvent) => {
    const entries = [...(panel.current?.querySelectorAll<HTMLElement>('a') ?? [])]
    const at = entries.indexOf(document.activeElement as HTMLElement)
    if ((event.key === 'Escape' || event.key === 'ArrowLeft') && open) {
      hide()
      button.current?.focus()
    } else if (event.key === 'ArrowRight' && at < 0) {
      show()
      requestAnimationFrame(() => panel.current?.querySelector('a')?.focus())
    } else if (event.key === 'ArrowDown' && at >= 0) entries[(at + 1) % entries.length]?.focus()
    else if (event.key === 'ArrowUp' && at >= 0) entries[(at - 1 + entries.length) % entries.length]?.focus()
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys and the pointer are those of the button and the links in it
    <div
      ref={box}
      onKeyDown={onKeyDown}
      onPointerEnter={() => {
        stay()
        show()
      }}
      onPointerLeave={() => {
        leaving.current = setTimeout(hide, LEAVE_MS)
      }}
      onBlur={event => {
        if (!event.currentTarget.contains(event.relatedTarget)) hide()
      }}
    >
      <button
        ref={button}
        type="button"
        className={`${css.entry} ${css.group} ${match?.parents.includes(item.id) ? css.selected : ''}`}
        aria-label={name}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        data-sort={item.sort}
        onClick={show}
      >
        <MenuIcon item={item} />
      </button>
      {open && (
        // biome-ignore lint/a11y/useSemanticElements: a group of links, not of fields
        <div ref={panel} id={id} className={css.flyOut} style={{ top }} role="group" aria-label={name}>
          <p className={css.flyOutName}>{name}</p>
          <FlownOut items={item.children} selected={match?.id} onGo={hide} />
        </div>
      )}
    </div>
  )
}

function FlownOut({
  items,
  selected,
  onGo,
}: {
  items: readonly MenuItem[]
  selected: string | undefined
  onGo: () => void
}) {
  return (
    <ul>
      {items.map(item => (
        <li key={item.id}>
          {item.children.length > 0 ? (
            <>
              <p className={css.flyOutName}>{menuName(item)}</p>
              <FlownOut items={item.children} selected={selected} onGo={onGo} />
            </>
          ) : (
            <MenuEntry item={item} selected={item.id === selected} onGo={onGo} />
          )}
        </li>
      ))}
    </ul>
  )
}
