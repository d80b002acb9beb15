import { isDataError } from '../database/database-errors.ts'
import { AppError } from '../errors.ts'

/** Keyset positions travel as opaque base64url JSON. */
export function encodeCursor(values: unknown[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url')
}

/** Reads a position back; a foreign or damaged one is `request.cursor_invalid`. */
export function decodeCursor(cursor: string | undefined, length: number): unknown[] | null {
  if (!cursor) return null
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (Array.isArray(values) && values.length === length) return values
  } catch {
    // falls through to the refusal
  }
  throw new AppError('request.cursor_invalid')
}

/** Runs the query of a page: what the database cannot read in a position (a made-up time, say) is the cursor's fault. */
export async function readFrom<T>(cursor: string | undefined, query: () => Promise<T>): Promise<T> {
  try {
    return await query()
  } catch (error) {
    if (cursor && isDataError(error)) throw new AppError('request.cursor_invalid', { cause: error })
    throw error
  }
}

export interface SortOrder<K extends string> {
  key: K
  descending: boolean
}

/** Reads `-createdAt` style orders against the keys a list supports. */
export function parseSort<const K extends string>(
  sort: string | undefined,
  keys: readonly K[],
  fallback: NoInfer<`${'' | '-'}${K}`>,
): SortOrder<K> {
  const text = sort ?? fallback
  const descending = text.startsWith('-')
  const key = (descending ? text.slice(1) : text) as K
  if (!keys.includes(key)) throw new AppError('request.sort_invalid', { params: { sort: text } })
  return { key, descending }
}
