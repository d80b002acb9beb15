import { readdirSync } from 'node:fs'
import { FormatBody } from '@thingwright/contracts/format-schemas'
import { type FormatSample, FormatSample as SampleSchema } from '@thingwright/contracts/formats.contract'
import { LinkSettings } from '@thingwright/contracts/links.contract'
import type { LibraryTemplate } from '@thingwright/contracts/product-library.contract'
import { compileModel, parseModel } from '@thingwright/thing-model'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { afterAll, describe, expect, it } from 'vitest'
import { PRODUCT_LIBRARY } from '../../db/library/index.ts'
import { compileFormat } from '../../ingest/codecs/compile-format.ts'
import { ScriptPool } from '../../ingest/codecs/script/script-pool.ts'
import { linkProblems } from '../../lib/links/check.ts'
import { silentLogger } from '../../lib/log.ts'

const scripts = new ScriptPool({ logger: silentLogger, size: 1 })
afterAll(() => scripts.stop())

const CONTEXT = { deviceNo: 'D1', at: Date.parse('2026-11-21T00:00:00Z') }
const bytesOf = ({ payload, encoding }: FormatSample) => Buffer.from(payload, encoding === 'hex' ? 'hex' : 'utf8')

/** What is wrong with a sample, or nothing. */
async function run(template: LibraryTemplate, sample: FormatSample): Promise<string[]> {
  const parsed = parseModel(template.thingModel)
  if (!parsed.ok) return parsed.problems.map(({ path, code }) => `model ${path}: ${code}`)
  const model = compileModel(parsed.model)
  const codec = compileFormat(template.format, model, scripts)
  const context = { ...CONTEXT, ...(sample.port === undefined ? {} : { port: sample.port }) }
  if (sample.direction === 'down') {
    const command = { id: 'c', identifier: null, ...sample.command! }
    const encoded = await codec!.encode(command, context)
    const frames = encoded.ok ? Buffer.concat(encoded.frames).toString('hex') : encoded.detail
    return frames === sample.payload ? [] : [`encodes ${frames}`]
  }
  const decoded = codec
    ? await codec.decode(bytesOf(sample), context)
    : { ok: true as const, readings: [{ values: JSON.parse(sample.payload) as Record<string, unknown> }] }
  if (!decoded.ok)
    return sample.expectedReason === decoded.reason ? [] : [`${decoded.reason} ${decoded.path} ${decoded.detail}`]
  if (sample.expectedReason) return ['is taken']
  const values: Record<string, unknown> = Object.assign({}, ...decoded.readings.map(reading => reading.values))
  const checked = model.checkProperties(values)
  if (!checked.ok) return [`${checked.reason} ${checked.path}`]
  return Object.entries(sample.expected ?? {}).flatMap(([identifier, wanted]) =>
    like(checked.values[identifier], wanted)
      ? []
      : [`${identifier}: ${JSON.stringify(values[identifier])}, expected ${JSON.stringify(wanted)}`],
  )
}

function like(value: unknown, wanted: unknown): boolean {
  if (typeof value === 'number' && typeof wanted === 'number')
    return Math.abs(value - wanted) <= 1e-6 * Math.max(1, Math.abs(wanted))
  if (typeof wanted === 'object' && wanted !== null)
    return Object.entries(wanted).every(([key, each]) =>
      like((value as Record<string, unknown> | undefined)?.[key], each),
    )
  return value === wanted
}

describe('the product library', () => {
  it('has at least thirty products, each in a file of its name and told in both languages', () => {
    const files = readdirSync(new URL('../../db/library', import.meta.url)).filter(name => name.endsWith('.json'))
    expect(PRODUCT_LIBRARY.length).toBeGreaterThanOrEqual(30)
    expect(PRODUCT_LIBRARY.map(({ key }) => `${key}.json`).toSorted()).toEqual(files.toSorted())
    for (const { key, name, description, category, thingModel } of PRODUCT_LIBRARY) {
      for (const text of [name, description, category])
        expect(
          [text.zh, text.en].every(each => each.length > 1),
          key,
        ).toBe(true)
      expect(Math.max(name.zh.length, name.en.length), key).toBeLessThanOrEqual(64)
      for (const property of thingModel.properties as { name: string; ename?: string }[])
        expect(property.ename, `${key} ${property.name}`).toBeTruthy()
    }
    expect(new Set(PRODUCT_LIBRARY.map(({ name }) => name.en)).size).toBe(PRODUCT_LIBRARY.length)
  })

  it.each(PRODUCT_LIBRARY.map(template => [template.key, template] as const))(
    '%s: its frames say what they should',
    async (_key, template) => {
      expect(template.samples.length).toBeGreaterThan(0)
      for (const sample of template.samples) {
        expect(
          [...Value.Errors(SampleSchema, sample)].map(each => JSON.stringify(each)),
          sample.name,
        ).toEqual([])
        expect(await run(template, sample), sample.name).toEqual([])
      }
      expect([...Value.Errors(FormatBody, template.format)].map(each => JSON.stringify(each))).toEqual([])
      if (template.link) {
        expect([...Value.Errors(Type.Partial(LinkSettings), template.link)].map(each => JSON.stringify(each))).toEqual(
          [],
        )
        expect(linkProblems(template.link as never, { from: 6100, to: 6199 })).toEqual([])
      }
      // Every register and field that is named is one of the model's.
      const identifiers = new Set(
        (template.thingModel.properties as { identifier: string }[]).map(each => each.identifier),
      )
      const named = JSON.stringify(template.format).matchAll(/"identifier":"([^"]+)"/g)
      for (const [, identifier] of named) expect(identifiers).toContain(identifier)
    },
  )

  it('notices a frame that says something else', async () => {
    const template = PRODUCT_LIBRARY.find(({ key }) => key === 'modbus-xy-md02')!
    const [sample] = template.samples
    expect(await run(template, { ...sample!, expected: { temperature: 99 } })).toEqual([
      'temperature: 24.6, expected 99',
    ])
    expect(await run(template, { ...sample!, payload: `${sample!.payload.slice(0, -2)}00` })).not.toEqual([])
  })
})
