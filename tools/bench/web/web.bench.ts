import { atMost, type Bench, type BenchOptions, type BenchReport, type Size } from '../core/bench.ts'
import { consoleEntry, inBrowser, requireConsole, SLOW } from '../core/browser.ts'
import { Site } from '../core/site.ts'
import { type CloudPagesPart, cloudPages } from './cloud-pages.ts'

/** What the program in e2e/bench prints; only the wire is shared with it. */
interface PageFigures {
  name: string
  locale: string
  bytes: number
  scriptBytes: number
  usableBytes: number
  requests: number
  lcpMs: number
  cls: number
  interactiveMs: number
  blockingMs: number
}

const REPEATS: Record<Size, number> = { S: 1, M: 5 }
const DEVICES = 40
const INDEX = 'sign-in page'
const LIST = 'device list'

export const web: Bench = {
  name: 'web',
  summary: 'cold loads of the console in Chromium (4x slower CPU, 10 Mbit/s, 40 ms); cloud pages and their editor',
  async run(options) {
    const site = await Site.open()
    try {
      return await run(options, site)
    } finally {
      await site.close()
    }
  },
}

async function run({ size, say }: BenchOptions, site: Site): Promise<BenchReport> {
  requireConsole()
  await site.meters(DEVICES)
  const userToken = await consoleEntry(site.installation.url)
  const cases = ['zh', 'en'].flatMap(locale => [
    { name: INDEX, path: '/index', locale, userToken: null, readySelector: '[data-testid=sign-in-card] input' },
    {
      name: LIST,
      path: '/manage/device',
      locale,
      userToken,
      readySelector: 'table:not([aria-busy=true]) tbody tr',
    },
  ])
  const order = { url: site.installation.url, cases, repeats: REPEATS[size], ...SLOW }
  const { browser, figures } = await inBrowser<{ browser: string; figures: PageFigures[] }>('page-figures.ts', order)
  for (const f of figures)
    say(`  ${f.name} ${f.locale}: ${kb(f.bytes)} KB, LCP ${f.lcpMs} ms, usable ${f.interactiveMs} ms`)
  const pages = await cloudPages(site, size, say)
  return report(size, figures, pages, browser, await site.postgresVersion())
}

function report(
  size: Size,
  figures: PageFigures[],
  pages: CloudPagesPart,
  browser: string,
  postgres: string,
): BenchReport {
  const groups = [...new Set(figures.map(f => `${f.name}, ${f.locale}`))].map(label => ({
    label,
    runs: figures.filter(f => `${f.name}, ${f.locale}` === label),
  }))
  const worst = (name: string, key: 'bytes' | 'usableBytes' | 'lcpMs' | 'cls') =>
    Math.max(...groups.filter(g => g.label.startsWith(name)).map(g => median(g.runs.map(f => f[key]))))
  return {
    tables: [
      {
        title: `Median of ${REPEATS[size]} cold loads (no cache, no service worker, gzip)`,
        head: ['page', 'KB', 'KB when usable', 'scripts KB', 'requests', 'LCP ms', 'CLS', 'usable ms', 'blocking ms'],
        rows: groups.map(({ label, runs }) => [
          label,
          kb(median(runs.map(f => f.bytes))),
          kb(median(runs.map(f => f.usableBytes))),
          kb(median(runs.map(f => f.scriptBytes))),
          median(runs.map(f => f.requests)),
          median(runs.map(f => f.lcpMs)),
          median(runs.map(f => f.cls)),
          median(runs.map(f => f.interactiveMs)),
          median(runs.map(f => f.blockingMs)),
        ]),
      },
      ...pages.tables,
    ],
    goals: [
      atMost('/index, transferred', kb(worst(INDEX, 'bytes')), 180, 'KB'),
      atMost('console to a usable list, transferred', kb(worst(LIST, 'usableBytes')), 420, 'KB'),
      atMost('LCP of /index', worst(INDEX, 'lcpMs'), 1_800, 'ms'),
      atMost('LCP of the list', worst(LIST, 'lcpMs'), 1_800, 'ms'),
      atMost('CLS', Math.max(worst(INDEX, 'cls'), worst(LIST, 'cls')), 0.05, ''),
      ...pages.goals,
    ],
    notes: [
      `${SLOW.cpuSlowdown}x CPU throttling, ${SLOW.megabitsPerSecond} Mbit/s, ${SLOW.latencyMs} ms; 1 KB = 1,000 bytes, headers included.`,
      'What comes after the page can be used (prefetching) is in the first column only.',
      'The list is opened at its own address by someone who is signed in: shell, list page and first data in one load.',
      ...pages.notes,
    ],
    versions: { Chromium: browser, PostgreSQL: postgres },
    data: { line: SLOW, figures, pages: pages.data },
  }
}

function kb(bytes: number): number {
  return Math.round(bytes / 100) / 10
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)]!
}
