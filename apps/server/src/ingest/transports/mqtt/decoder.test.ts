import { describe, expect, it } from 'vitest'
import fc from '../../../lib/testing/fast-check.ts'
import { decodeAck, decodeConnect, decodeDisconnect, decodePublish, decodeSubscribe, PublishPacket } from './decoder.ts'
import { encodePublish } from './encoder.ts'
import { Framer } from './framer.ts'
import { defaultLimits } from './limits.ts'
import { Fault } from './protocol.ts'
import { readText, readTopic } from './text.ts'

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')

/** The reason a piece of work was refused with; fails when it was not. */
function refusal(work: () => unknown): number {
  try {
    work()
  } catch (error) {
    if (error instanceof Fault) return error.reason
    throw error
  }
  throw new Error('not refused')
}

const text = (bytes: Buffer): string => readText(bytes, 0, bytes.length)

describe('strings', () => {
  it.each([
    ['U+0000', '61 00 62'],
    ['a surrogate U+D800', '61 ED A0 80'],
    ['a surrogate U+DFFF', 'ED BF BF'],
    ['an overlong NUL', 'C0 80'],
    ['an overlong slash', 'E0 80 AF'],
    ['a code point above U+10FFFF', 'F4 90 80 80'],
    ['a lone continuation byte', '61 80'],
    ['a cut sequence', '61 E4 BD'],
    ['control character U+0001', '01'],
    ['control character U+001F', '1F'],
    ['DEL', '7F'],
    ['control character U+009F', 'C2 9F'],
    ['non-character U+FFFF', 'EF BF BF'],
    ['non-character U+FDD0', 'EF B7 90'],
    ['non-character U+1FFFE', 'F0 9F BF BE'],
  ])('refuses %s', (_name, bytes) => {
    expect(refusal(() => text(hex(bytes)))).toBe(0x81)
  })

  it('takes every other code point, the byte order mark and U+2A6D4 included', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), value => {
        const bytes = Buffer.from(value)
        const forbidden = /[\p{Cc}\p{Noncharacter_Code_Point}]/u.test(value) || !value.isWellFormed()
        if (forbidden) expect(refusal(() => text(bytes))).toBe(0x81)
        else expect(text(bytes)).toBe(value)
      }),
    )
    expect(text(hex('EF BB BF 41 F0 AA 9B 94'))).toBe('\ufeffA\u{2a6d4}')
  })

  it.each(['', 'a/+', 'a/#', '+', 'a+b'])('refuses the topic name "%s"', topic => {
    const bytes = Buffer.from(topic)
    expect(refusal(() => readTopic(bytes, 0, bytes.length, 128))).toBe(0x81)
  })

  it('counts topic levels', () => {
    const bytes = Buffer.from('a/'.repeat(128))
    expect(refusal(() => readTopic(bytes, 0, bytes.length, 128))).toBe(0x81)
    expect(readTopic(bytes, 0, bytes.length - 1, 128)).toHaveLength(255)
  })
})

describe('framing', () => {
  function collect(limit = 1000): { framer: Framer; packets: string[] } {
    const packets: string[] = []
    const framer = new Framer(limit, (first, buffer, start, end) => {
      packets.push(`${first.toString(16)} ${buffer.subarray(start, end).toString('hex')}`)
    })
    return { framer, packets }
  }

  it('finds the same packets however the stream is cut', () => {
    const packet = (payload: Buffer): Buffer =>
      encodePublish({ topic: 't', payload, qos: 0, retain: false, dup: false, packetId: 0, properties: null }, 4)
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 }),
        fc.array(fc.nat(400), { maxLength: 30 }),
        (payloads, cuts) => {
          const stream = Buffer.concat(payloads.map(payload => packet(Buffer.from(payload))))
          const { framer, packets } = collect()
          let at = 0
          for (const size of cuts) {
            framer.push(stream.subarray(at, at + size))
            at += size
          }
          framer.push(stream.subarray(at))
          expect(packets).toEqual(payloads.map(payload => `30 000174${Buffer.from(payload).toString('hex')}`))
          expect(framer.held).toBe(0)
        },
      ),
    )
  })

  it('gives out nothing while stopped, and everything in order afterwards', () => {
    const { framer, packets } = collect()
    framer.push(hex('C0 00 C0'))
    framer.stop()
    framer.push(hex('00 E0'))
    framer.push(hex('00'))
    expect(packets).toEqual(['c0 '])
    framer.resume()
    expect(packets).toEqual(['c0 ', 'c0 ', 'e0 '])
  })

  it.each([
    ['QoS 3', '36', 0x81],
    ['DUP on QoS 0', '38', 0x81],
    ['PUBREL without its flags', '60', 0x81],
    ['SUBSCRIBE without its flags', '80', 0x81],
    ['flags on PINGREQ', 'C1', 0x81],
    ['packet type 0', '00', 0x82],
    ['a server packet', '20', 0x82],
    ['AUTH', 'F0', 0x82],
    ['a length of five bytes', '10 FF FF FF FF 7F', 0x81],
  ])('refuses %s by the header alone', (_name, bytes, reason) => {
    expect(refusal(() => collect().framer.push(hex(bytes)))).toBe(reason)
  })

  it('refuses a packet of 268 MB before its body arrives, holding nothing', () => {
    const { framer } = collect(1024 * 1024)
    expect(refusal(() => framer.push(hex('30 FF FF FF 7F')))).toBe(0x95)
    expect(framer.held).toBeLessThan(10)
  })

  it('wants the shortest form of the length only from 5.0 clients', () => {
    const padded = hex('C0 80 00')
    const older = collect()
    older.framer.push(padded)
    expect(older.packets).toEqual(['c0 '])
    const newer = collect()
    newer.framer.shortestForm = true
    expect(refusal(() => newer.framer.push(padded))).toBe(0x81)
  })
})

