import { WEB_ROUTES, type WebRoute } from '@thingwright/contracts/web-routes'
import { type MiddlewareFunction, redirect, replace } from 'react-router'
import { SessionExpiredError } from '../../lib/api-client.ts'
import { boot } from '../../lib/boot.ts'
import { changeLocale, text } from '../../lib/i18n.ts'
import { languageOf, withoutLanguage } from '../../lib/navigation.ts'
import { notify } from '../../lib/notify.ts'
import { portalPath, portalSuffix } from '../../lib/portal.ts'
import { endSession, isSignedIn } from '../../lib/session.ts'
import { checkAccountStatus, ensureMe, ensureMenus } from '../../lib/session-load.ts'
import { local, session } from '../../lib/storage.ts'
import { finish, phase } from '../progress-bar/progress.ts'
import { BlockedNavigation } from './blocked-navigation.ts'
import type { Decision } from './decision.ts'
import { firstEntryOf } from './first-entry.ts'
import { type GuardDeps, guard } from './guard.ts'

const BY_PATH = new Map(WEB_ROUTES.map(route => [route.path, route]))
const UNKNOWN = BY_PATH.get('*')!

/** The place the person is at: path with query, null until the first page is there. */
let settledAt: string | null = null

export function settleAt(url: string): void {
  settledAt = url
}

/** Forgets the place: the next navigation is a cold load again. */
export function unsettle(): void {
  settledAt = null
}

function deps(): GuardDeps {
  return {
    devFlag: boot().devFlag,
    signedIn: isSignedIn(),
    permissions: async () => {
      const [me] = await Promise.all([ensureMe(), ensureMenus()])
      return me.menuPermissions
    },
    firstEntry: async () => {
      const [me, menus] = await Promise.all([ensureMe(), ensureMenus()])
      return firstEntryOf(menus, me.menuPermissions)
    },
    accountStatus: checkAccountStatus,
  }
}

/** The one guard in front of every page: languages in the address, parents without a page, then the five steps. */
export const guardMiddleware: MiddlewareFunction = async ({ request, pattern }, next) => {
  const { pathname, search } = new URL(request.url)
  request.signal.addEventListener('abort', finish, { once: true })
  phase('match')

  const language = languageOf(pathname)
  if (language) {
    await changeLocale(language)
    throw replace(withoutLanguage(pathname + search + window.location.hash))
  }
  const route = BY_PATH.get(pattern) ?? UNKNOWN
  const portal = portalSuffix()
  // Whoever came through a portal knows no other way in; a link with a query has its own meaning.
  if (portal !== null && search === '' && (route.path === '/' || route.path === '/index') && (await belongsToPortal()))
    throw redirectFrom(pathname, portalPath(portal))
  if (route.redirectTo) throw redirectFrom(pathname, route.redirectTo + search)

  phase('guard-start')
  const decision = await decide(route, pathname + search)
  phase('guard-end')
  if (decision.kind === 'allow') return next()
  if (request.signal.aborted) return undefined
  throw carryOut(decision, pathname)
}

/** For the portal: true when nobody or an end user is signed in; a member goes on in the console. */
async function belongsToPortal(): Promise<boolean> {
  if (!isSignedIn()) return true
  const me = await ensureMe().catch(() => null)
  return me === null || me.kind === 'end_user'
}

async function decide(route: WebRoute, url: string): Promise<Decision> {
  const from = settledAt === null ? null : settledAt.replace(/[?#].*$/, '')
  const asked = deps()
  try {
    const decision = await guard({ key: route.path, url, flags: route, devOnly: route.devOnly === true }, from, asked)
    // The session expired while the guard was asking; that had its own message.
    return asked.signedIn && !isSignedIn() ? { kind: 'redirect', to: '/index' } : decision
  } catch (error) {
    if (error instanceof SessionExpiredError) return { kind: 'redirect', to: '/index' }
    throw error
  }
}

function carryOut(decision: Exclude<Decision, { kind: 'allow' }>, pathname: string): unknown {
  const message = decision.message && text(`shell:guard.${decision.message}`)
  if (decision.kind === 'block') {
    notify.error(message!, decision.shownMs === undefined ? {} : { durationMs: decision.shownMs })
    return settledAt === null ? new BlockedNavigation(message) : redirectFrom(pathname, settledAt)
  }
  if (message) notify.error(message)
  if (decision.endSession) {
    endSession()
    local.remove('appearance')
  }
  if (decision.remember !== undefined) session.set('redirectURL', decision.remember)
  return redirectFrom(pathname, decision.to)
}

/** Where the address bar already shows the refused place (cold load, back button), it is replaced, not added to. */
function redirectFrom(pathname: string, to: string): Response {
  return window.location.pathname === pathname ? replace(to) : redirect(to)
}
