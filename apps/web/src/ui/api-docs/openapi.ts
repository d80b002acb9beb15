import type { Locale } from '../../lib/storage.ts'

/** What of an OpenAPI 3.1 document the page reads. */
export interface Schema {
  /** A schema that several operations share; not in what `groupsOf` returns. */
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  format?: string
  description?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  default?: unknown
  additionalProperties?: boolean | Schema
  patternProperties?: Record<string, Schema>
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema?: Schema
}

interface RawOperation {
  summary?: string
  'x-summary-zh'?: string
  tags?: string[]
  'x-tag-zh'?: string
  security?: unknown[]
  'x-permission'?: string
  parameters?: Parameter[]
  requestBody?: { content?: Record<string, { schema?: Schema; example?: unknown }> }
  responses?: Record<string, { description?: string; content?: Record<string, { schema?: Schema }> }>
}

export interface OpenApiDocument {
  info: { title: string; version: string }
  paths: Record<string, Record<string, RawOperation>>
  components?: { schemas?: Record<string, Schema> }
}

export interface Operation {
  id: string
  method: string
  path: string
  /** What it is for and its tag in each language; the English where there is no Chinese. */
  words: Record<Locale, { summary: string; tag: string }>
  tag: string
  /** null: no sign-in. */
  permission: string | null
  parameters: Parameter[]
  /** `example`: of the whole body, where the document has one. */
  body: { contentType: string; schema: Schema; example?: unknown } | null
  reply: { status: string; contentType: string; schema: Schema | null }
}

export interface OperationGroup {
  tag: string
  words: Record<Locale, string>
  id: string
  operations: Operation[]
}

/** Operations by tag, tags and paths in the order of the document; shared schemas are put where they are referred to. */
export function groupsOf(written: OpenApiDocument): OperationGroup[] {
  const document = withoutReferences(written)
  const groups = new Map<string, OperationGroup>()
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, raw] of Object.entries(methods)) {
      if (!raw || typeof raw !== 'object' || !/^(get|post|put|patch|delete)$/.test(method)) continue
      const operation = operationOf(method, path, raw)
      const group = groups.get(operation.tag) ?? {
        tag: operation.tag,
        words: { zh: operation.words.zh.tag, en: operation.words.en.tag },
        id: `tag-${slug(operation.tag)}`,
        operations: [],
      }
      group.operations.push(operation)
      groups.set(operation.tag, group)
    }
  }
  return [...groups.values()].sort((a, b) => (a.tag < b.tag ? -1 : 1))
}

function withoutReferences(document: OpenApiDocument): OpenApiDocument {
  const whole = new Map<string, unknown>()
  const put = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(put)
    if (typeof value !== 'object' || value === null) return value
    const name = '$ref' in value && typeof value.$ref === 'string' ? value.$ref.split('/').at(-1)! : null
    if (name === null) return Object.fromEntries(Object.entries(value).map(([key, inside]) => [key, put(inside)]))
    if (!whole.has(name)) {
      // A schema that refers to itself ends here.
      whole.set(name, {})
      whole.set(name, put(document.components?.schemas?.[name] ?? {}))
    }
    return whole.get(name)
  }
  return { ...document, paths: put(document.paths) as OpenApiDocument['paths'] }
}

function operationOf(method: string, path: string, raw: RawOperation): Operation {
  const [bodyType, body] = Object.entries(raw.requestBody?.content ?? {})[0] ?? []
  const [status, reply] = Object.entries(raw.responses ?? {}).find(([code]) => /^2\d\d$/.test(code)) ?? ['200', {}]
  const [replyType, content] = Object.entries(reply.content ?? {})[0] ?? []
  const [summary, tag] = [raw.summary ?? '', raw.tags?.[0] ?? 'API']
  return {
    id: `op-${method}-${slug(path)}`,
    method: method.toUpperCase(),
    path,
    words: { zh: { summary: raw['x-summary-zh'] ?? summary, tag: raw['x-tag-zh'] ?? tag }, en: { summary, tag } },
    tag,
    permission: raw.security?.length === 0 ? null : (raw['x-permission'] ?? 'signed-in'),
    parameters: raw.parameters ?? [],
    body:
      body?.schema && bodyType
        ? {
            contentType: bodyType,
            schema: body.schema,
            ...(body.example === undefined ? {} : { example: body.example }),
          }
        : null,
    reply: { status, contentType: replyType ?? '', schema: content?.schema ?? null },
  }
}

const slug = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

/** Operations in which every word occurs, in the path, the summary or the tag of either language, or the right. */
export function search(groups: readonly OperationGroup[], text: string): OperationGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return [...groups]
  return groups
    .map(group => ({
      ...group,
      operations: group.operations.filter(operation => {
        const { zh, en } = operation.words
        const hay =
          `${operation.method} ${operation.path} ${en.summary} ${en.tag} ${zh.summary} ${zh.tag} ${operation.permission ?? ''}`.toLowerCase()
        return words.every(word => hay.includes(word))
      }),
    }))
    .filter(group => group.operations.length > 0)
}

/** A type in a word or two: `string(uuid)`, `integer 1…100`, `Thing[]`, `"a" | "b"`. */
export function typeWord(schema: Schema): string {
  if (schema.enum) return schema.enum.map(value => JSON.stringify(value)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeWord))].join(' | ')
  if (Array.isArray(schema.type)) return schema.type.join(' | ')
  if (schema.type === 'array') return schema.items ? `${typeWord(schema.items)}[]` : 'array'
  if (schema.type === 'object' || schema.properties) return 'object'
  return (schema.type ?? 'any') + (schema.format ? `(${schema.format})` : '') + rangeWord(schema)
}

function rangeWord({ minimum, maximum, minLength, maxLength }: Schema): string {
  const [from, to] = minimum !== undefined || maximum !== undefined ? [minimum, maximum] : [minLength, maxLength]
  if (from === undefined && to === undefined) return ''
  return ` ${from ?? ''}…${to ?? ''}`
}

/** The object or list element inside, whose fields can be shown below; null for plain values. */
export function inner(schema: Schema): Schema | null {
  if (schema.anyOf) return schema.anyOf.map(inner).find(each => each !== null) ?? null
  if (schema.type === 'array' && schema.items) return inner(schema.items)
  return schema.properties && Object.keys(schema.properties).length > 0 ? schema : null
}

/** An example value of the shape, only what must be there and a little more. */
export function example(schema: Schema, depth = 0): unknown {
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  if (schema.const !== undefined) return schema.const
  if (schema.anyOf) return example(schema.anyOf.find(each => each.type !== 'null') ?? {}, depth)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object' || schema.properties) {
    if (depth > 3) return {}
    const required = schema.required ?? []
    const names = Object.keys(schema.properties ?? {}).filter((name, at) => required.includes(name) || at < 3)
    return Object.fromEntries(names.map(name => [name, example(schema.properties![name]!, depth + 1)]))
  }
  if (type === 'array') return schema.items && depth <= 3 ? [example(schema.items, depth + 1)] : []
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1
  if (type === 'boolean') return true
  if (schema.format === 'uuid') return '01900000-0000-7000-8000-000000000000'
  if (schema.format === 'date-time') return '2026-01-01T00:00:00.000Z'
  if (schema.format === 'binary') return '@file'
  return type === 'string' ? 'text'.padEnd(schema.minLength ?? 0, 'x') : null
}
