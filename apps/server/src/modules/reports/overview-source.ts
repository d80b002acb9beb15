import type { ResponseOf } from '@thingwright/contracts'
import type { alarmsContract } from '@thingwright/contracts/alarms.contract'
import type { statisticsContract } from '@thingwright/contracts/statistics.contract'
import type { Ctx } from '../../lib/context.ts'
import { partsIn } from '../../lib/zoned-time.ts'
import type { Span } from './report-period.ts'
import type { ReportApi } from './report-sources.ts'
import type { ReportPaper, ReportTable } from './report-table.ts'
import words from './report-words.json' with { type: 'json' }

type Statistics = typeof statisticsContract
interface Row extends Record<string, unknown> {
  section: string
  item: string
  value: number | null
  before: number | null
}

const FACTS = ['devices', 'online', 'messages', 'created', 'lost', 'commandsOk', 'commandsFailed'] as const
/** What trends can be asked for at once, ms. */
const LONGEST_MS = 31 * 86_400_000

/** How the company's devices do, as the overview of the console shows it; what the owner may not read is left out. */
export async function overviewTable(
  api: ReportApi,
  ctx: Ctx,
  span: Span | null,
  paper: ReportPaper,
): Promise<ReportTable> {
  const text = words[paper.locale]
  const fill = (pattern: string, values: Record<string, string | number>) =>
    pattern.replaceAll(/\{(\w+)\}/g, (_, key: string) => String(values[key] ?? ''))
  const get = <T>(path: string, query: Record<string, unknown> = {}) =>
    api.call(ctx, { route: `GET ${path}`, query }) as Promise<T>
  const rows: Row[] = []

  const facts = await get<ResponseOf<Statistics['facts']>>('/api/v1/statistics/facts')
  for (const key of FACTS)
    rows.push({
      section: text.sections.now,
      item: text.facts[key],
      value: facts[key].value,
      before: facts[key].before,
    })
  const shares = await get<ResponseOf<Statistics['distribution']>>('/api/v1/statistics/distribution', {
    by: 'product',
  })
  for (const { name, devices, online } of shares.items)
    rows.push({
      section: text.sections.product,
      item: fill(text.productRow, { name, online }),
      value: devices,
      before: null,
    })
  const maySeeAlarms = ctx.actor.kind === 'system' || ctx.actor.permissions.has('alarm:read')
  const alarms = maySeeAlarms
    ? await get<ResponseOf<(typeof alarmsContract)['statistics']>>('/api/v1/alarms/statistics', {
        ...(span ? { from: String(span.from), to: String(span.to) } : {}),
        zone: paper.zone,
      })
    : null
  if (alarms)
    for (const key of ['total', 'active', 'unacknowledged'] as const)
      rows.push({ section: text.sections.alarm, item: text.alarms[key], value: alarms[key], before: null })
  if (span) rows.push(...(await days(get, span, alarms?.byDay ?? [], paper)))
  return {
    columns: [
      { key: 'section', title: text.cols.section },
      { key: 'item', title: text.cols.item },
      { key: 'value', title: text.cols.value, type: 'number' },
      { key: 'before', title: text.cols.before, type: 'number' },
    ],
    rows: each(rows),
  }
}

async function days(
  get: <T>(path: string, query: Record<string, unknown>) => Promise<T>,
  span: Span,
  alarms: readonly { day: string; total: number }[],
  { locale, zone }: ReportPaper,
): Promise<Row[]> {
  const text = words[locale]
  const trends = await get<ResponseOf<Statistics['trends']>>('/api/v1/statistics/trends', {
    from: String(Math.max(span.from, span.to - LONGEST_MS)),
    to: String(span.to),
  })
  const byDay = new Map<string, { messages: number; online: number }>()
  for (const [place, at] of trends.now.at.entries()) {
    const { year, month, day } = partsIn(zone, at)
    const name = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
    const sums = byDay.get(name) ?? { messages: 0, online: 0 }
    sums.messages += trends.now.messages[place] ?? 0
    sums.online = Math.max(sums.online, trends.now.online[place] ?? 0)
    byDay.set(name, sums)
  }
  const row = (day: string, item: keyof typeof text.dayItems, value: number): Row => ({
    section: text.sections.day,
    item: text.dayRow.replace('{day}', day).replace('{item}', text.dayItems[item]),
    value,
    before: null,
  })
  return [
    ...[...byDay].flatMap(([day, sums]) => [row(day, 'messages', sums.messages), row(day, 'online', sums.online)]),
    ...alarms.map(({ day, total }) => row(day, 'alarms', total)),
  ]
}

async function* each(rows: readonly Row[]): AsyncGenerator<Row> {
  yield* rows
}
