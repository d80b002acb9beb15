import { expect, it } from 'vitest'
import { draggedWidth, withWidths } from './column-width.ts'

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
