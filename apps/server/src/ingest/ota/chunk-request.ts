/** Most bytes of one question, and of one chunk. */
export const MAX_REQUEST = 64 * 1024
/** Most chunks of one question. */
export const MAX_CHUNKS = 16

export type ChunkRequest =
  | { ok: true; id: string; offset: number; length: number; count: number }
  /** `id`: as far as there is one to answer to. */
  | { ok: false; id: string; offset: number }

/**
 * Reads `{"id", "offset", "length", "count"?}`: `count` chunks of `length` bytes, one after the other from `offset`; at
 * most 64 KB together. Never throws.
 */
export function readChunkRequest(payload: Buffer): ChunkRequest {
  const { id, offset, length, count = 1 } = payload.length <= 1_024 ? parse(payload) : ({} as Record<string, unknown>)
  const named = typeof id === 'string' ? id : ''
  const at = isCount(offset, 0) ? offset : -1
  if (
    named &&
    at >= 0 &&
    isCount(length, 1) &&
    isCount(count, 1) &&
    count <= MAX_CHUNKS &&
    length * count <= MAX_REQUEST
  )
    return { ok: true, id: named, offset: at, length, count }
  return { ok: false, id: named, offset: at }
}

function parse(payload: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(payload.toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function isCount(value: unknown, least: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least
}
