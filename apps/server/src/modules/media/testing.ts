import { Readable } from 'node:stream'
import { deflateSync } from 'node:zlib'
import { checkObjectKey, checkObjectSize, type ObjectStore } from './object-store.port.ts'

/** Files made of bytes written here, for tests. */

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1
  return c >>> 0
})

function crc(bytes: Buffer): number {
  let c = 0xffffffff
  for (const byte of bytes) c = CRC_TABLE[(c ^ byte) & 0xff]! ^ (c >>> 8)
  return (c ^ 0xffffffff) >>> 0
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const out = Buffer.alloc(body.length + 8)
  out.writeUInt32BE(data.length, 0)
  body.copy(out, 4)
  out.writeUInt32BE(crc(body), body.length + 4)
  return out
}

/** A grey PNG (ISO/IEC 15948). @param data false: the header alone promises the pixels */
export function png(width: number, height: number, data = true, shade = 0x80): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 0, 0, 0, 0], 8)
  const rows = data
    ? deflateSync(Buffer.concat(Array(height).fill(Buffer.from([0, ...Array(width).fill(shade)]))))
    : deflateSync(Buffer.alloc(10))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A wave file of silence. */
export function wav(bytes = 2000): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(36 + bytes, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8000, 24)
  head.writeUInt32LE(8000, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(bytes, 40)
  return Buffer.concat([head, Buffer.from(Uint8Array.from({ length: bytes }, (_, i) => i & 0xff))])
}

/** An object store in memory with the promises of the port; the real ones are adapters, which modules do not know. */
export function memoryObjectStore(): ObjectStore {
  const objects = new Map<string, { bytes: Buffer; contentType: string }>()
  return {
    async put(key, body, { contentType, size }) {
      checkObjectKey(key)
      const chunks: Buffer[] = []
      for await (const chunk of Buffer.isBuffer(body) ? [body] : body) chunks.push(chunk as Buffer)
      const bytes = Buffer.concat(chunks)
      checkObjectSize(size, bytes.length)
      objects.set(key, { bytes, contentType })
    },
    async get(key, range) {
      checkObjectKey(key)
      const object = objects.get(key)
      if (!object) return null
      const { bytes, contentType } = object
      const part = range ? bytes.subarray(range.start, range.end + 1) : bytes
      return { body: Readable.from(part.length === 0 ? [] : [part]), size: bytes.length, contentType }
    },
    async remove(key) {
      checkObjectKey(key)
      objects.delete(key)
    },
    async *list(prefix) {
      for (const [key, { bytes }] of [...objects]) if (key.startsWith(prefix)) yield { key, size: bytes.length }
    },
  }
}
