import type { FileHandle } from 'node:fs/promises'
import { AppError } from '../errors.ts'
import { readCsv } from './csv.ts'
import { TABLE_LIMITS, type TableSource, type TextEncodingName, tableProblem } from './table.ts'
import { readXlsx } from './xlsx.ts'

export type { NumberedRow, SourceTable, TableCell, TableRow, TableSource, TextEncodingName } from './table.ts'

const ZIP = Buffer.from('PK\u0003\u0004', 'latin1')
/** Compound file: .xls of old, and .xlsx with a password. */
const COMPOUND = Buffer.from([0xd0, 0xcf, 0x11, 0xe0])
const SNIFFED = 65_536

/**
 * Opens an uploaded table by what it is, not by its name: an .xlsx workbook or text with separators.
 * @param encoding of text files, when the person said it; otherwise UTF-8 (or UTF-16 by its mark) is demanded.
 *   `utf-8 or gbk`: what is not UTF-8 is read as GBK where it can be that, for tables whose head says whether it was
 * @throws AppError import.file_invalid with {reason}, import.encoding with {looksLike}
 */
export async function openTable(file: FileHandle, encoding?: TextEncodingName | 'utf-8 or gbk'): Promise<TableSource> {
  const { size } = await file.stat()
  if (size === 0) throw tableProblem('empty')
  if (size > TABLE_LIMITS.fileBytes)
    throw new AppError('request.too_large', { params: { limit: TABLE_LIMITS.fileBytes } })
  const head = Buffer.alloc(Math.min(size, SNIFFED))
  await file.read(head, 0, head.length, 0)
  if (head.subarray(0, 4).equals(ZIP))
    return { kind: 'xlsx', encoding: 'utf-8', decimalComma: false, tables: await readXlsx(file) }
  if (head.subarray(0, 4).equals(COMPOUND)) throw tableProblem('xls')
  return readCsv(file, head, encoding)
}
