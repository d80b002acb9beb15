import { compileModel, parseModel, type StorePolicy } from '@thingwright/thing-model'
import { describe, expect, it } from 'vitest'
import fc from '../../lib/testing/fast-check.ts'
import { modelFor } from '../directory/device-models.ts'
import { aDevice } from '../testing/entries.ts'
import { JournalKind, Quality } from '../uplink.ts'
import { StoreMemory } from './store-memory.ts'
import { validate, validateReadings } from './validate.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const device = aDevice(7)

function modelOf(...properties: object[]) {
  const parsed = parseModel({ properties })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return compileModel(parsed.model)
}
const number = (identifier: string, over: object = {}, dataType: object = {}) => ({
  identifier,
  dataType: { type: 'double', ...dataType },
  ...over,
})

/** What became of a post: a line for each row, `stored` or `latest`, quality, values. */
function rowsOf(model: ReturnType<typeof modelOf>, post: unknown, memory?: StoreMemory, arrivedAt = NOW) {
  const raw = { device, channel: { kind: 'property' as const }, payload: Buffer.from(JSON.stringify(post)), arrivedAt }
  return validate({ raw, model }, memory ? { memory } : {}).map(({ kind, quality, values, refusedReason }) => {
    if (kind === JournalKind.refused) return `refused ${refusedReason}`
    const word = Object.keys(Quality).find(key => Quality[key as keyof typeof Quality] === quality)
    return `${kind === JournalKind.property ? 'stored' : 'latest'} ${word} ${values}`
  })
}

describe('a value on its way through its line', () => {
  const model = modelOf(
    number('level', { mapping: { up: { x1: 0, y1: 0, x2: 4095, y2: 100 } } }, { min: 0, max: 100 }),
    number('plain'),
  )

  it('is stored with the raw one beside it', () => {
    expect(rowsOf(model, { level: 819, plain: 1 })).toEqual(['stored good {"level":20,"level#raw":819,"plain":1}'])
  })

  it('is checked against its bounds as it is after the line', () => {
    expect(rowsOf(model, { level: 4096 })).toEqual(['refused property_range'])
    expect(rowsOf(model, { level: '819' })).toEqual(['refused property_type'])
    expect(rowsOf(model, 7)).toEqual(['refused payload_shape'])
  })

  it('cannot be sent under the name of a raw value', () => {
    expect(rowsOf(model, { 'level#raw': 1 })).toEqual(['refused property_unknown'])
  })
})

describe('a number out of its range', () => {
  const bounds = { min: 0, max: 100 }
  const model = modelOf(
    number('refuse', {}, bounds),
    number('ignore', { outOfRange: 'ignore' }, bounds),
    number('bad', { outOfRange: 'bad' }, bounds),
    number('clamp', { outOfRange: 'clamp' }, bounds),
    { identifier: 'whole', outOfRange: 'clamp', dataType: { type: 'int32', min: -0.5, max: 9.5 } },
    { identifier: 'big', outOfRange: 'clamp', dataType: { type: 'int64', min: 0, max: '9007199254740993' } },
  )

  it.each([
    [{ refuse: 101, bad: 1 }, ['refused property_range']],
    [{ ignore: 101, bad: 1 }, ['stored good {"bad":1}']],
    [{ ignore: 101 }, ['stored good {}']],
    [{ bad: 101, ignore: 1 }, ['stored bad {"bad":101}', 'stored good {"ignore":1}']],
    [{ clamp: 101 }, ['stored uncertain {"clamp":100,"clamp#raw":101}']],
    [{ clamp: -3 }, ['stored uncertain {"clamp":0,"clamp#raw":-3}']],
    [{ clamp: 100 }, ['stored good {"clamp":100}']],
    [{ whole: 12 }, ['stored uncertain {"whole":9,"whole#raw":12}']],
    [{ whole: -3 }, ['stored uncertain {"whole":0,"whole#raw":-3}']],
    [{ big: '9223372036854775807' }, ['stored uncertain {"big":"9007199254740993","big#raw":"9223372036854775807"}']],
    // What is no number at all is refused whatever the policy.
    [{ bad: 'hot' }, ['refused property_type']],
    [{ ignore: null }, ['refused property_type']],
  ])('%j becomes %j', (post, rows) => {
    expect(rowsOf(model, post)).toEqual(rows)
  })
})

