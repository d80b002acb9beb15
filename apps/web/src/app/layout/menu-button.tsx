import { useTranslation } from 'react-i18next'
import { usePhoneWidth } from '../../lib/phone-width.ts'
import { useSession } from '../../lib/session.ts'
import css from './header.module.css'
import { BarsIcon } from './icons.tsx'
import { showMenu, useMenuDrawer } from './menu-drawer.ts'

/** Opens the main menu at phone width; nothing where the menu is beside the page. */
export function MenuButton() {
  const { t } = useTranslation('shell')
  const open = useMenuDrawer(s => s.open)
  const narrow = usePhoneWidth()
  const hasMenu = useSession(s => s.menus !== null)
  if (!narrow || !hasMenu) return null
  return (
    <button
      type="button"
      className={`${css.tool} ${css.menuButton}`}
      aria-label={t('menu.label')}
      aria-expanded={open}
      aria-controls="tw-menu"
      data-testid="open-menu"
      onClick={() => showMenu(!open)}
    >
      <BarsIcon />
    </button>
  )
}
