import { Fault, malformed, PacketType, protocolError, Reason } from './protocol.ts'
import { readText } from './text.ts'

/** Value kinds of MQTT 5.0 §2.2.2.2. */
const BYTE = 1
const U16 = 2
const U32 = 3
const VARINT = 4
const TEXT = 5
const BINARY = 6
const PAIR = 7

export const PropertyId = {
  payloadFormat: 0x01,
  messageExpiry: 0x02,
  contentType: 0x03,
  responseTopic: 0x08,
  correlationData: 0x09,
  subscriptionIdentifier: 0x0b,
  sessionExpiry: 0x11,
  assignedClientId: 0x12,
  serverKeepAlive: 0x13,
  authenticationMethod: 0x15,
  authenticationData: 0x16,
  requestProblemInformation: 0x17,
  willDelay: 0x18,
  requestResponseInformation: 0x19,
  responseInformation: 0x1a,
  serverReference: 0x1c,
  reasonString: 0x1f,
  receiveMaximum: 0x21,
  topicAliasMaximum: 0x22,
  topicAlias: 0x23,
  maximumQos: 0x24,
  retainAvailable: 0x25,
  userProperty: 0x26,
  maximumPacketSize: 0x27,
  wildcardAvailable: 0x28,
  subscriptionIdentifierAvailable: 0x29,
  sharedAvailable: 0x2a,
} as const

/** Where properties stand; a will has its own set inside CONNECT. */
export const WILL = 16
const bit = (...places: number[]): number => places.reduce((mask, place) => mask | (1 << place), 0)
const ACKS = [PacketType.puback, PacketType.pubrec, PacketType.pubrel, PacketType.pubcomp]

const KIND = new Uint8Array(0x2b)
const PLACES = new Uint32Array(0x2b)
const P = PropertyId
const define = (id: number, kind: number, ...places: number[]): void => {
  KIND[id] = kind
  PLACES[id] = bit(...places)
}
define(P.payloadFormat, BYTE, PacketType.publish, WILL)
define(P.messageExpiry, U32, PacketType.publish, WILL)
define(P.contentType, TEXT, PacketType.publish, WILL)
define(P.responseTopic, TEXT, PacketType.publish, WILL)
define(P.correlationData, BINARY, PacketType.publish, WILL)
define(P.subscriptionIdentifier, VARINT, PacketType.publish, PacketType.subscribe)
define(P.sessionExpiry, U32, PacketType.connect, PacketType.disconnect)
define(P.assignedClientId, TEXT)
define(P.serverKeepAlive, U16)
define(P.authenticationMethod, TEXT, PacketType.connect)
define(P.authenticationData, BINARY, PacketType.connect)
define(P.requestProblemInformation, BYTE, PacketType.connect)
define(P.willDelay, U32, WILL)
define(P.requestResponseInformation, BYTE, PacketType.connect)
define(P.responseInformation, TEXT)
define(P.serverReference, TEXT, PacketType.disconnect)
define(P.reasonString, TEXT, ...ACKS, PacketType.disconnect)
define(P.receiveMaximum, U16, PacketType.connect)
define(P.topicAliasMaximum, U16, PacketType.connect)
define(P.topicAlias, U16, PacketType.publish)
define(P.maximumQos, BYTE)
define(P.retainAvailable, BYTE)
const { connect, publish, subscribe, unsubscribe, disconnect } = PacketType
define(P.userProperty, PAIR, connect, publish, subscribe, unsubscribe, disconnect, WILL, ...ACKS)
define(P.maximumPacketSize, U32, PacketType.connect)
define(P.wildcardAvailable, BYTE)
define(P.subscriptionIdentifierAvailable, BYTE)
define(P.sharedAvailable, BYTE)

/** What the session layer uses of a packet's properties; -1 = absent. The rest is checked and passed over. */
export class Properties {
  sessionExpiry = -1
  receiveMaximum = -1
  maximumPacketSize = -1
  topicAliasMaximum = -1
  topicAlias = -1
  subscriptionIdentifier = -1
  willDelay = -1
  messageExpiry = -1
  authenticationMethod: string | null = null
  /** First byte after the properties. */
  end = 0

  reset(): void {
    this.sessionExpiry = -1
    this.receiveMaximum = -1
    this.maximumPacketSize = -1
    this.topicAliasMaximum = -1
    this.topicAlias = -1
    this.subscriptionIdentifier = -1
    this.willDelay = -1
    this.messageExpiry = -1
    this.authenticationMethod = null
  }
}

/**
 * Reads the property length and the properties at `at`, of a packet that ends at `limit`. Throws Fault: 0x81 for what
 * cannot be read, 0x82 for what can be but must not stand there or not twice, 0x94 for an alias of 0.
 */
