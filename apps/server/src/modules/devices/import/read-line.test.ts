import type { ImportField } from '@thingwright/contracts/device-imports.contract'
import { describe, expect, it } from 'vitest'
import { readLine } from './read-line.ts'
import { timeReader } from './times.ts'

const COLUMNS: ImportField[] = ['deviceNo', 'name', 'group', 'tags', 'lng', 'lat', 'address', 'offlineDelay', 'user']
const codes = (row: Parameters<typeof readLine>[0]) => {
  const read = readLine(row, COLUMNS)
  return read.ok ? [] : read.problems.map(({ field, code }) => `${field} ${code}`)
}

describe('a line of a table of devices', () => {
  it('says what it says and nothing of empty cells', () => {
    expect(
      readLine([' d-1 ', '泵', '一厂 / 冷库', '冷链，重点;a', '121.5', '31.2', '路 1 号', '60', '张三'], COLUMNS),
    ).toEqual({
      ok: true,
      line: {
        deviceNo: 'd-1',
        name: '泵',
        groupPath: ['一厂', '冷库'],
        tags: ['冷链', '重点', 'a'],
        location: { lng: 121.5, lat: 31.2, address: '路 1 号' },
        offlineDelaySeconds: 60,
        user: '张三',
      },
    })
    expect(readLine(['d-1', '', ' '], COLUMNS)).toEqual({ ok: true, line: { deviceNo: 'd-1' } })
    expect(readLine(['x', 'd-2'], [null, 'deviceNo'])).toEqual({ ok: true, line: { deviceNo: 'd-2' } })
  })

  it('names attributes as the export writes them or with a sign of equality, each once', () => {
    const of = (text: string) => readLine(['d-1', text], ['deviceNo', 'attributes'])
    const said = (...pairs: [string, string][]) => ({
      ok: true,
      line: { deviceNo: 'd-1', attributes: pairs.map(([name, value]) => ({ name, value })) },
    })
    expect(of('contract: C-1\nurl: http://x:1')).toEqual(said(['contract', 'C-1'], ['url', 'http://x:1']))
    expect(of('合同号＝HT-7；安装人=李工; 合同号=HT-8')).toEqual(said(['合同号', 'HT-8'], ['安装人', '李工']))
    expect(of('empty=')).toEqual(said(['empty', '']))
    for (const wrong of ['no sign', '=x', `${'n'.repeat(33)}=x`, `n=${'v'.repeat(257)}`, 'a=1;'.repeat(33)])
      expect(of(wrong), wrong).toMatchObject({ ok: false, problems: [{ field: 'attributes', code: 'import.invalid' }] })
  })

  it('keeps a name without what cannot be seen at its ends, and refuses one with control characters', () => {
    const of = (name: string) => readLine(['d-1', name], ['deviceNo', 'name'])
    expect(of('\u200b 水泵\u3000')).toEqual({ ok: true, line: { deviceNo: 'd-1', name: '水泵' } })
    expect(of('\u200b')).toEqual({ ok: true, line: { deviceNo: 'd-1' } })
    expect(of('pump\n3')).toMatchObject({ ok: false, problems: [{ field: 'name', code: 'import.control' }] })
  })

  it('is told all that is wrong with it at once', () => {
    expect(codes([''])).toEqual(['deviceNo import.required'])
    expect(codes(['a b', 'x'.repeat(65), '', 'y'.repeat(33), '181', '', '', '5'])).toEqual([
      'name import.too_long',
      'deviceNo import.invalid',
      'tags import.invalid',
      'lng import.invalid',
      'lat import.required',
      'offlineDelay import.invalid',
    ])
    expect(codes([{ formula: true }, { formula: true }])).toEqual(['deviceNo import.formula', 'name import.formula'])
  })
})

it('times are read as tables hold them', () => {
  const read = timeReader('Asia/Shanghai')
  const at = Date.parse('2026-11-21T00:00:00Z')
  for (const text of ['2026-11-21T00:00:00Z', '2026-11-21T08:00:00+08:00', '2026-11-21 08:00:00', '2026/11/21 8:00'])
    expect(read(text), text).toBe(at)
  expect(read(String(at))).toBe(at)
  expect(read(String(at / 1000))).toBe(at)
  // 2026-11-21 08:00 of the wall clock
  expect(read(String(46347 + 8 / 24))).toBe(at)
  for (const text of ['', 'yesterday', '2026-02-30', '12', '2026-13-01 00:00']) expect(read(text), text).toBeNull()
})
