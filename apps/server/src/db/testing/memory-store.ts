import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'

/** Files in memory, in the shape of the object store. */
export function memoryStore() {
  const files = new Map<string, { body: Buffer; contentType: string }>()
  return {
    files,
    async put(key: string, body: Buffer | Readable, { contentType }: { contentType: string }): Promise<void> {
      // Like the real ones, which make a folder or a connection first: nothing of the body is read before.
      await setImmediate()
      files.set(key, { body: Buffer.isBuffer(body) ? body : await buffer(body), contentType })
    },
    async get(key: string, range?: { start: number; end: number }) {
      const found = files.get(key)
      if (!found) return null
      const part = range ? found.body.subarray(range.start, range.end + 1) : found.body
      return { body: Readable.from([part]), size: found.body.length, contentType: found.contentType }
    },
    async remove(key: string): Promise<void> {
      files.delete(key)
    },
    async *list(prefix: string) {
      for (const [key, { body }] of files) if (key.startsWith(prefix)) yield { key, size: body.length }
    },
  }
}
