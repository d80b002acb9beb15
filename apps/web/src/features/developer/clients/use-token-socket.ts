import { useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { useLog } from './use-log.ts'

export type SocketState = 'closed' | 'connecting' | 'connected'

/** A frame of the server, as far as the pages look at it. */
export interface Frame {
  op?: string
  type?: string
  topic?: string
  cursor?: number
  items?: unknown[]
}

/** Close codes that have a meaning of their own. */
const CLOSED = [1006, 4401, 4408, 4409] as const

/**
 * A socket that wants a token in its first message and says `ready` then: the live socket, the stream of a data
 * subscription. Everything that goes over it is written to the log, except the token.
 */
export function useTokenSocket({ add }: ReturnType<typeof useLog>, onFrame?: (frame: Frame) => void) {
  const { t } = useTranslation('developer')
  const socket = useRef<WebSocket | null>(null)
  const heard = useRef(onFrame)
  heard.current = onFrame
  const [state, setState] = useState<SocketState>('closed')
  useEffect(() => () => socket.current?.close(1000), [])

  const send = useCallback(
    (message: Record<string, unknown>) => {
      socket.current?.send(JSON.stringify(message))
      const shown = 'token' in message ? { ...message, token: '…' } : message
      add({ kind: 'out', title: String(message.op), body: JSON.stringify(shown) })
    },
    [add],
  )
  const connect = (path: string, token: string) => {
    if (socket.current) return
    const { protocol, host } = location
    const ws = new WebSocket(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}${path}`)
    socket.current = ws
    setState('connecting')
    ws.onopen = () => send({ op: 'auth', token })
    ws.onmessage = ({ data }) => {
      const text = String(data)
      const frame = parse(text)
      const { op, type, topic, items } = frame
      if (op === 'ready') setState('connected')
      add({
        kind: op === 'denied' || op === 'error' ? 'error' : 'in',
        title: [op ?? type, topic].filter(Boolean).join(' '),
        detail: items ? `${items.length}` : '',
        body: text,
      })
      heard.current?.(frame)
    }
    ws.onclose = ({ code }) => {
      if (socket.current !== ws) return
      socket.current = null
      setState('closed')
      const known = CLOSED.find(each => each === code)
      add({
        kind: code === 1000 || code === 1005 ? 'note' : 'error',
        title: `${t('clients.state.closed')} ${code}`,
        detail: known ? t(`clients.closed.${known}`) : '',
      })
    }
  }
  return { state, send, connect, close: () => socket.current?.close(1000) }
}

function parse(text: string): Frame {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Frame) : {}
  } catch {
    return {}
  }
}
