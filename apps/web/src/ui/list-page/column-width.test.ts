import { expect, it } from 'vitest'
import { draggedWidth, fitting, withWidths } from './column-width.ts'

it('a dragged edge keeps a column readable and inside the window', () => {
  expect(draggedWidth(200, 500, 540.4)).toBe(240)
  expect(draggedWidth(200, 500, 0)).toBe(60)
  expect(draggedWidth(200, 500, 5000)).toBe(1200)
})

it('chosen widths replace the designed ones and nothing else', () => {
  const columns = [
    { key: 'a', width: 100, title: 'A' },
    { key: 'b', title: 'B' },
  ]
  expect(withWidths(columns, { b: 300, gone: 5 })).toEqual([columns[0], { key: 'b', title: 'B', width: 300 }])
})

it('columns leave by their rank where there is no room for all, and no more than have to', () => {
  const columns = [
    { key: 'name', minWidth: 180 },
    { key: 'unit', width: 72, rank: 2 },
    { key: 'rules', width: 168, rank: 1 },
    { key: 'state', width: 84 },
    { key: 'note' },
  ]
  const shown = (room: number) => fitting(columns, room).map(({ key }) => key)
  expect(shown(704)).toEqual(['name', 'unit', 'rules', 'state', 'note'])
  expect(shown(703)).toEqual(['name', 'unit', 'state', 'note'])
  expect(shown(536)).toEqual(['name', 'unit', 'state', 'note'])
  expect(shown(535)).toEqual(['name', 'state', 'note'])
  // What has no rank stays: the table is scrolled then.
  expect(shown(10)).toEqual(['name', 'state', 'note'])
})
