import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { type KafkaRecord, readBatch } from './records.ts'
import { WireReader, WireWriter } from './wire.ts'

/** How the broker behaves from now on. */
export type KafkaBehaviour =
  | { kind: 'take' }
  /** Answers produce requests with this error of the protocol. */
  | { kind: 'error'; code: number }
  /** Reads and answers nothing. */
  | { kind: 'hang' }
  /** Cuts the connection at the next produce request. */
  | { kind: 'cut' }

export interface KafkaBroker {
  readonly port: number
  /** What was taken, in order. */
  readonly records: KafkaRecord[]
  /** What no honest client does. */
  readonly faults: string[]
  behave(behaviour: KafkaBehaviour): void
  /** The address that this broker gives for itself in its metadata. */
  advertise(host: string): void
  close(): Promise<void>
}

const PRODUCE = 0
const METADATA = 3
const SASL_HANDSHAKE = 17
const API_VERSIONS = 18
const SASL_AUTHENTICATE = 36
const VERSIONS = [
  [PRODUCE, 9, 11],
  [METADATA, 9, 12],
  [SASL_HANDSHAKE, 1, 1],
  [API_VERSIONS, 0, 3],
  [SASL_AUTHENTICATE, 2, 2],
] as const

const UNKNOWN_TOPIC = 3
const MESSAGE_TOO_LARGE = 10
const CORRUPT = 2
const SASL_FAILED = 58
const MOST_REQUEST = 16 * 1024 * 1024

interface Settings {
  topic: string
  port?: number
  host?: string
  partitions?: number
  account?: { username: string; password: string }
  /** Longest value of a record. */
  maxMessageBytes?: number
}

/**
 * One Kafka broker as far as a producer sees it: versions, SASL PLAIN, metadata, produce. Every batch is read down to its
 * last byte; one key must always come to the same partition.
 */
