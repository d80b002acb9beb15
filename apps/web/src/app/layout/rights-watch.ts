import { useLiveTopic } from '../../lib/live-socket.ts'
import { queryClient } from '../../lib/query-client.ts'
import { reloadRights } from '../../lib/session-load.ts'

/** Takes over new rights and a changed menu while the console stands open. */
export function useRightsWatch(): void {
  const renew = (event: { type: string }) => {
    if (event.type !== 'patch') return
    reloadRights()
      // What lists and pages show depends on the data scope.
      .then(() => queryClient.invalidateQueries())
      // The next look, or the next page load, brings them.
      .catch(() => undefined)
  }
  useLiveTopic('me', renew)
  useLiveTopic('menus', renew)
}
