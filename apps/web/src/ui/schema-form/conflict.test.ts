import { describe, expect, it } from 'vitest'
import { ApiError } from '../../lib/api/api-error.ts'
import { differences, onTop, storedIn } from './conflict.ts'
import type { Field } from './field.ts'

const fields: Field[] = [
  { kind: 'string', key: 'name', label: 'Name' },
  { kind: 'string', key: 'note', label: 'Note' },
  { kind: 'string', key: 'secret', label: 'Secret' },
]
const conflict = (current: unknown) =>
  new ApiError({ status: 409, code: 'version.conflict', message: 'x', requestId: 'r', params: { current } } as never)

describe('a form that somebody else was quicker than', () => {
  const start = { name: 'Pump', note: 'old', secret: undefined }
  const mine = { name: 'Pump 7', note: 'old', secret: undefined }
  const theirs = storedIn(conflict({ id: 'x', version: 4, name: 'Well', note: 'new' }), fields, start)!

  it('knows what was stored, and nothing of what the answer does not tell', () => {
    expect(theirs).toEqual({ version: 4, values: { name: 'Well', note: 'new' } })
    expect(storedIn(conflict(undefined), fields, start)).toBeNull()
    expect(storedIn(conflict({ version: 4, name: ['in', 'parts'] }), fields, start)?.values).toEqual({})
    expect(storedIn(new Error('x'), fields, start)).toBeNull()
  })

  it('tells where both changed the same field', () => {
    expect(differences(fields, start, mine, theirs.values).map(({ field, both }) => [field.key, both])).toEqual([
      ['name', true],
      ['note', false],
    ])
  })

  it('saves what was changed here, and leaves to the other what was not', () => {
    expect(onTop(start, mine, theirs.values)).toEqual({ name: 'Pump 7', note: 'new', secret: undefined })
  })
})
