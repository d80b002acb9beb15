import { describe, expect, it } from 'vitest'
import { assign, Stage } from '../testing/rules.ts'
import { compileRule, type FenceShape, fenceProblems, isInFence, parseRule, TriggerEngine } from './index.ts'

const at = (lng: number, lat: number) => ({ lng, lat })
const polygon = (...points: [number, number][]): FenceShape => ({
  kind: 'polygon',
  points: points.map(([lng, lat]) => at(lng, lat)),
})
const circle = (lng: number, lat: number, radius: number): FenceShape => ({
  kind: 'circle',
  centre: at(lng, lat),
  radius,
})

const SQUARE = polygon([120, 30], [121, 30], [121, 31], [120, 31])
/** A horseshoe that is open above. */
const CONCAVE = polygon([0, 0], [3, 0], [3, 3], [2, 3], [2, 1], [1, 1], [1, 3], [0, 3])
const FIJI = polygon([177, -20], [-178, -20], [-178, -15], [177, -15])

const PLACES: [name: string, shape: FenceShape, place: [number, number], isInside: boolean][] = [
  ['the middle of a square', SQUARE, [120.5, 30.5], true],
  ['its side', SQUARE, [120.5, 30], true],
  ['its corner', SQUARE, [121, 31], true],
  ['a metre beside it', SQUARE, [121.00001, 30.5], false],
  ['the same latitude far away', SQUARE, [-59.5, 30.5], false],
  ['the leg of a horseshoe', CONCAVE, [0.5, 2], true],
  ['between its legs', CONCAVE, [1.5, 2], false],
  ['the ground of the gap', CONCAVE, [1.5, 1], true],
  ['a latitude of two corners', CONCAVE, [-1, 1], false],
  ['west of the date line', FIJI, [179.9, -18], true],
  ['east of the date line', FIJI, [-179.9, -18], true],
  ['upon the date line', FIJI, [-180, -18], true],
  ['the other side of the earth', FIJI, [0, -18], false],
  ['a circle across the date line', circle(179.99, 0, 5_000), [-179.98, 0], true],
  ['beyond that circle', circle(179.99, 0, 3_000), [-179.98, 0], false],
  ['a pole in a circle beside it', circle(40, 89.95, 10_000), [-140, 90], true],
  ['beyond the pole in that circle', circle(40, 89.95, 10_000), [-140, 89.97], true],
  ['too far beyond the pole', circle(40, 89.95, 10_000), [-140, 89.9], false],
]

describe('a geofence', () => {
  it.each(PLACES)('tells: %s', (_, shape, [lng, lat], isInside) => {
    expect(isInFence(shape, at(lng, lat))).toBe(isInside)
  })

  const flaws = (shape: Parameters<typeof fenceProblems>[0]) =>
    fenceProblems(shape).map(({ path, code }) => `${path} ${code}`)

  it('is refused where it is none, with the field', () => {
    expect(flaws(SQUARE)).toEqual([])
    expect(flaws(CONCAVE)).toEqual([])
    expect(flaws(FIJI)).toEqual([])
    expect(flaws(circle(0, 90, 1))).toEqual([])
    expect(flaws(circle(181, -91, 0))).toEqual(['centre.lng lng', 'centre.lat lat', 'radius radius'])
    expect(flaws({ kind: 'circle', points: [] })).toEqual(['points unused', 'centre missing', 'radius missing'])
    expect(flaws(polygon([0, 0], [1, 1]))).toEqual(['points points_few'])
    expect(flaws(polygon([0, 0], [1, 0], [0, 91]))).toEqual(['points.2.lat lat'])
    expect(flaws(polygon([0, 0], [1, 1], [1, 0], [0, 1]))).toEqual(['points crosses'])
    expect(flaws(polygon([0, 0], [2, 2], [2, 0], [0, 1]))).toEqual(['points crosses'])
    expect(flaws(polygon([179, 0], [-179, 2], [-179, 0], [179, 1]))).toEqual(['points crosses'])
    expect(flaws(polygon([0, 0], [1, 0], [1, 0], [0, 1]))).toEqual(['points.2 twice'])
    expect(flaws(polygon([0, 0], [1, 0], [2, 0]))).toEqual(['points flat'])
    expect(flaws(polygon([0, 80], [120, 80], [-120, 80]))).toEqual(['points pole'])
    // A side that comes back upon the one before it.
    expect(flaws(polygon([0, 0], [2, 0], [1, 0], [1, 1]))).toEqual(['points crosses'])
  })
})

