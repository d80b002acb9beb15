import { compileModel, parseModel } from '@thingwright/thing-model'
import { describe, expect, it } from 'vitest'
import type { Reading } from '../../lib/journal/latest-values.ts'
import type { Codec, EncodeResult } from '../codecs/codec.ts'
import type { DeviceRecord } from '../uplink.ts'
import { CommandEncoder, type Prepared } from './command-encoder.ts'
import type { ClaimedCommand } from './command-queue.repo.ts'
import { ReplyWatch } from './reply-watch.ts'

const parsed = parseModel({
  properties: [
    {
      identifier: 'level',
      name: 'level',
      dataType: { type: 'double' },
      access: 'rw',
      mapping: { down: { x1: 0, y1: 0, x2: 100, y2: 4095 } },
    },
  ],
  events: [],
  services: [],
})
if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
const model = compileModel(parsed.model)
const device = { num: 1, productNum: 1, deviceNo: 'SN', overrides: {} } as unknown as DeviceRecord
const command = (over: Partial<ClaimedCommand> = {}): ClaimedCommand => ({
  id: 'c',
  device: 1,
  kind: 'property_set',
  identifier: null,
  params: { level: 50 },
  timeoutMs: 1000,
  confirm: 'auto',
  expects: null,
  interlock: null,
  lora: null,
  ...over,
})

function encoder(
  over: {
    encode?: (params: unknown) => EncodeResult | Promise<EncodeResult>
    kind?: string
    linkType?: string
    bytes?: boolean
    latest?: Record<string, Reading>
    rules?: object
  } = {},
) {
  const codec = over.encode
    ? ({
        kind: over.kind ?? 'script',
        decode: () => ({ ok: true, readings: [] }),
        encode: asked => over.encode!(asked.params),
      } satisfies Codec)
    : null
  const settings = { linkType: over.linkType ?? 'tcp', commandRules: over.rules ?? {} }
  return new CommandEncoder({
    product: () => ({ model, codec, settings: settings as never }),
    speaksBytes: () => over.bytes ?? true,
    latest: async () => new Map([[1, new Map(Object.entries(over.latest ?? {}))]]),
    clock: { now: () => 10_000 },
  })
}
const frames = [Buffer.from([1, 2])]
const ok = (prepared: Prepared) => {
  if (!prepared.ok) throw new Error(prepared.detail)
  return prepared
}

describe('a command for a device', () => {
  it('that speaks topics is JSON with the values that the device expects, at once', () => {
    const prepared = ok(encoder().prepare(command(), device) as Prepared)
    expect(prepared.message.frames).toBeUndefined()
    expect(JSON.parse(prepared.message.payload.toString())).toEqual({ id: 'c', params: { level: 2047.5 } })
    expect(prepared.settles).toBe(false)
  })

  it('that speaks bytes is what the format makes of it, now or later; nothing can answer it', async () => {
    let asked: unknown
    const now = encoder({
      encode(params) {
        asked = params
        return { ok: true, frames }
      },
    }).prepare(command(), device)
    expect(now).not.toBeInstanceOf(Promise)
    expect(asked).toEqual({ level: 2047.5 })
    expect(ok(now as Prepared)).toMatchObject({ message: { frames }, settles: true })
    const later = encoder({ encode: async () => ({ ok: true, frames }) }).prepare(command({ confirm: 'reply' }), device)
    expect(later).toBeInstanceOf(Promise)
    expect(ok(await later)).toMatchObject({ message: { frames }, settles: false })
  })

  it('fails with the format’s reason, unless the device understands topics as well', () => {
    const encode = (): EncodeResult => ({ ok: false, reason: 'not_encodable', detail: 'no field' })
    expect(encoder({ encode }).prepare(command(), device)).toEqual({
      ok: false,
      code: 'not_encodable',
      detail: 'no field',
    })
    expect(encoder({ encode, bytes: false }).prepare(command(), device)).toMatchObject({ ok: true })
  })

  it('whose registers are polled is left to whoever polls them', () => {
    const encode = (): EncodeResult => ({ ok: true, frames })
    const polled = encoder({ encode, kind: 'modbus', linkType: 'modbus_rtu' }).prepare(command(), device) as Prepared
    expect(ok(polled)).toMatchObject({ settles: false })
    expect(ok(polled).message.frames).toBeUndefined()
    const written = encoder({ encode, kind: 'modbus', linkType: 'tcp' }).prepare(command(), device) as Prepared
    expect(ok(written).message.frames).toEqual(frames)
  })

  it('is held against its own conditions and those of today', async () => {
    const interlock = [{ identifier: 'pressure', operator: 'lt' as const, value: 2 }]
    const refused = { ok: false, code: 'interlocked' }
    expect(await encoder({ latest: { pressure: [3, 1, 0] } }).prepare(command({ interlock }), device)).toMatchObject(
      refused,
    )
    const rules = { properties: { level: { interlock: [{ ...interlock[0], maxAgeSeconds: 5 }] } } }
    expect(await encoder({ rules, latest: { pressure: [1, 4_000, 0] } }).prepare(command(), device)).toMatchObject(
      refused,
    )
    expect(await encoder({ rules, latest: { pressure: [1, 6_000, 0] } }).prepare(command(), device)).toMatchObject({
      ok: true,
    })
  })
})

describe('the answers that are waited for', () => {
  it('go to the oldest command they fit, once, and in time', () => {
    let now = 0
    const watch = new ReplyWatch({ now: () => now })
    const starts = (byte: number) => ({ carriesData: false, matches: (frame: Buffer) => frame[0] === byte })
    watch.expect(1, 'a', starts(1), 100)
    watch.expect(1, 'b', starts(1), 200)
    watch.expect(1, 'c', starts(2), 200)
    expect(watch.take(1, Buffer.from([2]))).toMatchObject({ commandId: 'c' })
    expect(watch.take(2, Buffer.from([1]))).toBeNull()
    now = 150
    expect(watch.take(1, Buffer.from([1]))).toMatchObject({ commandId: 'b' })
    expect(watch.take(1, Buffer.from([1]))).toBeNull()
    watch.expect(1, 'd', starts(1), 100)
    watch.drop(1, 'd')
    expect(watch.size).toBe(0)
  })
})
