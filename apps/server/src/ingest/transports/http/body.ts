import type { IncomingMessage } from 'node:http'

/** Longest message taken, bytes (interfaces.md §4). */
export const MAX_BODY = 64 * 1024
/** Above this the connection is closed instead of read to the end. */
const MAX_READ = 1024 * 1024

const NOTHING = Buffer.alloc(0)

export interface Body {
  /** At most one byte more than a message may have: enough to see that it is too large and to keep its beginning. */
  bytes: Buffer
  /** Read to its end: the connection can be used again. */
  whole: boolean
}

/**
 * Reads a request's body. Of one that is too large the beginning is kept; the rest is read and dropped up to 1 MB, so
 * that the answer reaches a client that is still writing.
 * @param done called once; never when the request broke off
 */
export function readBody(request: IncomingMessage, done: (body: Body) => void): void {
  if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined) {
    done({ bytes: NOTHING, whole: true })
    return
  }
  const chunks: Buffer[] = []
  let kept = 0
  let size = 0
  const finish = (whole: boolean) => {
    request.removeListener('data', onData)
    request.removeListener('end', onEnd)
    const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, kept)
    done({ bytes: bytes.subarray(0, MAX_BODY + 1), whole })
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
  request.on('data', onData)
  request.on('end', onEnd)
}
