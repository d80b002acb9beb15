import type { PageValue, Signal } from '@thingwright/scene'
import { createOutbound } from '../../lib/outbound/outbound.ts'

type ApiSignal = Extract<Signal, { kind: 'api' }>

/** Values that pages fetch from other servers. */
export interface ApiValues {
  /** The last answer; null while there is none. Asking again begins beside, when it is due. */
  read(tenantId: string, signal: ApiSignal): Promise<PageValue | null>
  close(): void
}

interface Kept {
  dueAt: number
  asking: Promise<void> | null
  answer: unknown
  at: number
}

const KEPT = 500
const MAX_BYTES = 262_144

/** Asks each address at most as often as its pages say, whoever looks at them, and never inside this network. */
export function createApiValues(deps: { allow: readonly string[]; now(): number }): ApiValues {
  const outbound = createOutbound({ allow: deps.allow, timeoutMs: 8_000, maxBytes: MAX_BYTES })
  const kept = new Map<string, Kept>()

  async function ask(url: string, entry: Kept): Promise<void> {
    try {
      const answer = await outbound.fetch(url, { headers: { accept: 'application/json' } })
      if (!answer.ok) return
      entry.answer = await answer.json()
      entry.at = deps.now()
    } catch {
      // What was known stays and grows old; the page shows that by its time.
    } finally {
      entry.asking = null
    }
  }

  return {
    async read(tenantId, { url, path, seconds }) {
      const key = `${tenantId} ${url}`
      const now = deps.now()
      let entry = kept.get(key)
      if (!entry) {
        if (kept.size >= KEPT) kept.delete(kept.keys().next().value!)
        entry = { dueAt: 0, asking: null, answer: undefined, at: 0 }
        kept.set(key, entry)
      }
      if (now >= entry.dueAt && !entry.asking) {
        entry.dueAt = now + Math.max(10, seconds) * 1000
        entry.asking = ask(url, entry)
      }
      if (entry.at === 0) return null
      const found = at(entry.answer, path)
      return typeof found === 'object' || found === undefined ? null : { v: found, ts: entry.at, q: 'good' }
    },
    close: () => outbound.close(),
  }
}

/** `data.items.0.value` of an answer. */
function at(answer: unknown, path: string): unknown {
  let found = answer
  for (const step of path.split('.').filter(Boolean)) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined
    found = (found as Record<string, unknown>)[step]
  }
  return found
}
