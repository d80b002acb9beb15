import type { CommandView } from '@thingwright/contracts/commands.contract'
import { useCallback, useEffect, useRef, useState } from 'react'
import { call } from '../../../lib/api-client.ts'
import { errorFacts, isSilent } from '../../../lib/errors.ts'
import { useLiveTopic } from '../../../lib/live-socket.ts'
import { sendGuarded } from '../../../ui/command-kit/send-guarded.ts'
import { isFinal, newer } from '../commands/command-words.ts'

export interface WriteState {
  /** `waiting`: the device is not there, the command lies in its queue. */
  phase: 'sending' | 'waiting' | 'done' | 'refused'
  value: unknown
  command: CommandView | null
  /** Why not, in words of the server or the device; empty where the command's state says it all. */
  reason: string
}

const DONE_MS = 1000
const POLL_MS = 3000

/** Phase and reason of a write whose command is now so. */
export function phaseOf(command: CommandView, online: boolean): Pick<WriteState, 'phase' | 'reason'> {
  if (command.state === 'succeeded') return { phase: 'done', reason: '' }
  if (isFinal(command.state)) return { phase: 'refused', reason: command.errorMessage ?? '' }
  return { phase: command.state === 'queued' && !online ? 'waiting' : 'sending', reason: '' }
}

export interface PropertyWriter {
  writes: ReadonlyMap<string, WriteState>
  /** Sets one property; the way of its command is then found in `writes`. */
  write: (identifier: string, value: unknown) => void
  /** Takes back a command that still waits. */
  cancel: (identifier: string) => void
  dismiss: (identifier: string) => void
}

/** Sets properties of one device and follows each command to its end: by the live socket, and by asking when it is silent. */
export function usePropertyWriter(deviceId: string, online: boolean): PropertyWriter {
  const [writes, setWrites] = useState<ReadonlyMap<string, WriteState>>(new Map())
  const now = useRef({ writes, online })
  now.current = { writes, online }
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>())
  useEffect(() => {
    const running = timers.current
    return () => {
      for (const timer of running) clearTimeout(timer)
    }
  }, [])

  const put = useCallback((identifier: string, state: WriteState | null) => {
    setWrites(before => {
      const next = new Map(before)
      if (state === null) next.delete(identifier)
      else next.set(identifier, state)
      return next
    })
  }, [])

  const follow = useCallback(
    (next: CommandView) => {
      for (const [identifier, state] of now.current.writes) {
        if (state.command?.id !== next.id) continue
        const command = newer(state.command, next)
        const { phase, reason } = phaseOf(command, now.current.online)
        if (phase === state.phase && command === state.command) continue
        put(identifier, { ...state, command, phase, reason })
        if (phase === 'done' && state.phase !== 'done') {
          const timer = setTimeout(() => {
            timers.current.delete(timer)
            if (now.current.writes.get(identifier)?.command?.id === command.id) put(identifier, null)
          }, DONE_MS)
          timers.current.add(timer)
        }
      }
    },
    [put],
  )
  useLiveTopic(`device/${deviceId}/commands`, event => {
    if (event.type !== 'patch') return
    const known = [...now.current.writes.values()].find(state => state.command?.id === event.id)?.command
    if (known) follow({ ...known, ...event.patch } as CommandView)
  })

  const pending = [...writes.values()].some(state => state.phase === 'sending' || state.phase === 'waiting')
  useEffect(() => {
    if (!pending) return
    const timer = setInterval(() => {
      for (const state of now.current.writes.values()) {
        if (!state.command || isFinal(state.command.state)) continue
        call('commands.get', { params: { id: deviceId, commandId: state.command.id } }).then(follow, () => undefined)
      }
    }, POLL_MS)
    return () => clearInterval(timer)
  }, [pending, deviceId, follow])

  const write = useCallback(
    (identifier: string, value: unknown) => {
      put(identifier, { phase: 'sending', value, command: null, reason: '' })
      sendGuarded(answers =>
        call('commands.create', {
          params: { id: deviceId },
          body: { kind: 'property_set', params: { [identifier]: value }, ...answers },
        }),
      ).then(
        command => {
          const { phase, reason } = phaseOf(command, now.current.online)
          put(identifier, { phase, value, command, reason })
        },
        error => {
          if (isSilent(error)) put(identifier, null)
          else put(identifier, { phase: 'refused', value, command: null, reason: errorFacts(error).message })
        },
      )
    },
    [deviceId, put],
  )
  const cancel = useCallback(
    (identifier: string) => {
      const command = now.current.writes.get(identifier)?.command
      if (!command) return
      call('commands.cancel', { params: { id: deviceId, commandId: command.id } }).then(
        () => put(identifier, null),
        () => call('commands.get', { params: { id: deviceId, commandId: command.id } }).then(follow, () => undefined),
      )
    },
    [deviceId, put, follow],
  )
  return { writes, write, cancel, dismiss: useCallback((identifier: string) => put(identifier, null), [put]) }
}
