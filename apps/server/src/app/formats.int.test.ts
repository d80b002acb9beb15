import type { FormatSample } from '@thingwright/contracts/formats.contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, refusal } from '../db/testing/management.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { deviceRequest, type TestGateway, testGateway } from '../ingest/process/testing.ts'
import type { Container } from './container.ts'
import { testContainer } from './testing/test-app.ts'

/** A format from its saving to the device's next frame: module, checks, samples and gateway together. */
let db: TestDatabase
let gateway: TestGateway
let container: Container
let mine: Company

beforeAll(async () => {
  db = await testDatabase()
  gateway = await testGateway(db)
  container = testContainer(db, {
    gateway: {
      wake: () => {},
      forget: what => gateway.forget(what),
      kick: num => gateway.kick(num),
      session: async num => gateway.session(num),
    },
  })
  mine = await company(db)
})
afterAll(() => gateway.stop())

const PROPERTY = { identifier: 't', name: 't', dataType: { type: 'double' }, access: 'rw' }
const newProduct = () =>
  container.products.service.create(mine.ctx, {
    name: 'product',
    linkType: 'mqtt',
    thingModel: { properties: [PROPERTY] },
  })
const label = (text: string) => ({ kind: 'label' as const, label: text, fields: ['t'] })
const sample = (over: Partial<FormatSample>): FormatSample => ({
  name: 'a frame',
  direction: 'up',
  encoding: 'text',
  payload: '#21.5#',
  expected: { t: 21.5 },
  ...over,
})

describe('a format', () => {
  it('counts for the next frame once it is saved', async () => {
    const product = await newProduct()
    const { deviceNo, deviceSecret } = await container.devices.service.create(mine.ctx, {
      productId: product.id,
      name: 'device',
    })
    const send = async (body: string) =>
      (await deviceRequest(gateway.start, { deviceNo, secret: deviceSecret, product }, 'raw', { body })).status
    expect(await send('#21.5#')).toBe(422)
    const saved = await container.products.format.setFormat(mine.ctx, product.id, label('[H:#],[D?],[T:#]'))
    expect(saved).toMatchObject({ format: { kind: 'label' }, samples: [] })
    expect(await send('#21.5#')).toBe(200)
  })

  it('with mistakes is refused with their places', async () => {
    const product = await newProduct()
    const saving = container.products.format.setFormat(mine.ctx, product.id, {
      kind: 'script',
      source: 'function decode() {\n  return 1 +\n}',
    })
    expect(await refusal(saving)).toMatchObject({
      code: 'format.invalid',
      fields: { source: { code: 'field.script_invalid', params: { line: 3 } } },
    })
  })

  it('that fails a sample is refused, with what came of each, and saved when forced', async () => {
    const { format } = container.products
    const product = await newProduct()
    await format.setFormat(mine.ctx, product.id, label('[H:#],[D?],[T:#]'))
    const items = [
      sample({}),
      sample({ name: 'another head', payload: '*1*', expected: {}, expectedReason: 'format_mismatch' }),
      sample({
        name: 'down',
        direction: 'down',
        payload: '23 37 23',
        encoding: 'hex',
        command: { kind: 'property_set', params: { t: 7 } },
      }),
    ]
    const kept = await format.setSamples(mine.ctx, product.id, { items })
    expect(kept.results.map(result => result.problems)).toEqual([[], [], []])
    expect(await format.samples(mine.ctx, product.id)).toEqual({ items })
    const other = label('[H:*],[D?],[T:*]')
    const refused = await refusal(format.setFormat(mine.ctx, product.id, other))
    expect(refused).toMatchObject({
      code: 'format.samples_failed',
      params: {
        failed: 3,
        count: 3,
        results: [
          { ok: false, problems: ['format_mismatch · @0 · head "#" is missing'.replace('"#"', '"*"')] },
          { ok: false, problems: ['taken, expected format_mismatch'] },
          { ok: false, problems: ['2a372a, expected 233723'] },
        ],
      },
    })
    const forced = await format.setFormat(mine.ctx, product.id, { ...other, force: true })
    expect(forced.samples.filter(result => !result.ok)).toHaveLength(3)
    const again = await format.runSamples(mine.ctx, product.id, { format: label('[H:#],[D?],[T:#]') })
    expect(again.results.every(result => result.ok)).toBe(true)
  })

  it('is tried before it is saved, and proposed from a frame', async () => {
    const { format } = container.products
    const product = await newProduct()
    const [proposal] = (await format.detectFormat(mine.ctx, product.id, { payload: '#21.5#' })).proposals
    expect(proposal).toMatchObject({ looksLike: 'label_text' })
    const trial = { payload: '2331 39 23', encoding: 'hex', format: proposal!.format } as never
    expect(await format.tryFormat(mine.ctx, product.id, trial)).toMatchObject({
      ok: true,
      rows: [{ values: { t: 19 } }],
    })
    const bad = format.tryFormat(mine.ctx, product.id, { payload: 'xyz', encoding: 'hex' })
    expect((await refusal(bad)).fields).toHaveProperty('payload')
    expect((await refusal(format.tryFormat(mine.ctx, product.id, {}))).fields).toHaveProperty('payload')
    const theirs = await company(db)
    expect((await refusal(format.samples(theirs.ctx, product.id))).code).toBe('product.not_found')
    expect((await refusal(format.setSamples(theirs.ctx, product.id, { items: [] }))).code).toBe('product.not_found')
  })

  it('of another version than the caller saw is a conflict', async () => {
    const product = await newProduct()
    const saving = container.products.format.setFormat(mine.ctx, product.id, { kind: 'json', version: 99 })
    expect((await refusal(saving)).code).toBe('version.conflict')
  })
})
