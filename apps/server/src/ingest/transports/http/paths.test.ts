import { describe, expect, it } from 'vitest'
import type { DownlinkMessage } from '../../transport.port.ts'
import type { DeviceRecord } from '../../uplink.ts'
import { describeCommand } from './command-json.ts'
import { readDevicePath } from './device-path.ts'
import { isThingsboardPath, readThingsboardPath } from './thingsboard-path.ts'

describe('a device’s path', () => {
  const read = (method: string, path: string) => readDevicePath(method, `/device/v1/P/d${path}`)
  const named = { productKey: 'P', deviceNo: 'd' }

  it('is of the device itself, or of one below it', () => {
    expect(read('POST', '/raw')).toEqual({ ...named, kind: 'uplink', channel: { kind: 'raw' } })
    expect(read('POST', '/sub/07/event/hot')).toEqual({
      ...named,
      sub: '07',
      kind: 'uplink',
      channel: { kind: 'event', identifier: 'hot' },
    })
    expect(read('POST', '/sub/a%2Fb/commands/c/reply')).toEqual({ ...named, sub: 'a/b', kind: 'reply', commandId: 'c' })
    expect(read('GET', '/commands?wait=3')).toEqual({ ...named, kind: 'commands', waitMs: 3_000 })
  })

  it('may be the bare address that the console shows', () => {
    for (const path of ['', '/']) {
      expect(read('POST', path)).toEqual({ ...named, kind: 'uplink', channel: { kind: 'property' } })
      expect(read('GET', path)).toEqual({ ...named, kind: 'commands', waitMs: 0 })
      expect(read('PUT', path)).toBeNull()
    }
    expect(readDevicePath('POST', '/device/v1/P/register')).toMatchObject({ kind: 'register' })
  })

  it('is none otherwise', () => {
    for (const path of ['/sub', '/sub/07', '/sub/07/sub/08/property', '/sub/07/commands', '/rawer'])
      expect([read('POST', path), read('GET', path)]).toEqual([null, null])
  })
})

describe('a ThingsBoard client’s path', () => {
  const read = (method: string, path: string) => readThingsboardPath(method, `/api/v1/twt_x/${path}`)

  it('means a topic of the MQTT API, or a poll', () => {
    expect(read('POST', 'telemetry')).toMatchObject({ token: 'twt_x', topic: 'v1/devices/me/telemetry', payload: null })
    expect(read('POST', 'rpc')).toMatchObject({ topic: 'v1/devices/me/rpc/request/0' })
    expect(read('POST', 'rpc/17')).toMatchObject({ topic: 'v1/devices/me/rpc/response/17' })
    const asked = read('GET', 'attributes?sharedKeys=a,b')
    expect(asked).toMatchObject({ topic: 'v1/devices/me/attributes/request/0' })
    expect(String(asked?.kind === 'message' && asked.payload)).toBe('{"sharedKeys":"a,b"}')
    expect(read('GET', 'rpc?timeout=999999')).toMatchObject({ kind: 'poll', of: 'rpc', waitMs: 55_000 })
    expect(read('GET', 'attributes/updates')).toMatchObject({ kind: 'poll', of: 'attributes', waitMs: 20_000 })
  })

  it('is none of ours', () => {
    for (const url of ['/api/v1/devices', '/api/v1/products/twt_x/telemetry', '/api/v1/twt', undefined])
      expect(isThingsboardPath(url)).toBe(false)
    for (const path of ['', 'telemetry/x', 'rpc/x', 'other']) expect(read('POST', path)).toBeNull()
    expect(read('GET', 'rpc?timeout=-1')).toBeNull()
  })
})

describe('a command as devices see it that fetch theirs', () => {
  const message = (over: Partial<DownlinkMessage>): DownlinkMessage => ({
    commandId: 'c',
    suffix: 'property/set',
    payload: Buffer.alloc(0),
    command: { kind: 'property_set', identifier: null, params: { a: 1 } },
    ...over,
  })

  it('names its kind, the device below, its params, and the bytes of the product’s format', () => {
    const read = (over: Partial<DownlinkMessage>) => JSON.parse(describeCommand(message(over)))
    expect(read({})).toEqual({ kind: 'property_set', id: 'c', params: { a: 1 } })
    const sub = { subAddress: '07', deviceNo: 'm' } as DeviceRecord
    const frames = [Buffer.from([1, 0xff]), Buffer.from([2])]
    expect(read({ sub, frames })).toEqual({
      kind: 'property_set',
      sub: '07',
      id: 'c',
      params: { a: 1 },
      hex: ['01ff', '02'],
    })
    const raw = { kind: 'raw', identifier: null, params: {} } as const
    expect(read({ command: raw, frames })).toEqual({ kind: 'raw', id: 'c', hex: ['01ff', '02'] })
    const service = { kind: 'service', identifier: 'restart', params: {} } as const
    expect(read({ command: service })).toEqual({ kind: 'service', identifier: 'restart', id: 'c', params: {} })
  })
})
