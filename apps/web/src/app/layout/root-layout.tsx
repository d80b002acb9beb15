import { WEB_ROUTES } from '@thingwright/contracts/web-routes'
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Outlet, ScrollRestoration, useMatches } from 'react-router'
import { useSession } from '../../lib/session.ts'
import { useEarlyFrameEnd } from '../early-frame.ts'
import type { RouteHandle } from '../route-handle.ts'
import { loadConsoleShell } from './console-shell-loader.ts'
import { Header } from './header.tsx'
import css from './layout.module.css'
import { useTabTitle } from './use-tab-title.ts'

const ConsoleShell = lazy(async () => ({ default: (await loadConsoleShell()).ConsoleShell }))
const ConsoleFrame = lazy(async () => ({ default: (await import('./console-frame.tsx')).ConsoleFrame }))

/** What areas float over every page that may have it: `features/<area>/float.tsx` exports `Float`, tiny. */
const floats = Object.entries(
  import.meta.glob('../../features/*/float.tsx', { eager: true, import: 'Float' }) as Record<
    string,
    ComponentType<{ Frame: ComponentType<{ children: ReactNode }> }>
  >,
)
const PORTAL = '/w/:suffix/*'
const UNKNOWN = WEB_ROUTES.find(route => route.path === '*')!

/** Draws the layout that the open route's flags ask for: nothing (standing alone), header, header and side menu. */
export function RootLayout() {
  const matches = useMatches()
  const signedIn = useSession(s => s.token !== null)
  const route = (matches.at(-1)?.handle as RouteHandle | undefined)?.route ?? UNKNOWN
  useTabTitle()
  if (route.alone)
    // The portal is made of the same components, in its own colour; what else stands alone brings its own.
    return route.path === PORTAL ? (
      <Suspense>
        <ConsoleFrame>
          <Bare />
        </ConsoleFrame>
      </Suspense>
    ) : (
      <Bare />
    )
  // The guard lets only signed-in people onto pages with `auth`. While one of them signs out, his page stays in its
  // frame until the sign-in page takes its place: it could not be drawn outside.
  const inConsole = route.menu && (signedIn || route.auth)
  return (
    <div className={css.frame} data-layout={inConsole ? 'console' : 'bare'}>
      {inConsole && <SkipLink />}
      {route.head && <Header />}
      {inConsole ? (
        <Suspense>
          <ConsoleShell />
        </Suspense>
      ) : (
        <Bare className={css.bare} />
      )}
      {route.ai && floats.map(([file, Float]) => <Float key={file} Frame={ConsoleFrame} />)}
      {/* The first page of a tab has no key of its own: another address typed there begins at its top. */}
      <ScrollRestoration getKey={({ key, pathname }) => (key === 'default' ? pathname : key)} />
    </div>
  )
}

/** The first thing the Tab key reaches: past header and menu to the page. */
function SkipLink() {
  const { t } = useTranslation('shell')
  return (
    <button
      type="button"
      className={css.skip}
      onClick={() => document.getElementById('tw-content')?.focus({ preventScroll: true })}
    >
      {t('header.skip')}
    </button>
  )
}

/** A page without the console's frame. */
function Bare({ className }: { className?: string | undefined }) {
  useEarlyFrameEnd()
  return (
    <main className={className}>
      <Outlet />
    </main>
  )
}
