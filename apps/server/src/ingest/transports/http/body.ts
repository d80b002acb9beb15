import type { IncomingMessage } from 'node:http'

/** Longest message taken, bytes (interfaces.md §4). */
export const MAX_BODY = 64 * 1024

/** Above this the connection is closed instead of read to the end. */
const MAX_READ = 1024 * 1024

export interface Body {
  /** At most one byte more than a message may have. */
  bytes: Buffer
  tooLarge: boolean
  /** Read to its end: the connection can be used again. */
  whole: boolean
}

/**
 * Reads a request's body. Of one that is too large the beginning is kept; the rest is read and dropped up to 1 MB, so
 * that the answer reaches a client that is still writing. Null when the request broke off.
 */
export function readBody(request: IncomingMessage): Promise<Body | null> {
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let kept = 0
    let size = 0
    const finish = (whole: boolean | null) => {
      request.removeListener('data', onData)
      request.removeListener('end', onEnd)
      request.removeListener('close', onClose)
      if (whole === null) return resolve(null)
      const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, kept)
      resolve({ bytes: bytes.subarray(0, MAX_BODY + 1), tooLarge: size > MAX_BODY, whole })
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (kept <= MAX_BODY) {
        chunks.push(chunk)
        kept += chunk.length
      }
      if (size <= MAX_READ) return
      request.pause()
      finish(false)
    }
    const onEnd = () => finish(true)
    const onClose = () => finish(null)
    request.on('data', onData)
    request.on('end', onEnd)
    request.on('close', onClose)
  })
}

/** Media types in which a device may send JSON: itself, none, and what simple clients put there without being asked. */
const TAKEN = new Set([
  'application/json',
  'text/json',
  'text/plain',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
])

/** Whether the body can be read as JSON: no compression, no form of several parts. */
export function isReadable(request: IncomingMessage): boolean {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') return false
  const type = request.headers['content-type']
  if (type === undefined) return true
  const semicolon = type.indexOf(';')
  const media = (semicolon < 0 ? type : type.slice(0, semicolon)).trim().toLowerCase()
  return TAKEN.has(media) || media.endsWith('+json')
}