const connect = (bytes: string) => {
  const body = hex(bytes)
  return decodeConnect(0x10, body, 0, body.length, defaultLimits)
}

describe('CONNECT', () => {
  it.each([
    ['an unknown protocol name', '0004 4D515455 04 02 003C 0001 70'],
    ['a reserved flag', '0004 4D515454 04 03 003C 0001 70'],
    ['will QoS 3', '0004 4D515454 04 1E 003C 0001 70 0001 70 0001 70'],
    ['will QoS without a will', '0004 4D515454 04 0A 003C 0001 70'],
    ['will retain without a will', '0004 4D515454 04 22 003C 0001 70'],
    ['a will without topic', '0004 4D515454 04 06 003C 0001 70'],
    ['a will topic with a wildcard', '0004 4D515454 04 06 003C 0001 70 0001 23 0001 70'],
    ['a password without user name (3.1.1)', '0004 4D515454 04 42 003C 0001 70 0001 70'],
    ['a user name flag without user name', '0004 4D515454 04 82 003C 0001 70'],
    ['bytes after the end', '0004 4D515454 04 02 003C 0001 70 00'],
    ['a cut client id', '0004 4D515454 04 02 003C 0005 70'],
    ['truncated properties', '0004 4D515454 05 02 003C 05 11 0000 0001 70'],
    ['an unknown property', '0004 4D515454 05 02 003C 02 7E00 0001 70'],
    ['properties longer than the packet', '0004 4D515454 05 02 003C 7F 0001 70'],
  ])('refuses %s', (_name, bytes) => {
    expect(refusal(() => connect(bytes))).toBe(0x81)
  })

  it.each([
    ['a property twice', '0004 4D515454 05 02 003C 0A 1100000001 1100000002 0001 70', 0x82],
    ['a property of another packet', '0004 4D515454 05 02 003C 03 230001 0001 70', 0x82],
    ['receive maximum 0', '0004 4D515454 05 02 003C 03 210000 0001 70', 0x82],
    ['authentication data without a method', '0004 4D515454 05 02 003C 04 16000101 0001 70', 0x82],
    ['an authentication method', '0004 4D515454 05 02 003C 04 15000161 0001 70', 0x8c],
    ['an unknown level', '0004 4D515454 06 02 003C 0001 70', 0x84],
    ['a bridge level', '0004 4D515454 84 02 003C 0001 70', 0x84],
    ['an empty client id without clean session', '0004 4D515454 04 00 003C 0000', 0x85],
    ['an empty client id in 3.1', '0006 4D5149736470 03 02 003C 0000', 0x85],
  ])('refuses %s with its own reason', (_name, bytes, reason) => {
    expect(refusal(() => connect(bytes))).toBe(reason)
  })

  it('refuses more user properties than the bound', () => {
    const one = '26 0001 61 0001 62'
    const many = (count: number): string => {
      const size = count * 7
      return `0004 4D515454 05 02 003C ${Buffer.from([(size & 127) | 128, size >> 7]).toString('hex')} ${one.repeat(count)} 0001 70`
    }
    expect(connect(many(100)).clientId).toBe('p')
    expect(refusal(() => connect(many(101)))).toBe(0x97)
  })

  it('keeps no received chunk alive', () => {
    const chunk = Buffer.alloc(100_000)
    const body = hex('0004 4D515454 04 C6 003C 0001 70 0001 74 0002 7769 0001 75 0006 736563726574')
    body.copy(chunk)
    const packet = decodeConnect(0x10, chunk, 0, body.length, defaultLimits)
    chunk.fill(0)
    expect(packet).toMatchObject({ clientId: 'p', username: 'u', cleanStart: true, sessionExpiry: 0 })
    expect(packet.password?.toString()).toBe('secret')
    expect(packet.will?.payload.toString()).toBe('wi')
  })
})

