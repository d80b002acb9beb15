import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { strFromU8, unzipSync } from 'fflate'
import { readSheet } from 'read-excel-file/node'
import { describe, expect, it } from 'vitest'
import { xlsxEncoder } from '../../lib/table-export/xlsx.ts'
import { historyWorkbook } from './history-workbook.ts'

const heads = (values: string[]) => ({ time: 'time', zone: 'UTC', values })

async function* steps(count: number, size = 6000): AsyncGenerator<[number, unknown[]][]> {
  for (let from = 0; from < count; from += size)
    yield Array.from({ length: Math.min(size, count - from) }, (_, n): [number, unknown[]] => [
      1_760_000_000_000 + (from + n) * 1000,
      [20 + ((from + n) % 100) / 10, (from + n) % 2 === 0],
    ])
}

describe('a history as a workbook', () => {
  it('holds times and values as they were reported', async () => {
    const bytes = await buffer(
      Readable.from(historyWorkbook('d-1', heads(['t', '=x']), steps(3)), { objectMode: false }),
    )
    const sheet = (await readSheet(bytes)) as unknown[][]
    expect(sheet[0]).toEqual(['time (UTC)', 't', "'=x"])
    // A day's number is a double: a time comes back within a millisecond.
    expect(sheet.slice(1).map(([at, ...values]) => [Math.round((at as Date).getTime() / 1000), ...values])).toEqual([
      [1_760_000_000, 20, 'true'],
      [1_760_000_001, 20.1, 'false'],
      [1_760_000_002, 20.2, 'true'],
    ])
  })

  it('of many rows is made as it is read: in small pieces, never more than a few at once', async () => {
    const ROWS = 48_000
    let made = 0
    let read = 0
    let farthest = 0
    let longest = 0
    let pieces = 0
    async function* counted() {
      for await (const step of steps(ROWS)) {
        made += step.length
        yield step
      }
    }
    const slow = new Writable({
      highWaterMark: 16 * 1024,
      write(chunk: Buffer, _encoding, done) {
        pieces++
        read += chunk.length
        longest = Math.max(longest, chunk.length)
        farthest = Math.max(farthest, made - (read / total) * ROWS)
        setImmediate(done)
      },
    })
    // About what a row takes when packed, to tell from the bytes how far the reader is.
    const total =
      (await buffer(Readable.from(historyWorkbook('d', heads(['t', 'on']), steps(20_000)), { objectMode: false })))
        .length *
      (ROWS / 20_000)
    Readable.from(historyWorkbook('d', heads(['t', 'on']), counted()), { objectMode: false }).pipe(slow)
    await once(slow, 'finish')
    expect(made).toBe(ROWS)
    expect(pieces).toBeGreaterThan(50)
    expect(longest).toBeLessThan(256 * 1024)
    // The maker is a step or two ahead of a slow reader, not the whole table.
    expect(farthest).toBeLessThan(30_000)
  })

  it('goes on in another sheet when one is full', async () => {
    const encoder = xlsxEncoder({ fileName: 'd', columns: [{ key: 'n', title: 'n', type: 'number' }], sheetRows: 10 })
    const parts = [encoder.head()]
    for (let n = 0; n < 25; n += 5) parts.push(encoder.rows([n, n + 1, n + 2, n + 3, n + 4].map(each => ({ n: each }))))
    parts.push(encoder.end())
    const files = unzipSync(Buffer.concat(parts))
    const text = (name: string) => strFromU8(files[name]!)
    expect(text('xl/workbook.xml').match(/<sheet name="[^"]+"/g)).toEqual([
      '<sheet name="d"',
      '<sheet name="d (2)"',
      '<sheet name="d (3)"',
    ])
    expect([1, 2, 3].map(n => text(`xl/worksheets/sheet${n}.xml`).match(/<row /g)?.length)).toEqual([11, 11, 6])
    for (const n of [1, 2, 3]) expect(text('[Content_Types].xml')).toContain(`/xl/worksheets/sheet${n}.xml`)
  })
})
