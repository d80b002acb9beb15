import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import type { CommandView } from '@thingwright/contracts/commands.contract'
import { useCallback } from 'react'
import { call } from '../../../lib/api-client.ts'
import { useLiveTopic } from '../../../lib/live-socket.ts'
import { type CommandState, newer } from './command-words.ts'

interface Page {
  items: CommandView[]
  nextCursor: string | null
}

export const commandsKey = (deviceId: string) => ['devices', 'commands', deviceId] as const

/** A command put where it belongs: over its older self, else at the head of the list that it fits. */
export function withCommand(
  pages: readonly Page[],
  command: CommandView,
  state: CommandState | null,
  source: CommandView['source'] | null = null,
): Page[] {
  let found = false
  const next = pages.map(page => ({
    ...page,
    items: page.items.map(known => {
      if (known.id !== command.id) return known
      found = true
      return newer(known, command)
    }),
  }))
  const fits = (state === null || state === command.state) && (source === null || source === command.source)
  if (!found && fits && next[0]) next[0] = { ...next[0], items: [command, ...next[0].items] }
  return next
}

/** Commands of a device, newest first, kept fresh by the live socket. */
export function useCommands(deviceId: string, state: CommandState | null, source: CommandView['source'] | null) {
  const client = useQueryClient()
  const key = [...commandsKey(deviceId), source ?? 'all', state ?? 'all']
  const query = useInfiniteQuery({
    queryKey: key,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }): Promise<Page> =>
      call('commands.list', {
        params: { id: deviceId },
        query: {
          limit: 20,
          ...(pageParam === undefined ? {} : { cursor: pageParam }),
          ...(state ? { state } : {}),
          ...(source ? { source } : {}),
        },
        signal,
      }),
    getNextPageParam: page => page.nextCursor ?? undefined,
  })
  const put = useCallback(
    (command: CommandView) => {
      for (const cached of client.getQueryCache().findAll({ queryKey: commandsKey(deviceId) })) {
        const [from, of] = cached.queryKey.slice(-2) as [CommandView['source'] | 'all', CommandState | 'all']
        client.setQueryData<InfiniteData<Page>>(cached.queryKey, data =>
          data
            ? {
                ...data,
                pages: withCommand(data.pages, command, of === 'all' ? null : of, from === 'all' ? null : from),
              }
            : data,
        )
      }
    },
    [client, deviceId],
  )
  useLiveTopic(`device/${deviceId}/commands`, event => {
    if (event.type === 'patch') put(event.patch as unknown as CommandView)
    // After a cut the list is read again; the first snapshot comes with the list itself.
    else if (event.type === 'snapshot' && query.isSuccess && query.dataUpdatedAt < Date.now() - 5000)
      void client.invalidateQueries({ queryKey: commandsKey(deviceId) })
  })
  return { query, put, items: (query.data?.pages ?? []).flatMap(page => page.items) }
}
