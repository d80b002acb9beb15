import type { MenuChoice } from '@thingwright/contracts/roles.contract'

/** Every key below and including some entries. */
export function keysOf(entries: readonly MenuChoice[]): string[] {
  return [...new Set(entries.flatMap(entry => [...entry.keys, ...keysOf(entry.children)]))]
}

/** Ids of the entries of which a page is chosen: what the tree ticks. Parents follow from what is below them. */
export function tickedOf(entries: readonly MenuChoice[], keys: ReadonlySet<string>): string[] {
  return entries.flatMap(entry => [
    ...(entry.children.length === 0 && entry.keys.some(key => keys.has(key)) ? [entry.id] : []),
    ...tickedOf(entry.children, keys),
  ])
}

/**
 * Keys after entries were ticked. An entry that is ticked anew brings all its pages; one that was ticked before keeps
 * the pages it had; keys of pages that the tree does not show (hidden entries) are left as they were.
 */
export function keysAfter(
  entries: readonly MenuChoice[],
  ticked: ReadonlySet<string>,
  before: readonly string[],
): string[] {
  const shown = new Set(keysOf(entries))
  const had = new Set(before)
  const collect = (list: readonly MenuChoice[]): string[] =>
    list.flatMap(entry => {
      const kept = entry.keys.filter(key => had.has(key))
      return [...(ticked.has(entry.id) ? (kept.length > 0 ? kept : entry.keys) : []), ...collect(entry.children)]
    })
  return [...new Set([...before.filter(key => key !== '*' && !shown.has(key)), ...collect(entries)])]
}
