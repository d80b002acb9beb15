import type { PortalView } from '@thingwright/contracts/web-apps.contract'
import { create } from 'zustand'
import { boot } from './boot.ts'
import { applyBranding, holdBranding } from './branding.ts'
import { changeLocale } from './i18n.ts'
import { useSession } from './session.ts'
import { local, session } from './storage.ts'

/** The portal that this tab stands in; null: the console itself. */
export const usePortal = create<{ portal: PortalView | null }>(() => ({ portal: null }))

/** Where this tab signs in: the portal that it came through, or the one whose host this is; null: the console. */
export function portalSuffix(): string | null {
  return boot().portal ?? session.get('portal')
}

export const portalPath = (suffix: string, rest = '') => `/w/${suffix}${rest}`

/** The address of an image of the portal. */
export function portalImage(portal: PortalView, kind: PortalView['images'][number]): string | null {
  return portal.images.includes(kind)
    ? `/api/v1/public/portals/${portal.suffix}/images/${kind}?v=${portal.stamp}`
    : null
}

/** Asks for the portal and puts on its looks. Null: there is none at this address. @throws TypeError without a network */
export async function enterPortal(suffix: string): Promise<PortalView | null> {
  const known = usePortal.getState().portal
  if (known?.suffix === suffix) return known
  const reply = await fetch(`/api/v1/public/portals/${encodeURIComponent(suffix)}`)
  if (reply.status === 404) return null
  if (!reply.ok) throw new Error(`HTTP ${reply.status}`)
  const portal = (await reply.json()) as PortalView
  session.set('portal', portal.suffix)
  usePortal.setState({ portal })
  holdBranding({
    title: portal.name,
    titleEn: portal.nameEn,
    logo: portalImage(portal, 'logo') ?? '',
    colour: portal.colour,
  })
  applyBranding()
  putIntoHead(portal)
  if (portal.language !== 'auto' && local.get('lang') === null) await changeLocale(portal.language)
  return portal
}

/** Whether the person who is signed in is an end user of the portal's company. */
export function isAtHome(portal: PortalView): boolean {
  const { token } = useSession.getState()
  return token !== null && token.thingwrightAppId === portal.appId
}

function putIntoHead(portal: PortalView): void {
  const set = (rel: string, href: string | null) => {
    document.head.querySelector(`link[rel="${rel}"][data-portal]`)?.remove()
    if (href === null) return
    if (rel === 'icon') for (const old of document.head.querySelectorAll('link[rel="icon"]')) old.remove()
    const link = document.createElement('link')
    link.rel = rel
    link.href = href
    link.dataset.portal = ''
    document.head.append(link)
  }
  set('manifest', `/api/v1/public/portals/${portal.suffix}/manifest`)
  set('icon', portalImage(portal, 'favicon') ?? portalImage(portal, 'logo'))
}
