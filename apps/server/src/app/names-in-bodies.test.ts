import { allContracts } from '@thingwright/contracts/all-contracts'
import type { RouteContract } from '@thingwright/contracts/route'
import { describe, expect, it } from 'vitest'
import type { AppError } from '../lib/errors.ts'
import { namesIn } from './names-in-bodies.ts'

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1 },
    ename: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    password: { type: 'string' },
    kind: { type: 'object', properties: { name: { type: 'string', enum: ['a '] } } },
    rows: { type: 'array', items: { type: 'object', properties: { displayName: { type: 'string' } } } },
  },
}

describe('names in a body', () => {
  it('lose blanks at their ends, wherever they are; nothing else is altered', () => {
    const body = {
      name: ' 水泵\u200b',
      ename: null,
      password: ' x ',
      kind: { name: 'a ' },
      rows: [{ displayName: '\u3000Ann ' }],
    }
    namesIn(schema)!(body)
    expect(body).toEqual({
      name: '水泵',
      ename: null,
      password: ' x ',
      kind: { name: 'a ' },
      rows: [{ displayName: 'Ann' }],
    })
  })

  it('with control characters are refused, each field named', () => {
    const read = namesIn(schema)!
    let fields: AppError['fields']
    try {
      read({ name: 'a\nb', rows: [{ displayName: 'ok' }, { displayName: 'a\u202eb' }] })
    } catch (error) {
      fields = (error as AppError).fields
    }
    expect(Object.keys(fields ?? {})).toEqual(['name', 'rows.1.displayName'])
  })

  it('are left alone where a body has none or another shape', () => {
    expect(namesIn({ type: 'object', properties: { id: { type: 'string' } } })).toBeNull()
    expect(() => namesIn(schema)!(null)).not.toThrow()
    expect(() => namesIn(schema)!({ name: 5, rows: 'x' })).not.toThrow()
  })

  it('are found in the contract of a device', () => {
    const contracts: RouteContract[] = Object.values(allContracts).flatMap(group => Object.values(group))
    const made = contracts.find(({ method, path }) => method === 'POST' && path === '/api/v1/devices')
    const body = { name: ' \u200b ' }
    namesIn(made!.body as object)!(body)
    expect(body.name).toBe('')
  })
})
