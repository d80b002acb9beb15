import type { PageValue } from '@thingwright/scene'

/** What a trigger shows or says on open pages; `level` of its alarm, 0: none. */
export interface PageMessage {
  kind: 'popup' | 'speak'
  text: string
  level: number
}

export interface PageSocketEvents {
  values(values: Record<string, PageValue>): void
  patch(patch: Record<string, PageValue | null>): void
  /** A new version was published. */
  changed(): void
  /** The visit is over: withdrawn, link ended, rights gone. */
  over(code: string): void
  connected(is: boolean): void
  /** A trigger shows something. */
  message(message: PageMessage): void
}

const FIRST_MS = 500
const LONGEST_MS = 15_000
/** After so long without a word the server is asked whether the connection still carries. */
const PING_AFTER_MS = 15_000
const ANSWER_WITHIN_MS = 10_000

/** The page's one socket; it comes back by itself. @returns how to end it */
export function openSocket(ticket: string, events: PageSocketEvents): () => void {
  let socket: WebSocket | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let wait = FIRST_MS
  let ended = false
  let heardAt = Date.now()
  let watch: ReturnType<typeof setTimeout> | undefined

  /** After a sleep of the machine a socket can look open for ever: without an answer it counts as closed. */
  function ask(): void {
    clearTimeout(watch)
    if (socket?.readyState !== WebSocket.OPEN) return
    const askedAt = Date.now()
    if (askedAt - heardAt > PING_AFTER_MS + ANSWER_WITHIN_MS) events.connected(false)
    socket.send(JSON.stringify({ op: 'ping' }))
    watch = setTimeout(() => {
      if (heardAt < askedAt) lost()
      else watchOn()
    }, ANSWER_WITHIN_MS)
  }

  function watchOn(): void {
    clearTimeout(watch)
    watch = setTimeout(() => (Date.now() - heardAt < PING_AFTER_MS ? watchOn() : ask()), PING_AFTER_MS)
  }

  function lost(): void {
    if (ended) return
    clearTimeout(watch)
    if (socket) socket.onclose = null
    socket?.close()
    events.connected(false)
    timer = setTimeout(open, wait * (0.75 + Math.random() / 2))
    wait = Math.min(LONGEST_MS, wait * 2)
  }

  const seen = () => {
    if (document.visibilityState === 'visible') ask()
  }

  function open(): void {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
    socket = new WebSocket(`${scheme}://${location.host}/api/v1/live`)
    socket.onopen = () => socket?.send(JSON.stringify({ op: 'auth', token: ticket }))
    socket.onmessage = event => {
      heardAt = Date.now()
      const message = JSON.parse(String(event.data)) as {
        op?: string
        type?: string
        code?: string
        snapshot?: Record<string, PageValue>
        patch?: Record<string, PageValue | null>
        kind?: PageMessage['kind']
        text?: string
        level?: number
      }
      if (message.op === 'pong') events.connected(true)
      else if (message.op === 'subscribed') {
        wait = FIRST_MS
        events.connected(true)
        watchOn()
        events.values(message.snapshot ?? {})
      } else if (message.op === 'message')
        events.message({ kind: message.kind ?? 'popup', text: message.text ?? '', level: message.level ?? 0 })
      else if (message.op === 'changed') events.changed()
      else if (message.op === 'revoked' && message.code !== 'server.stopping' && message.code !== 'page.slow') {
        end()
        events.over(message.code ?? 'page.off_line')
      } else if (message.type === 'patch') events.patch(message.patch ?? {})
    }
    socket.onclose = lost
  }

  function end(): void {
    ended = true
    clearTimeout(timer)
    clearTimeout(watch)
    document.removeEventListener('visibilitychange', seen)
    socket?.close()
  }

  document.addEventListener('visibilitychange', seen)
  open()
  return end
}
