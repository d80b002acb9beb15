import type { Card } from '@thingwright/contracts/assistant-cards'
import { describe, expect, it } from 'vitest'
import { segmentsOf } from './segments.ts'

const activity = (id: string, state: 'running' | 'done' = 'done'): Card => ({
  kind: 'activity',
  id,
  tool: 'find_devices',
  title: id,
  state,
})
const links: Card = { kind: 'links', title: 'More', items: [] }
const brief = (...given: Parameters<typeof segmentsOf>) =>
  segmentsOf(...given).map(segment =>
    segment.kind === 'text'
      ? segment.text
      : segment.kind === 'activity'
        ? segment.cards.map(c => c.id)
        : segment.card.kind,
  )

describe('an answer in pieces', () => {
  it('has its cards where they came', () => {
    expect(brief('Hello world', [{ at: 6, card: links }])).toEqual(['Hello ', 'links', 'world'])
    expect(
      brief('abc', [
        { at: 99, card: links },
        { at: 0, card: activity('a') },
      ]),
    ).toEqual([['a'], 'abc', 'links'])
    expect(brief('only text')).toEqual(['only text'])
    expect(brief('', [])).toEqual([])
  })

  it('puts tools at work together as long as no word stands between them', () => {
    const cards = [
      { at: 0, card: activity('a') },
      { at: 1, card: activity('b') },
      { at: 4, card: activity('c') },
    ]
    expect(brief('\n\nxy', cards)).toEqual([['a', 'b'], '\nxy', ['c']])
  })

  it('shows a card that came again once, in its last state at its first place', () => {
    const [first] = segmentsOf('text after', [
      { at: 0, card: activity('a', 'running') },
      { at: 5, card: activity('a', 'done') },
    ])
    expect(first).toMatchObject({ kind: 'activity', cards: [{ id: 'a', state: 'done' }] })
    expect(
      brief('text', [
        { at: 0, card: links },
        { at: 0, card: links },
      ]),
    ).toEqual(['links', 'links', 'text'])
  })

  it('keeps the keys of what was there while it grows', () => {
    const cards = [{ at: 3, card: links }]
    const before = segmentsOf('abcde', cards).map(segment => segment.key)
    const after = segmentsOf('abcdefgh', [...cards, { at: 8, card: activity('x') }]).map(segment => segment.key)
    expect(after.slice(0, before.length)).toEqual(before)
    expect(new Set(after).size).toBe(after.length)
  })
})
