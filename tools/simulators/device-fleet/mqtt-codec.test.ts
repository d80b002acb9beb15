import { generate, type Packet, parser } from 'mqtt-packet'
import { describe, expect, it } from 'vitest'
import fc from '../../lib/fast-check.ts'
import {
  DISCONNECT,
  encodeConnect,
  encodePuback,
  encodePublish,
  encodeSubscribe,
  type Incoming,
  MqttReader,
  type MqttVersion,
  PINGREQ,
} from './mqtt-codec.ts'

const VERSIONS: MqttVersion[] = [4, 5]

/** What the reference codec reads out of our bytes. */
function understood(bytes: Buffer, protocolVersion: MqttVersion): Packet {
  const packets: Packet[] = []
  const reader = parser({ protocolVersion })
  reader.on('packet', packet => packets.push(packet))
  reader.on('error', error => {
    throw error
  })
  expect(reader.parse(bytes)).toBe(0)
  expect(packets).toHaveLength(1)
  return packets[0]!
}

describe.each(VERSIONS)('what a device writes in version %i, the reference codec reads', version => {
  it('connect', () => {
    const fields = { version, clientId: 'fleet-1', username: 'pk/设备1', password: 'secret', keepAliveSeconds: 600 }
    expect(understood(encodeConnect(fields), version)).toMatchObject({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: version,
      clean: true,
      clientId: 'fleet-1',
      keepalive: 600,
      username: 'pk/设备1',
      password: Buffer.from('secret'),
    })
  })
  it('subscribe, puback, pingreq, disconnect', () => {
    expect(understood(encodeSubscribe(version, 300, 'things/pk/1/#'), version)).toMatchObject({
      messageId: 300,
      subscriptions: [{ topic: 'things/pk/1/#', qos: 1 }],
    })
    expect(understood(encodePuback(65_535), version)).toMatchObject({ cmd: 'puback', messageId: 65_535 })
    expect(understood(PINGREQ, version)).toMatchObject({ cmd: 'pingreq' })
    expect(understood(DISCONNECT, version)).toMatchObject({ cmd: 'disconnect' })
  })
  it('publish, of any length and any text', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.constantFrom('x'.repeat(16_384), '字'.repeat(20_000)),
    )
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 65_535 }), (payload, id) => {
        const packet = understood(encodePublish(version, id, 'things/pk/1/property/post', payload), version)
        expect(packet).toMatchObject({ topic: 'things/pk/1/property/post', qos: 1, messageId: id, retain: false })
        expect((packet as { payload: Buffer }).payload.toString()).toBe(payload.toWellFormed())
      }),
    )
  })
})

describe.each(VERSIONS)('what the reference codec writes in version %i, a device reads', protocolVersion => {
  const v5 = protocolVersion === 5
  const sent: [Packet, Incoming][] = [
    [
      {
        cmd: 'connack',
        sessionPresent: false,
        returnCode: 0,
        reasonCode: 0,
        properties: {
          sessionExpiryInterval: 5,
          assignedClientIdentifier: 'x',
          userProperties: { a: 'b' },
          retainAvailable: false,
          receiveMaximum: 7,
        },
      },
      { type: 'connack', code: 0, receiveMaximum: v5 ? 7 : 65_535 },
    ],
    [
      { cmd: 'connack', sessionPresent: false, returnCode: 5, reasonCode: 0x87 },
      { type: 'connack', code: v5 ? 0x87 : 5, receiveMaximum: 65_535 },
    ],
    [{ cmd: 'suback', messageId: 9, granted: [1] }, { type: 'suback' }],
    [
      { cmd: 'puback', messageId: 9 },
      { type: 'puback', id: 9, code: 0 },
    ],
    [
      { cmd: 'puback', messageId: 8, reasonCode: 0x99 },
      { type: 'puback', id: 8, code: v5 ? 0x99 : 0 },
    ],
    [{ cmd: 'pingresp' }, { type: 'pingresp' }],
    [
      { cmd: 'publish', topic: 'a/属性', payload: '{"id":1}', qos: 0, dup: false, retain: false },
      { type: 'publish', topic: 'a/属性', payload: Buffer.from('{"id":1}'), qos: 0, id: 0 },
    ],
    [
      {
        cmd: 'publish',
        topic: 'a',
        payload: 'y'.repeat(200),
        qos: 1,
        messageId: 77,
        dup: true,
        retain: false,
        properties: { contentType: 'json', messageExpiryInterval: 3 },
      },
      { type: 'publish', topic: 'a', payload: Buffer.from('y'.repeat(200)), qos: 1, id: 77 },
    ],
  ]

  it('whole or in pieces of any size', () => {
    const stream = Buffer.concat(sent.map(([packet]) => generate(packet, { protocolVersion })))
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }), sizes => {
        const reader = new MqttReader(protocolVersion)
        const read: Incoming[] = []
        for (let at = 0, i = 0; at < stream.length; i++) {
          const size = sizes[i % sizes.length]!
          read.push(...reader.read(stream.subarray(at, at + size)))
          at += size
        }
        expect(read).toEqual(sent.map(([, incoming]) => incoming))
      }),
    )
  })

  it('bytes that are no MQTT end in an error or in waiting, never in a packet out of nowhere', () => {
    expect(() => new MqttReader(protocolVersion).read(Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff]))).toThrow()
    expect(() => new MqttReader(protocolVersion).read(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]))).toThrow()
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
        try {
          expect(Array.isArray(new MqttReader(protocolVersion).read(Buffer.from(bytes)))).toBe(true)
        } catch (error) {
          expect(error).toBeInstanceOf(Error)
        }
      }),
    )
  })
})
