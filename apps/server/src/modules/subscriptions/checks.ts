import type {
  SubscriptionFilter,
  SubscriptionKind,
  SubscriptionPayload,
  SubscriptionTarget,
} from '@thingwright/contracts/subscriptions.contract'
import { AppError } from '../../lib/errors.ts'
import { checkAddress } from '../../lib/outbound/outbound-address.ts'
import { portOf } from '../../lib/outbound/port-of.ts'
import { readTemplate } from './payload.ts'
import type { TargetSecrets } from './secrets.ts'

/** @throws AppError subscription.filter_invalid */
export function checkFilter(filter: SubscriptionFilter, kinds: readonly SubscriptionKind[]): void {
  const bad = (detail: string) => new AppError('subscription.filter_invalid', { params: { detail } })
  for (const { op, value, identifier } of filter.condition?.rules ?? []) {
    if (op === 'exists') continue
    if (value === undefined) throw bad(`${identifier} ${op}: value`)
    if (
      ['gt', 'gte', 'lt', 'lte'].includes(op) &&
      (typeof value === 'boolean' || value === '' || Number.isNaN(Number(value)))
    )
      throw bad(`${identifier} ${op}: ${String(value)}`)
  }
  const asked = filter.condition?.kinds
  if (asked && !asked.some(kind => kinds.includes(kind))) throw bad('condition.kinds')
}

/** @throws AppError subscription.template_invalid, subscription.filter_invalid */
export function checkPayload(payload: SubscriptionPayload, kinds: readonly SubscriptionKind[]): void {
  if (payload.format === 'tlink' && kinds.some(kind => kind !== 'property' && kind !== 'state'))
    throw new AppError('subscription.filter_invalid', { params: { detail: 'tlink: property, state' } })
  if (payload.format !== 'template') return
  const problem = payload.template
    ? readTemplate(payload.template).problems[0]
    : { at: 0, text: '', code: 'syntax' as const }
  if (problem)
    throw new AppError('subscription.template_invalid', { params: { at: problem.at, detail: `{{${problem.text}}}` } })
}

/**
 * What can be said of a target without asking it; where a name leads is checked whenever it is asked.
 * @param allow networks of OUTBOUND_ALLOW
 * @throws AppError subscription.target_invalid, outbound.*
 */
export function checkTarget(target: SubscriptionTarget, allow: readonly string[]): void {
  const bad = (detail: string) => new AppError('subscription.target_invalid', { params: { detail } })
  if (target.kind === 'webhook' || target.kind === 'nats') {
    const url = URL.canParse(target.url) ? new URL(target.url) : null
    const schemes = target.kind === 'webhook' ? ['https:', 'http:'] : ['nats:', 'tls:']
    if (!url || !schemes.includes(url.protocol) || url.hostname === '') throw bad(`url: ${schemes.join(' ')}`)
    // Shown to everybody who may read subscriptions.
    if (url.username || url.password) throw bad('url: user:password@')
    if (target.kind === 'nats' && url.pathname !== '' && url.pathname !== '/') throw bad('url')
    const encrypted = url.protocol === 'https:' || url.protocol === 'tls:'
    const port = portOf(url, target.kind === 'nats' ? 4222 : encrypted ? 443 : 80)
    checkAddress(allow, { host: url.hostname, port, encrypted }, 'target.url')
  }
  if (target.kind === 'kafka')
    for (const broker of target.brokers) {
      const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(broker) ?? []
      checkAddress(allow, { host, port: Number(port), encrypted: target.tls ?? false }, 'target.brokers')
    }
  if (target.kind === 'nats') {
    const subject = target.subject.replaceAll(/\{(type|productKey|deviceNo)\}/g, 'x')
    if (!/^[^\s.*>{}]+(\.[^\s.*>{}]+)*$/.test(subject)) throw bad('subject')
  }
  if (target.kind === 'kafka' && target.mechanism && (!target.username || target.password === undefined))
    throw bad('username, password')
}

/** Where a target leads: secrets given for one place are not sent to another. */
function placeOf(target: SubscriptionTarget): string {
  switch (target.kind) {
    case 'webhook':
      return new URL(target.url).origin
    case 'nats':
      return target.url
    case 'kafka':
      return [...target.brokers].sort().join(',')
    default:
      return target.kind
  }
}

/**
 * Secrets after a change of the target: new ones replace, absent ones stay where the place stays.
 * @throws AppError subscription.secret_needed
 */
export function mergeSecrets(
  before: { target: SubscriptionTarget; secrets: TargetSecrets },
  target: SubscriptionTarget,
  given: TargetSecrets,
): TargetSecrets {
  const { secrets: signing, ...kept } = before.secrets
  const moved = placeOf(before.target) !== placeOf(target)
  const bringsOwn = given.headers !== undefined || given.password !== undefined || given.token !== undefined
  const hasKept = Object.keys(kept).length > 0 && !(kept.headers && Object.keys(kept.headers).length === 0)
  if (moved && hasKept && !bringsOwn) throw new AppError('subscription.secret_needed')
  const { secrets: newSigning, ...own } = given
  // The key of the signature proves who sends; it gives nothing away.
  const keys = newSigning ? [...newSigning, ...(signing ?? []).slice(0, 1)] : signing
  const rest = moved || bringsOwn ? own : kept
  return { ...(keys ? { secrets: keys } : {}), ...rest }
}
