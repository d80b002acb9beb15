import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileModel, parseModel } from '@thingwright/thing-model'
import { afterAll, describe, expect, it } from 'vitest'
import { silentLogger } from '../../lib/log.ts'
import fc from '../../lib/testing/fast-check.ts'
import type { Codec, CommandToEncode } from './codec.ts'
import { compileFormat } from './compile-format.ts'
import { ScriptPool } from './script/script-pool.ts'

/** The examples beside each codec: formats, frames, and what must come of them. */
interface Example {
  title: string
  properties: object[]
  events?: object[]
  services?: object[]
  format: Record<string, unknown>
  up: {
    name: string
    hex?: string
    text?: string
    port?: number
    readings?: object[]
    refused?: [reason: string, path: string]
  }[]
  down: {
    name: string
    service?: string
    params: Record<string, unknown>
    hex?: string[]
    text?: string[]
    refused?: string
  }[]
}

const here = import.meta.dirname
const files = readdirSync(here, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.examples.json'))
const scripts = new ScriptPool({ logger: silentLogger, size: 2 })
afterAll(() => scripts.stop())

function codecOf({ properties, events = [], services = [], format }: Example): Codec {
  const parsed = parseModel({ properties, events, services })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return compileFormat(format, compileModel(parsed.model), scripts)!
}

const NOW = Date.parse('2026-01-02T03:04:05Z')
const context = { deviceNo: 'd1', at: NOW }

it('stands beside every codec', () => {
  expect(files.map(file => file.split('/')[0]).sort()).toEqual(['cayenne', 'json', 'label', 'modbus', 'script'])
})

describe.each(files)('%s', file => {
  const examples = JSON.parse(readFileSync(join(here, file), 'utf8')) as Example[]

  describe.each(examples)('$title', example => {
    const codec = codecOf(example)

    it.each(example.up)('reads $name', async ({ hex, text, port, readings, refused }) => {
      const frame = text === undefined ? Buffer.from(hex!, 'hex') : Buffer.from(text)
      const before = Buffer.from(frame)
      const result = await codec.decode(frame, port === undefined ? context : { ...context, port })
      if (readings) expect(result).toEqual({ ok: true, readings })
      // What was read beside it is kept.
      else expect(result.ok ? result.faults?.[0] : result).toMatchObject({ reason: refused![0], path: refused![1] })
      expect(frame).toEqual(before)
      for (const { at, length } of codec.explain?.(frame) ?? []) expect(at + length).toBeLessThanOrEqual(frame.length)
    })

    if (example.down.length > 0)
      it.each(example.down)('writes $name', async ({ service, params, hex, text, refused }) => {
        const kind = service === undefined ? 'property_set' : 'service'
        const command: CommandToEncode = { id: 'c1', kind, identifier: service ?? null, params }
        const result = await codec.encode(command, context)
        if (refused) expect(result).toMatchObject({ ok: false, reason: refused })
        else if (!result.ok) expect(result).toMatchObject({ ok: true })
        else if (hex) expect(result.frames.map(frame => frame.toString('hex'))).toEqual(hex)
        else expect(result.frames.map(frame => frame.toString())).toEqual(text)
      })

    it('takes whatever bytes there are', async () => {
      const seeds = example.up.map(({ hex, text }) =>
        text === undefined ? Buffer.from(hex!, 'hex') : Buffer.from(text),
      )
      const anything = fc.uint8Array({ maxLength: 80 }).map(bytes => Buffer.from(bytes))
      const nearly = fc
        .tuple(fc.constantFrom(...seeds), fc.nat(100), fc.nat(255), fc.nat(100))
        .map(([seed, at, byte, cut]) => {
          const bytes = Buffer.from(seed)
          if (bytes.length > 0) bytes[at % bytes.length] = byte
          return bytes.subarray(0, cut < 60 ? bytes.length : cut % (bytes.length + 1))
        })
      const isScript = codec.kind === 'script'
      await fc.assert(
        fc.asyncProperty(fc.oneof(anything, nearly), async frame => {
          const result = await codec.decode(frame, context)
          if (!result.ok) expect(result.reason).toMatch(/^[a-z_]+$/)
          codec.explain?.(frame)
        }),
        { numRuns: isScript ? 30 : 300 },
      )
    })

    // What a script does with values is the author's affair.
    if (codec.kind === 'script') return
    it('takes whatever values there are', async () => {
      const names = example.properties.map(property => (property as { identifier: string }).identifier)
      const name = fc.constantFrom(...names, '__proto__')
      await fc.assert(
        fc.asyncProperty(fc.dictionary(name, fc.anything(), { maxKeys: 5 }), async params => {
          await codec.encode({ id: 'c', kind: 'property_set', identifier: null, params }, context)
        }),
        { numRuns: 200 },
      )
    })
  })
})

it('of a format that nobody checked comes a codec all the same', async () => {
  const parsed = parseModel({ properties: [], events: [], services: [] })
  const model = compileModel(parsed.ok ? parsed.model : (null as never))
  const kinds = fc.constantFrom('json', 'label', 'modbus', 'cayenne', 'nonsense')
  const keys = fc.constantFrom(
    'values',
    'rows',
    'label',
    'fields',
    'frames',
    'registers',
    'channels',
    'time',
    'unmapped',
  )
  await fc.assert(
    fc.asyncProperty(
      kinds,
      fc.dictionary(keys, fc.jsonValue()),
      fc.uint8Array({ maxLength: 20 }),
      async (kind, over, bytes) => {
        const codec = compileFormat({ ...over, kind }, model, scripts)
        await codec?.decode(Buffer.from(bytes), context)
      },
    ),
    { numRuns: 300 },
  )
  const broken = compileFormat({ kind: 'label', frames: 5 }, model, scripts)!
  expect(await broken.decode(Buffer.from('x'), context)).toMatchObject({ ok: false, reason: 'format_mismatch' })
})
