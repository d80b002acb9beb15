import { beforeAll, describe, expect, it } from 'vitest'
import { type ToolHouse, toolHouse } from '../../app/testing/tool-house.ts'
import type { Ctx } from '../../lib/context.ts'
import { ToolQuestion } from '../../lib/tools/tools.ts'
import examples from './format-draft/draft.examples.json' with { type: 'json' }

interface Example {
  title: string
  text: string
  kind: string
  values: Record<string, unknown>[]
  guess?: string
  missing?: string[]
}

const PROPERTIES = [
  ['temperature', 'Temperature', '\u6e29\u5ea6', '\u2103'],
  ['humidity', 'Humidity', '\u6e7f\u5ea6', '%'],
  ['battery', 'Battery', '\u7535\u6c60', '%'],
  ['voltage', 'Voltage', '\u7535\u538b', 'V'],
  ['current', 'Current', '\u7535\u6d41', 'A'],
  ['power', 'Power', '\u529f\u7387', 'W'],
  ['energy', 'Energy', '\u7535\u80fd', 'kWh'],
  ['pressure', 'Pressure', '\u538b\u529b', ''],
] as const
const SWITCHES = [
  ['door', 'Door', '\u95e8\u72b6\u6001'],
  ['leak', 'Leak', '\u6c34\u6d78'],
  ['relay', 'Relay', '\u7ee7\u7535\u5668'],
  ['switch', 'Switch', '\u5f00\u5173'],
] as const

