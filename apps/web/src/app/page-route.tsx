import type { WebRoute } from '@thingwright/contracts/web-routes'
import type { ComponentType } from 'react'
import type { LoaderFunctionArgs, RouteObject, ShouldRevalidateFunctionArgs } from 'react-router'
import { loadConsoleShell } from './layout/console-shell-loader.ts'
import { loadedPage, loadPage } from './page-loading.ts'
import type { PageEntry } from './page-table.ts'
import { RouteError } from './pages/route-error.tsx'
import { phase } from './progress-bar/progress.ts'
import type { RouteHandle } from './route-handle.ts'

function pageComponent(entry: PageEntry): ComponentType {
  return function Page() {
    const Component = loadedPage(entry)?.Component
    return Component ? <Component /> : null
  }
}

/**
 * The loader is what downloads the page: route `lazy` would start beside the guard, and people who may not open a
 * page would get its code all the same.
 */
function pageLoader(entry: PageEntry, route: WebRoute | null) {
  return async (args: LoaderFunctionArgs) => {
    phase('chunk-start')
    const [module] = await Promise.all([loadPage(entry), route?.menu && !route.alone ? loadConsoleShell() : null])
    phase('chunk-end')
    phase('data-start')
    const data = (await module.loader?.(args)) ?? null
    phase('data-end')
    return data
  }
}

/** A change of the query alone (filters, tabs) loads nothing anew unless the page has a loader of its own. */
function shouldRevalidate(entry: PageEntry) {
  return ({ currentUrl, nextUrl, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) => {
    const module = loadedPage(entry)
    return module && !module.loader ? currentUrl.pathname !== nextUrl.pathname : defaultShouldRevalidate
  }
}

/** One address of the route table as a route of the router. */
export function page(route: WebRoute, entry: PageEntry): RouteObject {
  return {
    path: route.path,
    caseSensitive: true,
    handle: { route } satisfies RouteHandle,
    loader: pageLoader(entry, route),
    shouldRevalidate: shouldRevalidate(entry),
    Component: pageComponent(entry),
    errorElement: <RouteError />,
  }
}

/** A frame around pages: a route without an address of its own. */
export function frame(path: string, entry: PageEntry, children: RouteObject[]): RouteObject {
  return {
    id: `frame:${path}`,
    loader: pageLoader(entry, null),
    shouldRevalidate: shouldRevalidate(entry),
    Component: pageComponent(entry),
    errorElement: <RouteError />,
    children,
  }
}
