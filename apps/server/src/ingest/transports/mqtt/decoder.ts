import { Properties, readProperties, WILL } from './properties.ts'
import {
  ConnectFault,
  Fault,
  malformed,
  PacketType,
  type ProtocolLevel,
  protocolError,
  Reason,
  versionName,
} from './protocol.ts'
import { isFilter, readText, readTopic } from './text.ts'

/** The bounds that decoding enforces. */
export interface DecodeLimits {
  maxTopicLevels: number
  maxUserProperties: number
  maxSubscriptions: number
}

export interface Will {
  topic: string
  payload: Buffer
  qos: number
  retain: boolean
  /** Seconds; 0 before MQTT 5.0. */
  delay: number
  /** Property bytes as received, length included; null without any. */
  properties: Buffer | null
}

export interface ConnectPacket {
  level: ProtocolLevel
  cleanStart: boolean
  keepAlive: number
  clientId: string
  username: string | null
  password: Buffer | null
  will: Will | null
  /** Seconds; for 3.1 and 3.1.1: 0 with clean session, else the longest. */
  sessionExpiry: number
  /** What the client is able to take, 65,535 and 2^28 - 1 + 5 when it did not say. */
  receiveMaximum: number
  maximumPacketSize: number
  topicAliasMaximum: number
}

const LARGEST_PACKET = 268_435_460
/** 3.1.1 "clean session 0" never expires by itself. */
export const NEVER = 0xffffffff

/**
 * Reads a CONNECT (MQTT 3.1.1 §3.1, 5.0 §3.1). Nothing in the result keeps the received chunk alive.
 * Throws ConnectFault, which knows in which shape the client may be told.
 */
export function decodeConnect(
  firstByte: number,
  buffer: Buffer,
  start: number,
  end: number,
  limits: DecodeLimits,
): ConnectPacket {
  let level: ProtocolLevel | null = null
  try {
    const cursor = new Cursor(buffer, start, end)
    const name = cursor.bytes().toString('latin1')
    if (name !== 'MQTT' && name !== 'MQIsdp') throw malformed('not MQTT')
    const number = cursor.byte()
    const known = name === 'MQTT' ? number === 4 || number === 5 : number === 3
    if (!known) {
      level = 4
      throw new Fault(Reason.unsupportedVersion, `protocol level ${number}`)
    }
    level = number as ProtocolLevel
    // MQTT 3.1 let any packet carry QoS and DUP bits; since 3.1.1 they are reserved
    if (level > 3 && firstByte !== PacketType.connect << 4) throw malformed('flags on CONNECT')
    return readConnect(cursor, level, limits)
  } catch (error) {
    if (error instanceof Fault) throw new ConnectFault(level, error.reason, error.message)
    throw error
  }
}

function readConnect(cursor: Cursor, level: ProtocolLevel, limits: DecodeLimits): ConnectPacket {
  const flags = cursor.byte()
  const hasWill = (flags & 0x04) !== 0
  const willQos = (flags >> 3) & 3
  // "not used" in MQTT 3.1, reserved since (MQTT-3.1.2-3)
  if (flags & 0x01 && level > 3) throw malformed('reserved connect flag')
  if (!hasWill && flags & 0x38) throw malformed('will QoS or retain without a will')
  if (willQos === 3) throw malformed('will QoS 3')
  if (level < 5 && flags & 0x40 && !(flags & 0x80)) throw malformed('password without user name')
  const keepAlive = cursor.u16()
  const properties = new Properties()
  if (level === 5) cursor.properties(PacketType.connect, limits, properties)
  const clientId = cursor.text()
  let will: Will | null = null
  if (hasWill) {
    let delay = 0
    let bytes: Buffer | null = null
    if (level === 5) {
      const own = new Properties()
      const from = cursor.at
      cursor.properties(WILL, limits, own)
      delay = Math.max(own.willDelay, 0)
      bytes = Buffer.from(cursor.buffer.subarray(from, cursor.at))
    }
    const topic = cursor.topic(limits.maxTopicLevels)
    const payload = Buffer.from(cursor.bytes())
    will = { topic, payload, qos: willQos, retain: (flags & 0x20) !== 0, delay, properties: bytes }
  }
  const username = flags & 0x80 ? cursor.text() : null
  const password = flags & 0x40 ? Buffer.from(cursor.bytes()) : null
  cursor.finish()
  if (properties.authenticationMethod !== null) {
    throw new Fault(Reason.badAuthenticationMethod, 'no extended authentication')
  }
  const cleanStart = (flags & 0x02) !== 0
  // MQTT-3.1.3-8; MQTT 3.1 never allowed an empty one
  if (clientId === '' && (level === 3 || (level === 4 && !cleanStart))) {
    throw new Fault(Reason.clientIdInvalid, `empty client id in ${versionName[level]}`)
  }
  return {
    level,
    cleanStart,
    keepAlive,
    clientId,
    username,
    password,
    will,
    sessionExpiry: level === 5 ? Math.max(properties.sessionExpiry, 0) : cleanStart ? 0 : NEVER,
    receiveMaximum: properties.receiveMaximum > 0 ? properties.receiveMaximum : 65_535,
    maximumPacketSize: properties.maximumPacketSize > 0 ? properties.maximumPacketSize : LARGEST_PACKET,
    topicAliasMaximum: Math.max(properties.topicAliasMaximum, 0),
  }
}

