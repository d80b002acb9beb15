import type { ReactNode } from 'react'
import { useLocation } from 'react-router'
import { entryAt } from '../lib/menu.ts'
import { useSession } from '../lib/session.ts'
import { SvgIcon } from './svg-icon.tsx'

/**
 * The icon that the menu has for an address, so that one thing has one icon wherever it is met. Without an address: that
 * of the open page.
 */
export function PageIcon({
  of,
  size = 16,
  className,
  fallback = null,
}: {
  of?: string
  size?: number
  className?: string | undefined
  /** Where the menu has none. */
  fallback?: ReactNode
}) {
  const { pathname } = useLocation()
  const icon = useSession(s => entryAt(s.menus ?? [], of ?? pathname)?.icon ?? '')
  if (icon === '') return fallback
  return <SvgIcon svg={icon} size={size} {...(className === undefined ? {} : { className })} />
}
