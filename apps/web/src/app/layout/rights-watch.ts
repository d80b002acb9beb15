import { type LiveEvent, useLiveTopic } from '../../lib/live-socket.ts'
import { queryClient } from '../../lib/query-client.ts'
import { reloadRights } from '../../lib/session-load.ts'

/**
 * Takes over what a live event says of rights and menu. A patch: they changed. A snapshot: the topic is followed from
 * now on, for the first time or again after a cut, and what changed before that was told to nobody.
 */
export async function takeOverRights(event: Pick<LiveEvent, 'type'>): Promise<void> {
  if (event.type !== 'patch' && event.type !== 'snapshot') return
  const changed = await reloadRights()
  // What lists and pages show depends on the data scope.
  if (event.type === 'patch' || changed) await queryClient.invalidateQueries()
}

/** Takes over new rights and a changed menu while the console stands open. */
export function useRightsWatch(): void {
  // The next look, or the next page load, brings what could not be asked now.
  const take = (event: LiveEvent) => void takeOverRights(event).catch(() => undefined)
  useLiveTopic('menus', take)
  // Followed together with the menu: one look for both.
  useLiveTopic('me', event => event.type === 'patch' && take(event))
}
