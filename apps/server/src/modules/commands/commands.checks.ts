import type { BodyOf } from '@thingwright/contracts'
import type { CommandRules, ReplyPattern, TemplateBody } from '@thingwright/contracts/command-schemas'
import type { CommandView, commandsContract } from '@thingwright/contracts/commands.contract'
import { LORA_TIMEOUT_MS, USUAL_TIMEOUT_MS } from '@thingwright/contracts/commands.words'
import type { CheckResult, CompiledModel } from '@thingwright/thing-model'
import { AppError } from '../../lib/errors.ts'
import { type RenderedCommand, renderTemplate, type TemplateContext } from './templates/render.ts'

export type CreateCommand = BodyOf<(typeof commandsContract)['create']>

/** What must still be reported before a command counts as done: property → value and how far from it is near enough. */
export type ReadBack = Record<string, { value: unknown; tolerance: number }>

/** What a command says, checked against the thing model. */
export interface CheckedCommand {
  kind: Exclude<CommandView['kind'], 'firmware'>
  identifier: string | null
  params: Record<string, unknown>
  timeoutMs: number
  confirm: CommandView['confirm']
  readBack: ReadBack | null
  expects: ReplyPattern | null
  retries: number
}

/** A named command of the product, as it is stored. */
export interface Template {
  id: string
  name: string
  body: TemplateBody
}

const DEFAULT_EXPIRY_MS = 24 * 3_600_000
const LONGEST_EXPIRY_MS = 30 * 24 * 3_600_000
const MAX_BYTES = 8192

/** The rules of a product, with the time for an answer that its kind of link takes where they name none. */
export function timedRules(rules: CommandRules, linkType: string): CommandRules {
  return linkType === 'lorawan' && rules.timeoutMs === undefined ? { ...rules, timeoutMs: LORA_TIMEOUT_MS } : rules
}

/**
 * Reads a request against the thing model, the product's rules and, where it names one, a template.
 * @throws AppError command.params_invalid, command.service_unknown, command.payload_invalid,
 * command.read_back_impossible, command_template.invalid
 */
export function checkCommand(
  model: CompiledModel,
  rules: CommandRules,
  input: CreateCommand,
  template: Template | null,
  context: TemplateContext,
): CheckedCommand {
  const rendered = template ? renderTemplate(template.body, input.params ?? {}, context) : plainOf(input)
  const body = template?.body
  const timeoutMs = input.timeoutMs ?? body?.timeoutMs
  const common = {
    retries: input.retries ?? body?.retries ?? rules.retries ?? 0,
    expects: rendered.expects,
    timeoutMs: timeoutMs ?? rules.timeoutMs ?? USUAL_TIMEOUT_MS,
  }
  const wanted = input.confirm ?? body?.confirm
  switch (rendered.kind) {
    case 'property_set': {
      const params = accepted(model.checkPropertySet(rendered.params))
      return {
        kind: rendered.kind,
        identifier: null,
        params,
        ...common,
        ...confirmationOfSet(model, rules, wanted, params),
      }
    }
    case 'service': {
      const identifier = rendered.identifier ?? ''
      const service = model.services.get(identifier)
      if (!service) throw new AppError('command.service_unknown', { params: { identifier } })
      const params = accepted(model.checkServiceInput(identifier, rendered.params))
      return {
        kind: rendered.kind,
        identifier,
        params,
        ...common,
        timeoutMs: timeoutMs ?? service.timeoutMs ?? common.timeoutMs,
        ...confirmationOfService(rules, wanted ?? (service.async ? 'none' : undefined), identifier, params),
      }
    }
    case 'raw': {
      const confirm = wanted ?? rules.confirm ?? 'auto'
      if (wanted === 'read_back') throw new AppError('command.read_back_impossible', { params: { identifier: 'raw' } })
      return {
        kind: rendered.kind,
        identifier: null,
        params: { hex: rendered.bytes!.toString('hex') },
        ...common,
        confirm: confirm === 'read_back' ? 'auto' : confirm,
        readBack: null,
      }
    }
  }
}

