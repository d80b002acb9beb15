import type { Card } from '@thingwright/contracts/assistant-cards'

/** The thing that the page showed when the question was asked, attached by the asker. */
export interface PageContext {
  kind: 'device' | 'product'
  id: string
}

/** A card with its place: the length of the text before it. */
export interface PlacedCard {
  at: number
  card: Card
}

/** One message of a conversation, as it is kept in this browser (specification §3). */
export interface AssistantMessage {
  /** Tells messages apart when two tabs write the same conversation. */
  key: string
  /** R: the person's question; L: the assistant's reply. */
  type: 'R' | 'L'
  /** Text; of a reply in Markdown. */
  data: string
  /** 0: a question; 1: a reply that is still coming; 2: a finished reply. */
  state: 0 | 1 | 2
  /** Epoch ms. */
  time: number
  cards?: PlacedCard[]
  /** Names the reply on the server: for its rating, for stopping and continuing it. */
  replyId?: string
  rating?: 'up' | 'down' | null
  /** When it was changed last, epoch ms: of two tabs' versions the later one counts. */
  changed?: number
  context?: PageContext
}

/** A conversation as it is kept (specification §3): one row of the person's table. */
export interface ChatRecord {
  id?: number
  /** The first question, until it is renamed. */
  name: string
  content: AssistantMessage[]
  /** When it was saved last, epoch ms. */
  time: number
  /** Names the conversation's context on the server; a UUID made here. */
  chatId: string
}

/** What the element that draws a message is given. */
export interface MessageBodyProps {
  message: AssistantMessage
  /** Asks the next question (the options of a choices card). */
  onSend: (input: string) => void
  /** The question that followed this message: its choices are closed. */
  answer?: string | null
  /** A reply is being given: nothing else can be asked now. */
  waiting?: boolean
  /** A card changed outside the stream (a decision, an undo): it is kept in the conversation. */
  onCard?: (card: Card) => void
}

/** What tells a card from others of its kind; null: it stands for itself alone. */
export function cardKey(card: Card): string | null {
  return 'id' in card ? `${card.kind}:${card.id}` : null
}

/** The message with a card put at the end of its text, or in the place where the same card stood before. */
export function withCard(message: AssistantMessage, card: Card): AssistantMessage {
  const cards = message.cards ?? []
  const key = cardKey(card)
  const index = key === null ? -1 : cards.findIndex(placed => cardKey(placed.card) === key)
  if (index < 0) return { ...message, cards: [...cards, { at: message.data.length, card }] }
  return { ...message, cards: cards.map((placed, i) => (i === index ? { at: placed.at, card } : placed)) }
}
