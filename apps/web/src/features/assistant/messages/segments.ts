import type { ActivityCard, Card } from '@thingwright/contracts/assistant-cards'
import { cardKey, type PlacedCard } from '../model.ts'

export type Segment =
  | { kind: 'text'; key: string; text: string }
  | { kind: 'activity'; key: string; cards: ActivityCard[] }
  | { kind: 'card'; key: string; card: Exclude<Card, ActivityCard> }

/** Each of them once, where it first stood, in its last state. */
function latest(cards: readonly PlacedCard[]): PlacedCard[] {
  const places = new Map<string, number>()
  const kept: PlacedCard[] = []
  for (const placed of cards) {
    const id = cardKey(placed.card)
    const before = id === null ? undefined : places.get(id)
    if (before !== undefined) kept[before] = { at: kept[before]!.at, card: placed.card }
    else {
      if (id !== null) places.set(id, kept.length)
      kept.push(placed)
    }
  }
  return kept
}

/**
 * An answer as text and cards in their order. Tools at work that follow each other without a word between them are one
 * segment. Keys stay the same while the answer grows.
 */
export function segmentsOf(data: string, cards: readonly PlacedCard[] = []): Segment[] {
  const segments: Segment[] = []
  let from = 0
  const textUntil = (to: number) => {
    const text = data.slice(from, to)
    if (text.trim() !== '') segments.push({ kind: 'text', key: `text-${from}`, text })
    from = Math.max(from, to)
  }
  const ordered = latest(cards)
    .map((placed, index) => ({ ...placed, index }))
    .sort((a, b) => a.at - b.at || a.index - b.index)
  for (const { at, card, index } of ordered) {
    textUntil(Math.min(data.length, Math.max(from, at)))
    const last = segments.at(-1)
    if (card.kind !== 'activity') segments.push({ kind: 'card', key: `card-${index}`, card })
    else if (last?.kind === 'activity') last.cards.push(card)
    else segments.push({ kind: 'activity', key: `activity-${index}`, cards: [card] })
  }
  textUntil(data.length)
  return segments
}
