import { describe, expect, it } from 'vitest'
import { BALL, besideBall, EDGE, firstPlace, freeSpot, inside, sideOf, windowSize } from './place.ts'

const screen = { width: 1440, height: 900 }

describe('places', () => {
  it('are moved no more than needed to stand on the screen', () => {
    const size = { width: 48, height: 48 }
    expect(inside({ x: 100, y: 200 }, size, screen)).toEqual({ x: 100, y: 200 })
    expect(inside({ x: -50, y: 5000 }, size, screen)).toEqual({ x: EDGE, y: 900 - 48 - EDGE })
    // On a screen smaller than the thing its beginning is seen.
    expect(inside({ x: 500, y: 500 }, { width: 460, height: 680 }, { width: 300, height: 200 })).toEqual({
      x: EDGE,
      y: EDGE,
    })
  })

  it('belong to the half of the screen in which their middle lies', () => {
    expect(sideOf({ x: 489, width: 460 }, screen)).toBe('left')
    expect(sideOf({ x: 490, width: 460 }, screen)).toBe('right')
  })

  it('of the window stand over the button, towards the middle', () => {
    expect(windowSize(screen)).toEqual({ width: 460, height: 680 })
    expect(besideBall({ x: 1300, y: 800 }, screen)).toEqual({ x: 1300 + BALL - 460, y: 800 + BALL - 680 })
    expect(besideBall({ x: 100, y: 800 }, screen)).toEqual({ x: 100, y: 168 })
    // The header stays free where there is room.
    expect(besideBall({ x: 100, y: 70 }, screen).y).toBe(68)
    expect(besideBall({ x: 100, y: 70 }, { width: 1440, height: 600 }).y).toBe(EDGE)
  })

  it('of the button begin in the lower right', () => {
    expect(firstPlace(screen)).toEqual({ x: 1372, y: 764 })
  })

  it('of the button make way for what lies below it, along its edge, and are left when home is free', () => {
    const home = firstPlace(screen)
    const lowest = 900 - BALL - EDGE
    expect(freeSpot(home, { x: 1372, y: 300 }, screen, () => false)).toEqual(home)
    const list = ({ y }: { y: number }) => y > 200 && y < 820
    const beside = freeSpot(home, home, screen, list)
    expect(beside).toEqual({ x: 1372, y: 828 })
    // It stays there while home is taken, and finds another place when that one is taken as well.
    expect(freeSpot(home, { x: 1372, y: 100 }, screen, list)).toEqual({ x: 1372, y: 100 })
    expect(freeSpot(home, beside, screen, ({ y }) => y > 200)).toEqual({ x: 1372, y: 188 })
    // No place at its side: along the lower edge; none at all: home.
    expect(freeSpot(home, home, screen, ({ x }) => x > 1300)).toEqual({ x: 1292, y: lowest })
    expect(freeSpot(home, home, screen, () => true)).toEqual(home)
  })
})
