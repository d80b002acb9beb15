import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { buffer } from 'node:stream/consumers'
import naughty from 'big-list-of-naughty-strings/blns.json' with { type: 'json' }
import { strFromU8, unzipSync } from 'fflate'
import { readSheet } from 'read-excel-file/node'
import { describe, expect, it } from 'vitest'
import { AppError } from '../errors.ts'
import fc from '../testing/fast-check.ts'
import { zoneOffsets } from './cells.ts'
import { EXPORT_MAX_ROWS, everyRow, type TableExport, tableExport } from './table-export.ts'

type Row = Record<string, unknown>
async function* each(rows: Iterable<Row>): AsyncGenerator<Row> {
  yield* rows
}
async function file(format: 'csv' | 'xlsx', rows: Iterable<Row>, over: Partial<TableExport> = {}): Promise<Buffer> {
  const reply = await tableExport({
    format,
    fileName: 'list',
    columns: [{ key: 'a', title: 'A' }],
    rows: each(rows),
    ...over,
  })
  return buffer(reply.body)
}

/** RFC 4180 as a reader of its own: what a strict program makes of the file. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!
    if (quoted) {
      if (c !== '"') cell += c
      else if (text[i + 1] === '"') cell += text[++i]
      else quoted = false
    } else if (c === '"' && cell === '') quoted = true
    else if (c === ',') {
      row.push(cell)
      cell = ''
    } else if (c === '\r' && text[i + 1] === '\n') {
      row.push(cell)
      rows.push(row)
      row = []
      cell = ''
      i++
    } else cell += c
  }
  if (cell !== '' || row.length > 0) throw new Error('the file does not end with a line end')
  return rows
}

const csvRows = (bytes: Buffer) => parseCsv(bytes.toString('utf8').replace('\ufeff', ''))
const sheetXml = (bytes: Buffer) => strFromU8(unzipSync(bytes)['xl/worksheets/sheet1.xml']!)
/** Dates to the second: a fraction of a day as a double may be read back a millisecond short. */
async function xlsxRows(bytes: Buffer): Promise<unknown[][]> {
  const rows = (await readSheet(bytes, { trim: false } as never)) as unknown[][]
  return rows.map(row =>
    row.map(cell => (cell instanceof Date ? new Date(Math.round(cell.getTime() / 1000) * 1000) : cell)),
  )
}

/** The cases of csv-spectrum, as values. */
const SPECTRUM: Row[] = [
  { a: 'John', b: 'Doe', c: '120 any st., "Apt" 4', d: 'Anytown, WW', e: '08123' },
  { a: '1', b: '', c: '' },
  { a: 'ha "ha" ha', b: '"', c: '""' },
  { a: '{"type": "Point", "coordinates": [102.0, 0.5]}', b: "it's", c: '\\' },
  { a: 'Once upon \na time', b: 'one\r\ntwo', c: 'x\ny"z"\n' },
  { a: 'ʤ', b: '温湿度 🌡', c: 'عربى' },
  { a: ' padded ', b: ',', c: ',,' },
]

