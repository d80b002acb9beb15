type Json = Record<string, unknown>

interface Found {
  schema: Json
  times: number
  /** Where it was met first, as a name. */
  hint: string
}

/** Fewer fields than this are shorter written out than referred to. */
const FEWEST = 2
const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete'])
/** Operations that answer with the thing of their group itself. */
const OF_ONE = new Set(['get', 'create', 'update', 'list'])

/**
 * The document of the API with schemas that it holds in several places written once, in `components.schemas`, and
 * referred to (OpenAPI 3.1 §4.8.23): generators of clients make one type of each. Their names come from the operation
 * and the field where they are met first, so that they stay as routes are added behind.
 */
export function withSharedSchemas(document: object): object {
  const copy = structuredClone(document) as { paths?: Record<string, Json>; components?: Json }
  const found = new Map<string, Found>()
  for (const { schema, hint } of placesOf(copy.paths ?? {})) collect(schema, hint, found)

  const names = new Map<string, string>()
  const schemas: Record<string, unknown> = {}
  for (const [text, { schema, times, hint }] of found) {
    if (times < 2) continue
    let name = hint
    for (let n = 2; name in schemas; n++) name = `${hint}${n}`
    names.set(text, name)
    schemas[name] = schema
  }
  for (const [name, schema] of Object.entries(schemas)) schemas[name] = referring(schema, names, false)
  for (const { holder } of placesOf(copy.paths ?? {})) holder.schema = referring(holder.schema, names, true)
  copy.components = { ...copy.components, schemas }
  return copy
}

/** Each place of the document that holds a schema of a body, with the name that its own schema would get. */
function* placesOf(paths: Record<string, Json>): Generator<{ holder: Json; schema: unknown; hint: string }> {
  for (const methods of Object.values(paths))
    for (const [method, operation] of Object.entries(methods)) {
      if (!METHODS.has(method)) continue
      const { operationId, requestBody, responses } = operation as {
        operationId?: string
        requestBody?: Json
        responses?: Record<string, Json>
      }
      const [group = '', name = ''] = (operationId ?? '').split('_')
      const thing = single(pascal(group))
      const whole = OF_ONE.has(name) ? thing : `${thing}${pascal(name)}`
      for (const holder of contents(requestBody)) yield { holder, schema: holder.schema, hint: `${whole}Input` }
      for (const [status, response] of Object.entries(responses ?? {}))
        for (const holder of contents(response))
          yield { holder, schema: holder.schema, hint: /^[45]/.test(status) ? 'Error' : whole }
    }
}

function contents(holder: Json | undefined): Json[] {
  return Object.values((holder?.content ?? {}) as Record<string, Json>).filter(({ schema }) => schema !== undefined)
}

function collect(schema: unknown, hint: string, found: Map<string, Found>): void {
  if (Array.isArray(schema)) for (const one of schema) collect(one, hint, found)
  if (!isObject(schema)) return
  if (isShared(schema)) {
    const text = JSON.stringify(schema)
    const before = found.get(text)
    if (before) {
      // What is inside is counted where this is met first: it is written there only.
      before.times++
      return
    }
    found.set(text, { schema, times: 1, hint })
  }
  for (const [key, inner] of Object.entries(schema)) {
    if (key === 'properties' && isObject(inner))
      for (const [field, value] of Object.entries(inner))
        collect(value, field === 'items' ? hint : `${hint}${single(pascal(field))}`, found)
    else if (key !== 'example' && key !== 'default' && key !== 'enum') collect(inner, hint, found)
  }
}

function referring(value: unknown, names: ReadonlyMap<string, string>, itself: boolean): unknown {
  if (Array.isArray(value)) return value.map(one => referring(one, names, true))
  if (!isObject(value)) return value
  const name = itself && isShared(value) ? names.get(JSON.stringify(value)) : undefined
  if (name) return { $ref: `#/components/schemas/${name}` }
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === 'example' || key === 'default' || key === 'enum' ? inner : referring(inner, names, true),
    ]),
  )
}

const isShared = (schema: Json) =>
  schema.type === 'object' && isObject(schema.properties) && Object.keys(schema.properties).length >= FEWEST

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const pascal = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

function single(word: string): string {
  if (/(ss|us|is)$/.test(word)) return word
  return word.replace(/ies$/, 'y').replace(/s$/, '')
}
