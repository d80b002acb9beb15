import { open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { strToU8, zipSync } from 'fflate'
import { afterEach, describe, expect, it } from 'vitest'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import { tableExport } from '../table-export/table-export.ts'
import type { TextEncodingName } from './table.ts'
import { openTable } from './table-source.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const file of opened.splice(0)) await file.close()
})

async function read(bytes: Uint8Array, encoding?: TextEncodingName | 'utf-8 or gbk') {
  const path = join(tmpdir(), `thingwright-test-${newId()}`)
  const file = await open(path, 'wx+')
  opened.push(file)
  await rm(path)
  await file.write(bytes)
  const source = await openTable(file, encoding)
  const tables = []
  const numbers: number[][] = []
  for (const { sheet, rows } of source.tables) {
    const numbered = await all(rows())
    tables.push({ sheet, rows: numbered.map(({ cells }) => cells) })
    numbers.push(numbered.map(({ number }) => number))
  }
  return { ...source, tables, numbers }
}
async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}
const text = async (content: string | Uint8Array, encoding?: TextEncodingName | 'utf-8 or gbk') =>
  (await read(typeof content === 'string' ? Buffer.from(content) : content, encoding)).tables[0]!.rows
const problem = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => null,
    (e: unknown) => e,
  )
  if (!(error instanceof AppError)) throw new Error('it was not refused', { cause: error })
  return { code: error.code, ...error.params }
}

const sheet = (rows: string) => `<worksheet><sheetData>${rows}</sheetData></worksheet>`
function workbook(parts: Record<string, string>, sheets: string[] = ['One'], settings = '') {
  const files: Record<string, string> = {
    'xl/workbook.xml': `<workbook>${settings}<sheets>${sheets.map((name, n) => `<sheet name="${name}" sheetId="${n + 1}" r:id="rId${n + 1}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${sheets.map((_, n) => `<Relationship Id="rId${n + 1}" Type="x" Target="worksheets/sheet${n + 1}.xml"/>`).join('')}</Relationships>`,
    ...parts,
  }
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, xml]) => [name, strToU8(xml)])))
}

