import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { openBrowser } from '../fixtures/console.ts'

/**
 * Measures cloud pages in a browser: a published page that is opened and one that is alive, and the editor with a large
 * drawing: node --import tsx e2e/bench/cloud-page-figures.ts JSON. The last line printed is the result as JSON;
 * `tools/bench/web` starts this program.
 */
interface Order {
  url: string
  /** Stored sign-in (the entry `userToken`). */
  userToken: string
  shown: { name: string; suffix: string; nodes: number }[]
  loads: number
  cpuSlowdown: number
  alive: { suffix: string; nodes: number; seconds: number }
  editor: { id: string; nodes: number; dragged: number; opens: number }
}

export interface FrameFigures {
  frames: number
  /** Between one frame and the next. */
  p99Ms: number
  longestMs: number
  above50: number
}

/** What the page notes of itself. */
interface Noted {
  /** When the frame after the last element was there, from the beginning of the navigation. */
  shown: number | null
  /** Times of frames while they are counted; null: they are not. */
  frames: number[] | null
}
type Noting = Window & { noted: Noted }

const PATIENCE_MS = 60_000
const STAGE = '[data-testid=stage]'
const STEPS = 120
/** Of a drag, px. */
const ACROSS = 90
const DOWN = 60

const order = JSON.parse(process.argv[2] ?? '') as Order
const browser = await openBrowser()
try {
  const shown = []
  for (let i = 0; i < order.loads; i++)
    for (const page of order.shown) shown.push(await visit(browser, null, context => opened(context, page)))
  const alive = await visit(browser, null, kept)
  const editor = []
  for (let i = 0; i < order.editor.opens; i++) editor.push(await visit(browser, order.userToken, dragged))
  process.stdout.write(`${JSON.stringify({ browser: browser.version(), shown, alive, editor })}\n`)
} finally {
  await browser.close()
}

async function visit<T>(
  browser: Browser,
  userToken: string | null,
  work: (context: BrowserContext) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({ viewport: { width: 1920, height: 1080 }, serviceWorkers: 'block' })
  try {
    // The compiler marks inner functions with a helper that the page does not have.
    await context.addInitScript('globalThis.__name = value => value')
    await context.addInitScript(token => {
      localStorage.setItem('lang', 'en')
      if (token) localStorage.setItem('userToken', token)
    }, userToken)
    return await work(context)
  } finally {
    await context.close()
  }
}

/** Runs in the page before anything else: notes when so many elements stand there, and frames. */
function note(nodes: number): void {
  const noted: Noted = { shown: null, frames: null }
  Object.assign(window, { noted })
  const frame = (at: number) => {
    noted.frames?.push(at)
    if (noted.shown === null && document.querySelectorAll('[data-node]').length >= nodes)
      requestAnimationFrame(() => {
        noted.shown ??= performance.now()
      })
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
}

async function shownOn(page: Page, path: string, nodes: number): Promise<number> {
  await page.addInitScript(note, nodes)
  await page.goto(order.url + path, { timeout: PATIENCE_MS, waitUntil: 'commit' })
  await page.waitForFunction(() => (window as unknown as Noting).noted.shown !== null, undefined, {
    timeout: PATIENCE_MS,
  })
  return page.evaluate(() => Math.round((window as unknown as Noting).noted.shown ?? 0))
}

/** A first visit of a published page on a slow machine. */
async function opened(context: BrowserContext, { name, suffix, nodes }: Order['shown'][number]) {
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  const bytes = await transferred(cdp)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: order.cpuSlowdown })
  const shownMs = await shownOn(page, `/page/${suffix}`, nodes)
  return { page: name, kilobytes: Math.round(bytes() / 100) / 10, shownMs }
}

/** Bytes that came over the line, headers included, of answers that were whole by then. */
async function transferred(cdp: CDPSession): Promise<() => number> {
  let sum = 0
  cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
    sum += encodedDataLength
  })
  await cdp.send('Network.enable')
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true })
  // The sizes that are promised are those of gzip.
  await cdp.send('Network.setExtraHTTPHeaders', { headers: { 'accept-encoding': 'gzip' } })
  return () => sum
}

/** A page that stays open while its values change. */
async function kept(context: BrowserContext): Promise<FrameFigures & { patches: number }> {
  const page = await context.newPage()
  let patches = 0
  page.on('websocket', socket =>
    socket.on('framereceived', ({ payload }) => {
      if (String(payload).includes('"type":"patch"')) patches++
    }),
  )
  await shownOn(page, `/page/${order.alive.suffix}`, order.alive.nodes)
  await page.waitForLoadState('networkidle')
  await page.waitForTimeout(2_000)
  const before = patches
  const figures = await framesOf(page, () => page.waitForTimeout(order.alive.seconds * 1_000))
  return { ...figures, patches: patches - before }
}

/** The editor with a large drawing: some of its elements are chosen with a box and dragged. */
async function dragged(context: BrowserContext): Promise<FrameFigures & { openMs: number; chosen: number }> {
  const { id, nodes, dragged } = order.editor
  const page = await context.newPage()
  const openMs = await shownOn(page, `/manage/user/center/cloudConfig?id=${id}`, nodes)
  await page.waitForLoadState('networkidle')
  const stage = page.locator(STAGE)
  const at = async (node: number) => (await stage.locator(`[data-node=n${node}]`).boundingBox())!
  // Rows of fifty: half of each of the first rows.
  const [first, last, beside] = [await at(0), await at((dragged / 25 - 1) * 50 + 24), await at(25)]
  await page.mouse.move(first.x - 6, first.y - 6)
  await page.mouse.down()
  await page.mouse.move(last.x + last.width - 2, last.y + last.height - 2, { steps: 10 })
  await page.mouse.up()
  await page.locator('[data-handle=rotate]').waitFor()
  const [x, y] = [first.x + first.width / 2, first.y + first.height / 2]
  await page.mouse.move(x, y)
  const figures = await framesOf(page, async () => {
    await page.mouse.down()
    for (let step = 1; step <= STEPS; step++)
      await page.mouse.move(x + (ACROSS * step) / STEPS, y + (DOWN * step) / STEPS)
    await page.mouse.up()
  })
  if ((await at(0)).x - first.x < ACROSS / 2) throw new Error('what was chosen does not stand where it was dragged')
  if (Math.abs((await at(25)).x - beside.x) > 1) throw new Error('more was dragged than was chosen')
  return { openMs, chosen: dragged, ...figures }
}

async function framesOf(page: Page, work: () => Promise<unknown>): Promise<FrameFigures> {
  await page.evaluate(() => {
    ;(window as unknown as Noting).noted.frames = []
  })
  await work()
  await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  const times = await page.evaluate(() => {
    const { noted } = window as unknown as Noting
    const { frames } = noted
    noted.frames = null
    return frames ?? []
  })
  const gaps = times.slice(1).map((at, i) => at - times[i]!)
  const sorted = gaps.toSorted((a, b) => a - b)
  const round = (value: number | undefined) => Math.round((value ?? 0) * 10) / 10
  return {
    frames: gaps.length,
    p99Ms: round(sorted[Math.floor((sorted.length - 1) * 0.99)]),
    longestMs: round(sorted.at(-1)),
    above50: gaps.filter(gap => gap > 50).length,
  }
}