function plainOf(input: CreateCommand): RenderedCommand {
  if (input.kind === 'raw')
    return { kind: 'raw', identifier: null, params: {}, bytes: payloadOf(input.payload), expects: null }
  if (input.kind === 'template') throw new AppError('command_template.not_found')
  return {
    kind: input.kind,
    identifier: input.identifier ?? null,
    params: input.params ?? {},
    bytes: null,
    expects: null,
  }
}

function payloadOf(payload: CreateCommand['payload']): Buffer {
  const { hex, text } = payload ?? {}
  const refused = () =>
    new AppError('command.payload_invalid', { fields: { payload: { code: 'command.payload_invalid' } } })
  if ((hex === undefined) === (text === undefined)) throw refused()
  const digits = hex?.replaceAll(/[\s,:-]/g, '')
  if (digits !== undefined && !/^([0-9a-f]{2})+$/i.test(digits)) throw refused()
  const bytes = digits === undefined ? Buffer.from(text!) : Buffer.from(digits, 'hex')
  if (bytes.length === 0 || bytes.length > MAX_BYTES) throw refused()
  return bytes
}

type Confirmation = Pick<CheckedCommand, 'confirm' | 'readBack'>

function confirmationOfSet(
  model: CompiledModel,
  rules: CommandRules,
  wanted: CreateCommand['confirm'],
  params: Record<string, unknown>,
): Confirmation {
  const ruleOf = (identifier: string) => rules.properties?.[identifier]
  const all = Object.keys(params)
  const readable = (identifier: string) => model.properties.get(identifier)?.access !== 'w'
  let targets: string[] = []
  if (wanted === 'read_back') {
    targets = all
    const hidden = all.find(identifier => !readable(identifier))
    if (hidden !== undefined) throw new AppError('command.read_back_impossible', { params: { identifier: hidden } })
  } else if (wanted === undefined)
    targets = all.filter(
      identifier => (ruleOf(identifier)?.confirm ?? rules.confirm) === 'read_back' && readable(identifier),
    )
  if (targets.length === 0) {
    const [first] = all
    const ruled = all.length === 1 && first !== undefined ? ruleOf(first)?.confirm : undefined
    const confirm = wanted ?? ruled ?? rules.confirm ?? 'auto'
    return { confirm: confirm === 'read_back' ? 'auto' : confirm, readBack: null }
  }
  return {
    confirm: 'read_back',
    readBack: Object.fromEntries(
      targets.map(identifier => [
        identifier,
        { value: params[identifier], tolerance: ruleOf(identifier)?.tolerance ?? toleranceOf(params[identifier]) },
      ]),
    ),
  }
}

function confirmationOfService(
  rules: CommandRules,
  wanted: CreateCommand['confirm'],
  identifier: string,
  params: Record<string, unknown>,
): Confirmation {
  const rule = rules.services?.[identifier]
  const confirm = wanted ?? rule?.confirm ?? 'auto'
  if (confirm !== 'read_back') return { confirm, readBack: null }
  const target = rule?.readBack
  const value = target?.param === undefined ? target?.value : params[target.param]
  if (!target || value === undefined) throw new AppError('command.read_back_impossible', { params: { identifier } })
  return {
    confirm,
    readBack: { [target.property]: { value, tolerance: rule?.tolerance ?? toleranceOf(value) } },
  }
}

/** What single-precision firmware makes of a number. */
const toleranceOf = (value: unknown) => (typeof value === 'number' ? Math.abs(value) * 1e-6 : 0)

/** When a queued command is given up. @throws AppError command.expiry_invalid outside the next 30 days */
export function expiryOf(expiresAt: string | undefined, rules: CommandRules, now: number): Date {
  if (expiresAt === undefined)
    return new Date(now + (rules.expirySeconds === undefined ? DEFAULT_EXPIRY_MS : rules.expirySeconds * 1000))
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
