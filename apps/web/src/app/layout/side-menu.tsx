import type { MenuItem } from '@thingwright/contracts/identity.contract'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { boot } from '../../lib/boot.ts'
import { useLiveState } from '../../lib/live-socket.ts'
import { menuName } from '../../lib/menu.ts'
import { usePhoneWidth } from '../../lib/phone-width.ts'
import { useSession } from '../../lib/session.ts'
import { StatusDot } from '../../ui/status-tag.tsx'
import { ArrowIcon, FoldIcon } from './icons.tsx'
import { showMenu, useMenuDrawer } from './menu-drawer.ts'
import { MenuEntry, MenuIcon } from './menu-entry.tsx'
import { matchMenu } from './menu-match.ts'
import { MenuRail } from './menu-rail.tsx'
import { useRail } from './rail.ts'
import css from './side-menu.module.css'

const INDENT_PX = 24
const SCROLL_DELAY_MS = 50

/** Submenus of the first level start open. */
function openAtFirst(menus: readonly MenuItem[]): Set<string> {
  return new Set(menus.flatMap(item => [...(item.sort === 1 ? [item.id] : []), ...openAtFirst(item.children)]))
}

/**
 * Scrolls a box until an entry is in it. Not `scrollIntoView`: browsers then let the Tab key begin at the entry instead
 * of at the start of the page.
 */
function showIn(box: HTMLElement, entry: HTMLElement): void {
  const frame = box.getBoundingClientRect()
  const at = entry.getBoundingClientRect()
  if (at.top < frame.top) box.scrollTop -= frame.top - at.top
  else if (at.bottom > frame.bottom) box.scrollTop += at.bottom - frame.bottom
}

/** The side menu from the menu service's list: 260 px, or a rail of 64 where somebody folded it. */
export function SideMenu() {
  const { t } = useTranslation('shell')
  const { pathname } = useLocation()
  const menus = useSession(s => s.menus)
  const match = useMemo(() => matchMenu(menus ?? [], pathname), [menus, pathname])
  const [folded, fold] = useRail()
  const narrow = usePhoneWidth()
  const open = useMenuDrawer(s => s.open) && narrow
  const rail = folded && !narrow
  useDrawer(open, pathname)
  if (menus === null) return <aside className={css.side} data-rail={rail} />
  return (
    <aside className={css.side} data-rail={rail} data-open={open} id="tw-menu" data-testid="side-menu">
      {open && (
        <button type="button" className={css.menuBack} aria-label={t('menu.close')} onClick={() => showMenu(false)} />
      )}
      {rail ? (
        <nav className={css.nav} aria-label={t('menu.label')}>
          <MenuRail menus={menus} match={match} />
        </nav>
      ) : (
        <WholeMenu menus={menus} match={match} />
      )}
      <div className={css.foot}>
        {!rail && <span title={t('menu.version')}>{boot().version && `v${boot().version}`}</span>}
        <LiveMark short={rail} />
        <button
          type="button"
          className={css.fold}
          aria-label={t(rail ? 'menu.unfold' : 'menu.fold')}
          title={t(rail ? 'menu.unfold' : 'menu.fold')}
          aria-expanded={!rail}
          data-testid="fold-menu"
          onClick={() => fold(!rail)}
        >
          <FoldIcon />
        </button>
      </div>
    </aside>
  )
}

/** The menu over the page, at phone width: Escape closes it, and so does another page. */
function useDrawer(open: boolean, pathname: string): void {
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current !== pathname) showMenu(false)
    shown.current = pathname
  }, [pathname])
  useEffect(() => {
    if (!open) return
    document.querySelector<HTMLElement>('#tw-menu nav a, #tw-menu nav button')?.focus({ preventScroll: true })
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      showMenu(false)
      document.querySelector<HTMLElement>('[data-testid=open-menu]')?.focus()
    }
    window.addEventListener('keydown', press, true)
    return () => window.removeEventListener('keydown', press, true)
  }, [open])
}

function WholeMenu({ menus, match }: { menus: readonly MenuItem[]; match: ReturnType<typeof matchMenu> }) {
  const { t } = useTranslation('shell')
  const [open, setOpen] = useState(() => openAtFirst(menus))
  const nav = useRef<HTMLElement>(null)

  const parents = match?.parents.join('/')
  useEffect(() => {
    if (parents) setOpen(before => new Set([...before, ...parents.split('/')]))
  }, [parents])

  const selected = match?.id
  useEffect(() => {
    if (selected === undefined) return
    const timer = setTimeout(() => {
      const entry = nav.current?.querySelector<HTMLElement>('[aria-current="page"]')
      if (nav.current && entry) showIn(nav.current, entry)
    }, SCROLL_DELAY_MS)
    return () => clearTimeout(timer)
  }, [selected])

  const toggle = (id: string) =>
    setOpen(before => {
      const after = new Set(before)
      if (!after.delete(id)) after.add(id)
      return after
    })
  return (
    <nav className={css.nav} ref={nav} aria-label={t('menu.label')}>
      <Entries items={menus} open={open} toggle={toggle} selected={selected} />
    </nav>
  )
}

interface EntriesProps {
  items: readonly MenuItem[]
  open: ReadonlySet<string>
  toggle: (id: string) => void
  selected: string | undefined
}

function Entries(props: EntriesProps) {
  return (
    <ul>
      {props.items.map(item => (
        <li key={item.id}>
          {item.children.length > 0 ? (
            <Submenu item={item} {...props} />
          ) : (
            <MenuEntry item={item} selected={item.id === props.selected} style={indent(item)} />
          )}
        </li>
      ))}
    </ul>
  )
}

const indent = (item: MenuItem) => ({ paddingLeft: item.sort * INDENT_PX })

function Submenu({ item, ...rest }: EntriesProps & { item: MenuItem }) {
  const isOpen = rest.open.has(item.id)
  return (
    <>
      <button
        type="button"
        className={`${css.entry} ${css.group}`}
        style={indent(item)}
        aria-expanded={isOpen}
        data-sort={item.sort}
        onClick={() => rest.toggle(item.id)}
      >
        <MenuIcon item={item} />
        <span className={css.label} title={menuName(item)}>
          {menuName(item)}
        </span>
        <span className={css.arrow} data-open={isOpen}>
          <ArrowIcon />
        </span>
      </button>
      {isOpen && <Entries {...rest} items={item.children} />}
    </>
  )
}

function LiveMark({ short }: { short: boolean }) {
  const { t } = useTranslation('shell')
  const state = useLiveState(s => s.state)
  return (
    <span
      className={css.live}
      data-testid="live-state"
      data-state={state}
      title={short ? t(`live.${state}`) : undefined}
    >
      <StatusDot kind={state === 'live' ? 'online' : state === 'reconnecting' ? 'warning' : 'never'} />
      <span className={short ? css.unseen : undefined}>{t(`live.${state}`)}</span>
    </span>
  )
}
