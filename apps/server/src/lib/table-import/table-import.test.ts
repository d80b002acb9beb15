import { open, rm } from 'node:fs/promises'
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

async function read(bytes: Uint8Array, encoding?: TextEncodingName) {
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
const text = async (content: string | Uint8Array, encoding?: TextEncodingName) =>
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
function workbook(parts: Record<string, string>, sheets: string[] = ['One']) {
  const files: Record<string, string> = {
    'xl/workbook.xml': `<workbook><sheets>${sheets.map((name, n) => `<sheet name="${name}" sheetId="${n + 1}" r:id="rId${n + 1}"/>`).join('')}</sheets></workbook>`,
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
})
