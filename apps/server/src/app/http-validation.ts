import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { AppError, isAppError } from '../lib/errors.ts'
import { namesIn } from './names-in-bodies.ts'

const options = { allErrors: true, useDefaults: true, removeAdditional: false, strict: false } as const
// A query is text: "5" is the number 5. A body is JSON: "5" is not.
const texts = new Ajv({ ...options, coerceTypes: 'array' })
const bodies = new Ajv({ ...options, coerceTypes: false })
for (const ajv of [texts, bodies]) (addFormats as unknown as (a: Ajv) => void)(ajv)

/**
 * The check of one schema of a route: parameters and query with coercion, bodies without. Compiled when it is asked for
 * the first time: all of them at once would be half of a second of every start. An address whose id is malformed names
 * nothing that could be read: a GET of it is answered like that of an id that does not exist.
 */
export function validatorFor(
  part: string | undefined,
  schema: object,
  method?: string,
): (data: unknown) => boolean | { error: Error } {
  let validate: ValidateFunction | undefined
  let tidy: ReturnType<typeof namesIn> | undefined
  return data => {
    validate ??= (part === 'body' ? bodies : texts).compile(schema)
    if (tidy === undefined) tidy = part === 'body' ? namesIn(schema) : null
    try {
      tidy?.(data)
    } catch (error) {
      if (isAppError(error)) return { error }
      throw error
    }
    if (validate(data)) return true
    if (part === 'params' && method === 'GET') return { error: new AppError('request.not_found') }
    return { error: new ValidationError(validate.errors ?? [], part ?? 'body') }
  }
}

/** The schema of a route's query: what it does not name is refused, as in a body; a misspelt filter would show all. */
export function closedQuery(query: object | undefined): object {
  return { ...(query ?? { type: 'object', properties: {} }), additionalProperties: false }
}

export class ValidationError extends Error {
  constructor(
    readonly problems: ErrorObject[],
    readonly part: string,
  ) {
    super('validation')
  }
}

/** Field → code with parameters, in the words of interfaces.md §3. */
export function fieldsOf(error: ValidationError): NonNullable<AppError['fields']> {
  const fields: NonNullable<AppError['fields']> = {}
  for (const problem of error.problems.slice(0, 50)) {
    const base = problem.instancePath.slice(1).replaceAll('/', '.')
    const missing =
      problem.keyword === 'required'
        ? (problem.params as { missingProperty: string }).missingProperty
        : problem.keyword === 'additionalProperties'
          ? (problem.params as { additionalProperty: string }).additionalProperty
          : null
    const path = [base, missing].filter(Boolean).join('.') || '$'
    if (problem.keyword === 'anyOf' && fields[path]) continue
    fields[path] = { code: `field.${problem.keyword}`, params: problem.params as Record<string, unknown> }
  }
  return fields
}

/**
 * Refuses text that PostgreSQL cannot store (NUL) or UTF-8 cannot say (lone surrogates), wherever it stands.
 * @throws AppError request.validation naming the first such field
 */
export function refuseUnstorableText(value: unknown, path = '', depth = 0): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed())
      throw new AppError('request.validation', {
        params: { count: 1 },
        fields: { [path || '$']: { code: 'field.text' } },
      })
    return
  }
  if (depth > 64) throw new AppError('request.malformed')
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) refuseUnstorableText(value[i], `${path}${path && '.'}${i}`, depth + 1)
  } else if (value && typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) {
      if (key.includes('\0') || !key.isWellFormed())
        throw new AppError('request.validation', {
          params: { count: 1 },
          fields: { [path || '$']: { code: 'field.text' } },
        })
      refuseUnstorableText(inner, `${path}${path && '.'}${key}`, depth + 1)
    }
  }
}
