/** Alarms of one trigger that follow one another within this time, in ms, may be a storm. */
export const STORM_MS = 60_000
/** So many alarms are notified and shown one by one; later ones of the storm are merged into the first. */
export const STORM_FROM = 5

export interface RaisedOfTrigger {
  id: string
  triggerId: string
  /** Epoch ms. */
  at: number
  /** The first alarm of its storm; null: it belongs to none. */
  stormId: string | null
}

/**
 * Finds the new alarms that belong to a storm: within {@link STORM_MS} before them their trigger raised at least
 * {@link STORM_FROM} others. The first of those represents the storm until it ends.
 * @param before the earlier alarms of each trigger, at most the last {@link STORM_FROM}
 * @returns the new alarms, each with the first alarm of its storm
 */
export function stormsOf(
  before: readonly RaisedOfTrigger[],
  fresh: readonly Omit<RaisedOfTrigger, 'stormId'>[],
): { id: string; stormId: string }[] {
  const inTime = (a: { at: number; id: string }, b: { at: number; id: string }) => a.at - b.at || (a.id < b.id ? -1 : 1)
  const last = new Map<string, RaisedOfTrigger[]>()
  for (const alarm of [...before].sort(inTime))
    last.set(alarm.triggerId, [...(last.get(alarm.triggerId) ?? []), alarm].slice(-STORM_FROM))
  const found: { id: string; stormId: string }[] = []
  for (const alarm of [...fresh].sort(inTime)) {
    const window = last.get(alarm.triggerId) ?? []
    last.set(alarm.triggerId, window)
    const isStorm = window.length === STORM_FROM && alarm.at - window[0]!.at <= STORM_MS
    const stormId = isStorm ? (window.findLast(one => one.stormId !== null)?.stormId ?? window[0]!.id) : null
    if (stormId !== null) found.push({ id: alarm.id, stormId })
    window.push({ ...alarm, stormId })
    if (window.length > STORM_FROM) window.shift()
  }
  return found
}
