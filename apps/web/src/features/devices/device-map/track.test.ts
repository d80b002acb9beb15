import { describe, expect, it } from 'vitest'
import { indexAt, pathOf, placeOnTrack, trackOf } from './track.ts'

const MINUTE = 60_000
const points = [
  { ts: 0, lng: 100, lat: 30 },
  { ts: MINUTE, lng: 101, lat: 31 },
  { ts: 100 * MINUTE, lng: 102, lat: 32 },
]

describe('the track of a device', () => {
  it('is made of the values that are positions', () => {
    const rows = [
      [1, { lng: 119, lat: 26, alt: 4 }],
      [2, null],
      [3, { lng: 219, lat: 26 }],
      [4, 'x'],
      [5, { lng: 120, lat: 27 }],
    ]
    expect(trackOf(rows)).toEqual([
      { ts: 1, lng: 119, lat: 26 },
      { ts: 5, lng: 120, lat: 27 },
    ])
  })

  it('is on the line between two reports, and at the earlier one over a long pause', () => {
    expect(placeOnTrack(points, MINUTE / 2)).toEqual({ lng: 100.5, lat: 30.5 })
    expect(placeOnTrack(points, 50 * MINUTE)).toMatchObject({ lng: 101, lat: 31 })
    expect(placeOnTrack(points, -1)).toMatchObject({ lng: 100 })
    expect(placeOnTrack(points, 1e9)).toMatchObject({ lng: 102 })
    expect([-1, 0, MINUTE - 1, MINUTE, 1e9].map(ts => indexAt(points, ts))).toEqual([0, 0, 0, 1, 2])
  })

  it('is drawn without points of the same pixel and does not cross the whole map at 180 degrees', () => {
    const pixel = ({ lng, lat }: { lng: number; lat: number }): [number, number] => [lng, lat]
    const line = [
      { lng: 178, lat: 0 },
      { lng: 178.4, lat: 0 },
      { lng: 179.5, lat: 0 },
      { lng: -179, lat: 0 },
    ]
    expect(pathOf(line, pixel)).toBe('M178.0 0.0L179.5 0.0M-179.0 0.0')
  })
})
