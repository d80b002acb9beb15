import { PropertyId } from './properties.ts'
import { PacketType, type ProtocolLevel } from './protocol.ts'

/** Writes a Variable Byte Integer; returns the position after it. */
function putVarint(target: Buffer, at: number, value: number): number {
  let rest = value
  let i = at
  do {
    const byte = rest & 0x7f
    rest >>>= 7
    target[i++] = rest > 0 ? byte | 0x80 : byte
  } while (rest > 0)
  return i
}

function varintSize(value: number): number {
  return value < 128 ? 1 : value < 16_384 ? 2 : value < 2_097_152 ? 3 : 4
}

/** Bytes of a properties block under construction, without its length. */
export class PropertyWriter {
  private readonly parts: Buffer[] = []

  byte(id: number, value: number): this {
    this.parts.push(Buffer.from([id, value]))
    return this
  }

  u16(id: number, value: number): this {
    this.parts.push(Buffer.from([id, value >> 8, value & 0xff]))
    return this
  }

  u32(id: number, value: number): this {
    const bytes = Buffer.alloc(5)
    bytes[0] = id
    bytes.writeUInt32BE(value, 1)
    this.parts.push(bytes)
    return this
  }

  varint(id: number, value: number): this {
    const bytes = Buffer.alloc(1 + varintSize(value))
    bytes[0] = id
    putVarint(bytes, 1, value)
    this.parts.push(bytes)
    return this
  }

  text(id: number, value: string): this {
    const bytes = Buffer.from(value)
    this.parts.push(Buffer.from([id, bytes.length >> 8, bytes.length & 0xff]), bytes)
    return this
  }

  raw(bytes: Buffer): this {
    this.parts.push(bytes)
    return this
  }

  bytes(): Buffer {
    return this.parts.length === 1 ? (this.parts[0] as Buffer) : Buffer.concat(this.parts)
  }
}

const EMPTY = Buffer.alloc(0)

export interface ConnackOptions {
  level: ProtocolLevel
  sessionPresent: boolean
  /** Return code of 3.1.1 or reason code of 5.0. */
  code: number
  properties?: Buffer
}

/** CONNACK (§3.2). MQTT 3.1 has no Session Present: the byte is reserved there and stays 0. */
export function encodeConnack({ level, sessionPresent, code, properties = EMPTY }: ConnackOptions): Buffer {
  const flags = sessionPresent && level > 3 ? 1 : 0
  if (level < 5) return Buffer.from([PacketType.connack << 4, 2, flags, code])
  const size = varintSize(properties.length)
  const remaining = 2 + size + properties.length
  const out = Buffer.allocUnsafe(1 + varintSize(remaining) + remaining)
  out[0] = PacketType.connack << 4
  let at = putVarint(out, 1, remaining)
  out[at++] = flags
  out[at++] = code
  at = putVarint(out, at, properties.length)
  properties.copy(out, at)
  return out
}

/** First bytes of the four acknowledgements; PUBREL carries the flags 0010. */
const ACK_FIRST_BYTE: Record<number, number> = {
  [PacketType.puback]: 0x40,
  [PacketType.pubrec]: 0x50,
  [PacketType.pubrel]: 0x62,
  [PacketType.pubcomp]: 0x70,
}

/** Bytes that `putAck` will write. */
export const ackSize = (level: ProtocolLevel, reason: number): number => (level === 5 && reason !== 0 ? 5 : 4)

/** Writes PUBACK, PUBREC, PUBREL or PUBCOMP at `at`; returns the position after it. */
export function putAck(
  target: Buffer,
  at: number,
  type: number,
  packetId: number,
  level: ProtocolLevel,
  reason: number,
): number {
  const long = level === 5 && reason !== 0
  target[at] = ACK_FIRST_BYTE[type] as number
  target[at + 1] = long ? 3 : 2
  target[at + 2] = packetId >> 8
  target[at + 3] = packetId & 0xff
  if (!long) return at + 4
  target[at + 4] = reason
  return at + 5
}

export function encodeAck(type: number, packetId: number, level: ProtocolLevel, reason = 0): Buffer {
  const out = Buffer.allocUnsafe(ackSize(level, reason))
  putAck(out, 0, type, packetId, level, reason)
  return out
}

