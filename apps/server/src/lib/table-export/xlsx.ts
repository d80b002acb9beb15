import { Zip, ZipDeflate } from 'fflate'
import { cellOf, neutralise, zoneOffsets } from './cells.ts'
import type { TableColumn, TableEncoder } from './table-export.ts'

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** What a spreadsheet program takes in one cell. */
const MAX_CELL = 32_767
/** Days from 1899-12-30, the spreadsheets' day 0, to 1970-01-01. */
const EPOCH_DAY = 25_569
const DAY_MS = 86_400_000
const STYLE = { plain: 0, head: 1, time: 2 } as const

/** Rows of a sheet, its title row not counted; spreadsheet programs stop at 1,048,576. */
const SHEET_ROWS = 1_000_000

const FIXED: Record<string, string> = {
  '_rels/.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/styles.xml': `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`,
}

/** Markup escaped; what XML 1.0 cannot hold is shown as a replacement; `_x0041_` would be read as an escape itself. */
function xmlText(text: string): string {
  return text
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '&#13;')
}

/** `A` for 0, `AA` for 26. Some readers demand the address of a cell, although the standard does not. */
function columnName(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : columnName(Math.floor(index / 26) - 1) + last
}

function textCell(at: string, text: string, style: number): string {
  const short = text.length > MAX_CELL ? `${text.slice(0, MAX_CELL - 1).toWellFormed()}…` : text
  return `<c r="${at}" t="inlineStr"${style ? ` s="${style}"` : ''}><is><t xml:space="preserve">${xmlText(short)}</t></is></c>`
}

/**
 * A workbook (ECMA-376) with one sheet, or as many as its rows take, written and packed batch by batch: 100,000 rows cost some megabytes and no
 * pause of the process (docs/adr/0017). The title row stands still; times are real dates in the zone of the export,
 * which the title names.
 */
export function xlsxEncoder(input: {
  fileName: string
  columns: readonly TableColumn[]
  timeZone?: string
  /** About so many rows, then another sheet begins. */
  sheetRows?: number
}): TableEncoder {
  const { columns } = input
  const zone = input.timeZone ?? 'UTC'
  const offset = zoneOffsets(zone)
  let chunks: Uint8Array[] = []
  const zip = new Zip((error, chunk) => {
    if (error) throw error
    chunks.push(chunk)
  })
  const taken = () => {
    const bytes = Buffer.concat(chunks)
    chunks = []
    return bytes
  }
  const part = (name: string) => {
    const file = new ZipDeflate(name, { level: 1 })
    zip.add(file)
    return file
  }
  const whole = (name: string, text: string) => part(name).push(Buffer.from(text), true)

  const written = (at: string, value: unknown, type: TableColumn['type']): string => {
    const cell = cellOf(value, type)
    if (cell.kind === 'empty') return ''
    if (cell.kind === 'number') return `<c r="${at}"><v>${cell.value}</v></c>`
    if (cell.kind === 'text') return textCell(at, cell.text, STYLE.plain)
    const days = (cell.value + offset(cell.value) * 60_000) / DAY_MS + EPOCH_DAY
    return `<c r="${at}" s="${STYLE.time}"><v>${days}</v></c>`
  }
  const titleOf = ({ title, type }: TableColumn) => neutralise(type === 'time' ? `${title} (${zone})` : title)
  const names = columns.map((_, index) => columnName(index))
  const rowOf = (n: number, cell: (column: TableColumn, at: string) => string) =>
    `<row r="${n}">${columns.map((column, index) => cell(column, `${names[index]}${n}`)).join('')}</row>`
  // Characters a sheet's name may not hold, and its length.
  const plainName = [...input.fileName.replaceAll(/[[\]:*?/\\']/g, ' ')].slice(0, 31).join('') || 'Sheet1'
  const widths = columns.map(
    ({ type }, index) =>
      `<col min="${index + 1}" max="${index + 1}" width="${type === 'number' ? 12 : type === 'time' ? 20 : 24}" customWidth="1"/>`,
  )
  const limit = input.sheetRows ?? SHEET_ROWS
  let sheets = 0
  let sheet: ZipDeflate
  let row = 1

  function beginSheet(): void {
    sheets++
    row = 1
    sheet = part(`xl/worksheets/sheet${sheets}.xml`)
    sheet.push(
      Buffer.from(
        `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${widths.join('')}</cols><sheetData>${rowOf(1, (column, at) => textCell(at, titleOf(column), STYLE.head))}`,
      ),
    )
  }
  const endSheet = () => sheet.push(Buffer.from('</sheetData></worksheet>'), true)
  const each = (write: (n: number) => string) => Array.from({ length: sheets }, (_, n) => write(n + 1)).join('')

  /** What names the sheets; how many there are is known at the end. */
  function directory(): void {
    const names = each(n => {
      const name = xmlText(n === 1 ? plainName : `${plainName.slice(0, 25)} (${n})`)
      return `<sheet name="${name}" sheetId="${n}" r:id="rId${n}"/>`
    })
    whole(
      'xl/workbook.xml',
      `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${names}</sheets></workbook>`,
    )
    whole(
      'xl/_rels/workbook.xml.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships">${each(n => `<Relationship Id="rId${n}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${n}.xml"/>`)}<Relationship Id="rId${sheets + 1}" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
    )
    whole(
      '[Content_Types].xml',
      `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>${each(n => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${TYPE}.worksheet+xml"/>`)}<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`,
    )
  }

  return {
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    head() {
      for (const [name, text] of Object.entries(FIXED)) whole(name, text)
      beginSheet()
      return taken()
    },
    rows(rows) {
      if (row > limit) {
        endSheet()
        beginSheet()
      }
      const text = rows.map(line => {
        row++
        return rowOf(row, ({ key, type }, at) => written(at, line[key], type))
      })
      sheet.push(Buffer.from(text.join('')))
      return taken()
    },
    end() {
      endSheet()
      directory()
      zip.end()
      return taken()
    },
  }
}
