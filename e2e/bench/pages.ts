import { mkdirSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { builtPages } from '../fixtures/furnished.ts'
import { PageTour } from '../fixtures/page-tour.ts'
import { startServer } from '../fixtures/server.ts'

/**
 * `npm run pages -- ADDRESS ...`: everything that is held against every page of the console, for some of them, and
 * pictures to look at. Ends with 1 when something is wrong, with 2 when the question was.
 */
const root = join(import.meta.dirname, '../..')
const WIDTHS = [1440, 1100, 1920] as const
const LOOKS = (['zh', 'en'] as const).flatMap(locale =>
  (['light', 'dark'] as const).map(appearance => ({ locale, appearance })),
)
const say = (line: string) => void process.stdout.write(`${line}\n`)

const { values: only, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    width: { type: 'string' },
    locale: { type: 'string' },
    appearance: { type: 'string' },
    into: { type: 'string', default: join(root, 'tools/bench/results/pages') },
  },
})
const widths = WIDTHS.filter(width => (only.width ?? String(width)) === String(width))
const looks = LOOKS.filter(
  ({ locale, appearance }) => (only.locale ?? locale) === locale && (only.appearance ?? appearance) === appearance,
)
/** Addresses as they were given, each with its page. */
const asked = only.all
  ? builtPages.map(route => ({ route, query: undefined }))
  : positionals.map(address => {
      const [path, query] = address.split(/(?=\?)/)
      return { route: builtPages.find(route => route.path === path), query, address }
    })
const unknown = asked.filter(each => !each.route)
if (asked.length === 0 || unknown.length > 0 || widths.length === 0 || looks.length === 0) {
  for (const { address } of unknown as { address?: string }[]) say(`There is no built page ${address}.`)
  say('npm run pages -- ADDRESS[?QUERY] ... [--width 1100] [--locale en] [--appearance dark] [--into FOLDER], or --all')
  say(`Addresses:\n${builtPages.map(({ path }) => `  ${path}`).join('\n')}`)
  process.exit(2)
}

const began = performance.now()
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`
const server = await startServer({ env: { DEV_FLAG: '1' } })
let faults = 0
let pictures = 0
try {
  const tour = await PageTour.begin(server)
  try {
    for (const { route, query } of asked) {
      const since = performance.now()
      const folder = join(resolve(only.into), route!.path.slice(1).replaceAll('/', '_'))
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { recursive: true })
      const found = new Map<string, string[]>()
      for (const [at, look] of looks.entries()) {
        const lines = await tour
          .faults(
            route!,
            { ...look, widths, tabs: 'each', keyboard: at === 0 },
            {
              ...(query === undefined ? {} : { query }),
              picture: (page, tab, width) => {
                pictures++
                const name = `${look.locale}-${look.appearance}-${width}${tab > 0 ? `-tab${tab + 1}` : ''}.png`
                return page.screenshot({ path: join(folder, name) })
              },
            },
          )
          .catch(error => [error instanceof Error ? error.message.split('\n')[0]! : String(error)])
        for (const line of lines) found.set(line, [...(found.get(line) ?? []), `${look.locale} ${look.appearance}`])
      }
      faults += found.size
      say(`${route!.path}: ${found.size === 0 ? 'nothing wrong' : `${found.size} faults`}, ${seconds(since)}`)
      for (const [line, where] of found)
        say(`  ${where.length === LOOKS.length ? 'everywhere' : where.join(', ')}: ${line}`)
    }
  } finally {
    await tour.end()
  }
} finally {
  await server.stop()
}
say(
  `${pictures} pictures in ${relative(process.cwd(), resolve(only.into)) || '.'}; ${faults} faults; ${seconds(began)}`,
)
process.exitCode = faults > 0 ? 1 : 0
