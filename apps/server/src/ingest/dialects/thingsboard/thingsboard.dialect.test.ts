import { describe, expect, it } from 'vitest'
import type { DialectAction, DialectCommand } from '../dialect.ts'
import { thingsboard } from './thingsboard.dialect.ts'

const device = { productKey: 'pk', deviceNo: 'd1' }
const json = (buffer: Buffer | undefined) => JSON.parse(String(buffer))

/** What a message asks for, its payloads as text. */
function read(topic: string, payload: unknown) {
  const handler = thingsboard.read(device, topic)
  if (!handler) throw new Error(`no topic of ThingsBoard: ${topic}`)
  const bytes = Buffer.isBuffer(payload) ? payload : Buffer.from(JSON.stringify(payload))
  const message = handler(bytes)
  const actions = message.actions.map(action =>
    'payload' in action ? { ...action, payload: action.payload.toString() } : action,
  )
  return { actions, confirm: message.confirm }
}

const command = (over: Partial<DialectCommand>): DialectCommand => ({
  number: 7,
  kind: 'property_set',
  identifier: null,
  params: {},
  frames: [],
  below: null,
  ...over,
})
const said = (over: Partial<DialectCommand>) =>
  thingsboard.say(device, command(over)).map(({ topic, payload, settles }) => [topic, json(payload), settles])

describe('what a ThingsBoard client publishes', () => {
  it('telemetry and attributes are properties, byte for byte', () => {
    for (const body of ['{"temperature":21.5}', '{"ts":1767225600000,"values":{"a":1}}', '[{"a":1},{"a":2}]', '{bad']) {
      for (const topic of ['telemetry', 'attributes'])
        expect(read(`v1/devices/me/${topic}`, Buffer.from(body)).actions).toEqual([
          { kind: 'uplink', channel: { kind: 'property' }, payload: body },
        ])
    }
  })

  it('an attribute request is answered from the shadow, under its number', () => {
    const state = { reported: { a: 1, b: 2 }, desired: { c: 3, d: 4 }, version: 5 }
    const answer = (payload: unknown) => {
      const [action] = read('v1/devices/me/attributes/request/12', payload).actions as (DialectAction & {
        kind: 'state'
      })[]
      const { topic, payload: bytes } = action!.answer(state)
      expect(topic).toBe('v1/devices/me/attributes/response/12')
      return json(bytes)
    }
    expect(answer({ clientKeys: 'a,missing', sharedKeys: 'd' })).toEqual({ client: { a: 1 }, shared: { d: 4 } })
    expect(answer({ sharedKeys: 'c' })).toEqual({ shared: { c: 3 } })
    expect(answer({})).toEqual({ client: { a: 1, b: 2 }, shared: { c: 3, d: 4 } })
  })

  it('an answer to a server-side RPC ends its command; an error in it fails the command', () => {
    expect(read('v1/devices/me/rpc/response/42', { ok: 1 }).actions).toEqual([
      { kind: 'reply', number: 42, code: 0, data: { ok: 1 } },
    ])
    expect(read('v1/devices/me/rpc/response/42', Buffer.from('done')).actions).toEqual([
      { kind: 'reply', number: 42, code: 0, data: 'done' },
    ])
    expect(read('v1/devices/me/rpc/response/42', { error: 'jammed' }).actions).toMatchObject([
      { code: 1, message: 'jammed' },
    ])
    expect(read('v1/devices/me/rpc/response/42', { success: false }).actions).toMatchObject([{ code: 1 }])
  })

  it('a client-side RPC is the time, or an event whose answer says whether it was taken', () => {
    const [time] = read('v1/devices/me/rpc/request/3', { method: 'getCurrentTime', params: {} })
      .actions as (DialectAction & { kind: 'time' })[]
    expect(time!.answer(1, 1767225600123)).toEqual({
      topic: 'v1/devices/me/rpc/response/3',
      payload: Buffer.from('1767225600123'),
    })
    const event = read('v1/devices/me/rpc/request/4', { method: 'overheat', params: { t: 90 } })
    expect(event.actions).toEqual([
      { kind: 'uplink', channel: { kind: 'event', identifier: 'overheat' }, payload: '{"params":{"t":90}}' },
    ])
    expect(json(event.confirm?.(null)?.payload)).toEqual({ success: true })
    expect(json(event.confirm?.('event_unknown')?.payload)).toEqual({ error: 'event_unknown' })
  })

  it('a gateway speaks for those below it', () => {
    expect(read('v1/gateway/telemetry', { A: [{ ts: 1, values: { t: 1 } }], B: { t: 2 } }).actions).toEqual([
      { kind: 'uplink', below: { name: 'A' }, channel: { kind: 'property' }, payload: '[{"ts":1,"values":{"t":1}}]' },
      { kind: 'uplink', below: { name: 'B' }, channel: { kind: 'property' }, payload: '{"t":2}' },
    ])
    expect(read('v1/gateway/connect', { device: 'A' }).actions).toEqual([{ kind: 'joined', below: { name: 'A' } }])
    expect(read('v1/gateway/disconnect', { device: 'A' }).actions).toEqual([{ kind: 'left', below: { name: 'A' } }])
    expect(read('v1/gateway/rpc', { device: 'A', id: 9, data: { success: true } }).actions).toEqual([
      { kind: 'reply', number: 9, code: 0, data: { success: true }, below: { name: 'A' } },
    ])
  })

  it('keeps every digit of a device below, and a value that is no number stays one', () => {
    const body = '{"A":[{"ts":1,"values":{"iccid":89860319457500012345,"t":NaN}}],"B":{"t":2}}'
    expect(read('v1/gateway/telemetry', Buffer.from(body)).actions).toMatchObject([
      { payload: '[{"ts":1,"values":{"iccid":"89860319457500012345","t":1e999}}]' },
      { payload: '{"t":2}' },
    ])
  })

  it('what cannot be read is an uplink that the usual checks refuse', () => {
    for (const [topic, body] of [
      ['v1/gateway/telemetry', '[]'],
      ['v1/gateway/connect', '{}'],
      ['v1/devices/me/rpc/request/1', '{"params":{}}'],
      ['v1/devices/me/attributes/request/1', 'x'],
    ] as const)
      expect(read(topic, Buffer.from(body)).actions).toEqual([
        { kind: 'uplink', channel: { kind: 'property' }, payload: body },
      ])
  })

  it('knows only its own topics', () => {
    for (const topic of ['v1/devices/me', 'v1/devices/other/telemetry', 'v1/devices/me/rpc/response/x', 'v1/gateway/x'])
      expect(thingsboard.read(device, topic)).toBeNull()
    expect(thingsboard.mayFilter('v1/devices/me/rpc/request/+')).toBe(true)
    expect(thingsboard.mayFilter('v1/devices/+/telemetry')).toBe(false)
    expect(thingsboard.mayFilter('#')).toBe(false)
  })
})

