import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import {
  IMPORT_MAX_HISTORY_ROWS,
  IMPORT_MAX_ROWS,
  type ImportField,
  type ImportTable,
} from '@thingwright/contracts/device-imports.contract'
import { AppError } from '../../../lib/errors.ts'
import { newId } from '../../../lib/ids.ts'
import {
  type NumberedRow,
  type SourceTable,
  shownCell,
  type TableRow,
  type TextEncodingName,
  tableProblem,
} from '../../../lib/table-import/table.ts'
import { openTable } from '../../../lib/table-import/table-source.ts'
import words from './import-words.json' with { type: 'json' }

/** Where a table waits between upload and import. */
export interface TableStore {
  put(key: string, body: Readable, options: { contentType: string }): Promise<void>
  get(key: string): Promise<{ body: Readable } | null>
  remove(key: string): Promise<void>
}

export interface ReadFile {
  kind: 'csv' | 'xlsx'
  encoding: string
  tables: ImportTable[]
}

const SAMPLE_ROWS = 20
/** Of a cell, where a few lines are shown. */
const SAMPLE_CHARS = 200

/**
 * Reads an uploaded file once and keeps its tables as lines of JSON, one packed object for each: trial and import read
 * these, and cost no more than their lines.
 * @param headRow number of the row with the titles, as the spreadsheet program counts; absent: it is looked for
 * @throws AppError import.file_invalid, import.encoding, import.too_many_rows, request.too_large
 */
export async function keepTables(
  store: TableStore,
  key: string,
  body: Readable,
  encoding: TextEncodingName | undefined,
  headRow?: number,
): Promise<ReadFile> {
  const path = join(tmpdir(), `thingwright-table-${newId()}`)
  const file = await open(path, 'wx+', 0o600)
  const kept: string[] = []
  try {
    await rm(path)
    for await (const chunk of body) await file.write(chunk as Buffer)
    const source = await openTable(file, encoding)
    const tables: ImportTable[] = []
    for (const table of source.tables) {
      const seen = await keepTable(store, `${key}-${tables.length}`, table, {
        decimalComma: source.decimalComma,
        headRow,
      })
      if (seen === null) continue
      kept.push(`${key}-${tables.length}`)
      tables.push(seen)
    }
    if (tables.length === 0) throw tableProblem('empty')
    return { kind: source.kind, encoding: source.encoding, tables }
  } catch (error) {
    for (const each of kept) await store.remove(each)
    throw error
  } finally {
    await file.close()
  }
}

/** Null when there is nothing in it. */
async function keepTable(
  store: TableStore,
  key: string,
  table: SourceTable,
  how: { decimalComma: boolean; headRow: number | undefined },
): Promise<ImportTable | null> {
  let head: string[] | null = null
  let headRow = 0
  const top: ImportTable['top'] = []
  let rows = 0
  let history = false
  const sample: string[][] = []
  async function* lines(): AsyncGenerator<string> {
    for await (const { number, cells: row } of belowTitles(table.rows(), how.headRow, top)) {
      if (head === null) {
        head = titlesOf(row)
        headRow = number
        history = isHistory(head)
        continue
      }
      const limit = history ? IMPORT_MAX_HISTORY_ROWS : IMPORT_MAX_ROWS
      if (++rows > limit) throw new AppError('import.too_many_rows', { params: { limit } })
      if (sample.length < SAMPLE_ROWS) sample.push(row.map(cell => shownCell(cell).slice(0, SAMPLE_CHARS)))
      yield `${JSON.stringify({ number, cells: row })}\n`
    }
  }
  const packed = createGzip({ level: 1 })
  const source = Readable.from(lines())
  source.on('error', error => packed.destroy(error))
  try {
    await store.put(key, source.pipe(packed), { contentType: 'application/x-ndjson' })
  } catch (error) {
    await store.remove(key)
    throw error
  }
  if (head === null || rows === 0) {
    await store.remove(key)
    return null
  }
  const { decimalComma } = how
  return { sheet: table.sheet, rows, columns: suggest(head), history, sample, headRow, top, decimalComma }
}

/** Rows that are looked at for the titles, and shown to whoever chooses another. */
const TOP_ROWS = 20

/**
 * The rows from the one with the titles on. A title of the whole table, a date or a remark may stand above it: it is the
 * first row that names the device's number, or the first row of all.
 * @param top gets the first rows, for people
 */
async function* belowTitles(
  rows: AsyncIterable<NumberedRow>,
  said: number | undefined,
  top: ImportTable['top'],
): AsyncGenerator<NumberedRow> {
  let waiting: NumberedRow[] | null = []
  for await (const row of rows) {
    if (top.length < TOP_ROWS)
      top.push({ number: row.number, cells: row.cells.map(cell => shownCell(cell).slice(0, SAMPLE_CHARS)) })
    if (waiting === null) {
      yield row
      continue
    }
    if (said !== undefined) {
      if (row.number < said) continue
      waiting = null
      yield row
      continue
    }
    waiting.push(row)
    const isHead = titlesOf(row.cells).some(title => ALIASES.get(plain(title)) === 'deviceNo')
    if (!isHead && waiting.length < TOP_ROWS) continue
    yield* isHead ? waiting.slice(-1) : waiting
    waiting = null
  }
  if (waiting) yield* waiting
}

function titlesOf(row: TableRow): string[] {
  return row.map(cell => (typeof cell === 'string' ? cell.trim() : '').slice(0, SAMPLE_CHARS))
}

/** The lines of a kept table, from one of them on. @throws AppError import.file_not_found */
export async function* keptRows(store: TableStore, key: string, from = 0): AsyncGenerator<NumberedRow> {
  const found = await store.get(key)
  if (!found) throw new AppError('import.file_not_found')
  const unpacked = createGunzip()
  found.body.on('error', error => unpacked.destroy(error))
  const lines = createInterface({ input: found.body.pipe(unpacked), crlfDelay: Number.POSITIVE_INFINITY })
  let at = 0
  try {
    for await (const line of lines) if (at++ >= from) yield numbered(JSON.parse(line), at)
  } finally {
    lines.close()
    found.body.destroy()
  }
}

/** Tables kept before rows had numbers of their own count from behind the head. */
function numbered(kept: NumberedRow | TableRow, at: number): NumberedRow {
  return Array.isArray(kept) ? { number: at + 1, cells: kept } : kept
}

const plain = (title: string) => title.toLowerCase().replaceAll(/[\s_()（）*:：.-]/g, '')
const ALIASES = new Map(
  Object.entries(words.aliases).flatMap(([field, names]) => names.map(name => [plain(name), field] as const)),
)

/** What each column probably is, by its title; none twice. */
export function suggest(titles: readonly string[]): ImportTable['columns'] {
  const taken = new Set<string>()
  return titles.map(title => {
    const field = ALIASES.get(plain(title)) ?? null
    if (field === null || field === 'time' || taken.has(field)) return { title, field: null }
    taken.add(field)
    return { title, field: field as ImportField }
  })
}

/** A table of values: it names devices and times, and something else. */
function isHistory(titles: readonly string[]): boolean {
  const fields = titles.map(title => ALIASES.get(plain(title)))
  return fields.includes('deviceNo') && fields.includes('time') && titles.length > 2
}