/** SUBACK (§3.9): one code per filter. */
export function encodeSuback(packetId: number, level: ProtocolLevel, codes: readonly number[]): Buffer {
  return idAndCodes(PacketType.suback, packetId, level, codes)
}

/** UNSUBACK (§3.11): codes only since 5.0. */
export function encodeUnsuback(packetId: number, level: ProtocolLevel, codes: readonly number[]): Buffer {
  return idAndCodes(PacketType.unsuback, packetId, level, level === 5 ? codes : [])
}

function idAndCodes(type: number, packetId: number, level: ProtocolLevel, codes: readonly number[]): Buffer {
  const head = level === 5 ? 3 : 2
  const remaining = head + codes.length
  const out = Buffer.allocUnsafe(1 + varintSize(remaining) + remaining)
  out[0] = type << 4
  let at = putVarint(out, 1, remaining)
  out[at++] = packetId >> 8
  out[at++] = packetId & 0xff
  if (level === 5) out[at++] = 0
  for (const code of codes) out[at++] = code
  return out
}

export const PINGRESP = Buffer.from([PacketType.pingresp << 4, 0])

/** DISCONNECT from the server (§3.14); exists since 5.0. */
export const encodeDisconnect = (reason: number): Buffer => Buffer.from([PacketType.disconnect << 4, 1, reason])

export interface OutgoingPublish {
  topic: string
  payload: Buffer
  qos: number
  retain: boolean
  dup: boolean
  packetId: number
  /** Property bytes without their length; only for 5.0. */
  properties: Buffer | null
}

/** PUBLISH (§3.3). */
export function encodePublish(message: OutgoingPublish, level: ProtocolLevel): Buffer {
  const topicBytes = Buffer.byteLength(message.topic)
  const properties = level === 5 ? (message.properties ?? EMPTY) : null
  const remaining =
    2 +
    topicBytes +
    (message.qos > 0 ? 2 : 0) +
    (properties ? varintSize(properties.length) + properties.length : 0) +
    message.payload.length
  const out = Buffer.allocUnsafe(1 + varintSize(remaining) + remaining)
  out[0] = (PacketType.publish << 4) | (message.dup ? 8 : 0) | (message.qos << 1) | (message.retain ? 1 : 0)
  let at = putVarint(out, 1, remaining)
  out[at++] = topicBytes >> 8
  out[at++] = topicBytes & 0xff
  at += out.write(message.topic, at)
  if (message.qos > 0) {
    out[at++] = message.packetId >> 8
    out[at++] = message.packetId & 0xff
  }
  if (properties) {
    at = putVarint(out, at, properties.length)
    at += properties.copy(out, at)
  }
  message.payload.copy(out, at)
  return out
}

/** What a CONNACK tells a 5.0 client about this server. */
export interface Announcement {
  sessionExpiry: number | null
  assignedClientId: string | null
  serverKeepAlive: number | null
  receiveMaximum: number
  maximumPacketSize: number
  topicAliasMaximum: number
}

/** CONNACK properties (5.0 §3.2.2.3); `briefly` leaves out those that only repeat what the standard assumes anyway. */
export function announce(facts: Announcement, briefly: boolean): Buffer {
  const p = new PropertyWriter()
    .u16(PropertyId.receiveMaximum, facts.receiveMaximum)
    .u32(PropertyId.maximumPacketSize, facts.maximumPacketSize)
    .u16(PropertyId.topicAliasMaximum, facts.topicAliasMaximum)
    .byte(PropertyId.retainAvailable, 0)
    .byte(PropertyId.sharedAvailable, 0)
  if (!briefly) p.byte(PropertyId.wildcardAvailable, 1).byte(PropertyId.subscriptionIdentifierAvailable, 1)
  if (facts.sessionExpiry !== null) p.u32(PropertyId.sessionExpiry, facts.sessionExpiry)
  if (facts.assignedClientId !== null) p.text(PropertyId.assignedClientId, facts.assignedClientId)
  if (facts.serverKeepAlive !== null) p.u16(PropertyId.serverKeepAlive, facts.serverKeepAlive)
  return p.bytes()
}
