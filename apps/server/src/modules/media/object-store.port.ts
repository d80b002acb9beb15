import type { Readable } from 'node:stream'

export interface PutOptions {
  contentType: string
  /** Bytes, when known beforehand: a body of another length is refused and nothing is stored. */
  size?: number
}

export interface StoredObject {
  /** Read it to its end or destroy it: it holds a file or a connection. */
  body: Readable
  /** Bytes of the whole object, also when only a part of it was asked for. */
  size: number
  contentType: string
}

/** First and last byte, counted from 0, both included (RFC 9110 §14.1.2). */
export interface ByteRange {
  start: number
  end: number
}

/**
 * Where files lie: a folder, or any S3-compatible store. Keys are chosen by the server, never by a person, and look
 * like `media/{tenantId}/…`; a key is not also the folder of other keys. An object is there whole or not at all.
 */
export interface ObjectStore {
  /**
   * Stores an object, replacing one of the same key at once. A body that fails half way leaves nothing behind.
   * @throws ObjectStoreError key_invalid, size_mismatch, no_room, unavailable
   */
  put(key: string, body: Buffer | Readable, options: PutOptions): Promise<void>
  /**
   * @param range must lie within the object
   * @returns null when there is no such object
   * @throws ObjectStoreError key_invalid, unavailable
   */
  get(key: string, range?: ByteRange): Promise<StoredObject | null>
  /** Removing what is not there is fine. @throws ObjectStoreError key_invalid, unavailable */
  remove(key: string): Promise<void>
  /** Every object whose key begins with the prefix (a plain text, not a folder), in no promised order. */
  list(prefix: string): AsyncIterable<{ key: string; size: number }>
}

export type ObjectStoreProblem = 'key_invalid' | 'size_mismatch' | 'no_room' | 'unavailable'

/** What went wrong with the store itself; an error of the body that was handed in comes through as it is. */
export class ObjectStoreError extends Error {
  constructor(
    readonly problem: ObjectStoreProblem,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options)
    this.name = 'ObjectStoreError'
  }
}

const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/

/**
 * The same keys are good everywhere: letters, digits, `.`, `_`, `-` in segments that begin with a letter or digit, so
 * that none can climb out of a folder or needs escaping in an address.
 * @throws ObjectStoreError key_invalid
 */
export function checkObjectKey(key: string): void {
  if (key.length > 512 || !KEY.test(key) || key.split('/').some(part => part.length > 200))
    throw new ObjectStoreError('key_invalid', `not a key of the object store: ${JSON.stringify(key.slice(0, 80))}`)
}

/** @throws ObjectStoreError size_mismatch */
export function checkObjectSize(expected: number | undefined, actual: number): void {
  if (expected !== undefined && expected !== actual)
    throw new ObjectStoreError('size_mismatch', `the body has ${actual} bytes, ${expected} were announced`)
}
