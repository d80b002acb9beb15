import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import type { Tool } from '../../../lib/tools/tools.ts'
import { chooseTools } from './choose-tools.ts'

const tool = (name: string, zh = '', en = ''): Tool =>
  ({
    name,
    description: en,
    class: 'read',
    permission: 'device:read',
    input: Type.Object({}, { additionalProperties: false }),
    words: { title: { zh, en }, phrases: { zh: [], en: [] } },
  }) as unknown as Tool

const TOOLS = [
  ...Array.from({ length: 30 }, (_, n) => tool(`aaa_other_${n}`, '其他事情', 'Something else altogether')),
  tool('firmware_versions', '各固件版本的设备数', 'How many devices run each firmware version'),
  tool('sign_in_history', '登录记录', 'Who signed in, and failed sign-ins'),
  tool('zzz_campaign', '升级活动的进度', 'Progress of firmware campaigns'),
]
const names = (tools: Tool[]) => tools.map(({ name }) => name)

describe('tools for a model that takes only so many', () => {
  it('are all of them as long as they fit, in the order of their names', () => {
    expect(names(chooseTools(TOOLS.toReversed(), 'anything', [], 40))).toEqual(names(TOOLS).sort())
  })

  it.each([
    ['How many devices still run an old firmware version?', 'firmware_versions'],
    ['哪些设备还在用旧固件', 'firmware_versions'],
    ['Has anybody failed to sign in?', 'sign_in_history'],
    ['升级进行到哪一步了', 'zzz_campaign'],
  ])('are those of the question: %s', (question, wanted) => {
    const chosen = names(chooseTools(TOOLS, question, [], 3))
    expect(chosen).toContain(wanted)
    expect(chosen).toHaveLength(3)
    expect(chosen).toEqual(chosen.toSorted())
  })

  it('are those of the conversation: what was asked and used before', () => {
    const history = [
      { role: 'user' as const, content: '升级进行到哪一步了' },
      { role: 'assistant' as const, content: '', toolCalls: [{ id: 'x', name: 'sign_in_history', arguments: '{}' }] },
    ]
    expect(names(chooseTools(TOOLS, '然后呢？', history, 2))).toEqual(['sign_in_history', 'zzz_campaign'])
  })
})
