import type { PageModule } from '../lib/feature-pages.ts'
import { loadTexts } from '../lib/i18n.ts'
import { PAGES, type PageEntry } from './page-table.ts'

const modules = new Map<PageEntry, PageModule>()

/** Downloads a page and its texts, once. */
export async function loadPage(entry: PageEntry): Promise<PageModule> {
  const [module] = await Promise.all([modules.get(entry) ?? entry.load(), loadTexts(...entry.texts)])
  modules.set(entry, module)
  return module
}

/** A page that has been downloaded before. */
export function loadedPage(entry: PageEntry): PageModule | undefined {
  return modules.get(entry)
}

/** Starts downloading the page behind an address (on hovering its menu entry). */
export function prefetchPage(path: string): void {
  const entry = PAGES[path]
  if (entry) loadPage(entry).catch(() => undefined)
}
