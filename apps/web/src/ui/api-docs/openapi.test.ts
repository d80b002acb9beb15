import { describe, expect, it } from 'vitest'
import { example, groupsOf, inner, type OpenApiDocument, search, typeWord } from './openapi.ts'

const document: OpenApiDocument = {
  info: { title: 'T', version: '1' },
  paths: {
    '/api/v1/things/{id}': {
      patch: {
        summary: "Renames Li's thing",
        'x-summary-zh': '重命名',
        tags: ['Things'],
        'x-tag-zh': '物品',
        'x-permission': 'thing:write',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['name'],
                properties: {
                  version: { type: 'integer', minimum: 1 },
                  name: { type: 'string', minLength: 1, default: "Li's" },
                  kind: { enum: ['a', 'b'] },
                  late: { type: 'string' },
                },
              },
            },
          },
        },
        responses: {
          '200': {
            content: { 'application/json': { schema: { type: 'object', properties: { ok: { type: 'boolean' } } } } },
          },
          '4xx': {},
        },
      },
      parameters: [] as never,
    },
    '/api/v1/files': {
      post: {
        tags: ['Files'],
        'x-permission': 'file:write',
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                required: ['file'],
                properties: { file: { type: 'string', format: 'binary' } },
              },
            },
          },
        },
      },
    },
    '/oauth/captcha': { get: { tags: ['Sign-in'], security: [], responses: {} } },
  },
}
const groups = groupsOf(document)

describe('the interface document', () => {
  it('is grouped by tag, with the right of each operation', () => {
    expect(groups.map(group => [group.tag, group.operations.map(each => [each.method, each.permission])])).toEqual([
      ['Files', [['POST', 'file:write']]],
      ['Sign-in', [['GET', null]]],
      ['Things', [['PATCH', 'thing:write']]],
    ])
  })

  it('has shared schemas where they are referred to', () => {
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } }
    const [group] = groupsOf({
      info: { title: 'T', version: '1' },
      paths: { '/x': { get: { responses: { '200': { content } } } } },
      components: {
        schemas: {
          Thing: { type: 'object', properties: { owner: { $ref: '#/components/schemas/Owner' } } },
          Owner: { type: 'object', properties: { name: { type: 'string' } } },
        },
      },
    })
    expect(group!.operations[0]!.reply.schema).toEqual({
      type: 'object',
      properties: { owner: { type: 'object', properties: { name: { type: 'string' } } } },
    })
  })

  it('says what each operation is for in both languages, in English where there is no Chinese', () => {
    const [files, , things] = groups
    expect([things!.words, things!.operations[0]!.words]).toEqual([
      { zh: '物品', en: 'Things' },
      { zh: { summary: '重命名', tag: '物品' }, en: { summary: "Renames Li's thing", tag: 'Things' } },
    ])
    expect([files!.words.zh, files!.operations[0]!.words.zh]).toEqual(['Files', { summary: '', tag: 'Files' }])
  })

  it('is searched by all words', () => {
    const found = (text: string) => search(groups, text).flatMap(group => group.operations.map(each => each.path))
    expect(found('thing patch')).toEqual(['/api/v1/things/{id}'])
    expect(found('RENAMES')).toEqual(['/api/v1/things/{id}'])
    expect(found('重命名 物品')).toEqual(['/api/v1/things/{id}'])
    expect(found('file:write')).toEqual(['/api/v1/files'])
    expect(found('thing files')).toEqual([])
    expect(found(' ')).toHaveLength(3)
  })

  it('says types in a word', () => {
    expect(typeWord({ type: 'string', format: 'uuid' })).toBe('string(uuid)')
    expect(typeWord({ type: 'integer', minimum: 1, maximum: 100 })).toBe('integer 1…100')
    expect(typeWord({ type: 'string', maxLength: 64 })).toBe('string …64')
    expect(typeWord({ enum: ['a', 'b'] })).toBe('"a" | "b"')
    expect(typeWord({ anyOf: [{ type: 'string' }, { type: 'null' }] })).toBe('string | null')
    expect(typeWord({ type: 'array', items: { type: 'object' } })).toBe('object[]')
    expect(typeWord({})).toBe('any')
    expect(inner({ type: 'array', items: { type: 'object', properties: { a: {} } } })?.properties).toEqual({ a: {} })
    expect(inner({ type: 'string' })).toBeNull()
  })

  it('makes examples that end', () => {
    const deep: Record<string, unknown> = { type: 'object', properties: {} }
    ;(deep.properties as Record<string, unknown>).self = deep
    expect(JSON.stringify(example(deep)).length).toBeLessThan(200)
  })
})
