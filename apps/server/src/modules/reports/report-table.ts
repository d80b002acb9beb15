import type { ReportFormat } from '@thingwright/contracts/reports.words'
import { REPORT_LIMITS } from '@thingwright/contracts/reports.words'
import type { Locale } from '../../lib/context.ts'
import type { StreamReply } from '../../lib/http.ts'
import type { PdfChart } from '../../lib/pdf/pdf-chart.ts'
import { pdfDocument } from '../../lib/pdf/pdf-document.ts'
import { type TableColumn, type TableExport, tableExport } from '../../lib/table-export/table-export.ts'
import { clockText } from '../../lib/zoned-time.ts'
import words from './report-words.json' with { type: 'json' }

/** What a source gives to be written. */
export interface ReportTable extends Pick<TableExport, 'columns' | 'rows'> {
  /** For paper. */
  chart?: Omit<PdfChart, 'timeText'>
}

/** What stands around the table. */
export interface ReportPaper {
  format: ReportFormat
  title: string
  /** Without ending. */
  fileName: string
  locale: Locale
  zone: string
  company: string
  owner: string
  period: string | null
  /** Epoch ms. */
  madeAt: number
}

export interface ReportFile {
  reply: StreamReply
  /** Rows that were written, once the file is made. */
  rows: number
}

/** Writes a table as the format says. @throws AppError export.too_many_rows */
export async function fileOf(table: ReportTable, paper: ReportPaper): Promise<ReportFile> {
  let rows = 0
  async function* counted() {
    for await (const row of table.rows) {
      rows++
      yield row
    }
  }
  const reply =
    paper.format === 'xlsx'
      ? await tableExport({
          format: 'xlsx',
          fileName: paper.fileName,
          columns: table.columns,
          rows: counted(),
          timeZone: paper.zone,
        })
      : await onPaper(table, counted(), paper)
  return { reply, rows }
}

async function onPaper(
  table: ReportTable,
  all: AsyncIterable<Record<string, unknown>>,
  paper: ReportPaper,
): Promise<StreamReply> {
  const text = words[paper.locale]
  const fill = (pattern: string, values: Record<string, string | number>) =>
    pattern.replaceAll(/\{(\w+)\}/g, (_, key: string) => String(values[key] ?? ''))
  const columns = table.columns.slice(0, REPORT_LIMITS.pdfColumns)
  const rows: string[][] = []
  let count = 0
  for await (const row of all) {
    if (++count <= REPORT_LIMITS.pdfRows)
      rows.push(columns.map(({ key, type }) => cellText(row[key], type, paper.zone)))
  }
  const at = clockText(paper.zone, paper.madeAt)
  return pdfDocument({
    fileName: `${paper.fileName}.pdf`,
    title: paper.title,
    subtitle: paper.company,
    facts: [
      ...(paper.period === null ? [] : [{ label: text.period, value: paper.period }]),
      { label: text.madeAt, value: `${at} (${paper.zone})` },
      { label: text.owner, value: paper.owner },
      { label: text.rows, value: String(count) },
    ],
    table: {
      columns: columns.map(({ title, type }, place) => ({
        title,
        share: shareOf(rows, place, title),
        ...(type === 'number' ? { align: 'right' as const } : {}),
      })),
      rows,
    },
    totals: [],
    notes: [
      ...(count === 0 ? [text.none] : []),
      ...(count > rows.length ? [fill(text.moreRows, { count, shown: rows.length })] : []),
      ...(table.columns.length > columns.length
        ? [fill(text.moreColumns, { count: table.columns.length, shown: columns.length })]
        : []),
    ],
    foot: (page, pages) => fill(text.foot, { title: paper.title, at, page, pages }),
    madeAt: new Date(paper.madeAt),
    landscape: columns.length > 6,
    ...(table.chart ? { chart: { ...table.chart, timeText: at => clockText(paper.zone, at).slice(5, 16) } } : {}),
  })
}

/** How wide a column is beside the others: as its longest texts are, within bounds. */
function shareOf(rows: readonly (readonly string[])[], place: number, title: string): number {
  let longest = widthOf(title)
  for (const row of rows.slice(0, 200)) longest = Math.max(longest, widthOf(row[place] ?? ''))
  return Math.min(40, Math.max(6, longest))
}

/** Chinese characters are twice as wide as Latin ones. */
function widthOf(text: string): number {
  let width = 0
  for (const char of text) width += char > '\u2e7f' ? 2 : 1
  return width
}

function cellText(value: unknown, type: TableColumn['type'], zone: string): string {
  if (value === null || value === undefined) return ''
  if (type === 'time') {
    const ms = value instanceof Date ? value.getTime() : typeof value === 'number' ? value : Date.parse(String(value))
    if (Number.isFinite(ms)) return clockText(zone, ms)
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean)
}
