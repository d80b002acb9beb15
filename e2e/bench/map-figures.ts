import type { Browser, BrowserContext, Page } from 'playwright-core'
import { openBrowser } from '../fixtures/console.ts'

/**
 * Measures the map of devices in a browser: how long until it is first painted, and the frames while it is dragged:
 * node --import tsx e2e/bench/map-figures.ts JSON. The last line printed is the result as JSON; `tools/bench/map` starts
 * this program.
 */
export interface MapMachine {
  name: string
  cpuSlowdown: number
  /** null: the line of this machine to itself. */
  megabitsPerSecond: number | null
  latencyMs: number
}

interface Order {
  url: string
  /** Stored sign-in (the entry `userToken`). */
  userToken: string
  machines: MapMachine[]
  /** Loads of the page on each machine. */
  loads: number
  /** Drags in each view on each machine. */
  drags: number
  /** How often the map is zoomed in for each view, with its name. */
  views: { name: string; closer: number }[]
}

export interface LoadFigures {
  machine: string
  /** Until the frame after outlines and marks are there. */
  paintMs: number
  lcpMs: number
}

export interface DragFigures {
  machine: string
  view: string
  /** Marks that were drawn when it began. */
  marks: number
  frames: number
  /** Between one frame and the next. */
  p99Ms: number
  longestMs: number
  above50: number
}

/** What the page notes of itself. */
interface Noted {
  painted: number | null
  lcp: number
  /** Times of frames while a drag is measured; null: none is. */
  frames: number[] | null
}
type Noting = Window & { noted: Noted }

const PATIENCE_MS = 60_000
const MAP = '[role=application]'
const MARKS = `${MAP} span[style*=translate] > button`
const LAND = `${MAP} svg > g path`
/** Of a drag, px: beyond half of the window, so that it is drawn again on the way. */
const ACROSS = 760
const DOWN = 120
const STEPS = 95
const isOfMap = (address: string) => address.includes('/api/v1/device-map?')
/** What the page asked last. */
let asked = ''

const order = JSON.parse(process.argv[2] ?? '') as Order
const browser = await openBrowser()
const loads: LoadFigures[] = []
const drags: DragFigures[] = []
try {
  for (const machine of order.machines) {
    for (let i = 0; i < order.loads; i++) loads.push(await visit(browser, machine, page => painted(machine, page)))
    for (const view of order.views) drags.push(await visit(browser, machine, page => dragged(machine, view, page)))
  }
} finally {
  await browser.close()
}
process.stdout.write(`${JSON.stringify({ browser: browser.version(), loads, drags })}\n`)

async function visit<T>(browser: Browser, machine: MapMachine, work: (page: Page) => Promise<T>): Promise<T> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: 'block' })
  try {
    return await work(await open(context, machine))
  } finally {
    await context.close()
  }
}

async function open(context: BrowserContext, machine: MapMachine): Promise<Page> {
  // The compiler marks inner functions with a helper that the page does not have.
  await context.addInitScript('globalThis.__name = value => value')
  await context.addInitScript(prepare, { userToken: order.userToken, marks: MARKS, land: LAND })
  const page = await context.newPage()
  page.on('request', request => {
    if (isOfMap(request.url())) asked = request.url()
  })
  const cdp = await context.newCDPSession(page)
  if (machine.megabitsPerSecond !== null) {
    const bytesPerSecond = (machine.megabitsPerSecond * 1e6) / 8
    await cdp.send('Network.enable')
    await cdp.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: machine.latencyMs,
      downloadThroughput: bytesPerSecond,
      uploadThroughput: bytesPerSecond,
    })
  }
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: machine.cpuSlowdown })
  await page.goto(`${order.url}/stat/DeviceMap`, { timeout: PATIENCE_MS, waitUntil: 'commit' })
  await page.waitForFunction(() => (window as unknown as Noting).noted.painted !== null, undefined, {
    timeout: PATIENCE_MS,
  })
  return page
}

