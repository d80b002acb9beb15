import { AppError } from '../lib/errors.ts'
import { writtenName } from '../lib/written-name.ts'

interface Schema {
  type?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
  oneOf?: Schema[]
  pattern?: string
  format?: string
  enum?: unknown[]
  const?: unknown
}

/** Fields that hold what people call a thing. What only a program reads has another key or a pattern of its own. */
const NAME = /^(e?name|title|label|nickname|receiver|contact|[a-z]+Name)$/
const NOT_A_NAME = /^(fileName|userName|hostName|fieldName|columnName|tableName)$/

/** Reads names of one value in place; `refused` gets the fields with control characters. */
type Reader = (value: unknown, path: string, refused: string[]) => void

/**
 * A step before the check of a body: the names in it lose blanks and signs without width at their ends, so that the
 * check's shortest length is one of what can be seen.
 * @returns null where the schema holds no name
 */
export function namesIn(schema: object): ((body: unknown) => void) | null {
  const read = readerOf(schema as Schema)
  if (!read) return null
  return body => {
    const refused: string[] = []
    read(body, '', refused)
    if (refused.length > 0)
      throw new AppError('request.validation', {
        params: { count: refused.length },
        fields: Object.fromEntries(refused.map(path => [path, { code: 'field.control' }])),
      })
  }
}

function readerOf(schema: Schema): Reader | null {
  const readers = [
    ...Object.entries(schema.properties ?? {}).map(([key, inner]) =>
      isName(key, inner) ? nameReader(key) : under(key, readerOf(inner)),
    ),
    schema.items ? eachOf(readerOf(schema.items)) : null,
    ...[...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...(schema.oneOf ?? [])].map(readerOf),
  ].filter(reader => reader !== null)
  if (readers.length === 0) return null
  return (value, path, refused) => {
    for (const reader of readers) reader(value, path, refused)
  }
}

function isName(key: string, schema: Schema): boolean {
  if (!NAME.test(key) || NOT_A_NAME.test(key)) return false
  const [text] = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [schema]
  return (
    text?.type === 'string' &&
    !text.enum &&
    text.const === undefined &&
    !text.format &&
    (text.pattern ?? '\\S') === '\\S'
  )
}

function nameReader(key: string): Reader {
  return (value, path, refused) => {
    const written = isObject(value) ? value[key] : undefined
    if (typeof written !== 'string') return
    const name = writtenName(written)
    const field = joined(path, key)
    if (name !== null) (value as Record<string, unknown>)[key] = name
    else if (!refused.includes(field)) refused.push(field)
  }
}

function under(key: string, read: Reader | null): Reader | null {
  if (!read) return null
  return (value, path, refused) => {
    if (isObject(value)) read(value[key], joined(path, key), refused)
  }
}

function eachOf(read: Reader | null): Reader | null {
  if (!read) return null
  return (value, path, refused) => {
    if (Array.isArray(value)) for (let i = 0; i < value.length; i++) read(value[i], joined(path, String(i)), refused)
  }
}

const joined = (path: string, key: string) => (path === '' ? key : `${path}.${key}`)

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