describe('late data', () => {
  const model = modelOf(number('keep'), number('doubt', { late: 'uncertain' }), number('gone', { late: 'ignore' }))
  it('is kept, doubted or left out, property by property', () => {
    const values = { keep: 1, doubt: 2, gone: 3 }
    expect(rowsOf(model, { ts: NOW - 3_600_000, values })).toEqual([
      'stored good {"keep":1}',
      'stored uncertain {"doubt":2}',
    ])
    expect(rowsOf(model, { ts: NOW, values })).toEqual(['stored good {"keep":1,"doubt":2,"gone":3}'])
  })

  it('with a clock ten years ahead is taken at its arrival, of uncertain quality', () => {
    const ts = NOW + 10 * 365 * 86_400_000
    expect(rowsOf(model, { ts, values: { doubt: 1 } })).toEqual(['stored uncertain {"doubt":1}'])
  })
})

describe('a store policy', () => {
  /** Of values a second apart: those that history gets. */
  function stored(store: StorePolicy, values: readonly unknown[], dataType: object = {}): unknown[] {
    const model = modelOf(number('p', { store }, dataType))
    const memory = new StoreMemory()
    return values.filter((p, second) => {
      const [row] = rowsOf(model, { ts: NOW + second * 1_000, values: { p } }, memory, NOW + 100_000)
      return row!.startsWith('stored')
    })
  }

  it.each([
    [{ mode: 'change' }, [1, 1, 2, 2, 1], [1, 2, 1]],
    [{ mode: 'change', maxSeconds: 3 }, [1, 1, 1, 1, 1, 1, 1], [1, 1, 1]],
    [{ mode: 'interval', seconds: 2 }, [1, 2, 3, 4, 5], [1, 3, 5]],
    [{ mode: 'deadband', band: 1 }, [10, 10.5, 11, 11.1, 11.9, 12.2], [10, 11.1, 12.2]],
    [{ mode: 'deadband', band: 10, percent: true }, [100, 109, 110, 111, 123, 122], [100, 111, 123]],
    [{ mode: 'deadband', band: 5, maxSeconds: 2 }, [1, 1, 1, 1, 1], [1, 1, 1]],
    [{ mode: 'deadband', band: 0 }, [1, 1, 1.001], [1, 1.001]],
  ] as [StorePolicy, number[], number[]][])('%j of %j stores %j', (policy, values, kept) => {
    expect(stored(policy, values)).toEqual(kept)
  })

  it('compares objects by what is in them', () => {
    const values = [{ a: 1 }, { a: 1 }, { a: 2 }]
    expect(stored({ mode: 'change' }, values, { type: 'json' })).toEqual([{ a: 1 }, { a: 2 }])
  })

  it('keeps what is not stored as the latest value, apart from what is', () => {
    const model = modelOf(number('quiet', { store: { mode: 'change' } }), number('loud'))
    const memory = new StoreMemory()
    expect(rowsOf(model, { quiet: 1, loud: 1 }, memory)).toEqual(['stored good {"quiet":1,"loud":1}'])
    expect(rowsOf(model, { quiet: 1, loud: 1 }, memory)).toEqual(['latest good {"quiet":1}', 'stored good {"loud":1}'])
    expect(rowsOf(model, { quiet: 1 }, memory)).toEqual(['latest good {"quiet":1}'])
  })

  it('stores a change of quality, and what came late fills its gap', () => {
    const model = modelOf(number('p', { store: { mode: 'deadband', band: 1_000 }, outOfRange: 'bad' }, { max: 10 }))
    const memory = new StoreMemory()
    expect(rowsOf(model, { p: 5 }, memory)).toEqual(['stored good {"p":5}'])
    expect(rowsOf(model, { p: 11 }, memory)).toEqual(['stored bad {"p":11}'])
    expect(rowsOf(model, { p: 12 }, memory)).toEqual(['latest bad {"p":12}'])
    expect(rowsOf(model, { ts: NOW - 60_000, values: { p: 5 } }, memory)).toEqual(['stored good {"p":5}'])
    expect(rowsOf(model, { p: 12 }, memory)).toEqual(['latest bad {"p":12}'])
  })

  it('of one device says nothing of another, and memory is bounded', () => {
    const memory = new StoreMemory(2)
    const policy: StorePolicy = { mode: 'change' }
    const is = (num: number) => memory.isStored(num, 'p', policy, { value: 1, ts: NOW, quality: 0 })
    expect([is(1), is(1), is(2), is(1), is(3), is(2)]).toEqual([true, false, true, false, true, true])
    expect(memory.size).toBe(2)
  })
})

