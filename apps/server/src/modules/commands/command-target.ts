import type { CommandRules } from '@thingwright/contracts/command-schemas'
import { commandTemplatesContract } from '@thingwright/contracts/command-templates.contract'
import { type DeviceView, devicesContract } from '@thingwright/contracts/devices.contract'
import { telemetryContract } from '@thingwright/contracts/telemetry.contract'
import { thingModelsContract } from '@thingwright/contracts/thing-models.contract'
import { type CompiledModel, compileModel, type Param, type ThingModel } from '@thingwright/thing-model'
import { pages, strong } from '../../lib/tools/thing-kit.ts'
import { quoted, type ToolContext, ToolProblem } from '../../lib/tools/tools.ts'
import { modelOf, nameOf, partsNamed, readValue, typeText, valueText } from '../products/index.ts'
import { guardsOf } from './commands.guard.ts'
import { interlocked, interlockParams } from './interlock.ts'

/** A device that is to get a command, with all that decides whether it may. */
export interface CommandTarget {
  device: DeviceView
  model: ThingModel
  compiled: CompiledModel
  rules: CommandRules
  /** Property → its latest value. */
  latest: ReadonlyMap<string, readonly [value: unknown, ts: number]>
}

/** @throws ToolProblem for a device out of use; ToolQuestion when several could be meant */
export async function commandTarget(t: ToolContext, text: string | undefined): Promise<CommandTarget> {
  const { id } = await t.find('device', text)
  const params = { id }
  const [device, { model: own }] = await Promise.all([
    t.call(devicesContract.get, { params }),
    t.call(thingModelsContract.deviceModel, { params }),
  ])
  if (device.lifecycle === 'disabled')
    throw new ToolProblem(t.say('deviceDisabled', { name: strong(device.name) }), {
      title: device.name,
      to: pages.device(id),
    })
  const model = modelOf(own)
  const rules = await rulesOf(t, device.productId)
  return { device, model, compiled: compileModel(model), rules, latest: await latestOf(t, id) }
}

/** What the product says of its commands; nothing where the caller may not see it: the route checks for itself. */
export async function rulesOf(t: ToolContext, productId: string): Promise<CommandRules> {
  const view = await t.call(commandTemplatesContract.rules, { params: { id: productId } }).catch(() => null)
  return view?.rules ?? {}
}

async function latestOf(t: ToolContext, id: string): Promise<CommandTarget['latest']> {
  const answer = await t.call(telemetryContract.latest, { params: { id } }).catch(() => null)
  return new Map((answer?.items ?? []).map(({ identifier, value, ts }) => [identifier, [value, ts] as const]))
}

/** The said value as the part's type takes it. @throws ToolProblem telling what can be said */
export function valueFor(t: ToolContext, part: Param, said: unknown): unknown {
  const value = readValue(part, said)
  if (value !== undefined) return value
  throw new ToolProblem(
    t.say('valueWrong', {
      property: quoted(nameOf(part, t.locale)),
      value: quoted(String(said ?? '')),
      type: quoted(typeText(part.dataType, t.locale)),
    }),
  )
}

/** A value in words for a person. */
export const shown = (t: ToolContext, part: Param, value: unknown) => quoted(valueText(part, value, t.locale))

/** @throws ToolProblem when the model refuses the values, with its reason and what the part takes */
export function refuseBadValues(
  t: ToolContext,
  result: ReturnType<CompiledModel['checkPropertySet']>,
  parts: readonly Param[],
): void {
  if (result.ok) return
  const part = parts.find(each => result.path === each.identifier || result.path.startsWith(`${each.identifier}.`))
  throw new ToolProblem(
    part
      ? t.say('valueRefused', {
          property: quoted(nameOf(part, t.locale)),
          type: quoted(typeText(part.dataType, t.locale)),
        })
      : t.say('inputRefused', { path: quoted(result.path), detail: quoted(result.detail) }),
  )
}

interface Command {
  kind: 'property_set' | 'service'
  identifier: string | null
  params: Record<string, unknown>
}

/**
 * What stands between a person and the command: an interlock that does not hold refuses it here; what asks for a PIN or
 * a proof is done by hand. @returns lines for the approval, and whether the approval is the second yes
 */
export function passGuards(
  t: ToolContext,
  target: Omit<CommandTarget, 'device'> & { device: DeviceView | null },
  command: Command,
) {
  const { dangers, interlock } = guardsOf(target.rules, target.compiled, command, null)
  const link = target.device ? { title: target.device.name, to: pages.device(target.device.id, 'commands') } : undefined
  if (dangers.some(({ level }) => level !== 'confirm')) throw new ToolProblem(t.say('byHand'), link)
  const blocked = target.device ? interlocked(interlock, target.latest as never, t.now) : null
  if (blocked) {
    const { identifier, operator, value, actual } = interlockParams(blocked) as Record<string, string>
    const part = partsNamed(target.model.properties, identifier ?? '')[0]
    const name = quoted(part ? nameOf(part, t.locale) : (identifier ?? ''))
    throw new ToolProblem(
      t.say('interlocked', { name, operator, value: quoted(value ?? ''), actual: quoted(actual ?? '') }),
      link,
    )
  }
  const warning = dangers.find(({ text }) => text)?.text
  return {
    acknowledged: dangers.length > 0,
    effects: dangers.length > 0 ? [warning ? t.say('dangerSays', { text: quoted(warning) }) : t.say('danger')] : [],
  }
}
