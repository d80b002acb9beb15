import type { BodyOf } from '@thingwright/contracts'
import type { CommandView, commandsContract } from '@thingwright/contracts/commands.contract'
import type { CheckResult, CompiledModel } from '@thingwright/thing-model'
import { AppError } from '../../lib/errors.ts'

export type CreateCommand = BodyOf<(typeof commandsContract)['create']>

/** What a command says, checked against the thing model. */
export interface CheckedCommand {
  kind: CommandView['kind']
  identifier: string | null
  params: Record<string, unknown>
  timeoutMs: number
}

const DEFAULT_TIMEOUT_MS = 10_000
const DEFAULT_EXPIRY_MS = 24 * 3_600_000
const LONGEST_EXPIRY_MS = 30 * 24 * 3_600_000

/** @throws AppError command.params_invalid, command.service_unknown, command.raw_unavailable */
export function checkCommand(model: CompiledModel, input: CreateCommand): CheckedCommand {
  switch (input.kind) {
    case 'property_set':
      return {
        kind: input.kind,
        identifier: null,
        params: accepted(model.checkPropertySet(input.params ?? {})),
        timeoutMs: input.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      }
    case 'service': {
      const identifier = input.identifier ?? ''
      const service = model.services.get(identifier)
      if (!service) throw new AppError('command.service_unknown', { params: { identifier } })
      return {
        kind: input.kind,
        identifier,
        params: accepted(model.checkServiceInput(identifier, input.params ?? {})),
        timeoutMs: input.timeoutMs ?? service.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      }
    }
    case 'raw':
      throw new AppError('command.raw_unavailable')
  }
}

/** When a queued command is given up. @throws AppError command.expiry_invalid outside the next 30 days */
export function expiryOf(expiresAt: string | undefined, now: number): Date {
  if (expiresAt === undefined) return new Date(now + DEFAULT_EXPIRY_MS)
  const at = Date.parse(expiresAt)
  if (!(at > now && at <= now + LONGEST_EXPIRY_MS)) throw new AppError('command.expiry_invalid')
  return new Date(at)
}

function accepted(result: CheckResult): Record<string, unknown> {
  if (result.ok) return result.values
  const { path, reason, detail } = result
  throw new AppError('command.params_invalid', {
    params: { path, reason, detail },
    fields: { [path ? `params.${path}` : 'params']: { code: 'command.params_invalid', params: { path } } },
  })
}
