import type { ReportFunction, ReportSource } from '@thingwright/contracts/reports.contract'
import { REPORT_LIMITS } from '@thingwright/contracts/reports.words'
import type { Ctx } from '../../lib/context.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import type { TableColumn } from '../../lib/table-export/table-export.ts'
import { edgesOf, type Span } from './report-period.ts'
import type { SourceDeps } from './report-sources.ts'
import type { ReportPaper, ReportTable } from './report-table.ts'
import words from './report-words.json' with { type: 'json' }

type Cell = NonNullable<Awaited<ReturnType<SourceDeps['telemetry']['service']['intervals']>>[number]['cells'][number]>

const VALUE: Record<ReportFunction, (cell: Cell) => number | null> = {
  average: cell => rounded(cell.sum / cell.n),
  min: cell => cell.min,
  max: cell => cell.max,
  sum: cell => rounded(cell.sum),
  last: cell => cell.last,
}

/** Without the noise of binary fractions. */
const rounded = (value: number) => Number(value.toPrecision(12))

/** @throws AppError report.too_many_rows when so many intervals would be no table for people */
export function refuseTooMany(source: ReportSource, zone: string, span: Span): number[] {
  const edges = edgesOf(source.interval!, zone, span)
  if ((edges.length - 1) * source.deviceIds!.length * source.properties!.length > REPORT_LIMITS.rows)
    throw new AppError('report.too_many_rows', { params: { limit: REPORT_LIMITS.rows } })
  return edges
}

/**
 * What devices measured, interval by interval; intervals without a value are left out, and devices that are gone or that
 * the owner may not see any more.
 */
export async function telemetryTable(
  { telemetry, names }: Pick<SourceDeps, 'telemetry' | 'names'>,
  ctx: Ctx,
  source: ReportSource,
  span: Span,
  { locale, zone }: ReportPaper,
): Promise<ReportTable> {
  const text = words[locale]
  const functions = source.functions!
  const edges = refuseTooMany(source, zone, span)
  const known = await names(ctx, source.deviceIds!)
  const query = { identifiers: source.properties!, edges, last: functions.includes('last') }
  const read = async ({ id }: { id: string }) => {
    try {
      return await telemetry.service.intervals({ ...ctx, locale }, id, query)
    } catch (error) {
      if (isAppError(error) && error.code === 'device.not_found') return []
      throw error
    }
  }
  // Read before the rows are written: the picture stands above them.
  const found: { device: (typeof known)[number]; series: Awaited<ReturnType<typeof read>> }[] = []
  for (const device of known) found.push({ device, series: await read(device) })
  async function* rows() {
    for (const { device, series } of found)
      for (const { title, cells } of series)
        for (const [place, cell] of cells.entries())
          if (cell)
            yield {
              time: edges[place]!,
              device: device.name,
              deviceNo: device.deviceNo,
              property: title,
              ...Object.fromEntries(functions.map(name => [name, VALUE[name](cell)])),
            }
  }
  const drawn = functions[0]!
  return {
    columns: [
      { key: 'time', title: text.cols.time, type: 'time' },
      { key: 'device', title: text.cols.device },
      { key: 'deviceNo', title: text.cols.deviceNo },
      { key: 'property', title: text.cols.property },
      ...functions.map((key): TableColumn => ({ key, title: text.functions[key], type: 'number' })),
    ],
    rows: rows(),
    chart: {
      from: span.from,
      to: span.to,
      series: found.flatMap(({ device, series }) =>
        series.map(({ title, cells }) => ({
          name: `${device.name} ${title}`,
          points: cells.flatMap((cell, place): [number, number][] => {
            const value = cell ? VALUE[drawn](cell) : null
            return value === null ? [] : [[edges[place]!, value]]
          }),
        })),
      ),
    },
  }
}