/** Positions of a PUBLISH within its buffer. One object per connection is filled again and again. */
export class PublishPacket {
  qos = 0
  dup = false
  retain = false
  /** 0 for QoS 0. */
  packetId = 0
  topicStart = 0
  topicEnd = 0
  /** 0 without alias. */
  topicAlias = 0
  /** First byte of the property length; 0 before MQTT 5.0. */
  propertiesAt = 0
  /** Seconds; -1 without. */
  messageExpiry = -1
  payloadStart = 0
}

const publishProperties = new Properties()

/** Reads a PUBLISH (§3.3) without touching topic or payload bytes. Throws Fault. */
export function decodePublish(
  firstByte: number,
  buffer: Buffer,
  start: number,
  end: number,
  level: ProtocolLevel,
  limits: DecodeLimits,
  out: PublishPacket,
): void {
  const qos = (firstByte >> 1) & 3
  out.qos = qos
  out.dup = (firstByte & 8) !== 0
  out.retain = (firstByte & 1) !== 0
  if (end - start < 2) throw malformed('PUBLISH without a topic')
  const topicEnd = start + 2 + (((buffer[start] as number) << 8) | (buffer[start + 1] as number))
  out.topicStart = start + 2
  out.topicEnd = topicEnd
  let at = topicEnd
  if (qos > 0) {
    if (topicEnd + 2 > end) throw malformed('PUBLISH without a packet id')
    out.packetId = ((buffer[topicEnd] as number) << 8) | (buffer[topicEnd + 1] as number)
    if (out.packetId === 0) throw protocolError('packet id 0')
    at += 2
  } else {
    if (topicEnd > end) throw malformed('topic longer than the packet')
    out.packetId = 0
  }
  out.topicAlias = 0
  out.messageExpiry = -1
  if (level === 5) {
    out.propertiesAt = at
    if (at < end && buffer[at] === 0) at++
    else {
      readProperties(buffer, at, end, PacketType.publish, limits.maxUserProperties, publishProperties)
      at = publishProperties.end
      if (publishProperties.topicAlias > 0) out.topicAlias = publishProperties.topicAlias
      out.messageExpiry = publishProperties.messageExpiry
    }
  }
  out.payloadStart = at
}

export interface AckPacket {
  packetId: number
  reason: number
}

const PUBACK_REASONS = new Set([0x00, 0x10, 0x80, 0x83, 0x87, 0x90, 0x91, 0x97, 0x99])
const PUBREL_REASONS = new Set([0x00, 0x92])
const ackProperties = new Properties()

/** Reads PUBACK, PUBREC, PUBREL or PUBCOMP (§3.4 to §3.7). Throws Fault. */
export function decodeAck(
  type: number,
  buffer: Buffer,
  start: number,
  end: number,
  level: ProtocolLevel,
  limits: DecodeLimits,
): AckPacket {
  const length = end - start
  if (length < 2 || (length > 2 && level < 5)) throw malformed('acknowledgement of a wrong length')
  const packetId = buffer.readUInt16BE(start)
  let reason = 0
  if (length > 2) {
    reason = buffer[start + 2] as number
    const allowed = type === PacketType.puback || type === PacketType.pubrec ? PUBACK_REASONS : PUBREL_REASONS
    if (length > 3) {
      readProperties(buffer, start + 3, end, type, limits.maxUserProperties, ackProperties)
      if (ackProperties.end !== end) throw malformed('bytes after the properties')
    }
    if (!allowed.has(reason)) throw protocolError('unknown reason code')
  }
  if (packetId === 0) throw protocolError('packet id 0')
  return { packetId, reason }
}

export interface SubscriptionRequest {
  filter: string
  qos: number
  noLocal: boolean
  retainAsPublished: boolean
}

export interface SubscribePacket {
  packetId: number
  requests: SubscriptionRequest[]
  /** 0 = none. */
  identifier: number
}

