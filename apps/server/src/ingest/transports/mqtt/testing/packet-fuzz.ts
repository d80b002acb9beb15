import { connect } from 'node:net'
import mqttPacket, { type IConnectPacket, type Packet } from 'mqtt-packet'
import { credentials } from './harness.ts'

export interface FuzzOptions {
  port: number
  packets: number
  /** The same seed makes the same packets. */
  seed: number
  /** Devices 1..n of the harness take part. */
  devices: number
  /** Called after every batch with the packets sent so far; false ends the run. */
  alive(sent: number): Promise<boolean>
}

const AT_ONCE = 40
/** How long one connection gets before it is cut from our side. */
const LIFE_MS = 12

/** Sends valid packets and mutations of them over many connections. Resolves with the number of packets sent. */
export async function fuzz(options: FuzzOptions): Promise<number> {
  const { below, bytes } = randomness(options.seed)
  const make = generator(below, bytes, options.devices)
  let sent = 0
  while (sent < options.packets) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, () => {
        const version = below(2) ? 5 : 4
        const first = make.connect(version)
        const packets = [below(5) ? first : make.mutate(first)]
        for (let left = 1 + below(8); left > 0; left--) {
          const packet = make.packet(version)
          packets.push(below(3) ? make.mutate(packet) : packet)
        }
        sent += packets.length
        return say(options.port, packets, below(4) === 0 ? 1 + below(20) : 0)
      }),
    )
    if (!(await options.alive(sent))) return sent
  }
  return sent
}

/** One connection; `cut` > 0 sends pieces of so many bytes instead of whole packets. */
function say(port: number, packets: Buffer[], cut: number): Promise<void> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => {
      if (cut === 0) for (const packet of packets) socket.write(packet)
      else {
        const all = Buffer.concat(packets)
        for (let at = 0; at < Math.min(all.length, 400); at += cut) socket.write(all.subarray(at, at + cut))
      }
    })
    socket.resume()
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    setTimeout(() => socket.destroy(), LIFE_MS)
  })
}

/** xorshift32 */
function randomness(seed: number) {
  let state = seed || 1
  const below = (bound: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % bound
  }
  return { below, bytes: (count: number): Buffer => Buffer.from(Array.from({ length: count }, () => below(256))) }
}

function generator(below: (bound: number) => number, bytes: (count: number) => Buffer, devices: number) {
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T
  const topics = [
    () => pick(['a', 'a/b', '/', '+', '#', '$SYS/x', '$share/g/t', '\u0000', '😀', '\ud800', '']),
    () => 'x'.repeat(below(300)),
    () => 'a/'.repeat(below(200)),
    () =>
      `things/P1/d${1 + below(devices)}/${pick(['property/post', 'event/e/post', 'shadow/get', 'ntp/request', '#'])}`,
  ]
  const topic = (): string => pick(topics)()
  const properties = (version: number): object =>
    version === 5
      ? {
          properties: {
            userProperties: { a: topic() },
            ...(below(2) ? { messageExpiryInterval: below(1e6) } : {}),
            ...(below(2) ? { responseTopic: topic(), correlationData: bytes(below(20)) } : {}),
            ...(below(3) ? {} : { topicAlias: 1 + below(12) }),
          },
        }
      : {}
  const generate = (packet: object, version: number): Buffer => {
    try {
      return mqttPacket.generate(packet as Packet, { protocolVersion: version })
    } catch {
      return bytes(1 + below(30))
    }
  }
  const will = (): object => ({ topic: topic(), payload: bytes(below(30)), qos: below(3), retain: below(4) === 0 })

  const connectPacket = (version: number): Buffer => {
    const known = credentials(1 + below(devices))
    const packet: Partial<IConnectPacket> = {
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: version as 4 | 5,
      clean: below(2) === 0,
      clientId: pick(['f', topic(), 'client']),
      keepalive: below(100),
      ...(below(4) ? {} : { will: will() as IConnectPacket['will'] }),
      username: below(8) ? known.username : topic(),
      password: Buffer.from(known.password),
      ...(version === 5 && below(2)
        ? { properties: { sessionExpiryInterval: below(1000), receiveMaximum: 1 + below(9) } }
        : {}),
    }
    return generate(packet, version)
  }

  const packet = (version: number): Buffer => {
    const messageId = 1 + below(below(2) ? 10 : 65_535)
    switch (below(9)) {
      case 0:
      case 1:
      case 2:
        return generate(
          {
            cmd: 'publish',
            topic: topic(),
            payload: bytes(below(200)),
            qos: below(3),
            messageId,
            retain: below(8) === 0,
            dup: false,
            ...properties(version),
          },
          version,
        )
      case 3:
        return generate(
          {
            cmd: 'subscribe',
            messageId,
            subscriptions: [{ topic: topic(), qos: below(3), nl: false, rap: false, rh: 0 }],
          },
          version,
        )
      case 4:
        return generate({ cmd: 'unsubscribe', messageId, unsubscriptions: [topic()] }, version)
      case 5:
        return generate({ cmd: pick(['puback', 'pubrec', 'pubrel', 'pubcomp']), messageId, reasonCode: 0 }, version)
      case 6:
        return generate({ cmd: pick(['pingreq', 'pingreq', 'disconnect']), reasonCode: 0 }, version)
      case 7:
        return connectPacket(version)
      default:
        return Buffer.concat([Buffer.from([below(256)]), bytes(below(30))])
    }
  }

  const mutate = (original: Buffer): Buffer => {
    let b: Buffer = Buffer.from(original)
    for (let left = 1 + below(3); left > 0 && b.length > 0; left--) {
      switch (below(6)) {
        case 0:
          b[below(b.length)]! ^= 1 << below(8)
          break
        case 1:
          b[below(b.length)] = pick([0, 255, 127, 128])
          break
        case 2:
          b = b.subarray(0, below(b.length) || 1)
          break
        case 3:
          b = Buffer.concat([b, bytes(below(20))])
          break
        case 4: {
          const at = below(b.length)
          b = Buffer.concat([b.subarray(0, at), bytes(below(8)), b.subarray(at)])
          break
        }
        default:
          b = Buffer.concat([b, b])
      }
    }
    return b.length > 0 ? b : Buffer.from([0])
  }
  return { connect: connectPacket, packet, mutate }
}