describe('a table as CSV', () => {
  const columns = ['a', 'b', 'c', 'd', 'e'].map(key => ({ key, title: key.toUpperCase() }))

  it('comes back as it was: commas, quotes, line ends, other scripts, empty cells', async () => {
    const [head, ...rows] = csvRows(await file('csv', SPECTRUM, { columns }))
    expect(head).toEqual(['A', 'B', 'C', 'D', 'E'])
    expect(rows).toEqual(SPECTRUM.map(row => columns.map(({ key }) => row[key] ?? '')))
  })

  it('begins with a byte order mark, ends every line with CRLF and is named', async () => {
    const bytes = await file('csv', [{ a: '值' }])
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    expect(bytes.toString('utf8')).toBe('\ufeffA\r\n值\r\n')
    const reply = await tableExport({ format: 'csv', fileName: '设备', columns, rows: each([]) })
    expect(reply).toMatchObject({ fileName: '设备.csv', contentType: 'text/csv; charset=utf-8' })
    reply.body.destroy()
  })

  it('comes back as it was whatever the text is, apart from the apostrophe before a formula', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { maxLength: 6 }), async texts => {
        const rows = csvRows(
          await file(
            'csv',
            texts.map(a => ({ a })),
          ),
        ).slice(1)
        expect(rows.map(([a]) => a!.replace(/^'/, ''))).toEqual(texts.map(a => a.toWellFormed().replace(/^'/, '')))
      }),
      { numRuns: 200 },
    )
  })

  it('writes numbers, truth values, objects and times in one way', async () => {
    const at = '2026-11-20T06:03:05.250Z'
    const row = { a: -5, b: true, c: { x: [1] }, d: at, e: 2 ** 60 }
    const typed = columns.map(column => (column.key === 'd' ? { ...column, type: 'time' as const } : column))
    expect(csvRows(await file('csv', [row], { columns: typed }))[1]).toEqual([
      '-5',
      'true',
      '{"x":[1]}',
      at,
      '1152921504606847000',
    ])
    const [, local] = csvRows(await file('csv', [row], { columns: typed, timeZone: 'Asia/Shanghai' }))
    expect(local![3]).toBe('2026-11-20T14:03:05.250+08:00')
    expect(Date.parse(local![3]!)).toBe(Date.parse(at))
    const [, broken] = csvRows(await file('csv', [{ d: 'yesterday' }], { columns: typed }))
    expect(broken![3]).toBe('yesterday')
  })
})

describe('a table as a workbook', () => {
  const columns = [
    { key: 'a', title: 'Name' },
    { key: 'n', title: 'Count', type: 'number' as const },
    { key: 't', title: 'Time', type: 'time' as const },
  ]

  it('comes back as it was, numbers as numbers and times as dates', async () => {
    const rows = SPECTRUM.map(({ a }, index) => ({ a, n: index - 2.5, t: Date.UTC(2026, 10, 20, 6, 3, index) }))
    const read = await xlsxRows(await file('xlsx', rows, { columns }))
    expect(read[0]).toEqual(['Name', 'Count', 'Time (UTC)'])
    expect(read.slice(1)).toEqual(rows.map(({ a, n, t }) => [a, n, new Date(t)]))
  })

  it('writes times as the clocks of the named zone show them, also across the change of the clocks', async () => {
    const times = ['2026-11-20T06:03:05Z', '2026-03-08T09:59:59Z', '2026-03-08T10:00:00Z']
    const read = await xlsxRows(
      await file(
        'xlsx',
        times.map(t => ({ t })),
        { columns, timeZone: 'America/Los_Angeles' },
      ),
    )
    expect(read[0]![2]).toBe('Time (America/Los_Angeles)')
    expect(read.slice(1).map(row => (row[2] as Date).toISOString())).toEqual([
      '2026-11-19T22:03:05.000Z',
      '2026-03-08T01:59:59.000Z',
      '2026-03-08T03:00:00.000Z',
    ])
    expect(zoneOffsets('Asia/Kathmandu')(Date.now())).toBe(345)
  })

  it('holds what XML cannot: control characters, half surrogates, text that looks like an escape, too much text', async () => {
    const texts = ['a\u0000b\u000bc', '\ud800x', '<b>&"\'', '_x0041_', ']]>', `${'長'.repeat(40_000)}`]
    const bytes = await file(
      'xlsx',
      texts.map(a => ({ a })),
    )
    expect(sheetXml(bytes)).toContain('_x005F_x0041_')
    const read = (await xlsxRows(bytes)).slice(1).map(([a]) => a as string)
    expect(read.slice(0, 3)).toEqual(['a\ufffdb\ufffdc', '\ufffdx', '<b>&"\''])
    expect(read[4]).toBe(']]>')
    expect(read[5]).toHaveLength(32_767)
  })

  it('has a sheet name that spreadsheets take', async () => {
    const bytes = await file('xlsx', [], { fileName: `a/b*c?[d]:'e\\${'x'.repeat(60)}` })
    const name = /sheet name="([^"]*)"/.exec(strFromU8(unzipSync(bytes)['xl/workbook.xml']!))![1]!
    expect(name).not.toMatch(/[[\]:*?/\\']/)
    expect(name).toHaveLength(31)
  })
})

