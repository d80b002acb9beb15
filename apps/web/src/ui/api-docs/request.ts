import { example, type Operation, type Parameter, type Schema } from './openapi.ts'

/** A request as it goes out, in parts that a sample in any language can be written from. */
export interface ApiRequest {
  method: string
  /** Whole address with the query. */
  url: string
  /** How it says who asks. `client`: the public client of `/oauth/token`, `cli:cli`. */
  authorization: 'bearer' | 'client' | 'none'
  /** Repeats of a write that carry the same key are answered alike. */
  idempotent: boolean
  body: ApiBody | null
}

export type ApiBody =
  | { kind: 'json'; value: unknown }
  | { kind: 'form'; fields: [string, string][] }
  | { kind: 'multipart'; fields: [string, string][]; files: [string, string][] }

/** What a person filled in: parameters by name, the body as text (JSON) or by field. */
export interface RequestDraft {
  path: Record<string, string>
  query: Record<string, string>
  /** JSON text; `''` sends no body. */
  json: string
  fields: Record<string, string>
}

export interface DraftProblem {
  where: 'path' | 'query' | 'json' | 'fields'
  name: string
  kind: 'missing' | 'malformed'
}

/** A draft that can be sent as it is, or needs only ids: required parameters and an example body. */
export function draftOf(operation: Operation): RequestDraft {
  const query: Record<string, string> = {}
  for (const parameter of operation.parameters)
    if (parameter.in === 'query' && parameter.required) query[parameter.name] = wordOf(parameter)
  const value = operation.body && (operation.body.example ?? example(onlyNeeded(operation.body.schema)))
  const json = isJson(operation) ? JSON.stringify(value, null, 2) : ''
  const fields: Record<string, string> = {}
  if (operation.body && !isJson(operation))
    for (const [name, schema] of Object.entries(operation.body.schema.properties ?? {}))
      if (!isFile(schema) && operation.body.schema.required?.includes(name)) fields[name] = String(example(schema))
  return { path: {}, query, json, fields }
}

/** What must be there, and nothing that would have to be taken out again; where nothing must, a few fields as a start. */
function onlyNeeded(schema: Schema): Schema {
  const { properties, required = [] } = schema
  if (!properties || required.length === 0) return schema
  return { ...schema, properties: Object.fromEntries(required.map(name => [name, properties[name] ?? {}])) }
}

const wordOf = ({ schema }: Parameter): string => String(example(schema ?? {}) ?? '')

export const isJson = (operation: Operation): boolean => operation.body?.contentType === 'application/json'
export const isFile = (schema: Schema): boolean => schema.format === 'binary'

/** Fields of a form or upload, files among them. */
export function formFields(operation: Operation): { name: string; schema: Schema; required: boolean }[] {
  if (!operation.body || isJson(operation)) return []
  const { properties = {}, required = [] } = operation.body.schema
  return Object.entries(properties).map(([name, schema]) => ({ name, schema, required: required.includes(name) }))
}

/** What stands in the way of sending; samples are written all the same. */
export function problemsOf(operation: Operation, draft: RequestDraft, files: readonly string[] = []): DraftProblem[] {
  const problems: DraftProblem[] = []
  for (const { name, in: where, required } of operation.parameters) {
    if (where === 'header' || !required) continue
    if ((draft[where][name] ?? '').trim() === '') problems.push({ where, name, kind: 'missing' })
  }
  if (isJson(operation) && draft.json.trim() !== '' && parse(draft.json) === undefined)
    problems.push({ where: 'json', name: '', kind: 'malformed' })
  for (const { name, schema, required } of formFields(operation))
    if (required && (isFile(schema) ? !files.includes(name) : (draft.fields[name] ?? '') === ''))
      problems.push({ where: 'fields', name, kind: 'missing' })
  return problems
}

/**
 * The request a draft stands for. Path parameters that are missing keep a word in their place (`DEVICE_ID`), so that a
 * sample can be read before anything is filled in.
 * @param base such as `https://iot.example`
 */
export function requestOf(operation: Operation, draft: RequestDraft, base: string): ApiRequest {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const given = (draft.path[name] ?? '').trim()
    return given === '' ? placeholder(name) : encodeURIComponent(given)
  })
  const search = new URLSearchParams()
  for (const { name, in: where } of operation.parameters)
    if (where === 'query' && (draft.query[name] ?? '') !== '') search.set(name, draft.query[name]!)
  const query = search.toString()
  return {
    method: operation.method,
    url: `${base}${path}${query === '' ? '' : `?${query}`}`,
    authorization:
      operation.permission !== null ? 'bearer' : operation.path.startsWith('/oauth/token') ? 'client' : 'none',
    idempotent: operation.method !== 'GET' && operation.permission !== null,
    body: bodyOf(operation, draft),
  }
}

const placeholder = (name: string): string => name.replace(/[A-Z]/g, letter => `_${letter}`).toUpperCase()

function bodyOf(operation: Operation, draft: RequestDraft): ApiBody | null {
  if (!operation.body) return null
  if (isJson(operation)) return draft.json.trim() === '' ? null : { kind: 'json', value: parse(draft.json) ?? {} }
  const known = formFields(operation)
  const fields = known
    .filter(({ name, schema }) => !isFile(schema) && (draft.fields[name] ?? '') !== '')
    .map(({ name }): [string, string] => [name, draft.fields[name]!])
  const files = known.filter(({ schema }) => isFile(schema)).map(({ name }): [string, string] => [name, `${name}.bin`])
  return operation.body.contentType === 'multipart/form-data'
    ? { kind: 'multipart', fields, files }
    : { kind: 'form', fields }
}

/** undefined: it is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
