import type { ComponentType } from 'react'
import type { LoaderFunctionArgs } from 'react-router'

/** A page's module: the component, and optionally what must be loaded before it is shown. */
export interface PageModule {
  Component: ComponentType
  /** Runs after the guard; its data is read with `useLoaderData()`. Most pages query in the component instead. */
  loader?: (args: LoaderFunctionArgs) => unknown
}

export type PageImport = () => Promise<PageModule>

/**
 * What a feature's `index.ts` exports as `featurePages`: its pages by route address (the keys of web-routes), loaded
 * when first opened. A `frame` is drawn around the pages below an address, with an `<Outlet/>` for the open one (a
 * detail's header and tabs). Texts of the feature's `locales/{zh,en}.json` are there before a page is drawn; the
 * namespace is the folder's name. The router finds every `features/*`+`/index.ts` by itself.
 *
 * Something for the header (at the left of help) is a component `HeaderItem` exported by `features/<area>/header.tsx`:
 * 32 px high, small, since it comes with the frame; what it opens is downloaded then (app/layout/console-header.tsx).
 */
export interface FeaturePages {
  pages: Record<string, PageImport>
  frames?: Record<string, PageImport>
}