describe('a table that people upload', () => {
  it('has its rows numbered as the spreadsheet program numbers them', async () => {
    const numbers = async (bytes: Uint8Array) => (await read(bytes)).numbers[0]
    expect(await numbers(Buffer.from('\ufeffa,b\r\n\r\n"one\r\ntwo",2\r\n\r\n\r\nlast,3\r\n\r\n'))).toEqual([1, 3, 6])
    const rows =
      '<row r="3"><c r="A3"><v>1</v></c></row><row r="4"/><row r="7"><c r="A7"><v>2</v></c></row><row><c><v>3</v></c></row>'
    expect(await numbers(workbook({ 'xl/worksheets/sheet1.xml': sheet(rows) }))).toEqual([3, 7, 8])
  })

  it('is read from text with its separator, quotes, marks and what spreadsheets add', async () => {
    expect(await text('\ufeffa,b\r\n"x, ""y""",2\r\n\r\nlast,3')).toEqual([
      ['a', 'b'],
      ['x, "y"', '2'],
      ['last', '3'],
    ])
    expect(await text('a;b\n1;2')).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ])
    expect(await text(Buffer.from('\ufeff编号\t名称\r\nd1\t泵', 'utf16le'))).toEqual([
      ['编号', '名称'],
      ['d1', '泵'],
    ])
    // Formulas are noticed; what we led by an apostrophe ourselves comes back as it was.
    expect(await text(`n\n=1+1\n'=pump\n-5`)).toEqual([['n'], [{ formula: true }], ['=pump'], ['-5']])
  })

  it('is read from workbooks: our own, and those of others with shared texts, gaps, dates and formulas', async () => {
    const rows = Array.from({ length: 1200 }, (_, n) => ({ no: `d${n}`, name: `设备 <${n}> & "co"`, t: 1.5 + n }))
    const exported = await tableExport({
      format: 'xlsx',
      fileName: 'x',
      columns: [
        { key: 'no', title: 'No' },
        { key: 'name', title: 'Name' },
        { key: 't', title: 'T', type: 'number' },
      ],
      rows: (async function* () {
        yield* rows
      })(),
    })
    const back = await read(await buffer(exported.body))
    expect(back.tables[0]!.rows).toHaveLength(1201)
    expect(back.tables[0]!.rows[1200]).toEqual(['d1199', '设备 <1199> & "co"', '1200.5'])
    const foreign = workbook(
      {
        'xl/sharedStrings.xml':
          '<sst><si><t>编号</t></si><si><r><t>rich </t></r><r><t xml:space="preserve">text</t></r><rPh><t>no</t></rPh></si></sst>',
        'xl/worksheets/sheet1.xml': sheet(
          '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row><row r="2"/><row r="3"><c r="A3"><v>0.10000000000000001</v></c><c r="B3" t="b"><v>1</v></c><c r="C3"><f>1+1</f><v>2</v></c><c r="D3" t="e"><v>#N/A</v></c></row>',
        ),
        'xl/worksheets/sheet2.xml': sheet('<row><c t="inlineStr"><is><t>a&#10;b_x0041_</t></is></c></row>'),
      },
      ['设备', 'History'],
    )
    expect((await read(foreign)).tables).toEqual([
      {
        sheet: '设备',
        rows: [
          ['编号', '', 'rich text'],
          ['0.1', 'true', { formula: true }, ''],
        ],
      },
      { sheet: 'History', rows: [['a\nbA']] },
    ])
  })

  it('shows dates of workbooks as dates, counted from 1900 or 1904', async () => {
    const parts = {
      'xl/styles.xml':
        '<styleSheet><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy&quot;年&quot;m&quot;月&quot;d&quot;日&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/><xf xfId="0" numFmtId="164"/></cellXfs></styleSheet>',
      'xl/worksheets/sheet1.xml': sheet(
        '<row><c s="0"><v>46328</v></c><c s="1"><v>46328.127835648</v></c><c s="2"><v>46328</v></c><c s="1" t="str"><v>46328</v></c></row>',
      ),
    }
    expect((await read(workbook(parts, ['a']))).tables[0]?.rows).toEqual([
      ['46328', '2026-11-02 03:04:05', '2026-11-02', '46328'],
    ])
    const mac = workbook(parts, ['a'], '<workbookPr date1904="1"/>')
    expect((await read(mac)).tables[0]?.rows[0]).toEqual(['46328', '2030-11-03 03:04:05', '2030-11-03', '46328'])
  })

  it('is refused with the reason when it is none, broken, or made to do harm', async () => {
    expect(await problem(text(''))).toMatchObject({ code: 'import.file_invalid', reason: 'empty' })
    expect(await problem(read(Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 1, 2])))).toMatchObject({ reason: 'xls' })
    expect(await problem(read(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0])))).toMatchObject({ reason: 'binary' })
    expect(await problem(read(zipSync({ 'word/document.xml': strToU8('<a/>') })))).toMatchObject({ reason: 'type' })
    expect(await problem(read(Buffer.from('PK\u0003\u0004 and nothing more')))).toMatchObject({ reason: 'zip' })
    expect(await problem(text(`a\n${'x'.repeat(10 * 1024 ** 2)}`))).toMatchObject({ reason: 'cell', line: 2 })
    expect(await problem(text(`a\n"${'x'.repeat(40_000)}`))).toMatchObject({ code: 'import.file_invalid' })
    const long = sheet(`<row><c t="inlineStr"><is><t>${'x'.repeat(2_000_000)}</t></is></c></row>`)
    expect(await problem(read(workbook({ 'xl/worksheets/sheet1.xml': `${long}` })))).toMatchObject({
      code: 'import.file_invalid',
    })
    const bomb = workbook({ 'xl/worksheets/sheet1.xml': sheet(`<!--${' '.repeat(60 * 1024 ** 2)}-->`) })
    expect(await problem(read(bomb))).toMatchObject({ reason: 'bomb' })
    expect(await problem(text(Array(200).fill('a').join(',')))).toMatchObject({ reason: 'columns' })
  })

  it('in GBK is refused as that, and read when the person says so; broken UTF-8 is neither', async () => {
    // 编号,名称 / d1,水泵 in GBK
    const gbk = Buffer.from('b1e0bac52cc3fbb3c60a64312ccbaeb1c3', 'hex')
    expect(await problem(text(gbk))).toEqual({ code: 'import.encoding', encoding: 'utf-8', looksLike: 'GBK' })
    expect(await text(gbk, 'gb18030')).toEqual([
      ['编号', '名称'],
      ['d1', '水泵'],
    ])
    expect(await problem(text(Buffer.from('61620aff', 'hex')))).toMatchObject({
      code: 'import.encoding',
      looksLike: '',
    })
  })

  it('in GBK is read where its head tells whether it was, broken text is refused all the same', async () => {
    const gbk = Buffer.from('b1e0bac52cc3fbb3c60a64312ccbaeb1c3', 'hex')
    expect(await text(gbk, 'utf-8 or gbk')).toEqual([
      ['编号', '名称'],
      ['d1', '水泵'],
    ])
    expect(await text('编号\n', 'utf-8 or gbk')).toEqual([['编号']])
    expect(await problem(text(Buffer.from('61620aff', 'hex'), 'utf-8 or gbk'))).toMatchObject({ looksLike: '' })
  })

  it.each(['openpyxl', 'xlsxwriter', 'libreoffice', 'exceljs'])('is read from a file that %s wrote', async program => {
    const bytes = await readFile(new URL(`./testing/${program}.xlsx`, import.meta.url))
    const { tables, numbers } = await read(bytes)
    expect(numbers[0]).toEqual([1, 2, 3, 4, 5, 6, 7])
    const [head, ...rows] = tables[0]!.rows
    expect(head).toEqual(['设备编号', '名称', '备注', 'lat', 'time'])
    expect(rows.map((row, at) => row.slice(0, at === 5 ? 2 : 4).map(cell => cell || ''))).toMatchObject([
      ['00123', 'Pump A', '', '21.5'],
      ['865432012345678', '', 'x < y & "z"', '-0.1'],
      ['s-3', '行 3\nline two', '', '0.0000001'],
      [{ lost: expect.stringMatching(/^8\.?98603194575/) }, 'digits lost', '', expect.stringMatching(/^0\.30*4?$/)],
      ['865432012345678', 'number', '', '30'],
      ['0012345', 'literal'],
    ])
    // Stored as the day number 46347.333…, with a style that shows a date.
    expect(rows[0]![4]).toBe('2026-11-21 08:00:00')
  })

  it('is read from what pandas wrote, with an empty text and none', async () => {
    const workbook = await read(await readFile(new URL('./testing/pandas.xlsx', import.meta.url)))
    expect(workbook.tables[0]!.rows[2]!.slice(0, 4)).toEqual(['865432012345678', '', 'x < y & "z"', '-0.1'])
    expect(workbook.tables[0]!.rows[4]!.slice(0, 2)).toEqual(['s-9', 'pandas'])
    const csv = await text(await readFile(new URL('./testing/pandas.csv', import.meta.url)))
    expect(csv[1]).toEqual(['00123', 'Pump A', '', '21.5', '2026-11-21 08:00:00+00:00'])
  })

  it('may have prefixed tags, empty texts and whatever else XML allows', async () => {
    const parts = {
      'xl/sharedStrings.xml':
        '<x:sst xmlns:x="m"><x:si/><x:si><x:t/></x:si><x:si><x:t>a</x:t></x:si><x:si><x:t><![CDATA[<b>]]></x:t></x:si></x:sst>',
      'xl/worksheets/sheet1.xml':
        '<?xml version="1.0"?><x:worksheet xmlns:x="m"><!-- <row> --><x:sheetData><x:row r=\'1\'><x:c r="A1" t="s"><x:v>0</x:v></x:c><x:c r="B1" t="s"><x:v>2</x:v></x:c><x:c r="C1" t="s"><x:v>3</x:v></x:c><x:c r="D1" t="inlineStr"><x:is><x:t>in</x:t></x:is></x:c><x:c r="E1"/></x:row></x:sheetData></x:worksheet>',
    }
    expect((await read(workbook(parts))).tables[0]!.rows).toEqual([['', 'a', '<b>', 'in', '']])
    const entities = sheet('<row><c t="inlineStr"><is><t>&e;</t></is></c></row>')
    const attack = `<!DOCTYPE x [<!ENTITY e "boom">]>${entities}`
    expect(await problem(read(workbook({ 'xl/worksheets/sheet1.xml': attack })))).toMatchObject({ reason: 'zip' })
  })

  it('keeps digits, or says that they are lost', async () => {
    const row = (v: string) => workbook({ 'xl/worksheets/sheet1.xml': sheet(`<row><c><v>${v}</v></c></row>`) })
    const cell = async (v: string) => (await read(row(v))).tables[0]!.rows[0]![0]
    expect(await cell('8.65432012345678E+14')).toBe('865432012345678')
    expect(await cell('865432012345678.0')).toBe('865432012345678')
    expect(await cell('9007199254740991')).toBe('9007199254740991')
    expect(await cell('1.234567890123456E+15')).toEqual({ lost: '1.234567890123456E+15' })
    expect(await cell('89860319457500012345')).toEqual({ lost: '89860319457500012345' })
    expect(await cell('1E-7')).toBe('0.0000001')
  })

  it('of text: a line for Excel is no row, a quoted formula is a text, blank rows are none, semicolons mean commas', async () => {
    expect(await text('sep=;\r\nn;v\r\n="0012345";"a;b"\r\n; \r\n"=""00""";1,5')).toEqual([
      ['n', 'v'],
      ['0012345', 'a;b'],
      ['00', '1,5'],
    ])
    expect(await read(Buffer.from('n;lat;lng\na;21,5;120,25'))).toMatchObject({ decimalComma: true })
    expect(await read(Buffer.from('Devices of 2026\n\nn,lat\na,21.5'))).toMatchObject({
      decimalComma: false,
      numbers: [[1, 3, 4]],
    })
  })
})
