import type { DeliveryLogItem, SubscriptionView } from '@thingwright/contracts/subscriptions.contract'
import type { TFunction } from 'i18next'
import { formatDuration } from '../../lib/format.ts'
import type { StatusKind } from '../../ui/status-tag.tsx'

type T = TFunction<'subscriptions'>

const HEALTH: Record<SubscriptionView['health'], StatusKind> = {
  idle: 'never',
  healthy: 'online',
  degraded: 'warning',
  down: 'error',
  away: 'offline',
}

/** One sign for what a subscription does now: its key among the words, and its mark. */
export function statusOf({
  state,
  pausedReason,
  health,
}: Pick<SubscriptionView, 'state' | 'pausedReason' | 'health'>): { key: string; kind: StatusKind } {
  if (state === 'paused')
    return { key: `paused_${pausedReason ?? 'user'}`, kind: pausedReason === 'user' ? 'disabled' : 'error' }
  return { key: health, kind: HEALTH[health] }
}

const RESULT: Record<DeliveryLogItem['result'], StatusKind> = {
  ok: 'success',
  partial: 'processing',
  retry: 'warning',
  refused: 'error',
  dead: 'error',
  dropped: 'error',
}
export const kindOfResult = (result: string): StatusKind => RESULT[result as DeliveryLogItem['result']] ?? 'neutral'

/** Where it goes, in one line. */
export function targetText(target: SubscriptionView['target']): string {
  switch (target.kind) {
    case 'webhook':
      return target.url ?? ''
    case 'nats':
      return `${target.url ?? ''} ${target.subject ?? ''}`.trim()
    case 'kafka':
      return `${target.brokers?.join(', ') ?? ''} ${target.topic ?? ''}`.trim()
    case 'mqtt':
      return target.topicFilter ?? ''
    default:
      return target.path ?? ''
  }
}

/** Reasons that the server knows; what follows one is its detail: `status 503 …`. */
const REASONS = [
  'timeout',
  'unreachable',
  'blocked',
  'redirect',
  'tls',
  'status',
  'unauthorized',
  'protocol',
  'not_available',
] as const

/** A reason in words, its detail behind it; what is unknown stays as it came. */
export function reasonText(reason: string | null, t: T): string {
  const given = reason ?? ''
  const word = REASONS.find(each => given === each || given.startsWith(`${each} `))
  if (word === undefined) return given
  const detail = given.slice(word.length).trim()
  return detail === '' ? t(`reason.${word}`) : `${t(`reason.${word}`)} · ${detail}`
}

/** How old the oldest item that waits is; a dash when nothing waits. */
export const lagText = (lagMs: number): string => (lagMs > 0 ? formatDuration(Math.max(lagMs, 1000)) : '–')
