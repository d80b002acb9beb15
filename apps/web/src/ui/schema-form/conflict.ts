import { ApiError } from '../../lib/api/api-error.ts'
import type { Field, Values } from './field.ts'
import { same } from './use-schema-form.ts'

/** What somebody else stored while the form was open. */
export interface Stored {
  version: number
  /** Values of the fields that are known of it. */
  values: Values
}

/** What a refusal with `version.conflict` tells of the stored state; null for any other error, or where it tells nothing. */
export function storedIn(
  error: unknown,
  fields: readonly Field[],
  start: Values,
  read?: (current: never) => Values,
): Stored | null {
  if (!(error instanceof ApiError) || error.code !== 'version.conflict') return null
  const current = error.params.current as Record<string, unknown> | undefined
  if (typeof current?.version !== 'number') return null
  const values: Values = read ? read(current as never) : current
  const known = fields.filter(({ key }) => Object.hasOwn(values, key) && isAlike(values[key], start[key]))
  return {
    version: current.version,
    values: Object.fromEntries(known.map(({ key }) => [key, values[key] ?? undefined])),
  }
}

/** A form may hold something under the name of a field in another shape (an amount in yuan as text): that is not compared. */
function isAlike(a: unknown, b: unknown): boolean {
  return a == null || b == null || (typeof a === typeof b && Array.isArray(a) === Array.isArray(b))
}

/** Fields that differ from what the form began with, in the stored state; `mine` where the person changed it too. */
export function differences(
  fields: readonly Field[],
  start: Values,
  mine: Values,
  theirs: Values,
): { field: Field; both: boolean }[] {
  return fields
    .filter(({ key }) => Object.hasOwn(theirs, key) && !same(theirs[key], start[key]))
    .map(field => ({
      field,
      both: !same(mine[field.key], start[field.key]) && !same(mine[field.key], theirs[field.key]),
    }))
}

/** The person's changes on top of what is stored: a field that he left alone keeps what the other one wrote. */
export function onTop(start: Values, mine: Values, theirs: Values): Values {
  const changed = Object.entries(mine).filter(([key, value]) => !same(value, start[key]))
  return { ...start, ...theirs, ...Object.fromEntries(changed) }
}
