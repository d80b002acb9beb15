import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { DialectAction, DialectCommand } from '../dialect.ts'
import { alibaba } from './alibaba.dialect.ts'
import { readAlibabaSignIn } from './sign.ts'

const device = { productKey: 'pk', deviceNo: 'd1' }
const json = (buffer: Buffer | undefined) => JSON.parse(String(buffer))
const THING = '/sys/pk/d1/thing/'

function read(topic: string, payload: unknown) {
  const handler = alibaba.read(device, topic)
  if (!handler) throw new Error(`no topic of Alibaba: ${topic}`)
  const bytes = Buffer.isBuffer(payload) ? payload : Buffer.from(JSON.stringify(payload))
  const message = handler(bytes)
  const actions = message.actions.map(action =>
    'payload' in action ? { ...action, payload: json(action.payload) } : action,
  )
  return { actions, confirm: message.confirm }
}

describe('what an Alibaba client publishes', () => {
  it('a property post, values of one time in one row, is answered on _reply', () => {
    const { actions, confirm } = read(`${THING}event/property/post`, {
      id: '123',
      version: '1.0',
      params: { temp: { value: 21.5, time: 1767225600000 }, hum: 40, pos: { value: 1, unit: 'x' } },
      method: 'thing.event.property.post',
    })
    expect(actions).toEqual([
      {
        kind: 'uplink',
        channel: { kind: 'property' },
        payload: [
          { ts: 1767225600000, values: { temp: 21.5 } },
          { hum: 40, pos: { value: 1, unit: 'x' } },
        ],
      },
    ])
    const answer = confirm?.(null)
    expect(answer?.topic).toBe(`${THING}event/property/post_reply`)
    expect(json(answer?.payload)).toEqual({
      code: 200,
      data: {},
      id: '123',
      message: 'success',
      method: 'thing.event.property.post',
      version: '1.0',
    })
    expect(json(confirm?.('property_unknown')?.payload)).toMatchObject({ code: 460, message: 'property_unknown' })
  })

  it('keeps every digit, and a value that is no number stays one', () => {
    const body =
      '{"id":"1","params":{"iccid":89860319457500012345,"total":{"value":9007199254740993,"time":5},"t":nan,"u":1e400,"h":40}}'
    const [action] = alibaba.read(device, `${THING}event/property/post`)?.(Buffer.from(body)).actions ?? []
    expect(action && 'payload' in action && String(action.payload)).toBe(
      '[{"iccid":"89860319457500012345","t":1e999,"u":1e999,"h":40},{"ts":5,"values":{"total":"9007199254740993"}}]',
    )
  })

  it('says nothing where the device wants no answer', () => {
    expect(read(`${THING}event/property/post`, { id: '1', sys: { ack: 0 }, params: { a: 1 } }).confirm).toBeUndefined()
  })

  it('events with and without a time, and batches', () => {
    expect(read(`${THING}event/error/post`, { id: '1', params: { value: { code: 3 }, time: 5 } }).actions).toEqual([
      { kind: 'uplink', channel: { kind: 'event', identifier: 'error' }, payload: { ts: 5, params: { code: 3 } } },
    ])
    expect(read(`${THING}event/error/post`, { id: '1', params: { code: 3 } }).actions).toEqual([
      { kind: 'uplink', channel: { kind: 'event', identifier: 'error' }, payload: { params: { code: 3 } } },
    ])
    const batch = {
      id: '1',
      params: {
        properties: {
          temp: [
            { value: 1, time: 10 },
            { value: 2, time: 20 },
          ],
          hum: [{ value: 9, time: 10 }],
        },
        events: { error: [{ value: { code: 1 }, time: 10 }] },
      },
    }
    expect(read(`${THING}event/property/batch/post`, batch).actions).toEqual([
      {
        kind: 'uplink',
        channel: { kind: 'property' },
        payload: [
          { ts: 10, values: { temp: 1, hum: 9 } },
          { ts: 20, values: { temp: 2 } },
        ],
      },
      { kind: 'uplink', channel: { kind: 'event', identifier: 'error' }, payload: { ts: 10, params: { code: 1 } } },
    ])
  })

  it('a name like __proto__ stays a name', () => {
    const [action] = read(`${THING}event/property/post`, Buffer.from('{"id":"1","params":{"__proto__":1,"a":2}}'))
      .actions as { payload: object }[]
    expect(Object.keys(action!.payload)).toEqual(['__proto__', 'a'])
  })

  it('answers to commands, bytes, and the time', () => {
    expect(read(`${THING}service/property/set_reply`, { id: '77', code: 200, data: {} }).actions).toEqual([
      { kind: 'reply', number: 77, code: 0, data: {} },
    ])
    expect(read(`${THING}service/restart_reply`, { id: '77', code: 500, message: 'no' }).actions).toEqual([
      { kind: 'reply', number: 77, code: 500, message: 'no', data: null },
    ])
    const raw = alibaba.read(device, `${THING}model/up_raw`)?.(Buffer.from([1, 2]))
    expect(raw?.actions).toEqual([{ kind: 'uplink', channel: { kind: 'raw' }, payload: Buffer.from([1, 2]) }])
    const [time] = read('/ext/ntp/pk/d1/request', { deviceSendTime: '100' }).actions as (DialectAction & {
      kind: 'time'
    })[]
    const answer = time!.answer(200, 300)
    expect([answer.topic, json(answer.payload)]).toEqual([
      '/ext/ntp/pk/d1/response',
      { deviceSendTime: '100', serverRecvTime: '200', serverSendTime: '300' },
    ])
  })

  it('a gateway signs in its sub-devices and then speaks on their topics', () => {
    const sign = createHmac('sha256', 's').update('clientIdx').digest('hex')
    const params = {
      productKey: 'pk2',
      deviceName: 's1',
      clientId: 'c',
      timestamp: '1',
      signMethod: 'hmacSha256',
      sign,
    }
    const { actions, confirm } = read('/ext/session/pk/d1/combine/login', { id: '1', params })
    expect(actions).toEqual([
      {
        kind: 'joined',
        below: { name: 's1', productKey: 'pk2' },
        proof: { method: 'hmacsha256', content: 'clientIdcdeviceNames1productKeypk2timestamp1', signature: sign },
      },
    ])
    expect(confirm?.(null)?.topic).toBe('/ext/session/pk/d1/combine/login_reply')
    expect(read('/sys/pk2/s1/thing/event/property/post', { id: '1', params: { a: 1 } }).actions).toMatchObject([
      { kind: 'uplink', below: { name: 's1', productKey: 'pk2' }, payload: { a: 1 } },
    ])
  })

  it('is refused like any message when it cannot be read', () => {
    for (const body of ['{', '[]', '{"id":"1"}'])
      expect(alibaba.read(device, `${THING}event/property/post`)?.(Buffer.from(body)).actions).toEqual([
        { kind: 'uplink', channel: { kind: 'property' }, payload: Buffer.from(body) },
      ])
    expect(alibaba.read(device, '/sys/pk/d1/thing/elsewhere')).toBeNull()
    expect(alibaba.read(device, '/ext/ntp/pk/d2/request')).toBeNull()
  })
})

