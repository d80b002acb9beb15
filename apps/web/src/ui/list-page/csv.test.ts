import { describe, expect, it } from 'vitest'
import { csvCell, toCsv } from './csv.ts'

describe('a CSV cell', () => {
  it.each([
    ['=1+2', "'=1+2"],
    ['+cmd|calc', "'+cmd|calc"],
    ['-2+3', "'-2+3"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
  ])('never lets a spreadsheet run %j', (given, written) => {
    expect(csvCell(given)).toBe(written)
  })

  it.each([
    [-5, '-5'],
    ['-5.25', '-5.25'],
    ['+8613800000000', '+8613800000000'],
    ['-1.5e-7', '-1.5e-7'],
    ['9007199254740993', '9007199254740993'],
  ])('leaves the number %j a number', (given, written) => {
    expect(csvCell(given)).toBe(written)
  })

  it('quotes separators, quotes, line breaks and outer spaces', () => {
    expect(csvCell('a,b')).toBe('"a,b"')
    expect(csvCell('say "hi"')).toBe('"say ""hi"""')
    expect(csvCell('two\nlines')).toBe('"two\nlines"')
    expect(csvCell(' padded')).toBe('" padded"')
  })

  it('is empty for nothing', () => {
    expect(csvCell(null)).toBe('')
    expect(csvCell(undefined)).toBe('')
    expect(csvCell(false)).toBe('false')
  })
})

describe('a CSV file', () => {
  it('begins with a byte order mark and ends each line with CR LF', () => {
    expect(toCsv(['名称', 'n'], [['泵', 1]])).toBe('\ufeff名称,n\r\n泵,1\r\n')
  })
})
