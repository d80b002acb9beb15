import type { DataType, Param, ThingModel } from '../src/model.ts'
import { LIMITS } from '../src/model.ts'
import { parseModel } from '../src/parse.ts'
import fc from './fast-check.ts'

/** Parses a model that is expected to be right; the problems stand in the error otherwise. */
export function modelOf(model: { properties?: unknown[]; events?: unknown[]; services?: unknown[] }): ThingModel {
  const result = parseModel(model)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.model
}

/** A model with one property `p` of the given type. */
export function modelWith(dataType: unknown, access = 'rw'): ThingModel {
  return modelOf({ properties: [{ identifier: 'p', name: 'p', dataType, access }] })
}

const identifier = fc
  .stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,11}$/)
  .filter(text => !['__proto__', 'constructor', 'prototype', 'ts', 'values'].includes(text))

const storable = fc.string({ unit: 'grapheme', maxLength: 20 }).filter(text => !text.includes('\0'))

/** Any data type within the limits of a model, three levels deep. */
export const anyDataType: fc.Arbitrary<DataType> = fc.letrec<{ type: DataType; field: Param }>(tie => ({
  type: fc.oneof(
    { depthSize: 'small', maxDepth: 2 },
    fc.constantFrom<DataType>({ type: 'bool' }, { type: 'date' }, { type: 'geo' }, { type: 'json' }, { type: 'int32' }),
    fc.constantFrom<DataType>({ type: 'int64' }, { type: 'float' }, { type: 'double' }, { type: 'bytes' }),
    fc.constantFrom<DataType>({ type: 'duration' }, { type: 'colour' }),
    fc.tuple(fc.integer(), fc.nat()).map(([min, span]): DataType => ({ type: 'double', min, max: min + span })),
    fc.integer({ min: 1, max: LIMITS.stringLength }).map((maxLength): DataType => ({ type: 'string', maxLength })),
    fc
      .uniqueArray(fc.oneof(fc.integer(), fc.stringMatching(/^[a-z]{1,8}$/)), { minLength: 1, maxLength: 5 })
      .map((values): DataType => ({ type: 'enum', items: values.map(value => ({ value, name: `n${value}` })) })),
    fc.record({ type: fc.constant('array' as const), element: tie('type'), maxItems: fc.integer({ min: 1, max: 9 }) }),
    fc
      .uniqueArray(tie('field'), { minLength: 1, maxLength: 4, selector: field => field.identifier })
      .map((fields): DataType => ({ type: 'struct', fields })),
  ),
  field: fc.record({ identifier, name: fc.constant('n'), dataType: tie('type'), required: fc.boolean() }),
})).type

/** A value in normal form that the type takes. */
export function validValue(dataType: DataType): fc.Arbitrary<unknown> {
  switch (dataType.type) {
    case 'bool':
      return fc.boolean()
    case 'int32':
      return fc.integer()
    case 'int64':
      return fc
        .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
        .map(big => (Number.isSafeInteger(Number(big)) ? Number(big) : String(big)))
    case 'float':
      return fc.float({ noNaN: true, noDefaultInfinity: true }).map(value => value + 0)
    case 'double':
      return fc
        .double({ min: dataType.min, max: dataType.max, noNaN: true, noDefaultInfinity: true })
        .map(value => value + 0)
    case 'string':
      return storable.map(text => text.slice(0, dataType.maxLength)).filter(text => text.isWellFormed())
    case 'enum':
      return fc.constantFrom(...dataType.items.map(item => item.value))
    case 'date':
    case 'duration':
      return fc.integer({ min: 0, max: 4_102_444_800_000 })
    case 'password':
      return storable.filter(text => text.isWellFormed())
    case 'colour':
      return fc.integer({ min: 0, max: 0xffffff }).map(n => `#${n.toString(16).padStart(6, '0')}`)
    case 'struct':
      return fc.record(
        Object.fromEntries(dataType.fields.map(field => [field.identifier, validValue(field.dataType)])),
        {
          requiredKeys: dataType.fields.filter(field => field.required).map(field => field.identifier),
        },
      )
    case 'array':
      return fc.array(validValue(dataType.element), { maxLength: dataType.maxItems })
    case 'geo':
      return fc.record({
        lng: fc.double({ min: -180, max: 180, noNaN: true }).map(value => value + 0),
        lat: fc.double({ min: -90, max: 90, noNaN: true }).map(value => value + 0),
      })
    case 'file':
      return fc.constantFrom('https://example.com/a.jpg', '/api/v1/media/1')
    case 'json':
      return fc
        .jsonValue({ maxDepth: 4 })
        .map(value => JSON.parse(JSON.stringify(value)) as unknown)
        .filter(value => !/\\u0000|\\ud[89a-f]|__proto__/.test(JSON.stringify(value)))
    case 'bytes':
      return fc.uint8Array({ maxLength: 20 }).map(bytes => Buffer.from(bytes).toString('hex'))
  }
}
