import { type Static, type TSchema, Type } from 'typebox'

/** A union of words that prints as one JSON Schema enum. */
export function Words<const T extends readonly string[]>(words: T, options: Record<string, unknown> = {}) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...words], ...options })
}

export const Id = Type.String({ format: 'uuid', description: 'UUIDv7' })
/** Times that a JavaScript date can hold (ECMA-262 §21.4.1.1). */
const LAST_MS = 8_640_000_000_000_000
export const EpochMs = Type.Integer({ minimum: -LAST_MS, maximum: LAST_MS, description: 'Epoch milliseconds' })
export const IsoTime = Type.String({ format: 'date-time', description: 'ISO 8601 UTC with milliseconds' })
export const Nullable = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }] })
export const Name = Type.String({ minLength: 1, maxLength: 64 })
export const Version = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: 'Version the caller saw; a mismatch is 409',
})
export const IdParams = Type.Object({ id: Id })
export const Empty = Type.Object({})
export const Ok = Type.Object({ ok: Type.Boolean() })
/** A JSON value of any shape. */
export const Json = Type.Unknown()
export const JsonObject = Type.Record(Type.String(), Type.Unknown())

/** Paging, search and order of every list (interfaces.md §3). */
export const listQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  // Holds the sort key of the last row: a name of 64 characters takes up to 600.
  cursor: Type.Optional(Type.String({ maxLength: 1024 })),
  q: Type.Optional(Type.String({ maxLength: 128 })),
  sort: Type.Optional(Type.String({ maxLength: 64, pattern: '^-?[A-Za-z]+$' })),
  total: Type.Optional(Words(['0', '1'])),
}

export const listOf = <T extends TSchema>(item: T) =>
  Type.Object({ items: Type.Array(item), nextCursor: Nullable(Type.String()), total: Type.Optional(Type.Integer()) })

/** Body of every error. */
export const ErrorBody = Type.Object({
  code: Type.String(),
  message: Type.String(),
  requestId: Type.String(),
  params: Type.Optional(JsonObject),
  fields: Type.Optional(Type.Record(Type.String(), Type.Object({ code: Type.String(), message: Type.String() }))),
})
