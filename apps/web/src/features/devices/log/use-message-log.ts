import type { CommandView } from '@thingwright/contracts/commands.contract'
import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { useLiveReads } from '../../../lib/live-reads.ts'
import { useMay } from '../../../lib/permissions.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { only } from '../../../lib/server-state/keys.ts'
import { usePages } from '../../../lib/server-state/use-pages.ts'
import {
  MESSAGE_KINDS,
  type Message,
  mergeMessages,
  messageOf,
  messageOfCommand,
  pushLive,
  QUALITIES,
} from './message-log.ts'

/** How far back the log is looked at, in minutes; `all`: as far as it goes. */
export const RANGES = { all: null, '10m': 10, '1h': 60, '6h': 360, '24h': 1440 } as const
export type Range = keyof typeof RANGES

/** The log of a device with the filters of the address, running along until it is paused. */
export function useMessageLog(deviceId: string) {
  const mayRead = useMay('telemetry.messages')
  const [params, setParams] = useSearchParams()
  const filters = {
    kind: MESSAGE_KINDS.find(each => each === params.get('kind')) ?? null,
    quality: QUALITIES.find(each => each === params.get('quality')) ?? null,
    q: params.get('q') ?? '',
  }
  const range = (Object.keys(RANGES) as Range[]).find(each => each === params.get('range')) ?? 'all'
  const [live, setLive] = useState<Message[]>([])
  const [paused, setPaused] = useState<Message[] | null>(null)
  /** The filters as the API takes them; the beginning moves with the time of asking. */
  const query = () => ({
    ...(filters.kind ? { kind: filters.kind } : {}),
    ...(filters.quality ? { quality: filters.quality } : {}),
    ...(filters.q ? { q: filters.q } : {}),
    ...(RANGES[range] === null ? {} : { from: serverNow() - RANGES[range] * 60_000 }),
  })
  const reads = useLiveReads(
    mayRead ? [`device/${deviceId}/messages`, `device/${deviceId}/commands`] : [],
    only('telemetry.messages', { params: { id: deviceId } }),
    event => {
      const message =
        event.topic === `device/${deviceId}/messages`
          ? messageOf(event.id, event.patch)
          : messageOfCommand(event.patch as unknown as CommandView)
      // Kept beside what is read, and put together by their ids.
      if (message) setLive(before => pushLive(before, message))
      return undefined
    },
  )
  const log = usePages(
    'telemetry.messages',
    { params: { id: deviceId }, query: { limit: 50 } },
    { about: { ...filters, range }, asking: query, enabled: mayRead, through: reads.read },
  )
  const fetched = useMemo(() => (log.data?.pages ?? []).flatMap(page => page.items), [log.data])
  const { kind, quality, q } = filters
  const running = useMemo(() => mergeMessages(live, fetched, { kind, quality, q }), [live, fetched, kind, quality, q])
  const set = (changes: Partial<Record<'kind' | 'quality' | 'q' | 'range', string | null>>) => {
    setPaused(null)
    setParams(
      before => {
        const changed = new URLSearchParams(before)
        for (const [name, value] of Object.entries(changes)) {
          if (value) changed.set(name, value)
          else changed.delete(name)
        }
        return changed
      },
      { replace: true, preventScrollReset: true },
    )
  }
  return {
    mayRead,
    filters,
    range,
    set,
    query,
    log,
    rows: paused ?? running,
    paused: paused !== null,
    waiting: paused ? Math.max(0, running.length - paused.length) : 0,
    pause: () => setPaused(paused ? null : running),
    searchedTo: log.data?.pages.at(-1)?.searchedTo ?? null,
    refetch() {
      setPaused(null)
      void log.refetch().then(() => setLive([]))
    },
  }
}
