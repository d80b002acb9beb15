import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { AppError } from '../errors.ts'
import {
  cellOf,
  isBlank,
  type NumberedRow,
  TABLE_LIMITS,
  type TableSource,
  type TextEncodingName,
  tableProblem,
} from './table.ts'

const CHUNK = 64 * 1024

/** Text with separators (RFC 4180, and with tab or semicolon, as spreadsheets write it). Read twice: once for its encoding. */
export async function readCsv(
  file: FileHandle,
  head: Buffer,
  said: TextEncodingName | 'utf-8 or gbk' | undefined,
): Promise<TableSource> {
  const either = said === 'utf-8 or gbk'
  const given = either ? undefined : said
  const marked = head[0] === 0xff && head[1] === 0xfe
  const encoding: TextEncodingName = given ?? (marked ? 'utf-16le' : 'utf-8')
  if (encoding !== 'utf-16le' && head.includes(0)) throw tableProblem('binary')
  // Wholly before anything is taken: a file that is broken in its last line changes nothing.
  try {
    for await (const _ of texts(file, encoding));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const looksLike = given ? '' : await likely(file)
    if (either && looksLike === 'GBK') return readCsv(file, head, 'gb18030')
    throw new AppError('import.encoding', { params: { encoding, looksLike } })
  }
  const start = new TextDecoder(encoding).decode(head)
  const named = SEPARATOR_LINE.exec(start)?.[1]
  const delimiter = named ?? delimiterOf(start)
  return {
    kind: 'csv',
    encoding,
    decimalComma: delimiter === ';',
    tables: [{ sheet: '', rows: () => rowsOf(file, encoding, delimiter, named !== undefined) }],
  }
}

/** The line `sep=;` by which Excel is told the separator. */
const SEPARATOR_LINE = /^\ufeff?"?sep=([,;\t|])"?\r?\n/i

async function* rowsOf(
  file: FileHandle,
  encoding: TextEncodingName,
  delimiter: string,
  separatorLine: boolean,
): AsyncGenerator<NumberedRow> {
  const parser = parse({
    bom: true,
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: TABLE_LIMITS.rowChars,
  })
  const source = Readable.from(texts(file, encoding))
  source.on('error', error => parser.destroy(error))
  source.pipe(parser)
  let line = 0
  try {
    for await (const record of parser as AsyncIterable<string[]>) {
      line++
      if (record.length > TABLE_LIMITS.columns) throw tableProblem('columns', { limit: TABLE_LIMITS.columns })
      if (separatorLine && line === 1) continue
      const cells = record.map(text => {
        if (text.length > TABLE_LIMITS.cellChars) throw tableProblem('cell', { line, limit: TABLE_LIMITS.cellChars })
        return cellOf(text)
      })
      // An empty line is a row to whoever looks at the file, though nothing stands in it.
      if (!isBlank(cells)) yield { number: line, cells }
    }
  } catch (error) {
    if (error instanceof CsvError)
      throw error.code === 'CSV_MAX_RECORD_SIZE'
        ? tableProblem('cell', { line: line + 1, limit: TABLE_LIMITS.cellChars })
        : tableProblem('csv', { line: line + 1 })
    throw error
  } finally {
    source.destroy()
  }
}

/** The file as text, piece by piece. @throws TypeError where its bytes are not of the encoding */
async function* texts(file: FileHandle, encoding: TextEncodingName): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  const buffer = Buffer.alloc(CHUNK)
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK, at)
    if (bytesRead === 0) break
    at += bytesRead
    yield decoder.decode(buffer.subarray(0, bytesRead), { stream: true })
  }
  yield decoder.decode()
}

/** Which encoding text that is not UTF-8 probably has: spreadsheets in China write GBK. */
async function likely(file: FileHandle): Promise<string> {
  try {
    for await (const text of texts(file, 'gb18030')) if (/[\u0000-\u0008\u000e-\u001f]/.test(text)) return ''
    return 'GBK'
  } catch {
    return ''
  }
}

/** What stands most often in one of the first lines: a title above the head has none. */
function delimiterOf(text: string): string {
  const lines = text.split(/\r?\n/, 10).map(line => line.replaceAll(/"(?:[^"]|"")*"/g, ''))
  const count = (delimiter: string) => Math.max(...lines.map(line => line.split(delimiter).length))
  // Where the semicolon separates, a comma stands inside of numbers.
  const head = lines.find(line => /[,;\t|]/.test(line)) ?? ''
  const first = [';', '\t', ',', '|'].find(each => head.includes(each) && head.split(each).length === count(each))
  return first ?? [',', '\t', ';'].reduce((best, each) => (count(each) > count(best) ? each : best))
}
