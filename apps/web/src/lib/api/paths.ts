import type { API_PATHS, Operation } from '@thingwright/contracts/api-paths'
import { OPEN_PATHS } from '@thingwright/contracts/open-paths'

/** Method, path and right of an operation. */
export type PathRow = (typeof API_PATHS)[Operation]

const open: Partial<Record<Operation, PathRow>> = OPEN_PATHS
let all: Record<Operation, PathRow> | null = null

/** Fetches the map of all operations, which grows with every area and comes with the console. */
export async function loadPaths(): Promise<Record<Operation, PathRow>> {
  const loaded = await import('@thingwright/contracts/api-paths')
  all = loaded.API_PATHS
  return all
}

/** Where an operation lives; what a page asks before the sign-in is known at once. */
export function pathOf(operation: Operation): PathRow | Promise<PathRow> {
  return all?.[operation] ?? open[operation] ?? loadPaths().then(paths => paths[operation])
}
