import { call, type Reply } from '../../../lib/api-client.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import type { FetchPage } from '../../../ui/list-page/list-types.ts'
import { readStatus } from '../status.ts'

export type Settings = Reply<'assistant.settings'>
export type ReplyRow = Reply<'assistant.replies'>['items'][number]
export type Usage = Reply<'assistant.usage'>

export function useSettings() {
  return useRead('assistant.settings')
}

/** Takes over the settings as the server returned them, and whether the assistant answers at all. */
export function useSettingsChanged(): (settings: Settings) => void {
  const cache = useCache()
  return settings => {
    cache.put('assistant.settings', {}, settings)
    // The button comes and goes with it, and the window names the engine.
    void readStatus()
  }
}

/** @param month `YYYY-MM`; null: the current one */
export function useUsage(month: string | null) {
  return useRead('assistant.usage', { query: month === null ? {} : { month } }, { keep: true })
}

export function useTools() {
  return useRead('assistant.tools')
}

/** How far back the list of replies is shown. */
export const PERIODS = { '24h': 86_400_000, '7d': 604_800_000, '30d': 2_592_000_000, '90d': 7_776_000_000 } as const

export const fetchReplies: FetchPage<ReplyRow> = ({ limit, cursor, filters }, signal) => {
  const back = PERIODS[filters.period as keyof typeof PERIODS]
  return call('assistant.replies', {
    query: {
      limit,
      ...(cursor === undefined ? {} : { cursor }),
      ...(back === undefined ? {} : { from: serverNow() - back }),
    },
    signal,
  })
}
