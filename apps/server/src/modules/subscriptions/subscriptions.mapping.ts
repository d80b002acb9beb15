import type {
  DeadLetter,
  DeliveryLogItem,
  SubscriptionTargetView,
  SubscriptionView,
  TrialOutcome,
} from '@thingwright/contracts/subscriptions.contract'
import { BACKLOG_CAP } from './deliverers.ts'
import { readItem } from './items.ts'
import type { QueueFacts } from './queue.repo.ts'
import type { DeadLetterRow, ListedRow, LogLine, SubscriptionRow } from './subscriptions.repo.ts'
import type { DeliveryBatch, DeliveryOutcome } from './target.port.ts'

/** Failing for so long is more than a hiccup. */
const DOWN_AFTER_MS = 5 * 60_000

const iso = (date: Date | null) => date?.toISOString() ?? null

export function toView(
  row: ListedRow,
  facts: QueueFacts | undefined,
  { now, away }: { now: number; away: boolean },
): SubscriptionView {
  return {
    id: row.id,
    name: row.name,
    kinds: row.kinds,
    filter: row.filter,
    target: toTargetView(row),
    payload: row.payload,
    batching: { maxItems: row.max_items, waitMs: row.wait_ms },
    state: row.state,
    pausedReason: row.paused_reason,
    health: healthOf(row, now, away),
    backlog: facts ? Math.max(0, facts.lastSeq - facts.ackedSeq) : 0,
    backlogCap: BACKLOG_CAP,
    lagMs: facts?.oldestAt ? Math.max(0, now - facts.oldestAt) : 0,
    delivered: row.delivered,
    deadLetters: row.dead_letters,
    dropped: row.dropped,
    failures: row.failures,
    lastDeliveredAt: iso(row.last_delivered_at),
    lastFailedAt: iso(row.last_failed_at),
    lastError: row.last_error,
    nextTryAt:
      row.state === 'active' && row.next_try_at && row.next_try_at.getTime() > now ? iso(row.next_try_at) : null,
    oldSecretUntil: row.old_secret_until && row.old_secret_until.getTime() > now ? iso(row.old_secret_until) : null,
    replayFrom: facts?.keptFrom ? new Date(facts.keptFrom).toISOString() : null,
    createdBy: row.created_by_name || null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    version: row.version,
  }
}

function healthOf(row: ListedRow, now: number, away: boolean): SubscriptionView['health'] {
  if (row.paused_reason === 'failures') return 'down'
  if (row.failures > 0)
    return row.failing_since && now - row.failing_since.getTime() >= DOWN_AFTER_MS ? 'down' : 'degraded'
  if (away) return 'away'
  return row.last_delivered_at ? 'healthy' : 'idle'
}

export function toTargetView({ id, target, secrets_cipher }: SubscriptionRow): SubscriptionTargetView {
  switch (target.kind) {
    case 'webhook':
      return {
        kind: 'webhook',
        url: target.url,
        ...(target.headers ? { headers: Object.keys(target.headers) } : {}),
      }
    case 'mqtt':
      return { kind: 'mqtt', username: `sub/${id}`, topicFilter: `subscriptions/${id}/#` }
    case 'websocket':
      return { kind: 'websocket', path: `/api/v1/subscriptions/${id}/stream` }
    case 'pull':
      return { kind: 'pull', path: `/api/v1/subscriptions/${id}/items` }
    default:
      return { ...target, hasPassword: secrets_cipher !== null } as SubscriptionTargetView
  }
}

export function toLogItem(row: LogLine): DeliveryLogItem {
  return {
    id: String(row.id),
    at: row.at.toISOString(),
    result: row.result,
    items: row.items,
    skipped: row.skipped,
    attempt: row.attempt,
    status: row.status,
    latencyMs: row.latency_ms,
    reason: row.reason,
    detail: row.detail,
    firstItemId: row.first_item_id,
    body: row.body,
    answer: row.answer,
  }
}

export function toDeadLetter(row: DeadLetterRow): DeadLetter {
  const { id, reason, status, attempts } = row
  return { id, item: readItem(row.item), reason, status, attempts, at: row.at.toISOString() }
}

export function toTrial(outcome: DeliveryOutcome, { body, contentType }: DeliveryBatch): TrialOutcome {
  const facts = outcome.kind === 'away' ? null : outcome
  return {
    result: outcome.kind,
    reason: 'reason' in outcome ? outcome.reason : null,
    detail: 'detail' in outcome ? (outcome.detail ?? null) : null,
    status: facts?.status ?? null,
    latencyMs: facts ? Math.round(facts.latencyMs) : null,
    answer: facts?.answer?.slice(0, 2048) ?? null,
    body,
    contentType,
  }
}
