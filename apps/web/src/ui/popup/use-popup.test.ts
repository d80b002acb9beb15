import { describe, expect, it } from 'vitest'
import { placeFor } from './use-popup.ts'

const view = { width: 1000, height: 600 }
const button = (left: number, top: number) => ({ left, right: left + 40, top, bottom: top + 30 })

describe('a popup stands', () => {
  it('under its button, on the side asked for', () => {
    const panel = { width: 200, height: 100 }
    expect(placeFor(button(300, 100), panel, view, 'start')).toMatchObject({ left: 300, top: 134 })
    expect(placeFor(button(300, 100), panel, view, 'end')).toMatchObject({ left: 140, top: 134 })
  })

  it('over it when there is no room below', () => {
    expect(placeFor(button(300, 560), { width: 200, height: 100 }, view, 'start').top).toBe(456)
  })

  it('inside the window, whatever its size', () => {
    expect(placeFor(button(950, 100), { width: 200, height: 100 }, view, 'start').left).toBe(792)
    expect(placeFor(button(0, 100), { width: 200, height: 100 }, view, 'end').left).toBe(8)
    const tall = placeFor(button(300, 300), { width: 200, height: 5000 }, view, 'start')
    expect(tall.top + tall.maxHeight).toBeLessThanOrEqual(600)
  })
})
