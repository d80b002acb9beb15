import { describe, expect, it } from 'vitest'
import { isInside, isSeen, readOutlines, unpackRing } from './outlines.ts'
import {
  boxBetween,
  dragged,
  draggedPixels,
  pixelOf,
  project,
  scaleBar,
  unproject,
  WORLD,
  zoomedView,
} from './projection.ts'

const HANGZHOU = { lng: 120.17, lat: 30.27 }

describe('places on the map', () => {
  it('Web Mercator, there and back', () => {
    expect(project({ lng: 0, lat: 0 })).toEqual([WORLD / 2, WORLD / 2])
    const [x, y] = project(HANGZHOU)
    // EPSG:3857 of the place: 13377263.2, 3540086.3 m of ± 20037508.34
    expect(x / WORLD).toBeCloseTo((13377263.2 + 20037508.34) / 40075016.68, 6)
    expect(1 - y / WORLD).toBeCloseTo((3540086.3 + 20037508.34) / 40075016.68, 3)
    const back = unproject(x, y)
    expect(back.lng).toBeCloseTo(HANGZHOU.lng, 9)
    expect(back.lat).toBeCloseTo(HANGZHOU.lat, 9)
  })

  it('stand in the middle of a view of their own, east is right and north is up', () => {
    const view = { ...HANGZHOU, span: 10 }
    expect(pixelOf(HANGZHOU, view, 300, 200)).toEqual([150, 100])
    const [x, y] = pixelOf({ lng: 122.17, lat: 31.27 }, view, 300, 200)
    expect(x).toBeCloseTo(150 + 60, 6)
    expect(y).toBeLessThan(100)
  })

  it('a drag takes what is under the pointer along, also over the date line', () => {
    const view = { lng: 179, lat: 0, span: 10 }
    const next = dragged(view, -60, 0, 300)
    expect(next.lng).toBeCloseTo(-179, 6)
    expect(next.span).toBe(10)
  })

  it('a box is the same from each of its corners, and lies across the date line', () => {
    const view = { lng: 179, lat: 0, span: 10 }
    const box = boxBetween([100, 150, 200, 50], view, 300, 200)
    expect(boxBetween([200, 50, 100, 150], view, 300, 200)).toEqual(box)
    expect(box.west).toBeCloseTo(177.333, 3)
    expect(box.east).toBeCloseTo(-179.333, 3)
    expect(box.north).toBeCloseTo(-box.south, 9)
    expect(box.north).toBeGreaterThan(0)
  })

  it('the zoom stays within its bounds', () => {
    expect(zoomedView({ ...HANGZHOU, span: 0.012 }, 0.5).span).toBe(0.01)
    expect(zoomedView({ ...HANGZHOU, span: 170 }, 2).span).toBe(180)
  })

  it('the scale bar is a round length that fits', () => {
    const { km, px } = scaleBar({ lng: 0, lat: 0, span: 3.6 }, 400.75, 72)
    expect(km).toBe(50)
    expect(px).toBeCloseTo(50, 1)
  })
})

describe('outlines', () => {
  it('rings come back as places', () => {
    expect(unpackRing([100, 200, 50, -25], 100)).toEqual([
      { lng: 1, lat: 2 },
      { lng: 1.5, lat: 1.75 },
    ])
  })

  it('a place lies within an area but not in its hole', () => {
    const square = (from: number, to: number) => [
      { lng: from, lat: from },
      { lng: to, lat: from },
      { lng: to, lat: to },
      { lng: from, lat: to },
    ]
    const rings = [square(0, 10), square(4, 6)]
    expect(isInside({ lng: 2, lat: 2 }, rings)).toBe(true)
    expect(isInside({ lng: 5, lat: 5 }, rings)).toBe(false)
    expect(isInside({ lng: 11, lat: 5 }, rings)).toBe(false)
  })

  it('are closed paths in units of the projection', () => {
    const outlines = readOutlines({
      parts: 1,
      land: [[-180, 0, 180, 0, 0, 10]],
      provinces: [{ name: ['甲', 'A'], at: [1, 1], rings: [[0, 0, 2, 0, 0, 2]] }],
    })
    const [land] = outlines.land
    expect(land!.d.startsWith(`M0,${WORLD / 2}L${WORLD / 2},${WORLD / 2}L`)).toBe(true)
    expect(land!.d.endsWith('Z')).toBe(true)
    expect(outlines.provinces[0]).toMatchObject({ zh: '甲', en: 'A', at: { lng: 1, lat: 1 } })
  })
})

describe('shapes of outlines', () => {
  const square = (lng: number, lat: number, size: number) => [lng, lat, size, 0, 0, size, -size, 0]

  it('join small neighbours, keep a large ring alone and know the box around each', () => {
    const { land } = readOutlines({
      parts: 1,
      land: [square(0, 0, 1), square(60, 0, 30), square(2, 2, 1), square(100, 0, 1)],
      provinces: [],
    })
    expect(land.map(({ d }) => d.split('Z').length - 1)).toEqual([1, 2, 1])
    expect(land.map(({ left, right }) => [left, right])).toEqual([
      [2400, 2700],
      [1800, 1830],
      [2800, 2810],
    ])
    expect(land[1]!.bottom).toBe(WORLD / 2)
  })

  it('are seen in a box that any of them reaches into', () => {
    const shape = { d: '', left: 10, top: 10, right: 20, bottom: 20 }
    expect(isSeen(shape, 0, 0, 10, 10)).toBe(true)
    expect(isSeen(shape, 12, 12, 13, 13)).toBe(true)
    expect(isSeen(shape, 21, 10, 30, 20)).toBe(false)
    expect(isSeen(shape, 10, 21, 20, 30)).toBe(false)
  })
})

describe('a map around 180 degrees', () => {
  it('draws what lies across them as near as it is', () => {
    const view = { lng: 178, lat: 0, span: 36 }
    expect(pixelOf({ lng: -178, lat: 0 }, view, 900, 500)).toEqual([450 + 100, 250])
    expect(pixelOf({ lng: 178, lat: 0 }, { ...view, lng: -178 }, 900, 500)).toEqual([450 - 100, 250])
  })

  it('moves a drawing sideways with the pointer, and up and down as far as the world reaches', () => {
    const view = { lng: 178, lat: 0, span: 36 }
    expect(draggedPixels(view, dragged(view, -200, 100, 900), -200, 900).map(Math.round)).toEqual([-200, 100])
    const north = { ...view, lat: 85.0511 }
    expect(draggedPixels(north, dragged(north, 0, 100, 900), 0, 900).map(Math.round)).toEqual([0, 0])
  })
})

describe('the outlines that come with the console', () => {
  it('hold the provinces of China where they are', async () => {
    const packed = (await import('@thingwright/contracts/geo/outlines.json')).default as unknown as Parameters<
      typeof readOutlines
    >[0]
    const { provinces } = readOutlines(packed)
    expect(provinces).toHaveLength(34)
    const of = (lng: number, lat: number) => provinces.find(each => isInside({ lng, lat }, each.rings))?.zh
    expect([of(120.17, 30.27), of(116.4, 39.9), of(91.1, 29.65), of(121.5, 25.03), of(110.3, 19.9)]).toEqual([
      '浙江',
      '北京',
      '西藏',
      '台湾',
      '海南',
    ])
    expect(of(139.7, 35.7)).toBeUndefined()
  })
})
