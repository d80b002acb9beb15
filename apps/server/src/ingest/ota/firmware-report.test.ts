import { compileModel, parseModel } from '@thingwright/thing-model'
import { describe, expect, it } from 'vitest'
import { guardedAccept } from '../identity/guarded-accept.ts'
import { validate } from '../stages/validate.ts'
import { aDevice } from '../testing/entries.ts'
import { readDevicePath } from '../transports/http/device-path.ts'
import { routeOf } from '../transports/mqtt/topics.ts'
import { JournalKind, type RawUplink } from '../uplink.ts'

const parsed = parseModel({ properties: [], events: [], services: [] })
if (!parsed.ok) throw new Error('model')
const model = compileModel(parsed.model)
const say = (message: 'inform' | 'progress', body: unknown) => {
  const payload = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const raw: RawUplink = { device: aDevice(1), channel: { kind: 'firmware', message }, payload, arrivedAt: 1_000 }
  const [entry, ...more] = validate({ raw, model })
  expect(more).toEqual([])
  return entry!
}

describe('reports of firmware', () => {
  it('become rows of their own kind', () => {
    const inform = say('inform', { version: '1.2.3', extra: 1 })
    expect(inform).toMatchObject({ kind: JournalKind.firmware, ts: 1_000, late: false })
    expect(JSON.parse(inform.values!)).toEqual({ kind: 'inform', module: 'default', version: '1.2.3' })
    const progress = say('progress', { id: 'j', percent: 140.7, state: 'downloading', message: 'x'.repeat(600) })
    expect(JSON.parse(progress.values!)).toEqual({
      kind: 'progress',
      id: 'j',
      percent: 100,
      state: 'downloading',
      message: 'x'.repeat(500),
    })
    expect(JSON.parse(say('progress', { id: 'j', state: 'odd' }).values!)).toMatchObject({
      percent: null,
      message: null,
    })
  })

  it.each([
    ['inform', 'no json', 'json_invalid'],
    ['inform', [], 'payload_shape'],
    ['inform', {}, 'payload_shape'],
    ['inform', { version: '' }, 'payload_shape'],
    ['inform', { version: 'x'.repeat(65) }, 'payload_shape'],
    ['inform', { version: 'a\0b' }, 'payload_shape'],
    ['inform', { version: '1', module: 'a b' }, 'payload_shape'],
    ['progress', { state: 'downloading' }, 'payload_shape'],
    ['progress', { id: 'j' }, 'payload_shape'],
    ['progress', { id: 'j', state: 's', percent: 'ten' }, 'payload_shape'],
    ['progress', '{"id":"j","state":"s","percent":1e999}', 'number_not_finite'],
    ['progress', { id: 'j', state: 's', message: 'a\0b' }, 'text_not_storable'],
  ] as const)('are refused when they are none: %s %j', (message, body, reason) => {
    expect(say(message, body)).toMatchObject({ kind: JournalKind.refused, refusedReason: reason })
  })

  it.each(['1.5.0\r\n', ' 1.5.0', '1.5.0\0', '\uFEFF1.5.0\n\0\0'])('read the version out of %j', version => {
    expect(JSON.parse(say('inform', { version, module: 'mcu\r\n' }).values!)).toMatchObject({
      version: '1.5.0',
      module: 'mcu',
    })
  })

  it('read words that carry a line end or a NUL, and percents as text', () => {
    expect(JSON.parse(say('progress', { id: 'j\n', state: 'downloading\r\n', percent: '40%' }).values!)).toMatchObject({
      id: 'j',
      state: 'downloading',
      percent: 40,
    })
  })

  it('have topics and paths of their own, also below a gateway', () => {
    const route = (suffix: string) => routeOf('things/p/d/', `things/p/d/${suffix}`)
    expect(route('ota/inform')).toMatchObject({ kind: 'uplink', channel: { kind: 'firmware', message: 'inform' } })
    expect(route('sub/s1/ota/progress')).toMatchObject({
      sub: 's1',
      channel: { kind: 'firmware', message: 'progress' },
    })
    expect(route('ota/request')).toMatchObject({ kind: 'chunks' })
    expect(route('sub/s1/ota/request')).toMatchObject({ kind: 'chunks', sub: 's1' })
    expect(route('ota/pull')).toMatchObject({ kind: 'query', query: 'firmware_pull', reply: 'ota/notify' })
    // What comes down does not go up.
    for (const suffix of ['ota/notify', 'ota/data/x/0', 'ota'])
      expect(route(suffix)).toMatchObject({ channel: { kind: 'unknown' } })
    const base = '/device/v1/p/d/ota'
    expect(readDevicePath('POST', `${base}/progress`)).toMatchObject({
      channel: { kind: 'firmware', message: 'progress' },
    })
    expect(readDevicePath('GET', `${base}/pull?module=m%2Fx`)).toMatchObject({ kind: 'firmware', module: 'm/x' })
    expect(readDevicePath('POST', `${base}/pull`)).toBeNull()
    expect(readDevicePath('GET', `${base}/inform`)).toBeNull()
  })

  it('are held against the rights of the device', () => {
    const channels: unknown[] = []
    const accept = guardedAccept(raw => channels.push(raw.channel))
    const rights = { publish: { allow: [], deny: ['ota/#'] }, subscribe: null }
    const channel = { kind: 'firmware', message: 'inform' } as const
    accept({ device: { ...aDevice(1), rights }, channel, payload: Buffer.alloc(0), arrivedAt: 0 }, () => {})
    expect(channels).toEqual([{ kind: 'unknown', topic: 'ota/inform' }])
  })
})
