import type { ApprovalCard, Card } from '@thingwright/contracts/assistant-cards'

/** One event of an answer of the assistant. */
export interface StreamEvent {
  id: string
  kind: 'text' | 'card' | 'error'
  data: string
  card?: Card
  code?: string
  message?: string
}

/** An answer as it arrives over a real connection. */
export interface Answer {
  status: number
  headers: Headers
  /** Body of an answer that is no stream. */
  json(): Promise<{ code: string; message: string }>
  readonly events: readonly StreamEvent[]
  /** Everything that arrived, as it was. */
  readonly raw: string
  readonly text: string
  readonly replyId: string
  /** The latest state of each approval. */
  readonly approvals: ApprovalCard[]
  readonly cards: Card[]
  /** Resolves with the first event that fits, fails when the answer ends without one. */
  until(fits: (event: StreamEvent) => boolean): Promise<StreamEvent>
  /** The next approval that waits. */
  asked(): Promise<ApprovalCard>
  /** Resolves when the stream has ended. */
  ended: Promise<void>
  /** Cuts the connection. */
  cut(): void
}

/** Asks over HTTP and reads while it comes, in our own words: no code of the console. */
export async function readAnswer(url: string, headers: Record<string, string>): Promise<Answer> {
  const control = new AbortController()
  const response = await fetch(url, { headers, signal: control.signal })
  const stream = response.headers.get('content-type')?.startsWith('text/event-stream')
  const events: StreamEvent[] = []
  let raw = ''
  let over = false
  const watchers = new Set<() => void>()
  const ended = stream ? read() : Promise.resolve()
  // Who waits for the end hears that it broke off; who does not is gone by then.
  ended.catch(() => undefined)

  async function read(): Promise<void> {
    const decoder = new TextDecoder()
    let rest = ''
    try {
      for await (const chunk of response.body!) {
        const text = decoder.decode(chunk, { stream: true })
        raw += text
        rest += text
        for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
          const event = parsed(rest.slice(0, end))
          rest = rest.slice(end + 2)
          if (event) events.push(event)
        }
        for (const watch of watchers) watch()
      }
    } catch (error) {
      if (!control.signal.aborted) throw error
    } finally {
      over = true
      for (const watch of watchers) watch()
    }
  }

  function until(fits: (event: StreamEvent) => boolean): Promise<StreamEvent> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = events.find(fits)
        if (!found && !over) return
        watchers.delete(look)
        if (found) resolve(found)
        else reject(new Error(`the answer ended: ${raw.slice(-2000)}`))
      }
      watchers.add(look)
      look()
    })
  }

  const approvals = () => {
    const latest = new Map<string, ApprovalCard>()
    for (const { card } of events) if (card?.kind === 'approval') latest.set(card.id, card)
    return [...latest.values()]
  }

  return {
    status: response.status,
    headers: response.headers,
    json: async () => (await response.json()) as { code: string; message: string },
    events,
    get raw() {
      return raw
    },
    get text() {
      return events.map(event => event.data).join('')
    },
    get replyId() {
      return events[0]!.id.split(':')[0]!
    },
    get approvals() {
      return approvals()
    },
    get cards() {
      return events.flatMap(event => (event.card ? [event.card] : []))
    },
    until,
    async asked() {
      const { card } = await until(
        event =>
          event.card?.kind === 'approval' &&
          approvals().some(a => a.id === (event.card as ApprovalCard).id && a.state === 'pending'),
      )
      return card as ApprovalCard
    },
    ended,
    cut: () => control.abort(),
  }
}

function parsed(block: string): StreamEvent | null {
  const id = /^id: (.+)$/m.exec(block)?.[1]
  const data = /^data: (.+)$/m.exec(block)?.[1]
  if (!id || !data) return null
  const [kind, rest] = JSON.parse(data) as [StreamEvent['kind'], Omit<StreamEvent, 'id' | 'kind'>]
  return { id, kind, ...rest }
}
