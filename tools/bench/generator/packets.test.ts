import mqtt, { type Packet } from 'mqtt-packet'
import { describe, expect, it } from 'vitest'
import { connectPacket, publishPacket, pulseCounterOf, SMART_METER_BYTES, SmartMeterPublish } from './packets.ts'

function decode(bytes: Buffer): Packet {
  const parser = mqtt.parser({ protocolVersion: 4 })
  const packets: Packet[] = []
  parser.on('packet', (packet: Packet) => packets.push(packet))
  expect(parser.parse(bytes)).toBe(0)
  expect(packets).toHaveLength(1)
  return packets[0]!
}

describe('prebuilt packets', () => {
  it('connect as another codec reads it', () => {
    expect(decode(connectPacket('meter-1', 'P/meter-1', 'secret', 1200))).toMatchObject({
      cmd: 'connect',
      clientId: 'meter-1',
      username: 'P/meter-1',
      password: Buffer.from('secret'),
      keepalive: 1200,
      clean: true,
      protocolVersion: 4,
    })
  })

  it.each([0, 1] as const)('publish the SmartMeter message at QoS %i', qos => {
    const publish = new SmartMeterPublish('things/P/meter-1/property/post', qos)
    for (const [id, counter] of [
      [1, 0],
      [65_535, 899_999],
      [300, 900_000],
    ] as const) {
      const packet = decode(publish.bytes(id, 1_795_224_100_123, counter)) as Packet & { payload: Buffer }
      expect(packet).toMatchObject({ cmd: 'publish', topic: 'things/P/meter-1/property/post', qos, retain: false })
      if (qos === 1) expect(packet.messageId).toBe(id)
      expect(packet.payload).toHaveLength(SMART_METER_BYTES)
      expect(JSON.parse(packet.payload.toString())).toEqual({
        ts: 1_795_224_100_123,
        values: { pulseCounter: pulseCounterOf(counter), leakage: false, batteryLevel: 50 + (counter % 50) },
      })
    }
  })

  it('do not change a packet that was handed out before', () => {
    const publish = new SmartMeterPublish('t', 1)
    const first = publish.bytes(1, 1_795_224_100_000, 1)
    const copy = Buffer.from(first)
    publish.bytes(2, 1_795_224_100_001, 2)
    expect(first).toEqual(copy)
  })

  it('publish payloads of every length', () => {
    for (const length of [0, 1, 100, 127, 128, 16_383, 16_384, 60_000]) {
      const packet = decode(publishPacket('t/x', 7, 'x'.repeat(length))) as Packet & { payload: Buffer }
      expect(packet).toMatchObject({ cmd: 'publish', topic: 't/x', messageId: 7 })
      expect(packet.payload).toHaveLength(length)
    }
  })
})