describe('what a spreadsheet would run', () => {
  // Tried: OWASP's list for CSV injection, its full-width forms, blanks in front, and the whole list of naughty strings.
  const hostile = [
    '=1+1',
    '+1+1',
    '-1+1',
    '@SUM(1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '＝1+1',
    '＋1',
    '－1',
    '＠x',
    ' =1',
    '\u00a0=1',
    '\u200b=1',
    '=HYPERLINK("http://x","y")',
    "=cmd|' /C calc'!A0",
    '"=1"',
    '=1","=2',
    '-5',
  ]
  const dangerous = /^[\s\u00a0\ufeff\u200b]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/

  it.each(['csv', 'xlsx'] as const)('is plain text in %s, in cells and in titles', async format => {
    const texts = [...hostile, ...(naughty as string[])]
    const columns = [
      { key: 'a', title: '=A' },
      { key: 'b', title: '-B', type: 'number' as const },
      { key: 'c', title: '@C', type: 'time' as const },
    ]
    const bytes = await file(
      format,
      texts.map(a => ({ a, b: a, c: a })),
      { columns },
    )
    const read = format === 'csv' ? csvRows(bytes) : await xlsxRows(bytes)
    expect(read).toHaveLength(texts.length + 1)
    for (const row of read) for (const cell of row) if (typeof cell === 'string') expect(cell).not.toMatch(dangerous)
    if (format === 'xlsx') expect(sheetXml(bytes)).not.toContain('<f')
    expect(read[1]![0]).toBe("'=1+1")
  })

  it('does not touch numbers that are numbers', async () => {
    expect(csvRows(await file('csv', [{ a: -1 }, { a: '1-1' }, { a: 'a=b' }])).slice(1)).toEqual([
      ['-1'],
      ['1-1'],
      ['a=b'],
    ])
  })
})

describe('bounds', () => {
  const left = async () => (await readdir(tmpdir())).filter(name => name.startsWith('thingwright-export-'))

  it('takes 100,000 rows, and refuses one more before anything is sent', async () => {
    const rows = function* (count: number) {
      for (let i = 0; i < count; i++) yield { a: i }
    }
    expect(csvRows(await file('csv', rows(EXPORT_MAX_ROWS)))).toHaveLength(EXPORT_MAX_ROWS + 1)
    const refused = await file('xlsx', rows(EXPORT_MAX_ROWS + 1)).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(AppError)
    expect(refused).toMatchObject({ code: 'export.too_many_rows', params: { limit: 100_000 } })
  })

  it('answers with the error of a read that fails half way, and leaves no file behind', async () => {
    async function* failing(): AsyncGenerator<Row> {
      for (let i = 0; i < 1200; i++) yield { a: i }
      throw new Error('connection lost')
    }
    await expect(file('csv', [], { rows: failing() })).rejects.toThrow('connection lost')
    expect(await left()).toEqual([])
  })

  it('reads every page of a list once', async () => {
    const asked: (string | undefined)[] = []
    const seen: number[] = []
    for await (const row of everyRow(async cursor => {
      asked.push(cursor)
      const at = Number(cursor ?? 0)
      return { items: [at, at + 1], nextCursor: at < 4 ? String(at + 2) : null }
    }))
      seen.push(row)
    expect(seen).toEqual([0, 1, 2, 3, 4, 5])
    expect(asked).toEqual([undefined, '2', '4'])
  })
})
