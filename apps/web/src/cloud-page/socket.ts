import type { PageValue } from '@thingwright/scene'

export interface PageSocketEvents {
  values(values: Record<string, PageValue>): void
  patch(patch: Record<string, PageValue | null>): void
  /** A new version was published. */
  changed(): void
  /** The visit is over: withdrawn, link ended, rights gone. */
  over(code: string): void
  connected(is: boolean): void
}

const FIRST_MS = 500
const LONGEST_MS = 15_000

/** The page's one socket; it comes back by itself. @returns how to end it */
export function openSocket(ticket: string, events: PageSocketEvents): () => void {
  let socket: WebSocket | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let wait = FIRST_MS
  let ended = false

  function open(): void {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
    socket = new WebSocket(`${scheme}://${location.host}/api/v1/live`)
    socket.onopen = () => socket?.send(JSON.stringify({ op: 'auth', token: ticket }))
    socket.onmessage = event => {
      const message = JSON.parse(String(event.data)) as {
        op?: string
        type?: string
        code?: string
        snapshot?: Record<string, PageValue>
        patch?: Record<string, PageValue | null>
      }
      if (message.op === 'subscribed') {
        wait = FIRST_MS
        events.connected(true)
        events.values(message.snapshot ?? {})
      } else if (message.op === 'changed') events.changed()
      else if (message.op === 'revoked' && message.code !== 'server.stopping' && message.code !== 'page.slow') {
        end()
        events.over(message.code ?? 'page.off_line')
      } else if (message.type === 'patch') events.patch(message.patch ?? {})
    }
    socket.onclose = () => {
      if (ended) return
      events.connected(false)
      timer = setTimeout(open, wait * (0.75 + Math.random() / 2))
      wait = Math.min(LONGEST_MS, wait * 2)
    }
  }

  function end(): void {
    ended = true
    clearTimeout(timer)
    socket?.close()
  }

  open()
  return end
}
