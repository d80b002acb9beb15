import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { SaxesParser } from 'saxes'
import { isAppError } from '../errors.ts'
import { type ArchiveEntry, type ArchiveLimits, openEntry, readDirectory } from '../files/zip-reader.ts'
import { dateStyles, dateText } from './sheet-dates.ts'
import {
  cellOf,
  isBlank,
  literalOf,
  type NumberedRow,
  type SourceTable,
  storedNumber,
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
/** Old workbooks gather styles for years. */
const STYLES_PART = 32 * 1024 ** 2
const MAX_SHARED = 2_000_000
const MAX_SHARED_CHARS = 64 * 1024 ** 2
const MAX_SHEETS = 8

/**
 * The sheets of a workbook (ECMA-376), read in one pass and piece by piece: 100,000 rows cost neither their size in
 * memory nor a pause of the process. The XML is saxes' (ADR 51), so prefixes, empty elements and what else XML allows are
 * read as what they are. Values are taken as they were stored, but for numbers that are shown as a date or time: these are
 * texts such as `2026-11-02 03:04:05`.
 * @throws AppError import.file_invalid: no workbook, or one made to do harm (sizes, ratio, entries over one another)
 */
export async function readXlsx(file: FileHandle): Promise<SourceTable[]> {
  const entries = await packed(() => readDirectory(file, name => !name.includes('\u0000'), LIMITS))
  if (!entries.has('xl/workbook.xml')) throw tableProblem('type')
  const part = async (name: string, most = SMALL_PART) => {
    const entry = entries.get(name)
    return entry ? packed(() => small(file, entry, most)) : ''
  }
  const targets = new Map<string, string>()
  const related = new Map<string, string>()
  for (const { Target: target, Id: id, Type: type } of tagsOf(
    await part('xl/_rels/workbook.xml.rels'),
    'Relationship',
  )) {
    if (!id || !target) continue
    const path = target.startsWith('/') ? target.slice(1) : `xl/${target.replace(/^\.\//, '')}`
    targets.set(id, path)
    related.set(type?.split('/').at(-1) ?? '', path)
  }
  let shared: Promise<string[]> | null = null
  const strings = () => {
    const entry = entries.get(related.get('sharedStrings') ?? 'xl/sharedStrings.xml')
    shared ??= entry ? packed(() => sharedStrings(file, entry)) : Promise.resolve([])
    return shared
  }
  const book = await part('xl/workbook.xml')
  const dates: SheetDates = {
    styles: readStyles(await part(related.get('styles') ?? 'xl/styles.xml', STYLES_PART)),
    from1904: tagsOf(book, 'workbookPr').some(({ date1904 = '' }) => /^(?:1|true)$/.test(date1904)),
  }
  const tables: SourceTable[] = []
  for (const { id, name = '' } of tagsOf(book, 'sheet')) {
    const entry = entries.get(targets.get(id ?? '') ?? '')
    if (!entry || tables.length >= MAX_SHEETS) continue
    tables.push({
      sheet: storable(name),
      rows: async function* () {
        const texts = await strings()
        try {
          yield* sheetRows(await openEntry(file, entry, null), texts, dates)
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
  if (error instanceof BrokenXml) return tableProblem('zip')
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

async function small(file: FileHandle, entry: ArchiveEntry, most: number): Promise<string> {
  if (entry.size > most) throw tableProblem('zip')
  let text = ''
  for await (const piece of decoded(await openEntry(file, entry, null))) text += piece
  return text
}

/** The file is no XML. */
class BrokenXml extends Error {}

/** Names without their prefixes, attributes too; what a parser tells of one file. */
interface XmlEvents {
  open?(name: string, attributes: Record<string, string>): void
  text?(text: string): void
  close?(name: string): void
}

function xmlParser(events: XmlEvents): { write(piece: string): void; end(): void } {
  const parser = new SaxesParser({ xmlns: false, position: false })
  parser.on('error', error => {
    throw new BrokenXml(error.message)
  })
  // Nothing that a workbook may contain has one; it is the door of every attack by entities.
  parser.on('doctype', () => {
    throw new BrokenXml('a document type')
  })
  parser.on('opentag', ({ name, attributes }) => events.open?.(local(name), unprefixed(attributes)))
  if (events.text) {
    const told = (text: string) => events.text?.(text)
    parser.on('text', told)
    parser.on('cdata', told)
  }
  parser.on('closetag', ({ name }) => events.close?.(local(name)))
  return { write: piece => void parser.write(piece), end: () => void parser.close() }
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function unprefixed(attributes: Record<string, string>): Record<string, string> {
  const plain: Record<string, string> = Object.create(null)
  for (const name in attributes) if (!(local(name) in plain)) plain[local(name)] = attributes[name]!
  return plain
}

/** Attributes of all elements of the name, in their order. */
function tagsOf(xml: string, wanted: string): Record<string, string>[] {
  const found: Record<string, string>[] = []
  if (xml === '') return found
  const parser = xmlParser({
    open(name, attributes) {
      if (name === wanted) found.push(attributes)
    },
  })
  try {
    parser.write(xml)
    parser.end()
  } catch (error) {
    throw told(error)
  }
  return found
}

async function* decoded(stream: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8')
  for await (const chunk of stream) yield decoder.decode(chunk as Buffer, { stream: true })
  yield decoder.decode()
}

/** What makes a number of a cell a date: styles that show one, and the calendar of the workbook. */
interface SheetDates {
  styles: ReadonlySet<number>
  from1904: boolean
}

function readStyles(xml: string): ReadonlySet<number> {
  const formats = new Map<number, string>()
  const styles: number[] = []
  if (xml === '') return dateStyles(formats, styles)
  let inCells = false
  const parser = xmlParser({
    open(name, { numFmtId, formatCode }) {
      if (name === 'numFmt' && numFmtId !== undefined) formats.set(Number(numFmtId), formatCode ?? '')
      else if (name === 'cellXfs') inCells = true
      // Elements of the same name in cellStyleXfs are styles of styles.
      else if (name === 'xf' && inCells) styles.push(Number(numFmtId ?? 0))
    },
    close(name) {
      if (name === 'cellXfs') inCells = false
    },
  })
  try {
    parser.write(xml)
    parser.end()
  } catch (error) {
    throw told(error)
  }
  return dateStyles(formats, styles)
}

/** The texts that cells refer to by their place: an empty one has a place too. */
async function sharedStrings(file: FileHandle, entry: ArchiveEntry): Promise<string[]> {
  const strings: string[] = []
  let chars = 0
  const run = new TextRun()
  const parser = xmlParser({
    open: name => run.open(name),
    text: text => run.text(text),
    close(name) {
      run.close(name)
      if (name !== 'si') return
      const text = run.take()
      chars += text.length
      if (strings.push(text) > MAX_SHARED || chars > MAX_SHARED_CHARS) throw tableProblem('size')
    },
  })
  for await (const piece of decoded(await openEntry(file, entry, null))) parser.write(piece)
  parser.end()
  return strings
}

/** Collects the runs of a rich text; readings in another script (furigana) are none of it. */
class TextRun {
  private content = ''
  private inText = false
  private aside = 0

  open(name: string): void {
    if (name === 'rPh') this.aside++
    else if (name === 't' && this.aside === 0) this.inText = true
  }

  text(text: string): void {
    if (!this.inText) return
    this.content += text
    // Behind this the cell is refused: no more is kept of it than that.
    if (this.content.length > TABLE_LIMITS.rowChars) throw tableProblem('cell', { limit: TABLE_LIMITS.cellChars })
  }

  close(name: string): void {
    if (name === 'rPh') this.aside--
    else if (name === 't') this.inText = false
  }

  take(): string {
    const text = storable(this.content)
    this.content = ''
    if (text.length > TABLE_LIMITS.cellChars) throw tableProblem('cell', { limit: TABLE_LIMITS.cellChars })
    return text
  }
}

/** Rows as they come out of the parser, handed on between two pieces of the file. */
async function* sheetRows(
  stream: Readable,
  strings: readonly string[],
  dates: SheetDates,
): AsyncGenerator<NumberedRow> {
  const rows = new SheetRows(strings, dates)
  const parser = xmlParser(rows)
  for await (const piece of decoded(stream)) {
    parser.write(piece)
    yield* rows.take()
  }
  parser.end()
  yield* rows.take()
}

class SheetRows implements XmlEvents {
  private ready: NumberedRow[] = []
  private number = 0
  private row: TableRow | null = null
  private rowChars = 0
  private at = 0
  private type = ''
  private isDate = false
  private value = ''
  private formula: string | null = null
  private inside: 'v' | 'f' | null = null
  private inCell = false
  private readonly run = new TextRun()

  constructor(
    private readonly strings: readonly string[],
    private readonly dates: SheetDates,
  ) {}

  take(): NumberedRow[] {
    const { ready } = this
    this.ready = []
    return ready
  }

  open(name: string, attributes: Record<string, string>): void {
    if (name === 'row') this.openRow(attributes.r)
    else if (name === 'c' && this.row) this.openCell(this.row, attributes)
    else if (!this.inCell) return
    else if (name === 'v') this.inside = 'v'
    else if (name === 'f') {
      this.inside = 'f'
      this.formula ??= ''
    } else this.run.open(name)
  }

  text(text: string): void {
    if (!this.inCell) return
    if (this.inside === 'v') this.value += text
    else if (this.inside === 'f') this.formula += text
    else this.run.text(text)
    this.rowChars += text.length
    if (this.rowChars > TABLE_LIMITS.rowChars * 4) throw tableProblem('cell', { limit: TABLE_LIMITS.cellChars })
  }

  close(name: string): void {
    if (name === 'v' || name === 'f') this.inside = null
    else if (name === 'c' && this.row) this.closeCell(this.row)
    else if (name === 'row' && this.row) {
      if (!isBlank(this.row)) this.ready.push({ number: this.number, cells: this.row })
      this.row = null
    } else if (this.inCell) this.run.close(name)
  }

  private openRow(said: string | undefined): void {
    // Rows without a cell may be left out of the file: then the next one says where it stands.
    this.number = said !== undefined && /^\d{1,7}$/.test(said) ? Number(said) : this.number + 1
    this.row = []
    this.rowChars = 0
  }

  private openCell(row: TableRow, { r, s, t = 'n' }: Record<string, string>): void {
    this.at = columnOf(r) ?? row.length
    if (this.at >= TABLE_LIMITS.columns) throw tableProblem('columns', { limit: TABLE_LIMITS.columns })
    while (row.length < this.at) row.push('')
    this.type = t
    this.isDate = s !== undefined && this.dates.styles.has(Number(s))
    this.value = ''
    this.formula = null
    this.inCell = true
    this.run.take()
  }

  private closeCell(row: TableRow): void {
    this.inCell = false
    row[this.at] = this.cell()
  }

  private cell(): TableCell {
    const { type, value, formula } = this
    // A formula that is nothing but a text is that text.
    if (formula !== null) return literalOf(formula) ?? { formula: true }
    if (type === 'inlineStr') return cellOf(this.run.take())
    if (type === 's') return /^\d+$/.test(value.trim()) ? cellOf(this.strings[Number(value)] ?? '') : ''
    if (type === 'b') return value.trim() === '1' ? 'true' : value === '' ? '' : 'false'
    // An error such as #N/A is no value.
    if (type === 'e') return ''
    if (type === 'str' || type === 'd') return bounded(storable(value))
    const date = this.isDate ? dateText(value.trim(), this.dates.from1904) : null
    return date ?? storedNumber(value.trim())
  }
}

function bounded(text: string): TableCell {
  if (text.length > TABLE_LIMITS.cellChars) throw tableProblem('cell', { limit: TABLE_LIMITS.cellChars })
  return cellOf(text)
}

/** `AB12` → 27. */
function columnOf(address: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(address ?? '')?.[0]
  if (!letters) return undefined
  let n = 0
  for (const letter of letters) n = n * 26 + letter.charCodeAt(0) - 64
  return n - 1
}

/** Signs that XML does not know are written `_x0007_`. */
function storable(text: string): string {
  return text
    .replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code as string, 16)))
    .toWellFormed()
    .replaceAll('\u0000', '')
}
