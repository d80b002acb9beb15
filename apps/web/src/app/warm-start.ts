import { WEB_ROUTES } from '@thingwright/contracts/web-routes'
import { withoutLanguage } from '../lib/navigation.ts'
import { isSignedIn } from '../lib/session.ts'
import { checkAccountStatus, ensureMe, ensureMenus } from '../lib/session-load.ts'
import { setWarmUp } from '../lib/warm-up.ts'
import { loadConsoleShell } from './layout/console-shell-loader.ts'
import { prefetchPage } from './page-loading.ts'

const quietly = (work: Promise<unknown>) => void work.catch(() => undefined)

/**
 * Starts what the first page will need beside everything else instead of after it: its code, and the questions the
 * guard is going to ask (it then waits for the same answers). Failures are left to those who ask in earnest.
 */
export function warmStart(pathname: string): void {
  const path = withoutLanguage(pathname)
  setWarmUp(() => quietly(loadConsoleShell()))
  if (!isSignedIn()) {
    if (path === '/' || path === '/index') prefetchPage('/index')
    return
  }
  quietly(ensureMe())
  quietly(ensureMenus())
  if (WEB_ROUTES.find(route => route.path === path)?.accountState) quietly(checkAccountStatus())
  quietly(loadConsoleShell())
  prefetchPage(path)
}
