import type { FeaturePages, PageImport } from '../lib/feature-pages.ts'

/** A page with the text namespaces it needs. */
export interface PageEntry {
  load: PageImport
  texts: string[]
}

const features = import.meta.glob('../features/*/index.ts', { eager: true, import: 'featurePages' }) as Record<
  string,
  FeaturePages | undefined
>

/** Says that there is no such page. */
export const NOT_FOUND: PageEntry = {
  load: () => import('./pages/not-found.tsx').then(m => ({ Component: m.NotFoundPage })),
  texts: [],
}

const SHELL_PAGES: Record<string, PageEntry> = {
  '/alonePage/NoPermissio': {
    load: () => import('./pages/no-permission.tsx').then(m => ({ Component: m.NoPermissionPage })),
    texts: [],
  },
  '/alonePage/accountNotActivated': {
    load: () => import('./pages/account-not-activated.tsx').then(m => ({ Component: m.AccountNotActivatedPage })),
    texts: ['money'],
  },
  '/operator/*': NOT_FOUND,
  '*': NOT_FOUND,
}

function collect(of: 'pages' | 'frames'): Record<string, PageEntry> {
  const found: Record<string, PageEntry> = {}
  for (const [file, feature] of Object.entries(features)) {
    const name = file.split('/').at(-2)!
    for (const [path, load] of Object.entries(feature?.[of] ?? {})) found[path] = { load, texts: [name] }
  }
  return found
}

/** Every page that is built, by address. */
export const PAGES: Record<string, PageEntry> = { ...SHELL_PAGES, ...collect('pages') }
/** Frames around the pages below an address. */
export const FRAMES: Record<string, PageEntry> = collect('frames')
