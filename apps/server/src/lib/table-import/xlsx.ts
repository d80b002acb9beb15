import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { isAppError } from '../errors.ts'
import { type ArchiveEntry, type ArchiveLimits, openEntry, readDirectory } from '../files/zip-reader.ts'
import {
  cellOf,
  type NumberedRow,
  type SourceTable,
  TABLE_LIMITS,
  type TableCell,
  type TableRow,
  tableProblem,
} from './table.ts'

/** A workbook unpacks to many times its size, but not to any size. */
const LIMITS: ArchiveLimits = {
  entries: 2000,
  entryBytes: 400 * 1024 ** 2,
  totalBytes: 600 * 1024 ** 2,
  ratio: 250,
}
const SMALL_PART = 4 * 1024 ** 2
const MAX_SHARED = 2_000_000
const MAX_SHARED_CHARS = 64 * 1024 ** 2
const MAX_SHEETS = 8

/**
 * The sheets of a workbook (ECMA-376), read in one pass and piece by piece: 100,000 rows cost neither their size in
 * memory nor a pause of the process. Values are taken as they were stored; formats are not looked at.
 * @throws AppError import.file_invalid: no workbook, or one made to do harm (sizes, ratio, entries over one another)
 */
export async function readXlsx(file: FileHandle): Promise<SourceTable[]> {
  const entries = await packed(() => readDirectory(file, name => !name.includes('\u0000'), LIMITS))
  if (!entries.has('xl/workbook.xml')) throw tableProblem('type')
  const part = async (name: string) => {
    const entry = entries.get(name)
    return entry ? packed(() => small(file, entry)) : ''
  }
  const targets = new Map<string, string>()
  for (const [, tag] of (await part('xl/_rels/workbook.xml.rels')).matchAll(/<Relationship\b([^>]*)>/g)) {
    const target = attribute(tag!, 'Target')
    const id = attribute(tag!, 'Id')
    if (id && target) targets.set(id, target.startsWith('/') ? target.slice(1) : `xl/${target.replace(/^\.\//, '')}`)
  }
  let shared: Promise<string[]> | null = null
  const strings = () => {
    const entry = entries.get('xl/sharedStrings.xml')
    shared ??= entry ? packed(() => sharedStrings(file, entry)) : Promise.resolve([])
    return shared
  }
  const tables: SourceTable[] = []
  for (const [, tag] of (await part('xl/workbook.xml')).matchAll(/<sheet\b([^>]*)>/g)) {
    const entry = entries.get(targets.get(attribute(tag!, 'r:id') ?? '') ?? '')
    if (!entry || tables.length >= MAX_SHEETS) continue
    tables.push({
      sheet: unescaped(attribute(tag!, 'name') ?? ''),
      rows: async function* () {
        const texts = await strings()
        try {
          yield* sheetRows(await openEntry(file, entry, null), texts)
        } catch (error) {
          throw told(error)
        }
      },
    })
  }
  if (tables.length === 0) throw tableProblem('type')
  return tables
}

/** What the zip reader says of a company's file is said of this one. */
function told(error: unknown): unknown {
  return isAppError(error) && error.code === 'transfer.file_invalid'
    ? tableProblem(error.params.reason === 'ratio' || error.params.reason === 'overlap' ? 'bomb' : 'zip')
    : error
}

async function packed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw told(error)
  }
}

async function small(file: FileHandle, entry: ArchiveEntry): Promise<string> {
  if (entry.size > SMALL_PART) throw tableProblem('zip')
  let text = ''
  for await (const piece of decoded(await openEntry(file, entry, null))) text += piece
  return text
}

async function* decoded(stream: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8')
  for await (const chunk of stream) yield decoder.decode(chunk as Buffer, { stream: true })
  yield decoder.decode()
}

/** Elements of one name, one after the other, from `<name` to its end. @throws when one is longer than the bound */
async function* elements(stream: Readable, name: string, bound: number): AsyncGenerator<string> {
  const end = `</${name}>`
  const start = new RegExp(`<${name}[\\s>/]`)
  let text = ''
  let from = 0
  for await (const piece of decoded(stream)) {
    text = text.slice(from) + piece
    from = 0
    for (;;) {
      const at = text.indexOf(end, from)
      if (at < 0) break
      yield text.slice(from, at)
      from = at + end.length
    }
    if (text.length - from > bound) {
      // Before the first and after the last element there may be much else.
      const begins = text.slice(from).search(start)
      if (begins < 0) from = text.length - name.length - 2
      else if (text.length - from - begins > bound) throw tableProblem('cell', { limit: TABLE_LIMITS.cellChars })
      else from += begins
    }
  }
}

