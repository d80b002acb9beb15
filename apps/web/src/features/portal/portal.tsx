import type { PortalView } from '@thingwright/contracts/web-apps.contract'
import { ConfigProvider, Grid } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, type LoaderFunctionArgs, redirect, useLoaderData, useParams } from 'react-router'
import { brandTitle, useBranding } from '../../lib/branding.ts'
import { locale } from '../../lib/i18n.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { enterPortal, isAtHome, portalImage, portalPath } from '../../lib/portal.ts'
import { ensureMe } from '../../lib/session-load.ts'
import { AccountSection } from './account-section.tsx'
import { AlarmsSection } from './alarms-section.tsx'
import { DevicePage } from './device-page.tsx'
import { DevicesSection } from './devices-section.tsx'
import css from './portal.module.css'

/** The portal and who is signed in; everybody else is led to its sign-in. */
export async function loadPortal({ params }: LoaderFunctionArgs) {
  const suffix = params.suffix ?? ''
  const portal = await enterPortal(suffix)
  if (!portal || !isAtHome(portal)) throw redirect(portalPath(suffix))
  await ensureMe()
  const rest = params['*'] ?? ''
  if (rest === '' || rest === 'home') {
    // A page stands by itself: the router does not know it.
    if (portal.home.startsWith('page/')) window.location.replace(`/${portal.home}`)
    else throw redirect(portalPath(suffix, `/${portal.home}`))
  }
  return portal
}

/** Fingers are wider than pointers. */
const TOUCHED = { token: { controlHeight: 44 } }

type Menu = PortalView['menus'][number]

/** The portal of a company for its end users: a bar above, on a phone below, and what its menu opens. */
export function Portal() {
  const { sm } = Grid.useBreakpoint()
  return (
    <ConfigProvider theme={sm === false ? TOUCHED : {}}>
      <Shell />
    </ConfigProvider>
  )
}

function Shell() {
  const { t } = useTranslation('portal')
  const portal = useLoaderData<PortalView>()
  const rest = useParams()['*'] ?? ''
  const [section = '', id] = rest.split('/')
  const branding = useBranding()
  const logo = portalImage(portal, 'logo')
  const nameOf = (menu: Menu) =>
    (locale() === 'en' ? menu.en || menu.zh : menu.zh || menu.en) || (menu.section === 'page' ? '' : t(menu.section))
  const open = portal.menus.find(menu => menu.section === section)
  usePageTitle(open ? nameOf(open) : t('account'))
  return (
    <div className={css.portal} data-testid="portal">
      <header className={css.top}>
        <Link to={portalPath(portal.suffix, '/home')} className={css.brand}>
          {logo && <img src={logo} alt="" />}
          <span title={brandTitle(branding) ?? ''} dir="auto">
            {brandTitle(branding)}
          </span>
        </Link>
        <nav className={css.nav} aria-label={t('menu')}>
          {portal.menus.map(menu =>
            menu.section === 'page' ? (
              <a key={menu.page} href={`/page/${menu.page}`}>
                {nameOf(menu)}
              </a>
            ) : (
              <Link
                key={menu.section}
                to={portalPath(portal.suffix, `/${menu.section}`)}
                aria-current={menu.section === section ? 'page' : undefined}
              >
                {nameOf(menu)}
              </Link>
            ),
          )}
        </nav>
      </header>
      <div className={css.content}>
        {section === 'devices' && id ? (
          <DevicePage key={id} id={id} suffix={portal.suffix} />
        ) : section === 'devices' ? (
          <DevicesSection suffix={portal.suffix} />
        ) : section === 'alarms' ? (
          <AlarmsSection />
        ) : (
          <AccountSection />
        )}
      </div>
    </div>
  )
}
