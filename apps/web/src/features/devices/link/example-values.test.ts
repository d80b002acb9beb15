import { compileModel, parseModel } from '@thingwright/thing-model'
import { expect, it } from 'vitest'
import { examplePayload } from './example-values.ts'

const modelOf = (properties: unknown[]) => {
  const parsed = parseModel({ properties })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return parsed.model
}
const p = (identifier: string, dataType: unknown, access = 'r') => ({ identifier, name: 'n', dataType, access })

it('is a message that the model takes', () => {
  const model = modelOf([
    p('w', { type: 'bool' }, 'w'),
    p('s', { type: 'struct', fields: [{ identifier: 'x', name: 'x', dataType: { type: 'bool' } }] }),
    p('level', { type: 'double', min: 0, max: 5 }),
    p('count', { type: 'int32', max: 3 }),
    p('more', { type: 'bool' }),
  ])
  const payload = JSON.parse(examplePayload(model)) as unknown
  expect(payload).toEqual({ level: 2.5, count: 3 })
  expect(compileModel(model).checkProperties(payload)).toMatchObject({ ok: true })
})

it('is there before the model is known', () => {
  expect(examplePayload(null)).toBe('{"temperature":21.5}')
  expect(examplePayload(modelOf([]))).toBe('{}')
})
