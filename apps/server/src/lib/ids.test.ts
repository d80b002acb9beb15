import { expect, it } from 'vitest'
import { isUuid, newId } from './ids.ts'

it('ids are of their time, and in the order in which they were made, also within a millisecond', () => {
  const at = Date.UTC(2026, 0, 1)
  const made = Array.from({ length: 20_000 }, () => newId(at))
  expect(made.every(isUuid)).toBe(true)
  expect(made.every(id => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/.test(id))).toBe(true)
  expect(new Set(made.map(id => Number.parseInt(id.replace('-', '').slice(0, 12), 16)))).toEqual(new Set([at]))
  expect(made).toEqual(made.toSorted())
  expect(new Set(made).size).toBe(made.length)
})

it('those of another time in between leave the order as it is', () => {
  const [late, early] = [Date.UTC(2026, 0, 2), Date.UTC(2026, 0, 1)]
  const made = Array.from({ length: 1000 }, () => [newId(late), newId(early)] as const)
  for (const which of [0, 1] as const) {
    const ids = made.map(pair => pair[which])
    expect(ids).toEqual(ids.toSorted())
  }
})
