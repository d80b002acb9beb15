import { WEB_ROUTES } from '@thingwright/contracts/web-routes'

/** An address that no page of ours has; only its path is looked at. */
const HERE = 'http://console.invalid'

const PAGES = WEB_ROUTES.filter(route => route.path !== '*').map(
  route =>
    new RegExp(
      `^${route.path
        .split('/')
        .map(part => (part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : part.replaceAll(/[^\w-]/g, '\\$&')))
        .join('/')}$`,
    ),
)

/**
 * The address of a page of the console, ready for the router; null for every other one. What a browser would read as
 * another site (`//host`, `/\host`, a tab in between) is none of ours, nor is an interface such as `/api`.
 */
export function ownPage(to: string | null | undefined): string | null {
  if (to?.startsWith(`${origin()}/`)) return ownPage(to.slice(origin().length))
  if (!to?.startsWith('/') || /[\u0000-\u0020\\]/.test(to)) return null
  let url: URL
  try {
    url = new URL(to, HERE)
  } catch {
    return null
  }
  if (url.origin !== HERE || !PAGES.some(page => page.test(url.pathname))) return null
  return url.pathname + url.search + url.hash
}

/** Of this console; where there is no browser, of none. */
const origin = () => globalThis.location?.origin ?? HERE

/**
 * The address of a page of somebody else, as a browser will read it; null: it is no page, it carries a name that hides
 * where it leads (`https://bank.example@evil.example`), or it is one of ours that no page has (an interface).
 */
export function addressElsewhere(to: string | null | undefined): string | null {
  if (!to || !/^https?:\/\//i.test(to) || /[\u0000-\u0020\\]/.test(to)) return null
  try {
    const url = new URL(to)
    return url.username || url.password || url.origin === origin() ? null : url.href
  } catch {
    return null
  }
}
