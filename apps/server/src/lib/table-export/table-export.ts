import { randomBytes } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../errors.ts'
import { StreamReply } from '../http.ts'
import { csvEncoder } from './csv.ts'
import { currentSink, withoutTableSink } from './table-sink.ts'
import { xlsxEncoder } from './xlsx.ts'

export type TableFormat = 'csv' | 'xlsx'

export interface TableColumn {
  /** Property of the row. */
  key: string
  title: string
  /** `number` and `time` become real numbers and dates in a spreadsheet; `time` is a Date, an ISO text or epoch ms. */
  type?: 'text' | 'number' | 'time'
}

export interface TableExport {
  format: TableFormat
  /** Without ending. */
  fileName: string
  columns: readonly TableColumn[]
  rows: AsyncIterable<Record<string, unknown>>
  /** IANA zone in which times are written; UTC when absent. */
  timeZone?: string
}

/** One format: bytes for the head, for each batch of rows and for the end, in this order. */
export interface TableEncoder {
  readonly contentType: string
  head(): Uint8Array
  rows(rows: readonly Record<string, unknown>[]): Uint8Array
  end(): Uint8Array
}

/** More than this is no table for people; the spreadsheet programs stop at 1,048,576. */
export const EXPORT_MAX_ROWS = 100_000

/** Rows encoded in one go: some milliseconds, so that other requests are answered in between. */
const BATCH = 200

/**
 * A table as a file to download. The rows are read and encoded one batch after the other and wait in a temporary file:
 * whatever fails on the way, and a table that is too long, is an answer with an error instead of half a file.
 * Text that a spreadsheet would run as a formula is made plain (CWE-1236).
 * @throws AppError export.too_many_rows beyond EXPORT_MAX_ROWS
 */
export async function tableExport(input: TableExport): Promise<StreamReply> {
  const sink = currentSink()
  if (sink) return withoutTableSink(() => sink(input))
  const encoder = input.format === 'xlsx' ? xlsxEncoder(input) : csvEncoder(input)
  const path = join(tmpdir(), `thingwright-export-${randomBytes(12).toString('hex')}`)
  const file = await open(path, 'wx+', 0o600)
  try {
    // The name goes at once; the file lives as long as it is open.
    await unlink(path)
    await file.write(encoder.head())
    let count = 0
    let batch: Record<string, unknown>[] = []
    for await (const row of input.rows) {
      if (++count > EXPORT_MAX_ROWS) throw new AppError('export.too_many_rows', { params: { limit: EXPORT_MAX_ROWS } })
      batch.push(row)
      if (batch.length < BATCH) continue
      await file.write(encoder.rows(batch))
      batch = []
    }
    if (batch.length > 0) await file.write(encoder.rows(batch))
    await file.write(encoder.end())
    return new StreamReply(
      file.createReadStream({ start: 0 }),
      encoder.contentType,
      `${input.fileName}.${input.format}`,
    )
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Every row of a list, page by page by its cursor: for `rows` of a `tableExport`. */
export async function* everyRow<T>(
  page: (cursor: string | undefined) => Promise<{ items: readonly T[]; nextCursor: string | null }>,
): AsyncGenerator<T> {
  let cursor: string | undefined
  do {
    const { items, nextCursor } = await page(cursor)
    yield* items
    cursor = nextCursor ?? undefined
  } while (cursor !== undefined)
}

/** Rows fetched at a time for an export. */
export const EXPORT_PAGE = 1000
