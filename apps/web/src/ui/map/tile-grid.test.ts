import { describe, expect, it } from 'vitest'
import { pixelOf } from './projection.ts'
import { addressOf, tilesOf } from './tile-grid.ts'

/** Which tile a place is on: the formula of slippy maps as the wiki of OpenStreetMap has it. */
function tileOf(lng: number, lat: number, z: number) {
  const rad = (lat * Math.PI) / 180
  return {
    x: Math.floor(((lng + 180) / 360) * 2 ** z),
    y: Math.floor(((1 - Math.asinh(Math.tan(rad)) / Math.PI) / 2) * 2 ** z),
  }
}

describe('tiles of a window', () => {
  it.each([
    [120.17, 30.27, 2],
    [116.404, 39.915, 0.02],
    [-43.17, -22.9, 60],
  ])('have the place %d, %d under the pixel where the map draws it', (lng, lat, span) => {
    const view = { lng: lng - span / 8, lat, span }
    const [px, py] = pixelOf({ lng, lat }, view, 1000, 600)
    const under = tilesOf(view, 1000, 600, 18).filter(
      t => t.left <= px && px < t.left + t.width && t.top <= py && py < t.top + t.height,
    )
    expect(under).toHaveLength(1)
    expect(under[0]).toMatchObject(tileOf(lng, lat, under[0]!.z))
  })

  it('cover it and what lies beside it without a gap, about as large as they are made', () => {
    const tiles = tilesOf({ lng: 104, lat: 36, span: 70 }, 1100, 700, 18)
    expect(Math.min(...tiles.map(t => t.left))).toBeLessThanOrEqual(-256)
    expect(Math.max(...tiles.map(t => t.left + t.width))).toBeGreaterThanOrEqual(1100 + 256)
    for (const t of tiles) {
      expect(t.width).toBeGreaterThan(180)
      expect(t.width).toBeLessThan(364)
      const right = tiles.find(o => o.y === t.y && o.left > t.left && o.left <= t.left + t.width + 1)
      if (right) expect(right.left).toBe(t.left + t.width)
    }
  })

  it('go on across 180 degrees, end at the poles and at the closest level', () => {
    const pacific = tilesOf({ lng: 179, lat: 0, span: 40 }, 1000, 500, 18)
    const count = 2 ** pacific[0]!.z
    expect(new Set(pacific.map(t => t.x))).toContain(0)
    expect(new Set(pacific.map(t => t.x))).toContain(count - 1)
    expect(new Set(pacific.map(t => t.key)).size).toBe(pacific.length)
    const north = tilesOf({ lng: 0, lat: 84, span: 180 }, 1000, 900, 18)
    expect(Math.min(...north.map(t => t.y))).toBe(0)
    expect(tilesOf({ lng: 104, lat: 36, span: 0.01 }, 1900, 900, 15).every(t => t.z === 15)).toBe(true)
  })

  it('have addresses, from the north and from the south', () => {
    const tile = { x: 6, y: 3, z: 3 }
    expect(addressOf('https://t{s}.example/{z}/{x}/{y}', ['0', '1'], tile)).toBe('https://t1.example/3/6/3')
    expect(addressOf('https://h/{z}/{x}/{-y}', [''], tile)).toBe('https://h/3/6/4')
  })
})
