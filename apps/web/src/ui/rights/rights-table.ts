/** The rights as a table: a row for each resource, a column for each action. */
export interface RightsTable {
  resources: string[]
  actions: string[]
  has(resource: string, action: string): boolean
}

/** @param rights words like `device:write`, in the order in which they are to stand */
export function rightsTable(rights: readonly string[]): RightsTable {
  const words = new Set(rights)
  const parts = rights.map(right => right.split(':') as [string, string])
  return {
    resources: [...new Set(parts.map(([resource]) => resource))],
    actions: [...new Set(parts.map(([, action]) => action))],
    has: (resource, action) => words.has(`${resource}:${action}`),
  }
}

/** Rights after some were switched on or off; they keep the order of the table. */
export function switched(
  all: readonly string[],
  chosen: readonly string[],
  words: readonly string[],
  on: boolean,
): string[] {
  const next = new Set(chosen)
  for (const word of words) {
    if (on) next.add(word)
    else next.delete(word)
  }
  return all.filter(word => next.has(word))
}