describe('PUBLISH', () => {
  const out = new PublishPacket()
  const publish = (first: number, bytes: string, level: 4 | 5) => {
    const body = hex(bytes)
    decodePublish(first, body, 0, body.length, level, defaultLimits, out)
    return out
  }

  it.each([
    ['packet id 0', 0x32, '0001 74 0000', 4, 0x82],
    ['no packet id', 0x32, '0001 74', 4, 0x81],
    ['a topic longer than the packet', 0x30, '0009 74', 4, 0x81],
    ['no topic at all', 0x30, '00', 4, 0x81],
    ['no property length', 0x32, '0001 74 0001', 5, 0x81],
    ['a truncated response topic', 0x32, '0001 74 0001 04 08 0005 74', 5, 0x81],
    ['a truncated user property', 0x30, '0001 74 04 26 0001 61', 5, 0x81],
    ['topic alias 0', 0x30, '0001 74 03 23 0000', 5, 0x94],
    ['a payload format of 2', 0x30, '0001 74 02 01 02', 5, 0x82],
    ['a response topic with a wildcard', 0x30, '0001 74 04 08 0001 23', 5, 0x82],
  ] as const)('refuses %s', (_name, first, bytes, level, reason) => {
    expect(refusal(() => publish(first, bytes, level))).toBe(reason)
  })

  it('finds topic and payload', () => {
    expect(publish(0x3b, '0003 612F62 0102 7B7D', 4)).toMatchObject({
      qos: 1,
      dup: true,
      retain: true,
      packetId: 0x102,
      topicStart: 2,
      topicEnd: 5,
      payloadStart: 7,
    })
    expect(publish(0x30, '0001 74 05 02 00000009 7B7D', 5)).toMatchObject({
      qos: 0,
      packetId: 0,
      messageExpiry: 9,
      payloadStart: 9,
    })
  })
})

describe('other packets', () => {
  const ack = (type: number, bytes: string, level: 4 | 5) => {
    const body = hex(bytes)
    return decodeAck(type, body, 0, body.length, level, defaultLimits)
  }
  const subscribe = (bytes: string, level: 4 | 5) => {
    const body = hex(bytes)
    return decodeSubscribe(body, 0, body.length, level, defaultLimits)
  }

  it.each([
    ['an over-long PUBACK (3.1.1)', () => ack(4, '0001 00', 4), 0x81],
    ['a short PUBACK', () => ack(4, '01', 5), 0x81],
    ['PUBACK with packet id 0', () => ack(4, '0000', 4), 0x82],
    ['an unknown reason code', () => ack(5, '0001 FF', 5), 0x82],
    ['bytes after the properties', () => ack(6, '0001 00 00 00', 5), 0x81],
    ['SUBSCRIBE without filters', () => subscribe('0001', 4), 0x81],
    ['subscription QoS 3', () => subscribe('0001 0001 74 03', 4), 0x81],
    ['5.0 options in 3.1.1', () => subscribe('0001 0001 74 04', 4), 0x81],
    ['retain handling 3', () => subscribe('0001 00 0001 74 30', 5), 0x81],
    ['an empty filter', () => subscribe('0001 0000 00', 4), 0x81],
    ['# before the end', () => subscribe('0001 0003 232F61 00', 4), 0x81],
    ['a wildcard inside a level', () => subscribe('0001 0002 612B 00', 4), 0x81],
    ['a shared subscription', () => subscribe('0001 00 000A 2473686172652F702F70 00', 5), 0x9e],
    ['a shared subscription with no local', () => subscribe('0001 00 000A 2473686172652F702F70 04', 5), 0x82],
    ['DISCONNECT with a body (3.1.1)', () => decodeDisconnect(hex('00'), 0, 1, 4, defaultLimits), 0x81],
    ['a reason only servers use', () => decodeDisconnect(hex('8B'), 0, 1, 5, defaultLimits), 0x82],
  ])('refuses %s', (_name, work, reason) => {
    expect(refusal(work)).toBe(reason)
  })

  it('never throws anything but a Fault, whatever the bytes', () => {
    const bytes = fc.uint8Array({ maxLength: 60 }).map(array => Buffer.from(array))
    const attempt = (work: () => unknown): void => {
      try {
        work()
      } catch (error) {
        expect(error).toBeInstanceOf(Fault)
      }
    }
    fc.assert(
      fc.property(bytes, fc.constantFrom(4, 5), fc.nat(255), (body, level, first) => {
        const l = level as 4 | 5
        attempt(() => decodeConnect(first, body, 0, body.length, defaultLimits))
        attempt(() => decodePublish(first, body, 0, body.length, l, defaultLimits, new PublishPacket()))
        for (const type of [4, 5, 6, 7]) attempt(() => decodeAck(type, body, 0, body.length, l, defaultLimits))
        attempt(() => decodeSubscribe(body, 0, body.length, l, defaultLimits))
        attempt(() => decodeDisconnect(body, 0, body.length, l, defaultLimits))
      }),
      { numRuns: 3000 },
    )
  })
})