describe('how a command is said', () => {
  const say = (over: Partial<DialectCommand>) =>
    alibaba
      .say(device, { number: 9, kind: 'property_set', identifier: null, params: {}, frames: [], below: null, ...over })
      .map(({ topic, payload }) => [topic, over.frames ? payload : json(payload)])

  it('as a property set, a service, or bytes; on the topics of the device that is meant', () => {
    expect(say({ params: { led: 1 } })).toEqual([
      [
        `${THING}service/property/set`,
        { id: '9', version: '1.0', params: { led: 1 }, method: 'thing.service.property.set' },
      ],
    ])
    const below = { productKey: 'pk2', deviceNo: 's1', name: '01' }
    expect(say({ kind: 'service', identifier: 'restart', below })[0]?.[0]).toBe('/sys/pk2/s1/thing/service/restart')
    expect(say({ frames: [Buffer.from([1]), Buffer.from([2])] })).toEqual([
      [`${THING}model/down_raw`, Buffer.from([1])],
      [`${THING}model/down_raw`, Buffer.from([2])],
    ])
  })
})

describe('an Alibaba sign-in', () => {
  it('signs the names and values in order', () => {
    // The example of the platform's help page "MQTT-TCP 连接通信".
    const content = 'clientId12345deviceNamedeviceproductKeypktimestamp789'
    const password = Buffer.from(createHmac('sha1', 'secret').update(content).digest('hex').toUpperCase())
    expect(readAlibabaSignIn('12345|securemode=3,signmethod=hmacsha1,timestamp=789|', 'device&pk', password)).toEqual({
      productKey: 'pk',
      deviceNo: 'device',
      method: 'hmacsha1',
      content,
      signature: password.toString(),
    })
    const plain = readAlibabaSignIn('c|securemode=3,signmethod=hmacsha256|', 'device&pk', password)
    expect(plain?.content).toBe('clientIdcdeviceNamedeviceproductKeypk')
  })

  it('is none without the bars, the ampersand, a known method or a signature', () => {
    const password = Buffer.from('a'.repeat(40))
    expect(readAlibabaSignIn('12345', 'device&pk', password)).toBeNull()
    expect(readAlibabaSignIn('1|signmethod=hmacsha1|', 'pk/device', password)).toBeNull()
    expect(readAlibabaSignIn('1|signmethod=md4|', 'device&pk', password)).toBeNull()
    expect(readAlibabaSignIn('1|signmethod=hmacsha1|', 'device&pk', Buffer.from('plain secret'))).toBeNull()
  })
})
