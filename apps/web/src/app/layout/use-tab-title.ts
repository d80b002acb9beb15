import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { brandTitle, useBranding } from '../../lib/branding.ts'
import { findEntry, menuName } from '../../lib/menu.ts'
import { tabTitle, usePageName } from '../../lib/page-title.ts'
import { useSession } from '../../lib/session.ts'
import { matchMenu } from './menu-match.ts'

/** Keeps the title of the browser's tab: what the page calls itself, else the menu, before the product or the company. */
export function useTabTitle(): void {
  const { t } = useTranslation('shell')
  const { pathname } = useLocation()
  const named = usePageName(s => s.name)
  const menus = useSession(s => s.menus)
  const brand = brandTitle(useBranding())
  const match = menus && matchMenu(menus, pathname)
  const entry = match && findEntry(menus, item => item.id === match.id)
  const page = named ?? (entry ? menuName(entry) : null)
  // A page without a name of its own says what the product is.
  const title = page === null ? (brand ?? t('title')) : tabTitle(page, brand ?? t('brand'))
  useEffect(() => {
    document.title = title
  }, [title])
}