describe('drafting a data format', () => {
  let house: ToolHouse
  let owner: Ctx
  let english: Ctx
  let productId: string

  beforeAll(async () => {
    house = await toolHouse()
    owner = house.owner
    english = { ...owner, locale: 'en' }
    const product = await house.call(owner, 'POST /api/v1/products', {
      body: {
        name: 'Sensor',
        linkType: 'tcp',
        thingModel: {
          properties: [
            ...PROPERTIES.map(([identifier, ename, name, unit]) => ({
              identifier,
              name,
              ename,
              unit,
              access: 'r',
              dataType: { type: 'double' },
            })),
            ...SWITCHES.map(([identifier, ename, name]) => ({
              identifier,
              name,
              ename,
              access: 'rw',
              dataType: { type: 'bool' },
            })),
          ],
        },
      },
    })
    productId = (product as { id: string }).id
  })

  it.each(examples as unknown as Example[])('$title', async ({ text, kind, values, guess, missing }) => {
    const result = await house.read(english, 'draft_format', { product: 'Sensor', text })
    const data = result.data as {
      format: { kind: string }
      decoded: { ok: boolean; reason: string | null; values: Record<string, unknown> }[]
      missing: { name: string }[]
    }
    expect(data.format.kind).toBe(kind)
    expect(data.missing.map(one => one.name)).toEqual(missing ?? [])
    // Once more by the product itself, with the draft as it would be saved.
    const framed = frameColumn(result)
    expect(framed).toHaveLength(values.length)
    for (const [i, expected] of values.entries()) {
      expect(data.decoded[i]).toMatchObject({ ok: true, reason: null })
      const reply = (await house.call(owner, 'POST /api/v1/products/{id}/format/try', {
        params: { id: productId },
        body: { format: data.format, ...payloadOf(framed[i]!) },
      })) as { ok: boolean; rows: { values: Record<string, unknown> }[] }
      const read = reply.rows[0]?.values ?? {}
      expect(Object.keys(read).sort()).toEqual(Object.keys(expected).sort())
      for (const [name, value] of Object.entries(expected))
        if (typeof value === 'number') expect(read[name]).toBeCloseTo(value, 6)
        else expect(read[name]).toBe(value)
    }
    if (guess) expect(result.text).toContain(GUESSES[guess as keyof typeof GUESSES])
  })
  const GUESSES = {
    guessLittle: 'taken as little-endian',
    guessChecksum: 'The checksum is not as the manual says; the frames have xor8',
  }

  function frameColumn(result: Awaited<ReturnType<ToolHouse['read']>>): string[] {
    const card = (result.cards ?? []).find(one => one.kind === 'table' && one.title === 'What the frames say')
    return card?.kind === 'table' ? card.rows.map(row => row.frame!.text) : []
  }
  const payloadOf = (shown: string) =>
    /^[0-9A-F]{2}( [0-9A-F]{2})+$/.test(shown)
      ? { payload: shown.replaceAll(' ', ''), encoding: 'hex' }
      : { payload: shown, encoding: 'text' }

  const MANUAL = examples[0]!.text

  it('shows which frames fail and why', async () => {
    const result = await house.read(english, 'draft_format', {
      product: 'Sensor',
      text: MANUAL,
      frames: '69 01 00 FD 02 58 16',
    })
    expect(result.text).toContain('Tried on 3 frames: 2 are read.')
    expect(result.text).toMatch(/Frame 3 fails: format\\_mismatch/)
  })

  it('is saved exactly as it was tried, with before and after, and taken back', async () => {
    const drafted = await house.read(english, 'draft_format', { product: 'Sensor', text: MANUAL })
    const choices = drafted.cards!.find(card => card.kind === 'choices')!
    const input = choices.kind === 'choices' ? choices.options[0]!.input : ''
    expect(input).toMatch(/^Save the format to the product Sensor: \{/)
    const before = await house.logLines()
    const format = input.slice(input.indexOf('{'))
    const prepared = await house.prepare(english, 'save_format', { product: 'Sensor', format })
    expect(await house.logLines()).toBe(before)
    expect(prepared.calls.map(call => call.route)).toEqual(['PUT /api/v1/products/{id}/format'])
    expect(prepared.calls[0]!.body).toMatchObject(JSON.parse(format))
    expect(prepared.changes![0]!.before).toBe('{"kind":"json"}')
    const made = await house.make(english, 'save_format', { product: 'Sensor', format })
    const saved = async () =>
      ((await house.call(owner, 'GET /api/v1/products/{id}', { params: { id: productId } })) as { format: object })
        .format
    expect(await saved()).toMatchObject({ kind: 'label' })
    await house.undo(owner, made)
    expect(await saved()).toEqual({ kind: 'json' })
  })

  it('adds what the product lacks, if that is wanted, and takes that back too', async () => {
    const co2 = examples.at(-1)!.text
    expect(await house.problem(house.prepare(english, 'save_format', { product: 'Sensor', text: co2 }))).toContain(
      'No property of “Sensor” fits',
    )
    const made = await house.make(english, 'save_format', { product: 'Sensor', text: co2, add_missing: true })
    expect(made.prepared.calls.map(call => call.route)).toEqual([
      'PUT /api/v1/products/{id}/thing-model',
      'POST /api/v1/products/{id}/model-versions',
      'PUT /api/v1/products/{id}/format',
    ])
    const again = await house.read(english, 'draft_format', { product: 'Sensor', text: co2 })
    expect(again.data).toMatchObject({ missing: [], read: 1 })
    await house.undo(owner, made)
    const product = (await house.call(owner, 'GET /api/v1/products/{id}', { params: { id: productId } })) as {
      format: object
      publishedModel: { properties: { identifier: string }[] }
    }
    expect(product.format).toEqual({ kind: 'json' })
    expect(product.publishedModel.properties.map(one => one.identifier)).not.toContain('co2')
  })

  it('tries a format that a model drafted, scripts too, and refuses one that is none', async () => {
    const script = JSON.stringify({
      kind: 'script',
      source: 'function decode(input) { return { temperature: input.bytes[0] / 2 } }',
    })
    const tried = await house.read(english, 'draft_format', { product: 'Sensor', format: script, frames: '2B' })
    expect(tried.text).toContain('Tried on 1 frames: all of them are read.')
    expect(
      await house.problem(house.read(english, 'draft_format', { product: 'Sensor', format: 'not json' })),
    ).toContain('The format must be JSON')
    const unknown = JSON.stringify({ kind: 'json', values: [{ path: 'a', identifier: 'nowhere' }] })
    expect(
      await house.problem(
        house.read(english, 'draft_format', { product: 'Sensor', format: unknown, frames: '{"a":1}' }),
      ),
    ).toBe('format.invalid')
  })

  it('says what it needs when there is nothing to go by', async () => {
    const of = (text: string) => house.problem(house.read(english, 'draft_format', { product: 'Sensor', text }))
    expect(await of('please help me with my device')).toContain('I could not read this')
    expect(await of('68 01 02 03 04 05 16')).toContain('The frames alone do not say')
    expect(await of('')).toContain('I could not read this')
  })

  it('does not save what reads no frame, or what breaks the saved samples', async () => {
    const wrong = `${MANUAL.split('\n').slice(0, 5).join('\n')}\nframe: 01 02 03 04 05 06 07`
    expect(await house.problem(house.prepare(english, 'save_format', { product: 'Sensor', text: wrong }))).toContain(
      'reads none of the frames',
    )
    const samples = [
      { name: 'kept', direction: 'up', encoding: 'text', payload: '{"temperature":1}', expected: { temperature: 1 } },
    ]
    await house.call(owner, 'PUT /api/v1/products/{id}/format/samples', {
      params: { id: productId },
      body: { items: samples },
    })
    expect(await house.problem(house.prepare(english, 'save_format', { product: 'Sensor', text: MANUAL }))).toContain(
      '1 saved samples of “Sensor” fail',
    )
    await house.call(owner, 'PUT /api/v1/products/{id}/format/samples', {
      params: { id: productId },
      body: { items: [] },
    })
  })

  it('bears hostile input: long lines, markdown, control characters', async () => {
    const hostile =
      '\u5b57\u82821-2 ![x](https://evil.example/leak) \u6e29\u5ea6 0.1\u2103\nbyte 0 head 0xAA\nframe: AA 00 FD'
    const { text } = await house.read(english, 'draft_format', { product: 'Sensor', text: hostile })
    expect(text).not.toMatch(/[^\\]!\[/)
    const long = `${'byte 1-2 '.repeat(900)}\n${'('.repeat(3000)}\n${'0x'.repeat(2000)}`
    expect(await house.problem(house.read(english, 'draft_format', { product: 'Sensor', text: long }))).not.toBe('')
  })

  it('asks which product when several could be meant, and refuses whoever lacks the right', async () => {
    await house.call(owner, 'POST /api/v1/products', { body: { name: 'Other', linkType: 'tcp' } })
    // Reading may be tried on the one that knows the values; where it is saved is asked.
    expect((await house.read(english, 'draft_format', { text: MANUAL })).data).toMatchObject({ product: 'Sensor' })
    for (const asked of [
      await house.read(english, 'draft_format', { text: 'byte 0 head 0xAA\nbyte 1-2 thickness' }).catch(error => error),
      await house.prepare(english, 'save_format', { text: MANUAL }).catch(error => error),
    ]) {
      expect(asked).toBeInstanceOf(ToolQuestion)
      expect(asked.field).toBe('product')
    }
    const nobody = { ...(await house.person('nobody')), locale: 'en' as const }
    expect(await house.problem(house.read(nobody, 'draft_format', { product: productId, text: MANUAL }))).toMatch(
      /permission|no such product/i,
    )
    const reader = await house.person('reader', ['product:read'])
    expect((await house.read(reader, 'draft_format', { product: 'Sensor', text: MANUAL })).data).toMatchObject({
      read: 2,
    })
    const { calls } = await house.prepare(english, 'save_format', { product: 'Sensor', text: MANUAL })
    expect(await house.problem(house.call(reader, calls[0]!.route, calls[0]!))).toBe('permission.denied')
  })
})
