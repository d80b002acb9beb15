import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { settled } from '../fixtures/axe.ts'
import { openBrowser, visitor } from '../fixtures/console.ts'
import { addressOf, builtPages, furnish, visitorOf } from '../fixtures/furnished.ts'
import { startServer } from '../fixtures/server.ts'
import { ConsolePage } from '../pages/console-page.ts'

/**
 * Pictures of every built page, narrow and wide, light and dark, in both languages, for people to look at:
 * node --import tsx e2e/bench/screenshots.ts [FOLDER]. Says which pages are wider than the window or do not open.
 */
const LOOKS = [
  { locale: 'zh', appearance: 'light', width: 1100 },
  { locale: 'en', appearance: 'dark', width: 1100 },
  { locale: 'zh', appearance: 'dark', width: 1920 },
  { locale: 'en', appearance: 'light', width: 1920 },
] as const

const folder = process.argv[2] ?? '/tmp/thingwright-screenshots'
mkdirSync(folder, { recursive: true })
const say = (line: string) => void process.stdout.write(`${line}\n`)
const server = await startServer({ env: { DEV_FLAG: '1' } })
const browser = await openBrowser()
try {
  const furniture = await furnish(server)
  for (const look of LOOKS) {
    const pages = new Map<string, Page>()
    for (const route of builtPages) {
      const who = visitorOf(route)
      let page = pages.get(who)
      if (!page) {
        page = (await visitor(browser, { ...look, height: 900 })).page
        if (who !== 'nobody') await new ConsolePage(page, server.url).enter(who === 'owner' ? 'admin' : 'operator')
        pages.set(who, page)
      }
      try {
        await page.goto(server.url + addressOf(route, furniture))
        await settled(page)
        const over = await page.evaluate(() => {
          const { scrollWidth, clientWidth } = document.documentElement
          return scrollWidth - clientWidth
        })
        if (over > 0) say(`${route.path} ${look.locale} ${look.width}: ${over} px wider than the window`)
        const name = `${route.path.slice(1).replaceAll('/', '_')}-${look.locale}-${look.appearance}-${look.width}.png`
        await page.screenshot({ path: join(folder, name) })
      } catch (error) {
        say(`${route.path} ${look.locale}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`)
      }
    }
    for (const page of pages.values()) await page.context().close()
  }
  say(`written to ${folder}`)
} finally {
  await browser.close()
  await server.stop()
}
