import { useCallback, useMemo, useRef, useState } from 'react'
import { type CallInput, call, type Operation, type Reply } from '../api-client.ts'
import type { Resource } from './keys.ts'
import { useWork, type Work, type WorkOptions } from './use-work.ts'

export interface ActOptions<O extends Operation> extends WorkOptions {
  /** Whether the operation's own resource is out of date as a whole; yes when absent. */
  own?: boolean
  /** Called before anything is read again: puts answers in place, tells the person, closes. */
  done?: (reply: Reply<O>, input: CallInput<O>) => void
}

export type ActInput<O extends Operation> =
  Record<never, never> extends CallInput<O> ? [input?: CallInput<O>] : [input: CallInput<O>]

export interface Act<O extends Operation> extends Pick<Work, 'pending' | 'error' | 'fields'> {
  /** Does it, and shows as a notice why it was refused (unless `notice` is false). Resolves with undefined then. */
  run(...input: ActInput<O>): Promise<Reply<O> | undefined>
  /** Does it for a caller that takes a refusal itself: a form with its fields, a dialog around it. */
  send(...input: ActInput<O>): Promise<Reply<O>>
  /** What the last one returned. */
  reply: Reply<O> | undefined
}

/**
 * Does something at the server and lets be read again what it made out of date:
 * `useAct('devices.update', {touches: ['groups']})`. The operation's own resource (`devices`) is touched anyway.
 */
export function useAct<O extends Operation>(operation: O, options: ActOptions<O> = {}): Act<O> {
  const { touches = [], own = true, ...rest } = options
  const work = useWork({ ...rest, touches: own ? [operation.split('.')[0] as Resource, ...touches] : touches })
  const latest = useRef(options)
  latest.current = options
  const [last, setLast] = useState<{ reply: Reply<O> } | null>(null)

  const one = useCallback(
    ([input]: ActInput<O>) =>
      async (): Promise<Reply<O>> => {
        setLast(null)
        const given = (input ?? {}) as CallInput<O>
        const reply = await call(operation, given as never)
        setLast({ reply })
        latest.current.done?.(reply, given)
        return reply
      },
    [operation],
  )
  const { attempt, send: sent, pending, error, fields } = work
  const run = useCallback((...input: ActInput<O>) => attempt(one(input)), [attempt, one])
  const send = useCallback((...input: ActInput<O>) => sent(one(input)), [sent, one])
  return useMemo(
    () => ({ run, send, reply: last?.reply, pending, error, fields }),
    [run, send, last, pending, error, fields],
  )
}