/** Reads a SUBSCRIBE (§3.8). Throws Fault; every filter in it is well formed. */
export function decodeSubscribe(
  buffer: Buffer,
  start: number,
  end: number,
  level: ProtocolLevel,
  limits: DecodeLimits,
): SubscribePacket {
  const cursor = new Cursor(buffer, start, end)
  const packetId = cursor.packetId()
  const properties = new Properties()
  if (level === 5) cursor.properties(PacketType.subscribe, limits, properties)
  const requests: SubscriptionRequest[] = []
  do {
    const filter = cursor.filter(limits.maxTopicLevels)
    const options = cursor.byte()
    const qos = options & 3
    if (qos === 3) throw malformed('subscription QoS 3')
    if (level < 5 ? options > 2 : options & 0xc0 || (options & 0x30) === 0x30) throw malformed('subscription options')
    if (level === 5 && filter.startsWith('$share/')) refuseShared(filter, (options & 4) !== 0)
    if (requests.length === limits.maxSubscriptions * 4) throw new Fault(Reason.quotaExceeded, 'too many filters')
    requests.push({ filter, qos, noLocal: (options & 4) !== 0, retainAsPublished: (options & 8) !== 0 })
  } while (!cursor.done)
  return { packetId, requests, identifier: Math.max(properties.subscriptionIdentifier, 0) }
}

/** Shared subscriptions are announced as not available, so a client that sends one ends its connection (§3.2.2.3.13). */
function refuseShared(filter: string, noLocal: boolean): never {
  const [, name, ...rest] = filter.split('/')
  if (!name || /[+#]/.test(name) || rest.join('/') === '') throw protocolError('bad shared subscription')
  if (noLocal) throw protocolError('no local on a shared subscription')
  throw new Fault(Reason.sharedNotSupported, 'shared subscriptions are not available')
}

/** Reads an UNSUBSCRIBE (§3.10). Throws Fault. */
export function decodeUnsubscribe(
  buffer: Buffer,
  start: number,
  end: number,
  level: ProtocolLevel,
  limits: DecodeLimits,
): { packetId: number; filters: string[] } {
  const cursor = new Cursor(buffer, start, end)
  const packetId = cursor.packetId()
  if (level === 5) cursor.properties(PacketType.unsubscribe, limits, new Properties())
  const filters: string[] = []
  do {
    if (filters.length === limits.maxSubscriptions * 4) throw new Fault(Reason.quotaExceeded, 'too many filters')
    filters.push(cursor.filter(limits.maxTopicLevels))
  } while (!cursor.done)
  return { packetId, filters }
}

const DISCONNECT_REASONS = new Set([0x00, 0x04, 0x80, 0x81, 0x82, 0x83, 0x90, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99])

/** Reads a DISCONNECT from a client (§3.14); `sessionExpiry` is -1 when it does not change. Throws Fault. */
export function decodeDisconnect(
  buffer: Buffer,
  start: number,
  end: number,
  level: ProtocolLevel,
  limits: DecodeLimits,
): { reason: number; sessionExpiry: number } {
  if (start === end) return { reason: 0, sessionExpiry: -1 }
  if (level < 5) throw malformed('DISCONNECT with a body')
  const reason = buffer[start] as number
  const properties = new Properties()
  if (end - start > 1) {
    readProperties(buffer, start + 1, end, PacketType.disconnect, limits.maxUserProperties, properties)
    if (properties.end !== end) throw malformed('bytes after the properties')
  }
  if (!DISCONNECT_REASONS.has(reason)) throw protocolError('reason code not for clients')
  return { reason, sessionExpiry: properties.sessionExpiry }
}

/** Walks through the fields of a packet that is not on the hot path. */
class Cursor {
  constructor(
    readonly buffer: Buffer,
    public at: number,
    private readonly end: number,
  ) {}

  get done(): boolean {
    return this.at === this.end
  }

  byte(): number {
    if (this.at + 1 > this.end) throw malformed('packet too short')
    return this.buffer[this.at++] as number
  }

  u16(): number {
    if (this.at + 2 > this.end) throw malformed('packet too short')
    this.at += 2
    return this.buffer.readUInt16BE(this.at - 2)
  }

  packetId(): number {
    const id = this.u16()
    if (id === 0) throw protocolError('packet id 0')
    return id
  }

  /** A length and as many bytes, as a view. */
  bytes(): Buffer {
    const length = this.u16()
    if (this.at + length > this.end) throw malformed('packet too short')
    this.at += length
    return this.buffer.subarray(this.at - length, this.at)
  }

  text(): string {
    const bytes = this.bytes()
    return readText(bytes, 0, bytes.length)
  }

  topic(maxLevels: number): string {
    const bytes = this.bytes()
    return readTopic(bytes, 0, bytes.length, maxLevels)
  }

  filter(maxLevels: number): string {
    const filter = this.text()
    if (!isFilter(filter, maxLevels)) throw malformed('bad topic filter')
    return filter
  }

  properties(place: number, limits: DecodeLimits, out: Properties): void {
    readProperties(this.buffer, this.at, this.end, place, limits.maxUserProperties, out)
    this.at = out.end
  }

  finish(): void {
    if (!this.done) throw malformed('bytes after the end of the packet')
  }
}
