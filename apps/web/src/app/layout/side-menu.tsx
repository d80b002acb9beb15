import type { MenuItem } from '@thingwright/contracts/identity.contract'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'react-router'
import { boot } from '../../lib/boot.ts'
import { locale } from '../../lib/i18n.ts'
import { useLiveState } from '../../lib/live-socket.ts'
import { useSession } from '../../lib/session.ts'
import { session } from '../../lib/storage.ts'
import { StatusDot } from '../../ui/status-tag.tsx'
import { SvgIcon } from '../../ui/svg-icon.tsx'
import { prefetchPage } from '../page-loading.ts'
import { ArrowIcon, DotIcon } from './icons.tsx'
import css from './layout.module.css'
import { matchMenu } from './menu-match.ts'

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

/** The side menu, 260 px, from the menu service's list. */
export function SideMenu() {
  const { t } = useTranslation('shell')
  const { pathname } = useLocation()
  const menus = useSession(s => s.menus) ?? []
  const match = useMemo(() => matchMenu(menus, pathname), [menus, pathname])
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
    <aside className={css.side} data-testid="side-menu">
      <nav className={css.nav} ref={nav} aria-label={t('menu.label')}>
        <Entries items={menus} open={open} toggle={toggle} selected={selected} />
      </nav>
      <div className={css.foot}>
        <span title={t('menu.version')}>{boot().version && `v${boot().version}`}</span>
        <LiveMark />
      </div>
    </aside>
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
            <Entry item={item} selected={props.selected} />
          )}
        </li>
      ))}
    </ul>
  )
}

const nameOf = (item: MenuItem) => (locale() === 'en' ? item.ename || item.name : item.name)
const indent = (item: MenuItem) => ({ paddingLeft: item.sort * INDENT_PX })

function Icon({ item }: { item: MenuItem }) {
  if (item.icon) return <SvgIcon svg={item.icon} />
  return item.sort === 1 ? <DotIcon /> : null
}

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
        <Icon item={item} />
        <span className={css.label} title={nameOf(item)}>
          {nameOf(item)}
        </span>
        <span className={css.arrow} data-open={isOpen}>
          <ArrowIcon />
        </span>
      </button>
      {isOpen && <Entries {...rest} items={item.children} />}
    </>
  )
}

function Entry({ item, selected }: { item: MenuItem; selected: string | undefined }) {
  const inside = (
    <>
      <Icon item={item} />
      <span className={css.label} title={nameOf(item)}>
        {nameOf(item)}
      </span>
    </>
  )
  const forget = () => session.remove('part.route')
  const isSelected = item.id === selected
  const className = `${css.entry} ${isSelected ? css.selected : ''}`
  if (item.jump === 0)
    return (
      <Link
        to={item.path}
        className={className}
        style={indent(item)}
        aria-current={isSelected ? 'page' : undefined}
        data-sort={item.sort}
        onClick={forget}
        onPointerEnter={() => prefetchPage(item.path)}
        onFocus={() => prefetchPage(item.path)}
      >
        {inside}
      </Link>
    )
  // Not a page of ours: an address elsewhere opens beside the console, anything else is only a name.
  if (/^https?:\/\//i.test(item.path))
    return (
      <a
        href={item.path}
        target="_blank"
        rel="noopener noreferrer"
        className={className}
        style={indent(item)}
        data-sort={item.sort}
        onClick={forget}
      >
        {inside}
      </a>
    )
  return (
    <div className={`${className} ${css.plain}`} style={indent(item)} data-sort={item.sort}>
      {inside}
    </div>
  )
}

function LiveMark() {
  const { t } = useTranslation('shell')
  const state = useLiveState(s => s.state)
  return (
    <span className={css.live} data-testid="live-state" data-state={state}>
      <StatusDot kind={state === 'live' ? 'online' : state === 'reconnecting' ? 'warning' : 'never'} />
      {t(`live.${state}`)}
    </span>
  )
}
