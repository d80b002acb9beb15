import { compileModel, parseModel } from '@thingwright/thing-model'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Codec, DecodeResult } from './codecs/codec.ts'
import type { ProductEntry } from './directory/product-cache.ts'
import { DecodeOrder } from './stages/decode-order.ts'
import { validate } from './stages/validate.ts'
import { createUplinkPipeline } from './uplink.pipeline.ts'
import { type DeviceRecord, type JournalEntry, JournalKind, type RawUplink } from './uplink.ts'

const parsed = parseModel({ properties: [{ identifier: 'n', name: 'n', dataType: { type: 'int32' }, access: 'r' }] })
const model = compileModel(parsed.ok ? parsed.model : (null as never))
const aDevice = (num: number, over: Partial<DeviceRecord> = {}): DeviceRecord => ({
  num,
  id: '',
  tenantId: '',
  productId: '',
  productNum: 1,
  productKey: '',
  deviceNo: `d${num}`,
  enabled: true,
  offlineDelaySeconds: 0,
  gateway: null,
  subAddress: null,
  overrides: {},
  ...over,
})

/** Decodes when it is told to: the first byte is the value. */
class SlowCodec implements Codec {
  readonly kind = 'slow'
  readonly waiting: (() => void)[] = []
  decode(frame: Buffer): Promise<DecodeResult> {
    const n = frame[0]!
    return new Promise(resolve => this.waiting.push(() => resolve({ ok: true, readings: [{ values: { n } }] })))
  }
  encode = () => ({ ok: false as const, reason: 'not_encodable' as const, detail: '' })
}

let codec: SlowCodec
let order: DecodeOrder
let stored: JournalEntry[]
let entry: ProductEntry
let accept: ReturnType<typeof createUplinkPipeline>
beforeEach(() => {
  codec = new SlowCodec()
  order = new DecodeOrder()
  stored = []
  entry = { num: 1, model, modelVersion: 1, settings: null, codec, current: true, waiting: [] }
  accept = createUplinkPipeline({
    product: () => entry,
    validate: uplink => validate(uplink),
    lanes: {
      append(entries, committed) {
        stored.push(...entries)
        committed()
      },
    },
    counted: () => undefined,
    resolveSub: async (_gateway, sub) => (sub === 'none' ? null : aDevice(Number(sub))),
    order,
  })
})

const device = aDevice(1)
const raw = (payload: Buffer, over: Partial<RawUplink> = {}): RawUplink => ({
  device,
  channel: { kind: 'raw' },
  payload,
  arrivedAt: 1_000,
  ...over,
})
const numbers = () => stored.map(row => row.properties?.n)
const turn = () => new Promise(resolve => setImmediate(resolve))

