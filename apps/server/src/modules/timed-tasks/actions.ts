import type { ErrorCode } from '@thingwright/contracts/errors'
import {
  MAX_DELAY_SECONDS,
  MAX_STEP_DEVICES,
  type StepScope,
  type TimedAction,
} from '@thingwright/contracts/timed-tasks.contract'
import type { Ctx } from '../../lib/context.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import type { CommandIntake } from '../commands/index.ts'
import { authoriseDevices } from '../devices/index.ts'
import { scenesById } from './scenes.repo.ts'
import * as targets from './targets.repo.ts'

/** What is wrong with a field, by its path. */
export interface Flaw {
  path: string
  code: ErrorCode
  params?: Record<string, unknown>
}

/** @throws AppError timed_task.invalid with every field that is wrong */
export function refuse(flaws: readonly Flaw[]): void {
  if (flaws.length === 0) return
  throw new AppError('timed_task.invalid', {
    fields: Object.fromEntries(flaws.map(({ path, code, params }) => [path, { code, params: params ?? {} }])),
  })
}

const OF_IDS = {
  deviceIds: 'timed_task.device_unknown',
  productIds: 'timed_task.product_unknown',
  groupIds: 'timed_task.group_unknown',
} as const

/** Whose own model may have more than their product's: that many devices are looked at one by one. */
const LOOKED_AT = 20

export interface ActionChecks {
  /** What is wrong with the steps of a task or, without scenes, of a scene. @param path of the list */
  check(scope: TenantScope, ctx: Ctx, actions: readonly TimedAction[], path: string, inScene?: boolean): Promise<Flaw[]>
}

/** Looks over steps before they are kept: what cannot work is said now, not at night. */
export function createActionChecks(intake: Pick<CommandIntake, 'passDangersOf'>): ActionChecks {
  async function scopeFlaws(scope: TenantScope, chosen: StepScope | undefined, path: string): Promise<Flaw[]> {
    const fields = targets.SCOPE_FIELDS.filter(field => chosen?.[field] !== undefined)
    const [field] = fields
    if (!chosen || !field || fields.length > 1) return [{ path, code: 'timed_task.scope_one' }]
    const values = chosen[field] ?? []
    if (values.length === 0) return [{ path: `${path}.${field}`, code: 'timed_task.scope_empty' }]
    if (field !== 'tags') {
      const place = await targets.firstUnknown(scope, field, values)
      if (place !== null) return [{ path: `${path}.${field}.${place}`, code: OF_IDS[field] }]
    }
    if ((await targets.countTargets(scope, chosen)) > MAX_STEP_DEVICES)
      return [{ path, code: 'timed_task.too_many_devices', params: { limit: MAX_STEP_DEVICES } }]
    return []
  }

  /** What devices and products say to the command. */
  async function commandFlaws(scope: TenantScope, ctx: Ctx, action: TimedAction, path: string): Promise<Flaw[]> {
    const { command, scope: chosen } = action
    const isEmpty = command?.kind === 'service' ? !command.identifier : Object.keys(command?.params ?? {}).length === 0
    if (!command || isEmpty) return [{ path: `${path}.command`, code: 'timed_task.command_missing' }]
    const { sessionId: _, ...alone } = ctx
    const ask = async (productId: string, device?: Parameters<CommandIntake['passDangersOf']>[4]) => {
      try {
        await intake.passDangersOf(scope, alone, productId, command, device)
        return []
      } catch (error) {
        if (!isAppError(error)) throw error
        return flawsOf(error, `${path}.command`)
      }
    }
    const ids = chosen?.deviceIds
    if (ids && ids.length <= LOOKED_AT) {
      const { devices } = await authoriseDevices(scope, ids)
      for (const device of devices) {
        const flaws = await ask(device.productId, device)
        if (flaws.length > 0) return flaws
      }
      return []
    }
    // Devices of a group or tag come and go: it is enough when one of their products takes it.
    const products = await targets.productsOf(scope, chosen!)
    const isLoose = chosen?.groupIds !== undefined || chosen?.tags !== undefined
    let last: Flaw[] = []
    for (const productId of products) {
      const flaws = await ask(productId)
      if (flaws.length === 0 && isLoose) return []
      if (flaws.length > 0 && !isLoose) return flaws
      last = flaws
    }
    return last
  }

  return {
    async check(scope, ctx, actions, path, inScene = false) {
      if (actions.length === 0) return [{ path, code: 'timed_task.no_steps' }]
      const flaws: Flaw[] = []
      const wanted = actions.flatMap(({ sceneId }) => sceneId ?? [])
      const scenes = new Set((await scenesById(scope, scope.tenantId, wanted)).map(({ id }) => id))
      for (const [place, action] of actions.entries()) {
        const at = `${path}.${place}`
        if (action.kind === 'delay') {
          const { seconds } = action
          if (!Number.isInteger(seconds) || seconds! < 1 || seconds! > MAX_DELAY_SECONDS)
            flaws.push({
              path: `${at}.seconds`,
              code: 'timed_task.seconds',
              params: { min: 1, max: MAX_DELAY_SECONDS },
            })
        } else if (action.kind === 'scene') {
          if (inScene) flaws.push({ path: `${at}.kind`, code: 'scene.in_scene' })
          else if (!action.sceneId || !scenes.has(action.sceneId))
            flaws.push({ path: `${at}.sceneId`, code: 'scene.not_found' })
        } else {
          const ofScope = await scopeFlaws(scope, action.scope, `${at}.scope`)
          flaws.push(...ofScope)
          if (ofScope.length === 0) flaws.push(...(await commandFlaws(scope, ctx, action, at)))
        }
      }
      if (actions.every(({ kind }) => kind === 'delay')) flaws.push({ path, code: 'timed_task.only_delays' })
      return flaws
    },
  }
}

const NEEDS_A_PERSON = new Set<string>([
  'command.pin_required',
  'command.pin_wrong',
  'command.pin_locked',
  'auth.proof_required',
])

function flawsOf(error: AppError, path: string): Flaw[] {
  if (NEEDS_A_PERSON.has(error.code)) return [{ path, code: 'timed_task.not_dangerous' }]
  const fields = Object.entries(error.fields ?? {})
  if (fields.length > 0)
    return fields.map(([field, { code, params }]) => ({
      path: `${path}.${field}`,
      code: code as ErrorCode,
      params: { ...error.params, ...params },
    }))
  return [{ path, code: error.code, params: error.params }]
}

/** A step as it is carried out: a command or a delay, with the scene that it comes from. */
export interface PlannedStep {
  action: TimedAction
  sceneName: string | null
  /** Ms after the run began. */
  after: number
  /** It cannot be done. */
  fault: ErrorCode | null
}

/** Writes scenes out and adds the delays up. */
export function planned(
  actions: readonly TimedAction[],
  scenes: ReadonlyMap<string, { name: string; actions: readonly TimedAction[] }>,
): PlannedStep[] {
  const steps: PlannedStep[] = []
  let after = 0
  const add = (action: TimedAction, sceneName: string | null, fault: ErrorCode | null = null) => {
    steps.push({ action, sceneName, after, fault })
    if (action.kind === 'delay') after += (action.seconds ?? 0) * 1_000
  }
  for (const action of actions) {
    if (action.kind !== 'scene') {
      add(action, null)
      continue
    }
    const scene = scenes.get(action.sceneId ?? '')
    if (!scene) add(action, null, 'scene.not_found')
    else for (const inner of scene.actions) add(inner, scene.name)
  }
  return steps
}
