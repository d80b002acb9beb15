import { describe, expect, it } from 'vitest'
import { MAX_LIVE, type Message, mergeMessages, messageOf, messageWords, pushLive } from './message-log.ts'

const message = (id: string, more: Partial<Message> = {}): Message => ({
  id,
  kind: 'property',
  arrivedAt: '2026-01-01T00:00:00.000Z',
  ts: 1,
  deviceTs: null,
  quality: 'good',
  late: false,
  values: null,
  refusedReason: null,
  hex: null,
  text: null,
  ...more,
})

describe('the message log', () => {
  it('shows each message once, the fetched one because it knows the bytes', () => {
    const fetched = message('a', { hex: '7b7d' })
    const merged = mergeMessages([message('b'), message('a')], [fetched], null)
    expect(merged.map(each => each.id)).toEqual(['b', 'a'])
    expect(merged[1]).toBe(fetched)
  })

  it('lets only the asked kind through from the live side', () => {
    const live = [message('a', { kind: 'refused' }), message('b')]
    expect(mergeMessages(live, [], 'refused').map(each => each.id)).toEqual(['a'])
  })

  it('stays bounded however much a device says', () => {
    let live: Message[] = []
    for (let n = 0; n < MAX_LIVE + 20; n++) live = pushLive(live, message(String(n)))
    expect(live).toHaveLength(MAX_LIVE)
    expect(live[0]!.id).toBe(String(MAX_LIVE + 19))
  })

  it('takes only what is a message out of a patch', () => {
    expect(messageOf('1', { kind: 'property', ts: 5, values: { a: 1 } })).toMatchObject({
      id: '1',
      ts: 5,
      quality: 'good',
    })
    expect(messageOf('1', { kind: 'other', ts: 5 })).toBeNull()
    expect(messageOf('1', { kind: 'property' })).toBeNull()
  })

  it('says in one line what a message was', () => {
    expect(messageWords(message('a', { text: '{\n "a": 1\n}' }))).toBe('{ "a": 1 }')
    expect(messageWords(message('a', { values: { a: 1 } }))).toBe('{"a":1}')
    expect(messageWords(message('a', { hex: 'ff' }))).toBe('ff')
  })
})
