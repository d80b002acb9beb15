import { WEB_ROUTES } from '@thingwright/contracts/web-routes'
import { createBrowserRouter, type RouteObject } from 'react-router'
import { setNavigator } from '../lib/navigation.ts'
import { guardMiddleware, settleAt } from './guard/guard-middleware.ts'
import { RootLayout } from './layout/root-layout.tsx'
import { frame, page } from './page-route.tsx'
import './home-cards.ts'
import { FRAMES, NOT_FOUND, PAGES } from './page-table.ts'
import { RootError } from './pages/route-error.tsx'
import { finish, phase } from './progress-bar/progress.ts'

/** The route table as routes: pages, and the frames around some of them. */
export function buildRoutes(): RouteObject[] {
  const framed = new Map<string, RouteObject[]>()
  const routes: RouteObject[] = []
  for (const route of WEB_ROUTES) {
    const object = page(route, PAGES[route.path] ?? NOT_FOUND)
    const below = Object.keys(FRAMES).find(path => route.path.startsWith(`${path}/`))
    if (below === undefined) routes.push(object)
    else framed.set(below, [...(framed.get(below) ?? []), object])
  }
  for (const [path, children] of framed) routes.push(frame(path, FRAMES[path]!, children))
  return routes
}

export function createRouter() {
  phase('start')
  const router = createBrowserRouter([
    {
      id: 'root',
      middleware: [guardMiddleware],
      Component: RootLayout,
      ErrorBoundary: RootError,
      HydrateFallback: () => null,
      children: buildRoutes(),
    },
  ])
  let pending: string | null = null
  const follow = () => {
    const { initialized, navigation, location } = router.state
    if (!initialized) return
    if (navigation.state === 'idle') {
      pending = null
      settleAt(location.pathname + location.search)
      finish()
    } else if (navigation.location.key !== pending) {
      pending = navigation.location.key
      // Filters and tabs in the query are not a navigation to anybody's eyes.
      if (navigation.location.pathname !== location.pathname) phase('start')
    }
  }
  router.subscribe(follow)
  follow()
  setNavigator(path => void router.navigate(path))
  return router
}
