import fc from '../../lib/testing/fast-check.ts'

/** As much of JSON Schema as the route contracts use. */
export interface InputSchema {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: InputSchema[]
  allOf?: InputSchema[]
  oneOf?: InputSchema[]
  properties?: Record<string, InputSchema>
  patternProperties?: Record<string, InputSchema>
  required?: string[]
  items?: InputSchema
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
}

/** Inputs as a schema says. `ids` are tried wherever an id may stand, so that some requests meet real objects. */
export function inputOf(schema: InputSchema, ids: readonly string[]): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return fc.oneof(...choices.map(choice => inputOf(choice, ids)))
  if (schema.allOf)
    return fc.tuple(...schema.allOf.map(part => inputOf(part, ids))).map(parts => Object.assign({}, ...parts))
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object' || schema.properties) return objectOf(schema, ids)
  if (type === 'array')
    return fc.array(inputOf(schema.items ?? {}, ids), {
      minLength: schema.minItems ?? 0,
      maxLength: Math.min(schema.maxItems ?? 5, Math.max(5, schema.minItems ?? 0)),
    })
  if (type === 'integer')
    return fc.integer({ min: schema.minimum ?? -2_147_483_648, max: schema.maximum ?? 2_147_483_647 })
  if (type === 'number')
    return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true, noDefaultInfinity: true })
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  if (type === 'string') return textOf(schema, ids)
  return fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(...ids))
}

function objectOf(schema: InputSchema, ids: readonly string[]): fc.Arbitrary<unknown> {
  const entries = Object.entries(schema.properties ?? {})
  const fields = Object.fromEntries(entries.map(([key, inner]) => [key, inputOf(inner, ids)]))
  return fc.record(fields, { requiredKeys: (schema.required ?? []).filter(key => key in fields) })
}

function textOf(schema: InputSchema, ids: readonly string[]): fc.Arbitrary<string> {
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern))
  if (schema.format === 'date-time') return fc.date({ noInvalidDate: true }).map(date => date.toISOString())
  if (schema.format === 'uuid') return fc.constantFrom(...ids)
  const text = fc.string({
    minLength: schema.minLength ?? 0,
    maxLength: Math.min(schema.maxLength ?? 120, Math.max(120, schema.minLength ?? 0)),
    unit: 'grapheme',
  })
  const fitting = ids.filter(id => id.length >= (schema.minLength ?? 0) && id.length <= (schema.maxLength ?? 1e9))
  return fitting.length > 0 ? fc.oneof(text, fc.constantFrom(...fitting)) : text
}

const AWKWARD: readonly unknown[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202egnp.exe',
  '\u200b',
  'e\u0301',
  '💥'.repeat(40),
  "' or 1=1--",
  '../'.repeat(30),
  '%00',
  '__proto__',
  '9'.repeat(400),
  'a'.repeat(70_000),
  null,
  true,
  -1,
  0,
  1e308,
  2 ** 53,
  -(2 ** 31) - 1,
  1.5,
  [],
  {},
  [null],
  [[[[[[[[]]]]]]]],
  JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}'),
]

/** Good inputs with one thing wrong: the whole, one member, or a member nobody asked for. */
export function brokenInput(good: fc.Arbitrary<unknown>, texts: readonly string[]): fc.Arbitrary<unknown> {
  const wrong = fc.oneof(fc.constantFrom(...AWKWARD), fc.constantFrom(...texts), fc.jsonValue({ maxDepth: 2 }))
  return good.chain(value => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return wrong
    const keys = [...Object.keys(value), 'extra', '__proto__']
    return fc.tuple(fc.constantFrom(...keys), wrong).map(([key, replaced]) => {
      const copy = { ...value }
      Object.defineProperty(copy, key, { value: replaced, enumerable: true, configurable: true, writable: true })
      return copy
    })
  })
}
