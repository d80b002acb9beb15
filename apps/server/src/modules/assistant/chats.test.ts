import { describe, expect, it } from 'vitest'
import { whole } from './chats.repo.ts'
import { languageOf } from './language.ts'
import type { LlmMessage } from './llm.port.ts'

const user = (content: string): LlmMessage => ({ role: 'user', content })
const said = (content: string): LlmMessage => ({ role: 'assistant', content })
const called: LlmMessage = { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'x', arguments: '{}' }] }
const answered: LlmMessage = { role: 'tool', toolCallId: 'c', content: '{}' }

describe('what a conversation remembers', () => {
  it('begins with a question, never within a call and its answers', () => {
    expect(whole([called, answered, said('a'), user('b'), said('c')])).toEqual([user('b'), said('c')])
    expect(whole([answered, said('a')])).toEqual([])
    expect(whole([])).toEqual([])
  })

  it('is its end, as far as it fits', () => {
    const long = 'x'.repeat(29_000)
    const turns = [user(`1${long}`), said('a'), user(`2${long}`), called, answered, user(`3${long}`), said('c')]
    expect(whole(turns)).toEqual(turns.slice(2))
    expect(whole([...turns, user('y'.repeat(10_000))])).toEqual([turns[5], turns[6], user('y'.repeat(10_000))])
    expect(whole([user('z'.repeat(70_000))])).toEqual([])
  })
})

describe('the language of a question', () => {
  it.each([
    ['查询 device pump 的 temperature', 'en', 'zh'],
    ['how warm is it', 'zh', 'en'],
    ['set the temperature of 二车间4号线 to 20', 'zh', 'en'],
    ['history of 温度 last week', 'zh', 'en'],
    ['设备 the pump 离线了吗', 'en', 'zh'],
    ['把 LED 改名为 Line of hope', 'en', 'zh'],
    ['42?', 'zh', 'zh'],
    ['42?', 'en', 'en'],
    ['\u{20000}', 'en', 'zh'],
  ] as const)('%s asked in a console in %s: %s', (question, console, language) => {
    expect(languageOf(question, console)).toBe(language)
  })
})
