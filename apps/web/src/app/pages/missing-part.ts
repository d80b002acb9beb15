import { session } from '../../lib/storage.ts'

/** At most so many are remembered; a tab that has seen more upgrades than that may reload once more. */
const REMEMBERED = 20

/** Part of a page that could not be downloaded: no network, or a newer version of the console is out. */
export function isMissingPart(error: unknown): error is Error {
  return error instanceof Error && /dynamically imported module|module script failed|preload CSS/i.test(error.message)
}

/**
 * Reloads the page for a part that is gone after an upgrade, once for each part in this tab: where the new page lacks it
 * too, it says so instead of reloading for ever.
 * @returns whether the page is being reloaded
 */
export function reloadOnce(error: Error, reload: () => void = () => window.location.reload()): boolean {
  const before = session.get('reloadedFor') ?? []
  if (!Array.isArray(before) || before.includes(error.message)) return false
  session.set('reloadedFor', [...before, error.message].slice(-REMEMBERED))
  // Where nothing can be remembered, nothing says when to stop.
  if (!session.get('reloadedFor')?.includes(error.message)) return false
  reload()
  return true
}