async function sharedStrings(file: FileHandle, entry: ArchiveEntry): Promise<string[]> {
  const strings: string[] = []
  let chars = 0
  for await (const item of elements(await openEntry(file, entry, null), 'si', TABLE_LIMITS.rowChars)) {
    const text = textsOf(item.slice(Math.max(0, item.lastIndexOf('<si'))))
    chars += text.length
    if (text.length > TABLE_LIMITS.cellChars) throw tableProblem('cell', { limit: TABLE_LIMITS.cellChars })
    if (strings.push(text) > MAX_SHARED || chars > MAX_SHARED_CHARS) throw tableProblem('size')
  }
  return strings
}

const CELL = /<c\b([^>]*?)(?:\/>|>([\s\S]*?)<\/c>)/g

async function* sheetRows(stream: Readable, strings: readonly string[]): AsyncGenerator<NumberedRow> {
  let number = 0
  for await (const element of elements(stream, 'row', TABLE_LIMITS.rowChars * 4)) {
    const row: TableRow = []
    const text = element.slice(element.lastIndexOf('<row'))
    // Rows without a cell may be left out of the file: then the next one says where it stands.
    const said = attribute(/^<row\b([^>]*)>/.exec(text)?.[1] ?? '', 'r')
    number = said !== undefined && /^\d{1,7}$/.test(said) ? Number(said) : number + 1
    for (const [, attributes, body] of text.matchAll(CELL)) {
      const at = columnOf(attribute(attributes!, 'r')) ?? row.length
      if (at >= TABLE_LIMITS.columns) throw tableProblem('columns', { limit: TABLE_LIMITS.columns })
      while (row.length < at) row.push('')
      row[at] = body === undefined ? '' : cellValue(attribute(attributes!, 't'), body, strings)
    }
    if (row.some(cell => cell !== '')) yield { number, cells: row }
  }
}

function cellValue(type: string | undefined, body: string, strings: readonly string[]): TableCell {
  if (/<f[\s>/]/.test(body)) return { formula: true }
  if (type === 'inlineStr') return bounded(textsOf(body))
  const value = unescaped(/<v[^>]*>([\s\S]*?)<\/v>/.exec(body)?.[1] ?? '')
  if (type === 's') return cellOf(strings[Number(value)] ?? '')
  if (type === 'b') return value === '1' ? 'true' : 'false'
  // An error such as #N/A is no value.
  if (type === 'e') return ''
  if (type === 'str' || type === 'd') return bounded(value)
  // Doubles as a person wrote them: 0.1 is stored as 0.10000000000000001.
  const number = Number(value)
  return value !== '' && Number.isFinite(number) ? String(number) : value
}

function bounded(text: string): TableCell {
  if (text.length > TABLE_LIMITS.cellChars) throw tableProblem('cell', { limit: TABLE_LIMITS.cellChars })
  return cellOf(text)
}

/** The runs of a rich text together; readings in another script (furigana) are none of it. */
function textsOf(xml: string): string {
  return [...xml.replaceAll(/<rPh\b[\s\S]*?<\/rPh>/g, '').matchAll(/<t(?:\s[^>]*)?>([\s\S]*?)<\/t>/g)]
    .map(([, text]) => unescaped(text!))
    .join('')
}

function attribute(tag: string, name: string): string | undefined {
  return new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag)?.slice(1).find(Boolean)
}

/** `AB12` → 27. */
function columnOf(address: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(address ?? '')?.[0]
  if (!letters) return undefined
  let n = 0
  for (const letter of letters) n = n * 26 + letter.charCodeAt(0) - 64
  return n - 1
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescaped(text: string): string {
  return text
    .replaceAll(/&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/g, (all, hex, decimal, name) => {
      if (name) return NAMED[name as string]!
      const code = hex ? Number.parseInt(hex as string, 16) : Number(decimal)
      return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
        ? String.fromCodePoint(code)
        : (all as string)
    })
    .replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code as string, 16)))
    .toWellFormed()
    .replaceAll('\u0000', '')
}
