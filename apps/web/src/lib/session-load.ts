import type { MenuItem, MeView } from '@thingwright/contracts/identity.contract'
import { call } from './api-client.ts'
import { type AccountStatus, keepMe, keepMenus, useSession } from './session.ts'
import { session } from './storage.ts'

/** Questions under way, so that a page and the guard never ask twice at once. Keyed by the person too. */
const asking = new Map<string, Promise<unknown>>()

function once<T>(name: string, ask: () => Promise<T>): Promise<T> {
  const key = `${name}/${useSession.getState().token?.id ?? ''}`
  let pending = asking.get(key) as Promise<T> | undefined
  if (!pending) {
    pending = ask().finally(() => asking.delete(key))
    asking.set(key, pending)
  }
  return pending
}

/** The caller with his rights; asked once per page load. */
export async function ensureMe(): Promise<MeView> {
  const known = useSession.getState().me
  return (
    known ??
    once('me', async () => {
      const me = await call('identity.me')
      const shown = await asPreviewed(me)
      if (shown) {
        // Never kept: another tab, or the next visit, is oneself again.
        useSession.setState({ me: shown.me })
        return shown.me
      }
      keepMe(me)
      return me
    })
  )
}

/** The person as the role he previews in this tab; the part is loaded only then. */
async function asPreviewed(me: MeView) {
  return session.get('previewRole') === null ? null : (await import('./preview.ts')).previewed(me)
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/**
 * Asks for rights and menu again; what is shown stays until they are there, and where they are as they were, nothing is
 * touched. @returns whether they are different now
 */
export async function reloadRights(): Promise<boolean> {
  const before = useSession.getState()
  const me = await call('identity.me')
  const shown = await asPreviewed(me)
  const menus = shown ? shown.menus : (await call('menus.mine')).items
  const changed = { me: !same(before.me, shown?.me ?? me), menus: !same(before.menus, menus) }
  if (shown) {
    if (changed.me || changed.menus) useSession.setState({ me: shown.me, menus })
  } else {
    if (changed.me) keepMe(me)
    if (changed.menus) keepMenus(menus)
  }
  return changed.me || changed.menus
}

async function fetchMenus(): Promise<MenuItem[]> {
  if (session.get('previewRole') !== null) {
    const shown = await asPreviewed(await ensureMe())
    if (shown) {
      useSession.setState({ menus: shown.menus })
      return shown.menus
    }
  }
  const { items } = await call('menus.mine')
  keepMenus(items)
  return items
}

/**
 * The side menu: from this tab's cache at once (renewed behind it), else from the server. Removed from the cache by
 * F5 and by signing out.
 */
export async function ensureMenus(): Promise<MenuItem[]> {
  const known = useSession.getState().menus
  if (known) return known
  const cached = session.get('menuInfo')
  if (Array.isArray(cached) && cached.length > 0) {
    useSession.setState({ menus: cached })
    once('menus', fetchMenus).catch(() => undefined)
    return cached
  }
  return once('menus', fetchMenus)
}

/** Status of the company account; 2 is asked once per session, anything else again each time. */
export async function checkAccountStatus(): Promise<AccountStatus> {
  const { accountStatus, token } = useSession.getState()
  if (accountStatus === 2) return 2
  return once('status', async () => {
    const status = (await call('company.status', { query: { userId: token?.id ?? '' } })) as AccountStatus
    useSession.setState({ accountStatus: status })
    return status
  })
}