describe('how a command is said', () => {
  it('wanted properties are shared attributes, else an RPC; nothing answers the former', () => {
    expect(said({ params: { led: true } })).toEqual([
      ['v1/devices/me/attributes', { led: true }, true],
      ['v1/devices/me/rpc/request/7', { method: 'setProperties', params: { led: true } }, false],
    ])
  })

  it('a service is an RPC; one input called value is sent bare', () => {
    expect(said({ kind: 'service', identifier: 'setGpio', params: { pin: 7, enabled: 1 } })).toEqual([
      ['v1/devices/me/rpc/request/7', { method: 'setGpio', params: { pin: 7, enabled: 1 } }, false],
    ])
    expect(said({ kind: 'service', identifier: 'setValue', params: { value: 40 } })).toEqual([
      ['v1/devices/me/rpc/request/7', { method: 'setValue', params: 40 }, false],
    ])
  })

  it('for a device below the gateway, by its name there', () => {
    const below = { productKey: 'pk2', deviceNo: 's1', name: 'A' }
    expect(said({ below, kind: 'service', identifier: 'restart' })).toEqual([
      ['v1/gateway/rpc', { device: 'A', data: { id: 7, method: 'restart', params: {} } }, false],
    ])
    expect(said({ below, params: { led: true } })[0]).toEqual([
      'v1/gateway/attributes',
      { device: 'A', data: { led: true } },
      true,
    ])
  })
})
