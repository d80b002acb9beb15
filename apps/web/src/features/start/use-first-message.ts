import { useEffect, useRef, useState } from 'react'
import { call } from '../../lib/api-client.ts'
import { useLiveTopic } from '../../lib/live-socket.ts'

export interface FirstMessage {
  at: number
  /** What it said, in one line; of a refused one, why. */
  words: string
  refused: boolean
}

/** Of so many lines of a log that was empty a moment ago, one is the message. */
const LOOKED_AT = 20
const LONGEST = 160
const isMessage = (kind: unknown) => kind !== 'online' && kind !== 'offline' && kind !== 'command'

/** The first message of a device that has sent none, as it arrives. A refused one gives way to one that was taken. */
export function useFirstMessage(deviceId: string | null): FirstMessage | null {
  const [message, setMessage] = useState<FirstMessage | null>(null)
  const taken = useRef(false)
  useEffect(() => {
    taken.current = false
    setMessage(null)
  }, [deviceId])
  const take = (at: number, { kind, values, refusedReason }: Record<string, unknown>) => {
    if (!isMessage(kind) || taken.current) return
    const refused = kind === 'refused'
    taken.current = !refused
    const words = refused ? String(refusedReason ?? '') : JSON.stringify(values ?? {})
    setMessage({ at, words: words.slice(0, LONGEST), refused })
  }
  useLiveTopic(deviceId === null ? null : `device/${deviceId}/messages`, event => {
    if (event.type === 'patch') take(event.ts, event.patch)
    // What was quicker than the live connection stands in the log only.
    if (event.type === 'snapshot' && deviceId !== null)
      call('telemetry.messages', { params: { id: deviceId }, query: { limit: LOOKED_AT } })
        .then(({ items }) => {
          const newest = items.find(({ kind }) => isMessage(kind))
          if (newest) take(newest.ts, newest)
        })
        .catch(() => undefined)
  })
  return message
}
