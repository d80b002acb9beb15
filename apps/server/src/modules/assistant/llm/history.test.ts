import { describe, expect, it } from 'vitest'
import type { LlmMessage } from '../llm.port.ts'
import { fitHistory, shortenResults } from './history.ts'

const user = (content: string): LlmMessage => ({ role: 'user', content })
const said = (content: string, ...ids: string[]): LlmMessage => ({
  role: 'assistant',
  content,
  ...(ids.length > 0 ? { toolCalls: ids.map(id => ({ id, name: 'list', arguments: '{}' })) } : {}),
})
const result = (toolCallId: string, content = '{}'): LlmMessage => ({ role: 'tool', toolCallId, content })

describe('a conversation as a model is told it', () => {
  it('stays as it was when it is whole and short', () => {
    const history = [user('a'), said('', 'x', 'y'), result('x'), result('y'), said('b'), user('c'), said('d')]
    expect(fitHistory(history, 1000)).toEqual(history)
  })

  it('begins with a question', () => {
    expect(fitHistory([result('x'), said('b'), user('c'), said('d')], 1000)).toEqual([user('c'), said('d')])
    expect(fitHistory([said('b')], 1000)).toEqual([])
  })

  it('has no call without its result and no result without its call', () => {
    const broken = [user('a'), said('I look', 'x', 'y'), result('y'), user('b'), said('', 'z'), user('c'), result('w')]
    expect(fitHistory(broken, 1000)).toEqual([user('a'), said('I look', 'y'), result('y'), user('b'), user('c')])
  })

  it('leaves out the oldest turns, never half of one, and what is empty or of the system', () => {
    const history = [
      user('old'),
      said('x'.repeat(400)),
      { role: 'system', content: 's' } as LlmMessage,
      user('new'),
      said(' '),
    ]
    expect(fitHistory(history, 50)).toEqual([user('new')])
    expect(fitHistory(history, 500)).toEqual([user('old'), said('x'.repeat(400)), user('new')])
    expect(fitHistory(history, 1)).toEqual([])
  })

  it('has its oldest results shortened when one answer grows too long, the newest never', () => {
    const long = 'x'.repeat(4000)
    const messages = [user('a'), said('', 'x'), result('x', long), said('', 'y'), result('y', long)]
    shortenResults(messages, 3000)
    expect(messages[2]!.content.length).toBe(4000)
    shortenResults(messages, 1500)
    expect(messages[2]!.content.length).toBeLessThan(400)
    expect(messages[4]!.content).toBe(long)
  })
})
