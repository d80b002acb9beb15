/**
 * The few MQTT packets a simulated device needs, 3.1.1 and 5.0, written and read by hand: a general codec costs this
 * process 8 MB of memory, a seventh of all it may use beside the server. Checked against mqtt-packet in its test.
 */
export type MqttVersion = 4 | 5

export interface ConnectFields {
  version: MqttVersion
  clientId: string
  username: string
  password: string
  keepAliveSeconds: number
}

export type Incoming =
  | { type: 'connack'; code: number; receiveMaximum: number }
  | { type: 'suback' }
  | { type: 'puback'; id: number; code: number }
  | { type: 'publish'; topic: string; payload: Buffer; qos: number; id: number }
  | { type: 'pingresp' }
  | { type: 'disconnect' }

export const PINGREQ = Buffer.from([0xc0, 0])
export const DISCONNECT = Buffer.from([0xe0, 0])

/** Larger than anything the platform sends to a device. */
const MAX_PACKET_BYTES = 1 << 20
const RECEIVE_MAXIMUM = 0x21
const DEFAULT_RECEIVE_MAXIMUM = 65_535

/** Clean session, user name and password, no will. */
export function encodeConnect({ version, clientId, username, password, keepAliveSeconds }: ConnectFields): Buffer {
  const fixed = [...text('MQTT'), version, 0xc2, keepAliveSeconds >> 8, keepAliveSeconds & 0xff]
  const properties = version === 5 ? [0] : []
  return frame(0x10, Buffer.from([...fixed, ...properties, ...text(clientId), ...text(username), ...text(password)]))
}

/** One filter at QoS 1. */
export function encodeSubscribe(version: MqttVersion, id: number, filter: string): Buffer {
  return frame(0x82, Buffer.from([id >> 8, id & 0xff, ...(version === 5 ? [0] : []), ...text(filter), 1]))
}

/** QoS 1, not retained. */
export function encodePublish(version: MqttVersion, id: number, topic: string, payload: string): Buffer {
  const topicBytes = Buffer.byteLength(topic)
  const head = 2 + topicBytes + 2 + (version === 5 ? 1 : 0)
  const length = head + Buffer.byteLength(payload)
  const lengthBytes = varint(length)
  const packet = Buffer.allocUnsafe(1 + lengthBytes.length + length)
  packet[0] = 0x32
  packet.set(lengthBytes, 1)
  let at = packet.writeUInt16BE(topicBytes, 1 + lengthBytes.length)
  at += packet.write(topic, at)
  at = packet.writeUInt16BE(id, at)
  if (version === 5) at = packet.writeUInt8(0, at)
  packet.write(payload, at)
  return packet
}

export function encodePuback(id: number): Buffer {
  return Buffer.from([0x40, 2, id >> 8, id & 0xff])
}

/** Cuts a byte stream into packets; what is not complete waits for the next chunk. */
export class MqttReader {
  readonly #version: MqttVersion
  #rest: Buffer = Buffer.alloc(0)

  constructor(version: MqttVersion) {
    this.#version = version
  }

  /** The packets that the chunk completes. Throws when the bytes are no MQTT or announce too much. */
  read(chunk: Buffer): Incoming[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const packets: Incoming[] = []
    let at = 0
    for (;;) {
      const length = readVarint(bytes, at + 1)
      if (!length) break
      if (length.value > MAX_PACKET_BYTES) throw new Error('packet too large')
      const end = length.next + length.value
      if (end > bytes.length) break
      const packet = decode(bytes[at]!, bytes.subarray(length.next, end), this.#version)
      if (packet) packets.push(packet)
      at = end
    }
    // A copy: a slice would keep the whole chunk of the socket alive.
    this.#rest = at === bytes.length ? Buffer.alloc(0) : Buffer.from(bytes.subarray(at))
    return packets
  }
}

function decode(first: number, body: Buffer, version: MqttVersion): Incoming | null {
  switch (first >> 4) {
    case 2:
      return { type: 'connack', code: body.readUInt8(1), receiveMaximum: receiveMaximumOf(body, version) }
    case 3:
      return decodePublish(first, body, version)
    case 4:
      return { type: 'puback', id: body.readUInt16BE(0), code: body.length > 2 ? body[2]! : 0 }
    case 9:
      return { type: 'suback' }
    case 13:
      return { type: 'pingresp' }
    case 14:
      return { type: 'disconnect' }
    default:
      return null
  }
}

function decodePublish(first: number, body: Buffer, version: MqttVersion): Incoming {
  const qos = (first >> 1) & 3
  const topicEnd = 2 + body.readUInt16BE(0)
  let at = topicEnd
  const id = qos > 0 ? body.readUInt16BE(at) : 0
  if (qos > 0) at += 2
  if (version === 5) {
    const properties = readVarint(body, at)
    if (!properties) throw new Error('properties cut short')
    at = properties.next + properties.value
  }
  return {
    type: 'publish',
    topic: body.toString('utf8', 2, topicEnd),
    payload: Buffer.from(body.subarray(at)),
    qos,
    id,
  }
}

/** How many publishes the server takes before it has acknowledged the first (MQTT 5.0 §3.2.2.3.3). */
function receiveMaximumOf(body: Buffer, version: MqttVersion): number {
  if (version !== 5) return DEFAULT_RECEIVE_MAXIMUM
  const length = readVarint(body, 2)
  if (!length) return DEFAULT_RECEIVE_MAXIMUM
  for (let at = length.next; at < length.next + length.value; ) {
    const property = body[at]!
    if (property === RECEIVE_MAXIMUM) return body.readUInt16BE(at + 1)
    const size = propertySize(property, body, at + 1)
    if (size === null) return DEFAULT_RECEIVE_MAXIMUM
    at += 1 + size
  }
  return DEFAULT_RECEIVE_MAXIMUM
}

/** Bytes of the value of a CONNACK property (MQTT 5.0 §2.2.2.2), or null for one that does not belong there. */
function propertySize(property: number, body: Buffer, at: number): number | null {
  switch (property) {
    case 0x24:
    case 0x25:
    case 0x28:
    case 0x29:
    case 0x2a:
      return 1
    case 0x13:
    case 0x22:
      return 2
    case 0x11:
    case 0x27:
      return 4
    case 0x12:
    case 0x15:
    case 0x16:
    case 0x1a:
    case 0x1c:
    case 0x1f:
      return 2 + body.readUInt16BE(at)
    case 0x26: {
      const key = 2 + body.readUInt16BE(at)
      return key + 2 + body.readUInt16BE(at + key)
    }
    default:
      return null
  }
}

function frame(first: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([first, ...varint(body.length)]), body])
}

function text(value: string): number[] {
  const bytes = Buffer.from(value)
  return [bytes.length >> 8, bytes.length & 0xff, ...bytes]
}

function varint(value: number): number[] {
  const bytes: number[] = []
  let left = value
  do {
    const more = left > 127
    bytes.push((left & 127) | (more ? 128 : 0))
    left >>>= 7
  } while (left > 0)
  return bytes
}

/** A variable byte integer, or null when its end has not come yet. */
function readVarint(bytes: Buffer, at: number): { value: number; next: number } | null {
  let value = 0
  for (let i = 0; i < 4; i++) {
    const byte = bytes[at + i]
    if (byte === undefined) return null
    value += (byte & 127) * 128 ** i
    if (byte < 128) return { value, next: at + i + 1 }
  }
  throw new Error('length is no variable byte integer')
}
