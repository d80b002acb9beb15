import { describe, expect, it } from 'vitest'
import { newId } from '../ids.ts'
import fc from '../testing/fast-check.ts'
import { normaliseForSearch, searchIndexOf, searchQueryOf } from './search.ts'

const tenant = newId()

/** The same decision as the database makes. */
function finds(fields: string[], query: string, tags: string[] = [], tag?: string): boolean {
  const index = searchIndexOf(tenant, fields, tags)
  const wanted = searchQueryOf(tenant, query, tag)
  if (!wanted) return true
  return wanted.grams.every(gram => index.grams.includes(gram)) && index.text.includes(wanted.needle)
}

describe('substring search', () => {
  it.each([
    [['1号温室温度传感器'], '温度', true],
    [['1号温室温度传感器'], '度', true],
    [['1号温室温度传感器'], '湿度', false],
    [['Boiler Pump 7'], 'pump', true],
    [['Boiler Pump 7'], 'R P', true],
    [['ＡＢＣ１２３'], 'abc12', true],
    [['ΟΔΟΣ 1'], 'οδος', true],
    [['🚚 truck'], '🚚', true],
    [['🚚 truck'], '🚛', false],
    [['100%_done'], '%_d', true],
    [['100 done'], '%', false],
  ])('in %j for %j: %j', (fields, query, expected) => {
    expect(finds(fields, query)).toBe(expected)
  })

  it('finds every part of every field', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.nat(), fc.nat(), (text, a, b) => {
        const characters = [...normaliseForSearch(text)]
        const [from, to] = [a % (characters.length + 1), b % (characters.length + 1)].sort((x, y) => x - y)
        const part = characters.slice(from, to).join('')
        // A part cut out of its context may normalise differently (combining marks): only stable parts are promised.
        fc.pre(normaliseForSearch(part) === part)
        expect(finds(['x', text], part)).toBe(true)
      }),
    )
  })

  it('never matches across two fields', () => {
    expect(finds(['abc', 'def'], 'cd')).toBe(false)
    expect(finds(['abc', 'def'], 'c\u0001d')).toBe(false)
  })

  it('looks for tags as whole words, apart from text', () => {
    expect(finds(['pump'], '', ['cold room'], 'cold room')).toBe(true)
    expect(finds(['pump'], '', ['cold room'], 'cold')).toBe(false)
    expect(finds(['cold room'], '', [], 'cold room')).toBe(false)
    expect(finds(['pump'], 'pu', ['a'], 'a')).toBe(true)
  })

  it('asks for nothing when there is nothing to look for', () => {
    expect(searchQueryOf(tenant, '')).toBeNull()
    expect(searchQueryOf(tenant, ' \u0000 ')).toBeNull()
    expect(searchQueryOf(tenant, undefined)).toBeNull()
  })

  it('gives two companies different grams for the same text', () => {
    const mine = searchIndexOf(tenant, ['温度传感器 abc']).grams
    const theirs = new Set(searchIndexOf(newId(), ['温度传感器 abc']).grams)
    expect(mine.filter(gram => theirs.has(gram))).toEqual([])
  })

  it('keeps its stored hashes from release to release', () => {
    const { grams, text } = searchIndexOf('0190a3c8-7c1e-7000-8000-000000000001', ['Aé泵'], ['t'])
    expect(text).toBe('aé泵')
    expect(grams).toMatchInlineSnapshot(`
      [
        -350566485,
        1688099604,
        -1591553664,
        -102199109,
        -1287186946,
        1689673323,
      ]
    `)
  })
})