export async function startKafkaBroker(settings: Settings): Promise<KafkaBroker> {
  const { topic, host = '127.0.0.1', partitions = 3, account, maxMessageBytes = 1_048_576 } = settings
  const records: KafkaRecord[] = []
  const faults: string[] = []
  const offsets = new Map<number, number>()
  const homes = new Map<string, number>()
  const sockets = new Set<Socket>()
  let behaviour: KafkaBehaviour = { kind: 'take' }
  let advertised = host
  let port = 0

  function store(partition: number, bytes: Buffer): number {
    if (partition < 0 || partition >= partitions) return UNKNOWN_TOPIC
    try {
      const base = offsets.get(partition) ?? 0
      const batch = readBatch(bytes, topic, partition, base)
      if (batch.some(({ value }) => Buffer.byteLength(value) > maxMessageBytes)) return MESSAGE_TOO_LARGE
      for (const record of batch) {
        if (!record.key) faults.push('a record without a key')
        else if ((homes.get(record.key) ?? partition) !== partition) faults.push(`${record.key} in two partitions`)
        else homes.set(record.key, partition)
        if (!record.headers.id) faults.push('a record without an id')
      }
      records.push(...batch)
      offsets.set(partition, base + batch.length)
      return 0
    } catch (error) {
      faults.push((error as Error).message)
      return CORRUPT
    }
  }

  function produce(reader: WireReader): Buffer {
    const answer = new WireWriter()
    reader.compactString()
    const acks = reader.i16()
    if (acks !== -1) faults.push(`acknowledged by ${acks} instead of all replicas`)
    reader.i32()
    const topics = reader.compactArray(() => {
      const name = reader.compactString() ?? ''
      const parts = reader.compactArray(() => {
        const index = reader.i32()
        const bytes = reader.compactBytes() ?? Buffer.alloc(0)
        reader.tags()
        const error = behaviour.kind === 'error' ? behaviour.code : name === topic ? store(index, bytes) : UNKNOWN_TOPIC
        return { index, error, base: (offsets.get(index) ?? 0) - 1 }
      })
      reader.tags()
      return { name, parts }
    })
    answer.tags()
    answer.compactArray(topics, ({ name, parts }) => {
      answer.compactString(name).compactArray(parts, ({ index, error, base }) => {
        answer
          .i32(index)
          .i16(error)
          .i64(BigInt(error === 0 ? base : -1))
          .i64(-1n)
          .i64(0n)
        answer
          .compactArray([], () => undefined)
          .compactString(null)
          .tags()
      })
      answer.tags()
    })
    return answer.i32(0).tags().bytes()
  }

  function metadata(reader: WireReader, version: number): Buffer {
    const answer = new WireWriter()
    const asked = reader.compactArray(() => {
      if (version >= 10) reader.take(16)
      const name = reader.compactString() ?? ''
      reader.tags()
      return name
    })
    answer.tags().i32(0)
    answer.compactArray([0], () => {
      answer.i32(1).compactString(advertised).i32(port).compactString(null).tags()
    })
    answer.compactString('simulated').i32(1)
    answer.compactArray(asked, name => {
      const known = name === topic
      answer.i16(known ? 0 : UNKNOWN_TOPIC).compactString(name)
      if (version >= 10) answer.raw(Buffer.alloc(16, 1))
      answer.i8(0)
      answer.compactArray(known ? Array.from({ length: partitions }, (_, n) => n) : [], n => {
        answer.i16(0).i32(n).i32(1).i32(0)
        for (const nodes of [[1], [1], []]) answer.compactArray(nodes, node => answer.i32(node))
        answer.tags()
      })
      answer.i32(-2147483648).tags()
    })
    return answer.tags().bytes()
  }

  function versions(): Buffer {
    const answer = new WireWriter().i16(0)
    answer.compactArray(VERSIONS, ([key, least, most]) => {
      answer.i16(key).i16(least).i16(most).tags()
    })
    return answer.i32(0).tags().bytes()
  }

  function serve(socket: Socket): void {
    let held = Buffer.alloc(0)
    let signedIn = account === undefined
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', chunk => {
      held = Buffer.concat([held, chunk])
      while (held.length >= 4) {
        const size = held.readInt32BE(0)
        if (size < 8 || size > MOST_REQUEST) {
          faults.push(`a request of ${size} bytes`)
          socket.destroy()
          return
        }
        if (held.length < 4 + size) return
        const reader = new WireReader(held.subarray(4, 4 + size))
        held = held.subarray(4 + size)
        try {
          request(reader)
        } catch (error) {
          faults.push((error as Error).message)
          socket.destroy()
          return
        }
      }
    })

    function request(reader: WireReader): void {
      const key = reader.i16()
      const version = reader.i16()
      const correlation = reader.i32()
      reader.string()
      const flexible = key !== SASL_HANDSHAKE
      if (flexible) reader.tags()
      if (behaviour.kind === 'hang') return
      const body = answerTo(reader, key, version)
      if (!body) return
      const head = new WireWriter()
        .i32(body.length + 4)
        .i32(correlation)
        .bytes()
      socket.write(Buffer.concat([head, body]))
    }

    function answerTo(reader: WireReader, key: number, version: number): Buffer | null {
      if (key === API_VERSIONS) return versions()
      if (key === SASL_HANDSHAKE) {
        const answer = new WireWriter().i16(reader.string() === 'PLAIN' ? 0 : 33).i32(1)
        return answer.string('PLAIN').bytes()
      }
      if (key === SASL_AUTHENTICATE) {
        const [, username, password] = (reader.compactBytes() ?? Buffer.alloc(0)).toString().split('\0')
        signedIn = username === account?.username && password === account?.password
        const answer = new WireWriter().tags().i16(signedIn ? 0 : SASL_FAILED)
        return answer
          .compactString(signedIn ? null : 'Authentication failed')
          .uvarint(1)
          .i64(0n)
          .tags()
          .bytes()
      }
      if (!signedIn) {
        faults.push('a request before the sign-in')
        socket.destroy()
        return null
      }
      if (key === METADATA) return metadata(reader, version)
      if (key === PRODUCE && behaviour.kind === 'cut') socket.destroy()
      else if (key === PRODUCE) return produce(reader)
      else throw new Error(`request ${key}`)
      return null
    }
  }

  const server = createServer(serve)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(settings.port ?? 0, host, resolve)
  })
  port = (server.address() as AddressInfo).port
  return {
    port,
    records,
    faults,
    behave: next => {
      behaviour = next
    },
    advertise: name => {
      advertised = name
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
