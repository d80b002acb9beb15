export type LatestValues = Record<string, { value: unknown; ts: number; quality: string }>
type Fetch = (query: { ids: string; identifiers: string }) => Promise<{ items: { id: string; values: LatestValues }[] }>

interface Waiting {
  ids: Set<string>
  reply: Promise<Map<string, LatestValues>>
}

/** Devices of one request; the server takes no more. */
const AT_ONCE = 100
const COLLECT_MS = 5
const waiting = new Map<string, Waiting>()

/** Latest values of one device; all that are asked for within some milliseconds go as one request. */
export async function latestOf(id: string, identifiers: string, fetch: Fetch): Promise<LatestValues> {
  let batch = waiting.get(identifiers)
  if (!batch || batch.ids.size >= AT_ONCE) {
    const ids = new Set<string>()
    const reply = new Promise<void>(resolve => setTimeout(resolve, COLLECT_MS)).then(async () => {
      if (waiting.get(identifiers)?.ids === ids) waiting.delete(identifiers)
      const { items } = await fetch({ ids: [...ids].join(','), identifiers })
      return new Map(items.map(item => [item.id, item.values]))
    })
    batch = { ids, reply }
    waiting.set(identifiers, batch)
  }
  batch.ids.add(id)
  return (await batch.reply).get(id) ?? {}
}
