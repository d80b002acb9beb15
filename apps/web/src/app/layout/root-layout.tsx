import { WEB_ROUTES } from '@thingwright/contracts/web-routes'
import { lazy, Suspense } from 'react'
import { Outlet, ScrollRestoration, useMatches } from 'react-router'
import { useSession } from '../../lib/session.ts'
import type { RouteHandle } from '../page-route.tsx'
import { loadConsoleShell } from './console-shell-loader.ts'
import { Header } from './header.tsx'
import css from './layout.module.css'

const ConsoleShell = lazy(async () => ({ default: (await loadConsoleShell()).ConsoleShell }))
const UNKNOWN = WEB_ROUTES.find(route => route.path === '*')!

/** Draws the layout that the open route's flags ask for: nothing (standing alone), header, header and side menu. */
export function RootLayout() {
  const matches = useMatches()
  const signedIn = useSession(s => s.token !== null)
  const route = (matches.at(-1)?.handle as RouteHandle | undefined)?.route ?? UNKNOWN
  if (route.alone)
    return (
      <main>
        <Outlet />
      </main>
    )
  // The guard lets only signed-in people onto pages with `auth`. While one of them signs out, his page stays in its
  // frame until the sign-in page takes its place: it could not be drawn outside.
  const inConsole = route.menu && (signedIn || route.auth)
  return (
    <div className={css.frame} data-layout={inConsole ? 'console' : 'bare'}>
      {route.head && <Header />}
      {inConsole ? (
        <Suspense>
          <ConsoleShell />
        </Suspense>
      ) : (
        <main className={css.bare}>
          <Outlet />
        </main>
      )}
      <ScrollRestoration />
    </div>
  )
}
