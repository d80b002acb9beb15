import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { openBrowser } from '../fixtures/console.ts'

/**
 * Measures cold loads of console pages on a slow machine and line: node --import tsx e2e/bench/page-figures.ts JSON.
 * The last line printed is the result as JSON; `tools/bench/web` starts this program.
 */
export interface PageCase {
  name: string
  path: string
  locale: 'zh' | 'en'
  /** Stored sign-in (the entry `userToken`); null: a visitor. */
  userToken: string | null
  /** What is there when the page can be used. */
  readySelector: string
}

export interface PageFigures {
  name: string
  locale: string
  /** Transferred with headers, as it came over the line (gzip). */
  bytes: number
  scriptBytes: number
  /** Of `bytes`, what had come when the page could be used. */
  usableBytes: number
  requests: number
  lcpMs: number
  cls: number
  /** Until the thing to be used is on the screen. */
  interactiveMs: number
  /** Of all long tasks, the part above 50 ms each. */
  blockingMs: number
  /** The largest files: address and bytes. */
  heaviest: [string, number][]
}

interface Order {
  url: string
  cases: PageCase[]
  repeats: number
  cpuSlowdown: number
  megabitsPerSecond: number
  latencyMs: number
}

/** Vitals as the page itself sees them. */
interface Vitals {
  lcp: number
  cls: number
  blocking: number
  ready: number | null
}

/** Nothing more comes over the line for this long: the load is over. */
const QUIET_MS = 1_000
const LOAD_MS = 60_000

const order = JSON.parse(process.argv[2] ?? '') as Order
const browser = await openBrowser()
const figures: PageFigures[] = []
try {
  for (let i = 0; i < order.repeats; i++)
    for (const one of order.cases) figures.push(await measure(browser, order, one))
} finally {
  await browser.close()
}
process.stdout.write(`${JSON.stringify({ browser: browser.version(), figures })}\n`)

async function measure(browser: Browser, order: Order, one: PageCase): Promise<PageFigures> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: 'block' })
  try {
    return await load(context, order, one)
  } finally {
    await context.close()
  }
}

async function load(context: BrowserContext, order: Order, one: PageCase): Promise<PageFigures> {
  // The compiler marks inner functions with a helper that the page does not have.
  await context.addInitScript('globalThis.__name = value => value')
  await context.addInitScript(prepare, { lang: one.locale, userToken: one.userToken, selector: one.readySelector })
  const page = await context.newPage()
  const line = await slowLine(await context.newCDPSession(page), order)
  await page.goto(order.url + one.path, { timeout: LOAD_MS, waitUntil: 'commit' })
  await page.waitForFunction(() => (window as unknown as { vitals: Vitals }).vitals.ready !== null, undefined, {
    timeout: LOAD_MS,
  })
  const usableBytes = line.bytes()
  await line.quiet()
  const vitals = await vitalsOf(page)
  return {
    name: one.name,
    locale: one.locale,
    bytes: line.bytes(),
    scriptBytes: line.bytes('Script'),
    usableBytes,
    requests: line.requests(),
    lcpMs: Math.round(vitals.lcp),
    cls: Math.round(vitals.cls * 1000) / 1000,
    interactiveMs: Math.round(vitals.ready ?? 0),
    blockingMs: Math.round(vitals.blocking),
    heaviest: line.heaviest(),
  }
}

/** Runs in the page before anything else. */
function prepare({ lang, userToken, selector }: { lang: string; userToken: string | null; selector: string }): void {
  localStorage.setItem('lang', lang)
  if (userToken) localStorage.setItem('userToken', userToken)
  const vitals: Vitals = { lcp: 0, cls: 0, blocking: 0, ready: null }
  Object.assign(window, { vitals })
  const observe = (
    type: string,
    take: (entry: PerformanceEntry & { value?: number; hadRecentInput?: boolean }) => void,
  ) => new PerformanceObserver(list => list.getEntries().forEach(take)).observe({ type, buffered: true })
  observe('largest-contentful-paint', entry => {
    vitals.lcp = entry.startTime
  })
  observe('layout-shift', entry => {
    if (!entry.hadRecentInput) vitals.cls += entry.value ?? 0
  })
  observe('longtask', entry => {
    vitals.blocking += entry.duration - 50
  })
  const look = () => {
    if (!document.querySelector(selector)) return
    watch.disconnect()
    // The frame after the one that shows it.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        vitals.ready = performance.now()
      }),
    )
  }
  const watch = new MutationObserver(look)
  watch.observe(document, { childList: true, subtree: true, attributes: true })
}

async function vitalsOf(page: Page): Promise<Vitals> {
  return page.evaluate(() => (window as unknown as { vitals: Vitals }).vitals)
}

/** A slow machine behind a slow line, and what came over it. */
async function slowLine(cdp: CDPSession, order: Order) {
  const types = new Map<string, string>()
  const addresses = new Map<string, string>()
  const received = new Map<string, number>()
  let open = 0
  let lastAt = performance.now()
  cdp.on('Network.requestWillBeSent', ({ requestId, type, request }) => {
    if (!request.url.startsWith('http')) return
    types.set(requestId, type ?? 'Other')
    addresses.set(requestId, new URL(request.url).pathname)
    open++
  })
  const ended = (requestId: string) => {
    if (!types.has(requestId)) return
    open--
    lastAt = performance.now()
  }
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    received.set(requestId, encodedDataLength)
    ended(requestId)
  })
  cdp.on('Network.loadingFailed', ({ requestId }) => ended(requestId))
  await cdp.send('Network.enable')
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true })
  // The sizes that are promised are those of gzip.
  await cdp.send('Network.setExtraHTTPHeaders', { headers: { 'accept-encoding': 'gzip' } })
  const bytesPerSecond = (order.megabitsPerSecond * 1e6) / 8
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: order.latencyMs,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  })
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: order.cpuSlowdown })
  return {
    bytes(type?: string): number {
      let sum = 0
      for (const [id, size] of received) if (!type || types.get(id) === type) sum += size
      return sum
    },
    requests: () => types.size,
    heaviest: (): [string, number][] =>
      [...received]
        .sort((a, b) => b[1] - a[1])
        .slice(0, 10)
        .map(([id, size]) => [addresses.get(id) ?? '', size]),
    async quiet(): Promise<void> {
      const deadline = performance.now() + LOAD_MS
      while ((open > 0 || performance.now() - lastAt < QUIET_MS) && performance.now() < deadline)
        await new Promise(resolve => setTimeout(resolve, 50))
    },
  }
}
