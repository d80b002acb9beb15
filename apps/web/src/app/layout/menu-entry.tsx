import type { MenuItem } from '@thingwright/contracts/identity.contract'
import type { CSSProperties, ReactNode } from 'react'
import { Link } from 'react-router'
import { menuName } from '../../lib/menu.ts'
import { session } from '../../lib/storage.ts'
import { SvgIcon } from '../../ui/svg-icon.tsx'
import { prefetchPage } from '../page-loading.ts'
import { DotIcon } from './icons.tsx'
import css from './side-menu.module.css'

export function MenuIcon({ item }: { item: MenuItem }) {
  if (item.icon) return <SvgIcon svg={item.icon} />
  return item.sort === 1 ? <DotIcon /> : null
}

/** An entry without children: a page, an address elsewhere, or only a name. */
export function MenuEntry({
  item,
  selected,
  style,
  onGo,
  children,
}: {
  item: MenuItem
  selected: boolean
  style?: CSSProperties
  /** Called as well when somebody goes there. */
  onGo?: () => void
  /** What is seen instead of icon and name. */
  children?: ReactNode
}) {
  const name = menuName(item)
  const inside = children ?? (
    <>
      <MenuIcon item={item} />
      <span className={css.label} title={name}>
        {name}
      </span>
    </>
  )
  const go = () => {
    session.remove('part.route')
    onGo?.()
  }
  const className = `${css.entry} ${selected ? css.selected : ''}`
  const named = children === undefined ? {} : { 'aria-label': name, title: name }
  if (item.jump === 0)
    return (
      <Link
        to={item.path}
        className={className}
        style={style}
        aria-current={selected ? 'page' : undefined}
        data-sort={item.sort}
        onClick={go}
        onPointerEnter={() => prefetchPage(item.path)}
        onFocus={() => prefetchPage(item.path)}
        {...named}
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
        style={style}
        data-sort={item.sort}
        onClick={go}
        {...named}
      >
        {inside}
      </a>
    )
  return (
    <div className={`${className} ${css.plain}`} style={style} data-sort={item.sort} title={name}>
      {inside}
    </div>
  )
}
