import type { WebRoute } from '@thingwright/contracts/web-routes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { builtPages, ofInstallation } from '../fixtures/furnished.ts'
import { PageTour } from '../fixtures/page-tour.ts'
import { startServer } from '../fixtures/server.ts'
import { sharedServer } from '../fixtures/shared-server.ts'

/**
 * Each language in one of the two appearances. Only English is measured, whose words are longer, in the narrowest window
 * of the specification: the browser of the tests has no Chinese letters.
 */
const LOOKS = {
  zh: { locale: 'zh', appearance: 'light', tabs: 'first', keyboard: true, widths: [] },
  en: { locale: 'en', appearance: 'dark', tabs: 'each', keyboard: false, widths: [1100] },
} as const

function pages(routes: readonly WebRoute[], begin: () => Promise<PageTour>): void {
  let tour: PageTour
  beforeAll(async () => {
    tour = await begin()
  })
  afterAll(() => tour?.end())

  for (const [locale, look] of Object.entries(LOOKS))
    it.each(routes.map(route => [route.path, route] as const))(`${locale} ${look.appearance}: %s`, async (_, route) => {
      expect(await tour.faults(route, look)).toEqual([])
    })
}

/**
 * Every page of the route table that shows one company, as it is built, held against everything that is held against
 * pages (`fixtures/page-faults.ts`).
 * @param part of so many: each takes every so many-th page, so that a file is done in a while and new pages are in one
 */
export function everyPage(part: number, of: number): void {
  const routes = builtPages.filter(route => !ofInstallation(route)).filter((_, index) => index % of === part - 1)
  describe(`nothing is wrong with the pages (${part} of ${of})`, () => {
    pages(routes, async () => PageTour.begin(await sharedServer()))
  })
}

/** The pages that show the whole installation, on one of their own. */
export function everyPageOfInstallation(): void {
  describe('nothing is wrong with the pages of an installation', () => {
    let stop: () => Promise<unknown>
    afterAll(() => stop?.())
    pages(builtPages.filter(ofInstallation), async () => {
      const server = await startServer({ env: { DEV_FLAG: '1' } })
      stop = () => server.stop()
      return PageTour.begin(server)
    })
  })
}
