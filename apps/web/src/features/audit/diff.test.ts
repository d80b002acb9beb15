import { expect, it } from 'vitest'
import { changesOf, MAX_FIELDS } from './diff.ts'

it('tells field by field what was added, removed, changed or stayed, however deep', () => {
  const before = {
    name: 'a',
    tags: ['x', 'y'],
    where: { lng: 1 },
    rows: [{ a: 1 }],
    gone: true,
    none: null,
    list: [],
    note: '',
  }
  const after = {
    name: 'b',
    tags: ['x', 'z'],
    where: { lng: 1, lat: 2 },
    rows: [{ a: 2 }],
    none: null,
    list: ['x'],
    note: 'n',
  }
  const lines = changesOf(before, after).fields.map(({ path, kind, before, after }) => [path, kind, before, after])
  expect(lines).toEqual([
    ['name', 'changed', 'a', 'b'],
    ['tags', 'changed', 'x, y', 'x, z'],
    ['where.lng', 'same', '1', '1'],
    ['rows[0].a', 'changed', '1', '2'],
    ['gone', 'removed', 'true', null],
    ['none', 'same', 'null', 'null'],
    ['list', 'changed', '[]', 'x'],
    ['note', 'changed', '""', 'n'],
    ['where.lat', 'added', null, '2'],
  ])
})

it('shows a made and a removed object on one side, and stops at a bound', () => {
  expect(changesOf(null, { a: 1 }).fields).toEqual([{ path: 'a', kind: 'added', before: null, after: '1' }])
  expect(changesOf({ a: 1 }, null).fields).toEqual([{ path: 'a', kind: 'removed', before: '1', after: null }])
  expect(changesOf(null, null)).toEqual({ fields: [], cut: false })
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, i]))
  const { fields, cut } = changesOf(null, many)
  expect(fields).toHaveLength(MAX_FIELDS)
  expect(cut).toBe(true)
})
