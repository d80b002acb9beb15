import { beforeAll, describe, expect, it } from 'vitest'
import { boxToWgs, type Datum, loadGcj02, WGS84 } from './datum.ts'
import type { Place } from './projection.ts'

let gcj02: Datum
beforeAll(async () => {
  gcj02 = await loadGcj02()
})

/** Metres between two places that are near to each other. */
const apart = (a: Place, b: Place) =>
  Math.hypot((a.lng - b.lng) * Math.cos((a.lat * Math.PI) / 180), a.lat - b.lat) * 111_320

/** The vectors that the implementations of eviltransform test themselves with: latitude first, WGS 84 and GCJ-02. */
const VECTORS = [
  ['Shanghai', 31.1774276, 121.5272106, 31.17530398364597, 121.531541859215],
  ['Shenzhen', 22.543847, 113.912316, 22.540796131694766, 113.9171764808363],
  ['Beijing', 39.911954, 116.377817, 39.91334545536069, 116.38404722455657],
] as const

describe('coordinates of maps', () => {
  it.each(VECTORS)(
    '%s lies where the public vectors have it, and back below a metre',
    (_, lat, lng, gcjLat, gcjLng) => {
      const shifted = gcj02.toMap({ lng, lat })
      expect(apart(shifted, { lng: gcjLng, lat: gcjLat })).toBeLessThan(0.1)
      expect(apart(shifted, { lng, lat })).toBeGreaterThan(300)
      expect(apart(gcj02.toWgs({ lng: gcjLng, lat: gcjLat }), { lng, lat })).toBeLessThan(1)
      expect(apart(gcj02.toWgs(shifted), { lng, lat })).toBeLessThan(1)
    },
  )

  it('come back below a metre all over China', () => {
    for (let lng = 74; lng <= 134; lng += 2.5)
      for (let lat = 19; lat <= 53; lat += 2.5)
        expect(apart(gcj02.toWgs(gcj02.toMap({ lng, lat })), { lng, lat })).toBeLessThan(1)
  })

  // Denver, Brisbane, Rio de Janeiro: from the same tests.
  it.each([
    [-104.9903, 39.7392],
    [153.0251, -27.4698],
    [-43.1729, -22.9068],
  ])('%d, %d is not shifted', (lng, lat) => {
    expect(gcj02.toMap({ lng, lat })).toEqual({ lng, lat })
    expect(gcj02.toWgs({ lng, lat })).toEqual({ lng, lat })
  })

  it('of a drawn box go back corner by corner', () => {
    const box = { west: 116.38, south: 39.91, east: 121.53, north: 31.17 }
    expect(boxToWgs(box, WGS84)).toEqual(box)
    const back = boxToWgs(box, gcj02)
    expect(apart(gcj02.toMap({ lng: back.west, lat: back.south }), { lng: 116.38, lat: 39.91 })).toBeLessThan(1)
    expect(apart(gcj02.toMap({ lng: back.east, lat: back.north }), { lng: 121.53, lat: 31.17 })).toBeLessThan(1)
  })
})
