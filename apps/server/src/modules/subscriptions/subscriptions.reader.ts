import type { SubscriptionKind } from '@thingwright/contracts/subscriptions.contract'
import { type JournalReader, READ_KIND, type ReadRow } from '../../lib/journal/journal-reader.ts'
import type { SubscriptionCatalogue } from './catalogue.ts'
import { envelope, journalItemId, type QueuedItem } from './items.ts'
import { append } from './queue.repo.ts'

const KINDS: Partial<Record<number, SubscriptionKind>> = {
  [READ_KIND.property]: 'property',
  [READ_KIND.latest]: 'property',
  [READ_KIND.event]: 'event',
  [READ_KIND.online]: 'state',
  [READ_KIND.offline]: 'state',
}

/**
 * Puts what other systems subscribed to into the queues of their subscriptions, in the transaction of its cursor: each
 * row once, in the order of its lane and so of its device.
 * @param onQueued subscriptions that got something, after the commit
 */
export function createSubscriptionsReader(
  catalogue: SubscriptionCatalogue,
  onQueued: (subscriptionIds: string[]) => void,
): JournalReader {
  return {
    name: 'subscriptions',
    everyMs: 20,
    wants(row) {
      const kind = KINDS[row.kind]
      return kind !== undefined && catalogue.wants(row.device, kind, row.arrivedAt)
    },
    async handle(client, lane, rows) {
      await catalogue.prepare(client, rows)
      const items = rows.flatMap(row => itemsOf(catalogue, lane, row))
      if (items.length === 0) return undefined
      const queued = await append(client, items)
      return () => onQueued(queued)
    },
  }
}

function itemsOf(catalogue: SubscriptionCatalogue, lane: number, row: ReadRow): QueuedItem[] {
  const found = catalogue.of(row.device)
  const type = KINDS[row.kind]
  if (!found || type === undefined || found.matchers.length === 0) return []
  const text = type === 'state' ? stateText(row) : (row.values ?? '{}')
  let data: Record<string, unknown> | undefined
  const parsed = () => {
    data ??= JSON.parse(text) as Record<string, unknown>
    return data
  }
  const items: QueuedItem[] = []
  for (const matcher of found.matchers) {
    if (!matcher.takesTime(found.facts, row)) continue
    const taken = matcher.take(type, row, text, parsed)
    if (taken === null) continue
    const { productKey, deviceNo, id: deviceId } = found.facts
    const head = { id: journalItemId(lane, row.seq), type, ts: row.ts, productKey, deviceNo, deviceId }
    items.push({
      subscriptionId: matcher.rule.id,
      at: row.arrivedAt,
      device: row.device,
      item: envelope(head, taken),
    })
  }
  return items
}

/** Where a device connected from stays with us. */
function stateText(row: ReadRow): string {
  const { reason, transport } = JSON.parse(row.values ?? '{}') as Record<string, unknown>
  return JSON.stringify({
    link: row.kind === READ_KIND.online ? 'online' : 'offline',
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(typeof transport === 'string' ? { transport } : {}),
  })
}