export function readProperties(
  buffer: Buffer,
  at: number,
  limit: number,
  place: number,
  maxUserProperties: number,
  out: Properties,
): void {
  out.reset()
  if (at >= limit) throw malformed('no property length')
  if (buffer[at] === 0) {
    out.end = at + 1
    return
  }
  const header = readVarint(buffer, at, limit)
  const start = header.next
  const end = start + header.value
  if (end > limit) throw malformed('properties longer than the packet')
  out.end = end
  let seenLow = 0
  let seenHigh = 0
  let userProperties = 0
  // What is readable but wrong is reported only after the whole set could be read: malformed goes first.
  let wrong: Fault | null = null
  let authenticationData = false
  let i = start
  while (i < end) {
    const id = buffer[i] as number
    const kind = id < KIND.length ? KIND[id] : 0
    if (!kind) throw malformed('unknown property')
    i++
    if (((PLACES[id] as number) & (1 << place)) === 0) wrong ??= protocolError('property not allowed here')
    if (id !== P.userProperty) {
      const mask = 1 << (id & 31)
      if ((id < 32 ? seenLow : seenHigh) & mask) wrong ??= protocolError('property given twice')
      if (id < 32) seenLow |= mask
      else seenHigh |= mask
    } else if (++userProperties > maxUserProperties) {
      throw new Fault(Reason.quotaExceeded, 'too many user properties')
    }
    switch (kind) {
      case BYTE: {
        need(i, 1, end)
        const value = buffer[i] as number
        i += 1
        if (value > 1) wrong ??= protocolError('property must be 0 or 1')
        break
      }
      case U16: {
        need(i, 2, end)
        const value = buffer.readUInt16BE(i)
        i += 2
        if (id === P.topicAlias) {
          if (value === 0) wrong ??= new Fault(Reason.topicAliasInvalid, 'topic alias 0')
          out.topicAlias = value
        } else if (id === P.receiveMaximum) {
          if (value === 0) wrong ??= protocolError('receive maximum 0')
          out.receiveMaximum = value
        } else if (id === P.topicAliasMaximum) out.topicAliasMaximum = value
        break
      }
      case U32: {
        need(i, 4, end)
        const value = buffer.readUInt32BE(i)
        i += 4
        if (id === P.sessionExpiry) out.sessionExpiry = value
        else if (id === P.willDelay) out.willDelay = value
        else if (id === P.messageExpiry) out.messageExpiry = value
        else if (id === P.maximumPacketSize) {
          if (value === 0) wrong ??= protocolError('maximum packet size 0')
          out.maximumPacketSize = value
        }
        break
      }
      case VARINT: {
        const read = readVarint(buffer, i, end)
        i = read.next
        if (read.value === 0) wrong ??= protocolError('subscription identifier 0')
        out.subscriptionIdentifier = read.value
        break
      }
      case TEXT: {
        const next = skipField(buffer, i, end)
        const text = readText(buffer, i + 2, next)
        i = next
        if (id === P.responseTopic && !/^[^+#]+$/.test(text)) wrong ??= protocolError('response topic is no topic name')
        if (id === P.authenticationMethod) out.authenticationMethod = text
        break
      }
      case BINARY:
        i = skipField(buffer, i, end)
        if (id === P.authenticationData) authenticationData = true
        break
      default: {
        const middle = skipField(buffer, i, end)
        readText(buffer, i + 2, middle)
        const next = skipField(buffer, middle, end)
        readText(buffer, middle + 2, next)
        i = next
      }
    }
  }
  if (authenticationData && out.authenticationMethod === null) {
    wrong ??= protocolError('authentication data without a method')
  }
  if (wrong) throw wrong
}

function need(at: number, count: number, end: number): void {
  if (at + count > end) throw malformed('truncated property')
}

function skipField(buffer: Buffer, at: number, end: number): number {
  need(at, 2, end)
  const next = at + 2 + buffer.readUInt16BE(at)
  if (next > end) throw malformed('truncated property')
  return next
}

/** Reads a Variable Byte Integer of at most four bytes in its shortest form (MQTT 5.0 §1.5.5). */
export function readVarint(buffer: Buffer, at: number, end: number): { value: number; next: number } {
  let value = 0
  for (let i = 0; i < 4; i++) {
    if (at + i >= end) break
    const byte = buffer[at + i] as number
    value += (byte & 0x7f) * 128 ** i
    if (byte < 0x80) {
      if (byte === 0 && i > 0) break
      return { value, next: at + i + 1 }
    }
  }
  throw malformed('bad variable byte integer')
}

const FORWARDED = new Set<number>([
  P.payloadFormat,
  P.messageExpiry,
  P.contentType,
  P.responseTopic,
  P.correlationData,
  P.userProperty,
])

/**
 * Copies the properties that travel with a message from publisher to subscriber, except the message expiry, which
 * changes on the way. [at, limit) holds the property length and properties of a packet that was already checked.
 */
export function forwardedProperties(buffer: Buffer, at: number, limit: number): Buffer {
  const { value, next } = readVarint(buffer, at, limit)
  const end = next + value
  const parts: Buffer[] = []
  let i = next
  while (i < end) {
    const id = buffer[i] as number
    const from = i++
    switch (KIND[id]) {
      case BYTE:
        i += 1
        break
      case U16:
        i += 2
        break
      case U32:
        i += 4
        break
      case VARINT:
        i = readVarint(buffer, i, end).next
        break
      case PAIR:
        i = skipField(buffer, skipField(buffer, i, end), end)
        break
      default:
        i = skipField(buffer, i, end)
    }
    if (FORWARDED.has(id) && id !== P.messageExpiry) parts.push(buffer.subarray(from, i))
  }
  return Buffer.concat(parts)
}
