import type { PageImport } from '../lib/feature-pages.ts'
import { loadTexts } from '../lib/i18n.ts'

/** A page that uses shared parts with texts of their own: those are downloaded beside its code. */
export function withTexts(namespaces: readonly string[], load: PageImport): PageImport {
  return async () => {
    const [page] = await Promise.all([load(), loadTexts(...namespaces)])
    return page
  }
}