describe('any post to any policies', () => {
  const model = modelOf(
    number(
      'a',
      { mapping: { up: { x1: 0, y1: 0, x2: 1, y2: 1e15 } }, outOfRange: 'clamp', store: { mode: 'change' } },
      { min: -5, max: 5 },
    ),
    number('b', { outOfRange: 'bad', late: 'ignore', store: { mode: 'deadband', band: 1, percent: true } }, { max: 3 }),
    { identifier: 'c', dataType: { type: 'int64', max: 9 }, outOfRange: 'ignore' },
    { identifier: 'd', dataType: { type: 'json' }, store: { mode: 'interval', seconds: 1 } },
  )
  it('makes rows or a refusal, never an error', () => {
    const memory = new StoreMemory()
    const values = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'a#raw', '__proto__', 'ts'), fc.jsonValue())
    fc.assert(
      fc.property(values, fc.option(fc.integer({ min: NOW - 1e10, max: NOW + 1e10 })), (post, ts) => {
        for (const row of rowsOf(model, ts === null ? post : { ts, values: post }, memory))
          expect(row).toMatch(/^(stored|latest|refused) /)
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('what a codec read', () => {
  const model = modelOf(number('level', { mapping: { up: { x1: 0, y1: 0, x2: 10, y2: 1 } } }))
  const frame = { device, channel: { kind: 'raw' as const }, payload: Buffer.from('01ff', 'hex'), arrivedAt: NOW }
  const take = (...readings: Parameters<typeof validateReadings>[1][number][]) =>
    validateReadings({ raw: frame, model }, readings).map(entry => [entry.refusedReason ?? entry.kind, entry.values])

  it('goes the same way, all or none, and an empty frame was seen', () => {
    expect(take({ values: { level: 5 } })).toEqual([[JournalKind.property, '{"level":0.5,"level#raw":5}']])
    expect(take()).toEqual([[JournalKind.property, '{}']])
    const [refused] = take({ values: { level: 5 } }, { values: { other: 1 } })
    expect(refused![0]).toBe('property_unknown')
    expect(JSON.parse(refused![1] as string).path).toBe('[1].other')
    expect(take({ values: {}, event: 'nope' })[0]![0]).toBe('event_unknown')
    expect(take({ ts: Number.NaN, values: {} })[0]![0]).toBe('number_not_finite')
  })
})

describe('a device with a model of its own', () => {
  const product = { model: modelOf(number('t', {}, { max: 10 })) }
  const own = (overlay: object) => aDevice(8, { overrides: { model: overlay } })

  it('is checked against it; all others against their product’s', () => {
    const special = own({ changed: { t: { max: 20 } }, added: [{ identifier: 'door', dataType: { type: 'bool' } }] })
    expect(modelFor(product, special).checkProperties({ t: 15, door: true })).toMatchObject({ ok: true })
    expect(modelFor(product, device)).toBe(product.model)
    expect(modelFor(product, device).checkProperties({ t: 15 })).toMatchObject({ ok: false })
  })

  it('is compiled once, also when its record was read again, and anew when the product changes', () => {
    const overlay = () => ({ changed: { t: { max: 20 } } })
    const first = modelFor(product, own(overlay()))
    expect(modelFor(product, own(overlay()))).toBe(first)
    const published = { model: modelOf(number('t', {}, { max: 5 }), number('u')) }
    const next = modelFor(published, own(overlay()))
    expect(next).not.toBe(first)
    expect(next.checkProperties({ t: 15, u: 1 })).toMatchObject({ ok: true })
  })

  it('that no longer fits counts for nothing', () => {
    expect(modelFor(product, own({ changed: { t: { min: 30 } } }))).toBe(product.model)
    expect(modelFor(product, own({ changed: 7 } as never))).toBe(product.model)
  })
})
