import { describe, expect, it } from 'vitest'
import { filteredSql, waysOf } from './filters.ts'
import { part, type Runner, sql } from './statement.ts'

interface Filter {
  name?: string
  state?: string
  tag?: string
}

const FIND = filteredSql<{ id: string }, Filter>(
  {
    filters: {
      name: part`(t.name = $1 or $1 = '')`,
      state: { gone: part`t.gone`, other: part`t.state = $1` },
      tag: part`$1 = any (t.tags)`,
    },
    given: 2,
  },
  where => part`select id from things t where t.company = $1 and ${where} limit $2`,
)

describe('a statement with filters', () => {
  it('numbers the values of what is asked for after its own, in the order of the filters', () => {
    const [{ text }, params] = FIND.of({ tag: 'x', name: 'a' }, 'company', 10)
    expect(text).toBe(
      `select id from things t where t.company = $1 and (t.name = $3 or $3 = '') and $4 = any (t.tags) limit $2`,
    )
    expect(params).toEqual(['company', 10, 'a', 'x'])
  })

  it('has a condition of its own for a value that is no parameter', () => {
    expect(FIND.of({ state: 'gone' }, 'c', 1)).toMatchObject([
      { text: 'select id from things t where t.company = $1 and t.gone limit $2' },
      ['c', 1],
    ])
    expect(FIND.of({ state: 'new' }, 'c', 1)[1]).toEqual(['c', 1, 'new'])
  })

  it('asks for everything without a filter', () => {
    expect(FIND.of({}, 'c', 1)[0].text).toBe('select id from things t where t.company = $1 and true limit $2')
  })

  it('is the same value each time the same is asked', () => {
    expect(FIND.of({ name: 'a' }, 'c', 1)[0]).toBe(FIND.of({ name: 'b' }, 'd', 2)[0])
    expect(FIND.of({ name: 'a' }, 'c', 1)[0]).not.toBe(FIND.of({ tag: 'a' }, 'c', 1)[0])
  })

  it('wants as many parameters of its own as it has', () => {
    expect(() => FIND.of({}, 'c')).toThrow('2 parameters come first, 1 were given')
  })
})

describe('what the check of all statements asks', () => {
  it('is one way of a condition, and one for each value that has its own', () => {
    expect(waysOf('name', part`t.name = $1`)).toEqual([{ key: 'name', text: 't.name = $1', hasValue: true }])
    expect(waysOf('state', { gone: part`t.gone`, other: part`t.state = $1` })).toEqual([
      { key: 'state=gone', text: 't.gone', hasValue: false },
      { key: 'state=other', text: 't.state = $1', hasValue: true },
    ])
  })
})

describe('a scope', () => {
  it('takes statements and nothing else', async () => {
    const ran: unknown[] = []
    const scope = { run: async (statement: unknown) => void ran.push(statement) } as unknown as Runner
    // @ts-expect-error a text is no statement
    await scope.run('select 1')
    // @ts-expect-error there is no other way in
    expect(scope.query).toBeUndefined()
    // @ts-expect-error nothing but pieces and numbers of the program stands in a statement
    sql`select ${'name'} from things`
    await scope.run(sql`select 1`)
    expect(ran).toHaveLength(2)
  })
})
