import type { Card } from '@thingwright/contracts/assistant-cards'
import { expect, it } from 'vitest'
import { type AssistantMessage, withCard } from './model.ts'

const reply = (data: string): AssistantMessage => ({ key: 'k', type: 'L', data, state: 1, time: 0 })
const activity = (state: 'running' | 'done', id = 'a'): Card => ({ kind: 'activity', id, tool: 't', title: 'T', state })
const links: Card = { kind: 'links', title: 'L', items: [] }

it('puts a card behind the text so far, and the same card again into its old place', () => {
  let message = withCard(reply('abc'), activity('running'))
  message = withCard({ ...message, data: 'abcdef' }, links)
  message = withCard(message, activity('running', 'b'))
  message = withCard(message, activity('done'))
  expect(message.cards).toEqual([
    { at: 3, card: activity('done') },
    { at: 6, card: links },
    { at: 6, card: activity('running', 'b') },
  ])
  // A card without a name stands for itself.
  expect(withCard(message, links).cards).toHaveLength(4)
})