/** Runs in the page before anything else. */
function prepare({ userToken, marks, land }: { userToken: string; marks: string; land: string }): void {
  localStorage.setItem('lang', 'en')
  localStorage.setItem('userToken', userToken)
  const noted: Noted = { painted: null, lcp: 0, frames: null }
  Object.assign(window, { noted })
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) noted.lcp = entry.startTime
  }).observe({ type: 'largest-contentful-paint', buffered: true })
  const watch = new MutationObserver(() => {
    if (!document.querySelector(marks) || !document.querySelector(land)) return
    watch.disconnect()
    // The frame after the one that shows them.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        noted.painted = performance.now()
      }),
    )
  })
  watch.observe(document, { childList: true, subtree: true, attributes: true })
  const frame = (at: number) => {
    noted.frames?.push(at)
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
}

async function painted(machine: MapMachine, page: Page): Promise<LoadFigures> {
  await page.waitForLoadState('networkidle')
  const { painted, lcp } = await page.evaluate(() => (window as unknown as Noting).noted)
  return { machine: machine.name, paintMs: Math.round(painted ?? 0), lcpMs: Math.round(lcp) }
}

/** Drags to and fro until what is seen then has been asked for and drawn. */
async function dragged(machine: MapMachine, view: Order['views'][number], page: Page): Promise<DragFigures> {
  await page.waitForLoadState('networkidle')
  await page.locator(MAP).focus()
  for (let i = 0; i < view.closer; i++) await answered(page, () => page.keyboard.press('+'))
  await page.waitForLoadState('networkidle')
  const marks = await page.locator(MARKS).count()
  const box = (await page.locator(MAP).boundingBox())!
  const gaps: number[] = []
  for (let i = 0; i < order.drags; i++) {
    const to = i % 2 === 0 ? 1 : -1
    const [x, y] = await ground(page, box, to)
    await page.mouse.move(x, y)
    await page.evaluate(() => {
      ;(window as unknown as Noting).noted.frames = []
    })
    await answered(page, async () => {
      await page.mouse.down()
      for (let step = 1; step <= STEPS; step++)
        await page.mouse.move(x + (to * ACROSS * step) / STEPS, y + (to * DOWN * step) / STEPS)
      await page.mouse.up()
    })
    // What came is drawn by then.
    await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    const frames = await page.evaluate(() => {
      const { noted } = window as unknown as Noting
      const { frames } = noted
      noted.frames = null
      return frames ?? []
    })
    gaps.push(...frames.slice(1).map((at, n) => at - frames[n]!))
  }
  const sorted = gaps.toSorted((a, b) => a - b)
  const round = (value: number | undefined) => Math.round((value ?? 0) * 10) / 10
  return {
    machine: machine.name,
    view: view.name,
    marks,
    frames: gaps.length,
    p99Ms: round(sorted[Math.floor((sorted.length - 1) * 0.99)]),
    longestMs: round(sorted.at(-1)),
    above50: gaps.filter(gap => gap > 50).length,
  }
}

/** A point from which the map can be dragged that way: no mark lies there, because a drag does not begin on one. */
async function ground(page: Page, box: { x: number; y: number; width: number; height: number }, to: number) {
  const x = to > 0 ? box.x + 60 : box.x + box.width - 160
  const top = to > 0 ? box.y + 80 : box.y + 80 + DOWN
  const y = await page.evaluate(
    ({ x, top }) => {
      for (let y = top; y < top + 200; y += 4) if (!document.elementFromPoint(x, y)?.closest('button')) return y
      return null
    },
    { x, top },
  )
  if (y === null) throw new Error('the map has no free place to drag it from')
  return [x, y] as const
}

/** What the work lets the page ask of the map has been answered; the same question again, as every ten seconds, is not it. */
async function answered(page: Page, work: () => Promise<unknown>): Promise<void> {
  const before = asked
  const reply = page.waitForResponse(response => isOfMap(response.url()) && response.url() !== before, {
    timeout: PATIENCE_MS,
  })
  await work()
  await (await reply).finished()
}