describe('frames that are decoded elsewhere', () => {
  it('keep the order of their device, whatever came behind them; other devices go on', async () => {
    const done: number[] = []
    accept(raw(Buffer.from([1])), () => done.push(1))
    accept(raw(Buffer.from('{"n":2}'), { channel: { kind: 'property' } }), () => done.push(2))
    accept(raw(Buffer.from([3])), () => done.push(3))
    accept(raw(Buffer.from('{"n":9}'), { device: aDevice(2), channel: { kind: 'property' } }), () => done.push(9))
    expect(numbers()).toEqual([9])
    expect(codec.waiting).toHaveLength(1)
    codec.waiting.shift()!()
    await turn()
    expect(numbers()).toEqual([9, 1, 2])
    codec.waiting.shift()!()
    await turn()
    expect(numbers()).toEqual([9, 1, 2, 3])
    expect(done).toEqual([9, 1, 2, 3])
    expect(order.waiting).toBe(0)
    accept(raw(Buffer.from('{"n":4}'), { channel: { kind: 'property' } }), () => done.push(4))
    expect(numbers().at(-1)).toBe(4)
  })

  it('leave the transport its buffer', async () => {
    const buffer = Buffer.from([7])
    accept(raw(buffer), () => undefined)
    const behind = Buffer.from('{"n":8}')
    accept(raw(behind, { channel: { kind: 'property' } }), () => undefined)
    buffer.fill(0)
    behind.fill(0)
    codec.waiting.shift()!()
    await turn()
    expect(numbers()).toEqual([7, 8])
  })

  it('hold the sockets of their own product when too many wait, until half are gone', async () => {
    for (let i = 0; i < 1_000; i++) accept(raw(Buffer.from([1]), { device: aDevice(i + 10) }), () => undefined)
    expect(order.hasRoom(device)).toBe(false)
    expect(order.hasRoom({ productNum: 2 })).toBe(true)
    let resumed = 0
    order.onDrain(device, () => resumed++)
    for (let i = 0; i < 499; i++) codec.waiting.shift()!()
    await turn()
    expect(resumed).toBe(0)
    codec.waiting.shift()!()
    await turn()
    expect(resumed).toBe(1)
    expect(order.hasRoom(device)).toBe(true)
    order.onDrain({ productNum: 2 }, () => resumed++)
    expect(resumed).toBe(2)
  })

  it('are waited for when the gateway stops, but not for ever', async () => {
    accept(raw(Buffer.from([1])), () => undefined)
    await order.settled(1)
    const settled = order.settled(60_000)
    codec.waiting.shift()!()
    await settled
    expect(numbers()).toEqual([1])
  })
})

it('a codec that breaks refuses its frame and nothing else', async () => {
  const reasons: (string | undefined)[] = []
  entry.codec = {
    ...codec,
    kind: 'broken',
    encode: codec.encode,
    decode: () => {
      throw new Error('a bug')
    },
  }
  accept(raw(Buffer.from([1])), (_, reason) => reasons.push(reason))
  entry.codec = {
    ...codec,
    kind: 'broken',
    encode: codec.encode,
    decode: async () => {
      throw new Error('a bug')
    },
  }
  accept(raw(Buffer.from([1])), (_, reason) => reasons.push(reason))
  await turn()
  accept(raw(Buffer.alloc(65_537)), (_, reason) => reasons.push(reason))
  expect(reasons).toEqual(['format_mismatch', 'format_mismatch', 'too_large'])
})

it('a gateway’s frame is one message however many devices and lanes it fills', async () => {
  const parts: JournalEntry[][] = []
  const committed: (() => void)[] = []
  const qos2: unknown[] = []
  const pipeline = createUplinkPipeline({
    product: () => entry,
    validate: uplink => validate(uplink),
    lanes: {
      append(entries, done, packet) {
        parts.push([...entries])
        committed.push(done)
        qos2.push(packet)
      },
    },
    counted: () => undefined,
    resolveSub: async (_gateway, sub) => (sub === 'none' ? null : aDevice(Number(sub))),
  })
  const readings = ['2', '3', 'none', '4', '5'].map(sub => ({ sub, values: { n: Number(sub) || 0 } }))
  entry.codec = { ...codec, kind: 'many', encode: codec.encode, decode: () => ({ ok: true, readings }) }
  const outcomes: string[] = []
  pipeline(raw(Buffer.from([1]), { qos2PacketId: 5 }), outcome => outcomes.push(outcome))
  await turn()
  const rows = parts.flat()
  expect(rows.map(row => row.refusedReason ?? row.device.num).sort()).toEqual([2, 3, 4, 5, 'sub_device_unknown'])
  expect(rows.filter(row => row.kind === JournalKind.refused).map(row => row.device.num)).toEqual([1])
  expect(parts.length).toBeGreaterThan(1)
  expect(qos2.filter(Boolean)).toEqual([{ device: 1, packetId: 5 }])
  for (const [i, commit] of committed.entries()) {
    expect(outcomes).toEqual([])
    commit()
    if (i === committed.length - 1) expect(outcomes).toEqual(['stored'])
  }
})
