import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import type { Actor } from '../../lib/context.ts'
import { defineTool, type Tool } from '../../lib/tools/tools.ts'
import { createToolRegistry } from './registry.ts'

const texts = { zh: 'x', en: 'x' }
const input = Type.Object(
  {
    device: Type.Optional(Type.String({ minLength: 1, maxLength: 10 })),
    hours: Type.Optional(Type.Number({ minimum: 1 })),
    count: Type.Optional(Type.Integer()),
    state: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: ['on', 'off'] })),
    tags: Type.Optional(Type.Array(Type.String())),
    limit: Type.Optional(Type.Integer({ default: 7 })),
  },
  { additionalProperties: false },
)
const tool = (over: object = {}): Tool =>
  defineTool({
    name: 'read_things',
    description: 'Reads things',
    class: 'read',
    permission: 'device:read',
    input,
    words: { title: texts, phrases: { zh: [], en: [] } },
    run: async () => ({ text: '' }),
    ...over,
  } as never)
const person = (...permissions: string[]) => ({ kind: 'member', permissions: new Set(permissions) }) as unknown as Actor

describe('the tools', () => {
  it.each([
    ['two of one name', [tool(), tool()]],
    ['a name that is none', [tool({ name: 'Things' })]],
    ['an input that takes anything', [tool({ input: Type.Object({}) })]],
    ['an input that is no object', [tool({ input: Type.String() })]],
    ['no description', [tool({ description: '' })]],
    ['no words', [tool({ words: undefined })]],
    ['words of one language', [tool({ words: { title: { en: 'x' }, phrases: { zh: [], en: [] } } })]],
    ['phrases of one language', [tool({ words: { title: texts, phrases: { en: [] } } })]],
    [
      'a text of one language',
      [tool({ words: { title: texts, phrases: { zh: [], en: [] }, texts: { a: { zh: 'x' } } } })],
    ],
    ['nothing to run', [tool({ run: undefined })]],
    ['a change without a dry run', [tool({ class: 'write' })]],
  ])('do not start with %s', (_, tools) => {
    expect(() => createToolRegistry(tools as Tool[], [])).toThrow()
  })

  it('do not start with two finders of a kind', () => {
    const finder = { kind: 'device', find: async () => [] } as const
    expect(() => createToolRegistry([], [finder, finder])).toThrow('two finders')
  })

  it('are offered to whoever holds the right, and only those that read to whoever only looks', () => {
    const change = { class: 'write', run: undefined, prepare: () => {}, finish: () => {} }
    const registry = createToolRegistry(
      [
        tool(),
        tool({ ...change, name: 'change_things', permission: 'device:write' }),
        tool({ name: 'read_help', permission: 'signed-in' }),
      ],
      [],
    )
    const names = (actor: Actor, readOnly?: boolean) => registry.offered(actor, readOnly).map(({ name }) => name)
    expect(names(person('device:read', 'device:write'))).toEqual(['read_things', 'change_things', 'read_help'])
    expect(names(person('device:read', 'device:write'), true)).toEqual(['read_things', 'read_help'])
    expect(names(person())).toEqual(['read_help'])
    expect(names({ kind: 'system', reason: 'x' })).toEqual([])
  })
})

describe('an input', () => {
  const registry = createToolRegistry([tool()], [])
  const check = (given: unknown) => registry.check(registry.all[0]!, given, 'en')

  it('has numbers that are written as texts, defaults, and nothing for null and for empty', () => {
    expect(check({ device: '', hours: ' 1.5 ', count: '-3', state: null })).toEqual({
      input: { hours: 1.5, count: -3, limit: 7 },
    })
    expect(check(undefined)).toEqual({ input: { limit: 7 } })
    expect(check(null)).toEqual({ input: { limit: 7 } })
  })

  it.each([
    [{ hours: '' }, { input: { limit: 7 } }],
    [{ hours: 'soon' }, { problem: 'hours must be of type number.' }],
    [{ hours: '0x10' }, { problem: 'hours must be of type number.' }],
    [{ hours: 0 }, { problem: 'hours must be at least 1.' }],
    [{ count: 1.5 }, { problem: 'count must be of type integer.' }],
    [{ device: 5 }, { problem: 'device must be of type string.' }],
    [{ device: 'x'.repeat(11) }, { problem: 'device may have at most 10 characters.' }],
    [{ state: 'up' }, { problem: 'state must be one of: on, off.' }],
    [{ tags: 'a' }, { problem: 'tags must be of type array.' }],
    [{ other: 1 }, { problem: 'There is no argument other.' }],
    [[], { problem: 'The arguments must be an object.' }],
    ['text', { problem: 'The arguments must be an object.' }],
  ])('%j is %j', (given, expected) => {
    expect(check(given)).toEqual(expected)
  })

  it('is a copy that no prototype comes with', () => {
    const given = JSON.parse('{"__proto__":{"limit":1},"device":"a"}')
    const checked = check(given) as { problem?: string; input?: Record<string, unknown> }
    expect(checked.problem ?? checked.input?.limit).not.toBe(1)
    expect(({} as { limit?: number }).limit).toBeUndefined()
  })

  it('is told of in Chinese to whoever asked in Chinese', () => {
    const chinese = registry.check(registry.all[0]!, { count: 'x' }, 'zh') as { problem: string }
    expect(chinese.problem).toBe('参数 count 的类型应为 integer。')
  })
})
