import { describe, expect, it } from 'vitest'
import { rightsTable, switched } from './rights-table.ts'

const RIGHTS = ['product:read', 'device:read', 'device:write', 'media:delete']

describe('the table of rights', () => {
  it('has a row for each resource and a column for each action, in the order they came', () => {
    const table = rightsTable(RIGHTS)
    expect(table.resources).toEqual(['product', 'device', 'media'])
    expect(table.actions).toEqual(['read', 'write', 'delete'])
    expect(table.has('device', 'write')).toBe(true)
    expect(table.has('product', 'write')).toBe(false)
  })

  it('keeps its order whatever is switched', () => {
    expect(switched(RIGHTS, ['media:delete'], ['device:write', 'product:read'], true)).toEqual([
      'product:read',
      'device:write',
      'media:delete',
    ])
    expect(switched(RIGHTS, RIGHTS, ['device:read', 'device:write'], false)).toEqual(['product:read', 'media:delete'])
    expect(switched(RIGHTS, [], ['unknown:word'], true)).toEqual([])
  })
})