const SHAPES: Record<string, FenceShape> = { depot: SQUARE, far: circle(0, 0, 1_000) }
const OUT = { position: at(119, 30.5) }
const IN = { position: at(120.5, 30.5) }

function fenced(condition: object, over: { shapes?: typeof SHAPES; devices?: Set<number>; version?: number } = {}) {
  const parsed = parseRule({
    format: 1,
    kind: 'general',
    scope: { productIds: ['p'] },
    alarm: { level: 3 },
    condition: { type: 'geofence', fence: 'depot', ...condition },
  })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  const compiled = compileRule(
    { id: 'r', version: over.version ?? 1, document: parsed.rule },
    {
      numberOf: () => undefined,
      calendar: () => undefined,
      fence: id => {
        const shape = (over.shapes ?? SHAPES)[id]
        return shape && { shape, version: 1, ...(over.devices ? { devices: over.devices } : {}) }
      },
      positionOf: new Map([[1, 'position']]),
    },
  )
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems))
  return { program: compiled.program, targets: [1] }
}

describe('a rule about a geofence', () => {
  it('knows where a device stands, from its first position on', () => {
    const stage = new Stage(fenced({ when: 'inside' }))
    expect(stage.value(1, IN).value(2, OUT).value(3, { speed: 4 }).value(4, IN).take()).toEqual([
      'raised@1',
      'cleared@2',
      'raised@4',
    ])
    expect(new Stage(fenced({ when: 'outside' })).value(1, IN).value(2, OUT).value(3, IN).take()).toEqual([
      'raised@2',
      'cleared@3',
    ])
  })

  it('takes the first position for no crossing', () => {
    const enter = new Stage(fenced({ when: 'enter' }))
    expect(enter.value(1, IN).value(2, IN).take()).toEqual([])
    expect(enter.value(3, OUT).value(4, IN).value(5, { position: 'nowhere' }).value(6, OUT).take()).toEqual([
      'raised@4',
      'cleared@6',
    ])
    const leave = new Stage(fenced({ when: 'leave' }))
    expect(leave.value(1, OUT).value(2, IN).value(3, OUT).value(4, IN).take()).toEqual(['raised@3', 'cleared@4'])
  })

  it('waits for a time without a further position', () => {
    const stage = new Stage(fenced({ when: 'inside', seconds: 120 }))
    expect(stage.value(1, IN).until(120).take()).toEqual([])
    expect(stage.until(121).value(130, OUT).take()).toEqual(['raised@121', 'cleared@130'])
    expect(() => fenced({ when: 'enter', seconds: 120 })).toThrow('momentary_cannot_last')
  })

  it('judges by a changed fence what is known, and remembers over a restart', () => {
    const stage = new Stage(fenced({ when: 'enter' }))
    stage.value(1, OUT)
    const moved = { ...SHAPES, depot: polygon([118, 30], [121, 30], [121, 31], [118, 31]) }
    expect(fenced({ when: 'enter' }).program.places).not.toBe(
      fenced({ when: 'enter' }, { shapes: moved }).program.places,
    )
    const restored = TriggerEngine.restore(structuredClone(stage.engine.snapshot()), [fenced({ when: 'enter' })])
    stage.engine = restored
    expect(stage.value(2, IN).take()).toEqual(['raised@2'])
    stage.value(3, OUT).take()
    stage.note(stage.engine.setRule(fenced({ when: 'enter' }, { shapes: moved })))
    expect(stage.take()).toEqual(['raised@3'])
    // Changed between the last memory and the start.
    const back = TriggerEngine.restore(structuredClone(stage.engine.snapshot()), [fenced({ when: 'enter' })])
    stage.note(back.advance(0))
    expect(stage.take()).toEqual(['cleared@3'])
  })

  it('leaves devices alone that the fence is not for, and says which fence is gone', () => {
    const stage = new Stage(fenced({ when: 'inside' }, { devices: new Set([2]) }))
    expect(stage.value(1, IN).value(2, OUT).take()).toEqual([])
    expect(() => fenced({ when: 'inside', fence: 'gone' })).toThrow('fence_unknown')
    expect(() => assign({ kind: 'general', condition: { type: 'geofence', when: 'near' } })).toThrow('condition.fence')
  })
})
