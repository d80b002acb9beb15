import type { SubscriptionKind } from '@thingwright/contracts/subscriptions.contract'
import {
  appendItems,
  envelope,
  journalItemId,
  type QueuedItem,
  type SubscriptionCatalogue,
} from '../../modules/subscriptions/index.ts'
import type { JournalRow } from '../lanes.port.ts'
import { JournalKind } from '../uplink.ts'
import { type Consumer, rowsConsumer } from './consumer.ts'

const KINDS: Partial<Record<number, SubscriptionKind>> = {
  [JournalKind.property]: 'property',
  [JournalKind.latest]: 'property',
  [JournalKind.event]: 'event',
  [JournalKind.online]: 'state',
  [JournalKind.offline]: 'state',
}

/**
 * Puts what other systems subscribed to into the queues of their subscriptions, in the transaction of its cursor: each
 * row once, in the order of its lane and so of its device.
 * @param onQueued subscriptions that got something, after the commit
 */
export function createSubscriptionsConsumer(
  catalogue: SubscriptionCatalogue,
  onQueued: (subscriptionIds: string[]) => void,
): Consumer {
  return rowsConsumer({
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
      const queued = await appendItems(client, items)
      return () => onQueued(queued)
    },
  })
}

function itemsOf(catalogue: SubscriptionCatalogue, lane: number, row: JournalRow): QueuedItem[] {
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
function stateText(row: JournalRow): string {
  const { reason, transport } = JSON.parse(row.values ?? '{}') as Record<string, unknown>
  return JSON.stringify({
    link: row.kind === JournalKind.online ? 'online' : 'offline',
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(typeof transport === 'string' ? { transport } : {}),
  })
}
