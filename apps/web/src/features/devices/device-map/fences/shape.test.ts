import { describe, expect, it } from 'vitest'
import {
  beginDrawing,
  boundsOfShape,
  type Drawing,
  drawn,
  metresBetween,
  placeFrom,
  ringOf,
  ringPath,
  undone,
} from './shape.ts'

/** A hundred pixels are a degree. */
const pixel = ({ lng, lat }: { lng: number; lat: number }): [number, number] => [lng * 100, -lat * 100]
const press = (drawing: Drawing, what: 'down' | 'move' | 'up', lng: number, lat: number) =>
  drawn(drawing, { what, place: { lng, lat }, at: pixel({ lng, lat }), pixel })
const click = (drawing: Drawing, lng: number, lat: number) => press(press(drawing, 'down', lng, lat), 'up', lng, lat)

describe('drawing a fence', () => {
  it('draws a circle from its centre, and moves its centre and edge afterwards', () => {
    let drawing = press(beginDrawing('circle'), 'down', 10, 0)
    expect(drawing.shape).toEqual({ kind: 'circle', centre: { lng: 10, lat: 0 } })
    drawing = press(press(drawing, 'move', 11, 0), 'up', 11, 0)
    expect(drawing).toMatchObject({ shape: { radius: 111_195 }, held: null })
    drawing = press(press(press(drawing, 'down', 9, 0), 'move', 8, 0), 'up', 8, 0)
    expect(drawing.shape.radius).toBe(222_390)
    drawing = press(press(drawing, 'down', 10, 0), 'move', 10, 1)
    expect(drawing.shape).toEqual({ kind: 'circle', centre: { lng: 10, lat: 1 }, radius: 222_390 })
    expect(undone(drawing).shape).toEqual({ kind: 'circle' })
  })

  it('adds points in order, moves them, and puts new ones of a finished fence on its nearest side', () => {
    let drawing = beginDrawing('polygon')
    for (const [lng, lat] of [
      [0, 0],
      [2, 0],
      [2, 2],
      [9, 9],
    ] as const)
      drawing = click(drawing, lng, lat)
    drawing = undone(drawing)
    drawing = press(press(press(drawing, 'down', 2.05, 2), 'move', 2, 3), 'up', 2, 3)
    expect(drawing.shape.points).toEqual([
      { lng: 0, lat: 0 },
      { lng: 2, lat: 0 },
      { lng: 2, lat: 3 },
    ])
    drawing = click({ ...drawing, closed: true }, 1, -0.5)
    expect(drawing.shape.points![1]).toEqual({ lng: 1, lat: -0.5 })
    expect(drawing.shape.points).toHaveLength(4)
  })

  it('follows a ring across 180 degrees', () => {
    const shape = {
      kind: 'polygon' as const,
      points: [
        { lng: 179, lat: 0 },
        { lng: -179, lat: 0 },
        { lng: -179, lat: 1 },
      ],
    }
    expect(boundsOfShape(shape)).toEqual({ west: 179, east: 181, south: 0, north: 1 })
    expect(ringPath(ringOf(shape), pixel)).toContain('M17900.0 0.0L18100.0 0.0L18100.0 -100.0Z')
    const north = placeFrom({ lng: 20, lat: 60 }, 5_000, 0)
    expect(metresBetween({ lng: 20, lat: 60 }, north)).toBeCloseTo(5_000, 3)
    expect(ringOf({ kind: 'circle' })).toEqual([])
  })
})
