import type { Action, RuleDocument } from '@thingwright/rules'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import { checkAddress } from '../../lib/outbound/outbound-address.ts'
import { portOf } from '../../lib/outbound/port-of.ts'
import { refuse } from './trigger-rule.ts'

/** Whether a webhook may go there. @throws AppError trigger.rule_invalid, outbound.* */
export function checkWebhook(text: string, allow: readonly string[], field: string): void {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.hostname === '' || url.username || url.password)
    refuse([{ path: field, code: 'trigger.url_invalid', params: {} }])
  const encrypted = url.protocol === 'https:'
  checkAddress(allow, { host: url.hostname, port: portOf(url, encrypted ? 443 : 80), encrypted }, field)
}

/** Takes secrets out of webhooks. @param before those that stay where none is given */
export function sealWebhooks(
  box: CryptoBox,
  id: string,
  rule: RuleDocument,
  before: Buffer | null,
): { rule: RuleDocument; secrets: Buffer | null } {
  const kept = before === null ? {} : (JSON.parse(box.open(before, id).toString()) as Record<string, string>)
  const secrets: Record<string, string> = {}
  const actions = rule.actions?.map((action): Action => {
    if (action.kind !== 'webhook') return action
    const { secret, hasSecret: _, ...rest } = action
    const held =
      typeof secret === 'string' && secret !== '' ? secret : secret === null ? undefined : kept[String(action.url)]
    if (held === undefined) return rest as Action
    secrets[String(action.url)] = held
    return { ...rest, hasSecret: true } as Action
  })
  const cipher = Object.keys(secrets).length > 0 ? box.seal(JSON.stringify(secrets), id) : null
  return { rule: actions ? { ...rule, actions } : rule, secrets: cipher }
}
