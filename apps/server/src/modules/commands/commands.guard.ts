import type { CommandCondition, CommandDanger, CommandRules } from '@thingwright/contracts/command-schemas'
import type { CompiledModel } from '@thingwright/thing-model'
import { actorId, type Ctx, ownerIdOf } from '../../lib/context.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { CommandPins } from './command-pins.ts'
import { rolesOfLogin } from './command-rules.repo.ts'

/** The checks that a command has to pass: confirmations, and the conditions of its interlock. */
export interface Guards {
  dangers: CommandDanger[]
  interlock: CommandCondition[]
}

/** The confirmations that a person gave with the command. */
export interface Answers {
  acknowledged?: boolean
  pin?: string
}

interface Checked {
  kind: 'property_set' | 'service' | 'raw'
  identifier: string | null
  params: Record<string, unknown>
}

/** Everything that guards a command: the template it was made from, and what the product says of what it touches. */
export function guardsOf(
  rules: CommandRules,
  model: CompiledModel,
  command: Checked,
  template: { danger?: CommandDanger; interlock?: CommandCondition[] } | null,
): Guards {
  const parts: { danger?: CommandDanger; interlock?: CommandCondition[] }[] = template ? [template] : []
  if (command.kind === 'property_set')
    for (const identifier of Object.keys(command.params)) parts.push(rules.properties?.[identifier] ?? {})
  if (command.kind === 'service') {
    const rule = rules.services?.[command.identifier ?? ''] ?? {}
    const { danger, confirmText } = model.services.get(command.identifier ?? '') ?? {}
    const asked: CommandDanger = { level: 'confirm', ...(confirmText ? { text: confirmText } : {}) }
    parts.push(rule.danger || !danger ? rule : { ...rule, danger: asked })
  }
  // Bytes of a template were looked at by whoever made it.
  if (command.kind === 'raw' && !template) parts.push(rules.raw ?? {}, ...whatBytesMayTouch(rules))
  return {
    dangers: parts.flatMap(part => part.danger ?? []),
    interlock: parts.flatMap(part => part.interlock ?? []),
  }
}

/**
 * Bytes can do whatever a property set or a service can, and nobody reads what they say: a PIN, a proof or a role that one
 * of those asks for is asked of them too. A second yes alone, and interlocks, are matters of the one property.
 */
function whatBytesMayTouch({ properties = {}, services = {} }: CommandRules): { danger?: CommandDanger }[] {
  return [...Object.values(properties), ...Object.values(services)].flatMap(({ danger }) =>
    danger && (danger.level !== 'confirm' || (danger.roleIds ?? []).length > 0) ? [{ danger }] : [],
  )
}

export interface GuardDeps {
  /** @throws AppError auth.proof_required */
  requireFreshProof(ctx: Ctx): Promise<void>
  pins: CommandPins
}

/**
 * Lets a person past the dangers of a command, or says what is still wanted of him.
 * @throws AppError command.role_required, command.confirm_required, command.pin_required, command.pin_wrong,
 * command.pin_locked, auth.proof_required; command.not_alone when nobody is there to be asked
 */
export async function passDangers(
  deps: GuardDeps,
  scope: TenantScope,
  ctx: Ctx,
  product: { id: string; pinHash: string | null },
  dangers: readonly CommandDanger[],
  answers: Answers,
): Promise<void> {
  if (dangers.length === 0) return
  const { actor } = ctx
  if (actor.kind === 'system') throw new AppError('command.not_alone')
  const wanted = dangers.filter(danger => (danger.roleIds ?? []).length > 0)
  if (wanted.length > 0) {
    // A program counts as the member it stands on.
    const held = new Set(await rolesOfLogin(scope, ownerIdOf(actor)!))
    if (!wanted.every(danger => danger.roleIds!.some(id => held.has(id)))) throw new AppError('command.role_required')
  }
  const text = dangers.find(danger => danger.text)?.text ?? ''
  const asks = (level: CommandDanger['level']) => dangers.some(danger => danger.level === level)
  // A PIN that nobody has set protects nothing: then it is the proof that is asked for.
  const pin = asks('pin') && product.pinHash !== null
  if (asks('confirm') && !pin && answers.acknowledged !== true)
    throw new AppError('command.confirm_required', { params: { text } })
  if (pin) {
    if (!answers.pin) throw new AppError('command.pin_required', { params: { text } })
    await deps.pins.check(actorId(actor)!, product.id, product.pinHash!, answers.pin)
  }
  if (asks('proof') || (asks('pin') && !pin)) {
    if (answers.acknowledged !== true && !pin) throw new AppError('command.confirm_required', { params: { text } })
    await deps.requireFreshProof(ctx)
  }
}
