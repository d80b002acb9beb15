import type { CommandView } from '@thingwright/contracts/commands.contract'
import { useCallback } from 'react'
import { useLiveReads } from '../../../lib/live-reads.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { only } from '../../../lib/server-state/keys.ts'
import { usePages } from '../../../lib/server-state/use-pages.ts'
import { type CommandState, newer } from './command-words.ts'

interface Page {
  items: CommandView[]
  nextCursor: string | null
}

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

/** A page with a newer self of one of its commands. */
function withKnown(page: Page, command: CommandView): Page {
  const [known] = withCommand([page], command, command.state, command.source)
  return page.items.some(each => each.id === command.id) && known ? known : page
}

/** Commands of a device, newest first, kept fresh by the live socket. */
export function useCommands(deviceId: string, state: CommandState | null, source: CommandView['source'] | null) {
  const cache = useCache()
  const put = useCallback(
    (command: CommandView) =>
      cache.patchPages(
        'commands.list',
        (pages, { query }) => withCommand(pages, command, query?.state ?? null, query?.source ?? null),
        { params: { id: deviceId } },
      ),
    [cache, deviceId],
  )
  const reads = useLiveReads(
    [`device/${deviceId}/commands`],
    only('commands.list', { params: { id: deviceId } }),
    event => {
      const command = event.patch as unknown as CommandView
      const isKnown = query.data?.pages.some(page => page.items.some(each => each.id === command.id))
      put(command)
      // A new one stands in the first page that is on its way, or in the next one that is read.
      return isKnown || query.isSuccess ? page => withKnown(page as Page, command) : 'again'
    },
  )
  const query = usePages(
    'commands.list',
    { params: { id: deviceId }, query: { limit: 20, ...(state ? { state } : {}), ...(source ? { source } : {}) } },
    { through: reads.read },
  )
  return { query, put, items: (query.data?.pages ?? []).flatMap(page => page.items) }
}
