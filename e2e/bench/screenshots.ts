import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { settled } from '../fixtures/axe.ts'
import { openBrowser, visitor } from '../fixtures/console.ts'
import { addressOf, builtPages, furnish, visitorOf } from '../fixtures/furnished.ts'
import { startServer } from '../fixtures/server.ts'
import { ConsolePage } from '../pages/console-page.ts'
import { layoutFaults } from './layout-faults.ts'

/**
 * Pictures of every built page with every tab, in both languages, light and dark, at 1100, 1440 and 1920, for people to
 * look at, and what can be measured to be wrong with them:
 * node --import tsx e2e/bench/screenshots.ts [FOLDER] [--width 1100] [--locale en] [--appearance dark] [--page manage].
 * Ends with 1 when something is wrong.
 */
const { values: only, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    width: { type: 'string' },
    locale: { type: 'string' },
    appearance: { type: 'string' },
    page: { type: 'string' },
  },
})
const LOOKS = ([1100, 1440, 1920] as const).flatMap(width =>
  (['zh', 'en'] as const).flatMap(locale =>
    (['light', 'dark'] as const).map(appearance => ({ width, locale, appearance })),
  ),
)
const looks = LOOKS.filter(
  look =>
    (only.width ?? String(look.width)) === String(look.width) &&
    (only.locale ?? look.locale) === look.locale &&
    (only.appearance ?? look.appearance) === look.appearance,
)
const routes = builtPages.filter(route => route.path.includes(only.page ?? ''))

const folder = positionals[0] ?? '/tmp/thingwright-screenshots'
mkdirSync(folder, { recursive: true })
const say = (line: string) => void process.stdout.write(`${line}\n`)
let pictures = 0
let faults = 0
const server = await startServer({ env: { DEV_FLAG: '1' } })
const browser = await openBrowser()
try {
  const furniture = await furnish(server)
  for (const look of looks) {
    const pages = new Map<string, Page>()
    for (const route of routes) {
      const who = visitorOf(route)
      let page = pages.get(who)
      if (!page) {
        page = (await visitor(browser, { ...look, height: 900 })).page
        if (who !== 'nobody') await new ConsolePage(page, server.url).enter(who === 'owner' ? 'admin' : 'operator')
        pages.set(who, page)
      }
      const name = route.path.slice(1).replaceAll('/', '_')
      const where = `${route.path} ${look.locale} ${look.appearance} ${look.width}`
      try {
        await page.goto(server.url + addressOf(route, furniture))
        await settled(page)
        const tabs = page.locator('main [role=tab]')
        for (let at = 0; at < Math.max(1, await tabs.count()); at++) {
          if (at > 0) {
            await tabs.nth(at).click()
            await settled(page)
          }
          for (const fault of await layoutFaults(page)) {
            faults++
            say(`${where}${at > 0 ? ` tab ${at + 1}` : ''}: ${fault}`)
          }
          const file = `${name}${at > 0 ? `-${at + 1}` : ''}-${look.locale}-${look.appearance}-${look.width}.png`
          await page.screenshot({ path: join(folder, file) })
          pictures++
        }
      } catch (error) {
        faults++
        say(`${where}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`)
      }
    }
    for (const page of pages.values()) await page.context().close()
  }
  say(`${pictures} pictures in ${folder}, ${faults} faults`)
  process.exitCode = faults > 0 ? 1 : 0
} finally {
  await browser.close()
  await server.stop()
}
