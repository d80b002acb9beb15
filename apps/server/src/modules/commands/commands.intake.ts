import type { CommandRules } from '@thingwright/contracts/command-schemas'
import { type CompiledModel, holdsPassword } from '@thingwright/thing-model'
import { actorId, actorName, type Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { readLatestValues } from '../../lib/journal/latest-values.ts'
import type { AuthorisedDevice } from '../devices/authorised.port.ts'
import type { CommandModels } from './command-models.ts'
import { type ProductRules, productRules } from './command-rules.repo.ts'
import { templateByCode, templateById } from './command-templates.repo.ts'
import {
  type CheckedCommand,
  type CreateCommand,
  checkCommand,
  expiryOf,
  type Template,
  timedRules,
} from './commands.checks.ts'
import { type GuardDeps, type Guards, guardsOf, passDangers } from './commands.guard.ts'
import * as repo from './commands.repo.ts'
import { interlocked, interlockParams } from './interlock.ts'

/** Commands that may wait for one device. */
export const QUEUE_LIMIT = 1_000

/** The longest time that the table holds, ms: a frame may wait for 30 days, which is more. */
const MOST_MS = 2 ** 31 - 1

export interface Origin {
  source: repo.CommandSource
  /** Dangers were passed before, for all devices at once (a batch, a periodic read). */
  dangersPassed?: boolean
  batchId?: string
  scheduleId?: string
}

export interface CommandIntake {
  /**
   * Checks a command for a device and puts it into the queue, in the caller's transaction. Nothing is written before
   * everything is checked, so a refusal leaves the transaction as it was.
   * @returns its row, and the ids of commands that it put aside
   */
  put(
    scope: TenantScope,
    ctx: Ctx,
    device: AuthorisedDevice,
    input: CreateCommand,
    origin: Origin,
  ): Promise<{ row: repo.CommandRow; superseded: string[] }>
  /**
   * One property set or service call for many devices of one product, each once, checked once for all of them.
   * @returns what was written, by the number of the device. Those that are not in it are to be put by themselves: they
   *   have a model of their own or no room, or what is asked is for each of them another question.
   * @throws AppError those of `put` that are the same for every device of the product
   */
  putSame(
    scope: TenantScope,
    ctx: Ctx,
    productId: string,
    devices: readonly AuthorisedDevice[],
    input: CreateCommand,
    origin: Origin,
  ): Promise<Map<number, { row: repo.CommandRow; superseded: string[] }>>
  /**
   * A template for many devices of one product, without a person: never a dangerous one. Interlocked devices are left out.
   * @throws AppError command_schedule.dangerous and those of `put`
   */
  putTemplate(
    scope: TenantScope,
    ctx: Ctx,
    product: { id: string; templateId: string; params: Record<string, unknown>; expiresAt: string },
    devices: readonly (AuthorisedDevice & { subAddress: string | null })[],
    origin: Origin,
  ): Promise<repo.CommandRow[]>
  /** Only the dangers: what is asked before a batch or a timed task begins. @param device whose own model counts, if any */
  passDangersOf(
    scope: TenantScope,
    ctx: Ctx,
    productId: string,
    input: CreateCommand,
    device?: AuthorisedDevice,
  ): Promise<void>
}

export interface IntakeDeps extends GuardDeps {
  database: Pick<Database, 'telemetry'>
  models: CommandModels
}

interface Understood {
  product: ProductRules
  model: CompiledModel
  checked: CheckedCommand
  template: Template | null
  guards: Guards
}

/** @throws AppError device.recycled, device.disabled */
export function assertCommandable(device: AuthorisedDevice): AuthorisedDevice {
  if (device.lifecycle === 'recycled') throw new AppError('device.recycled')
  if (device.lifecycle === 'disabled') throw new AppError('device.disabled')
  return device
}

/** The one way into the commands table, for people, programs, batches and periodic reads alike. */
export function createCommandIntake(deps: IntakeDeps): CommandIntake {
  const { database, models } = deps

  async function understand(
    scope: TenantScope,
    ctx: Ctx,
    productId: string,
    device: AuthorisedDevice | null,
    input: CreateCommand,
  ): Promise<Understood> {
    const model = await models.ofDevice(scope, productId, device)
    const found = await productRules(scope, productId)
    if (!found) throw new AppError('product.not_published')
    const product = { ...found, rules: timedRules(found.rules, found.linkType) }
    if (input.kind === 'raw' && product.linkType === 'video') throw new AppError('command.raw_unavailable')
    if (input.lora && product.linkType !== 'lorawan')
      throw new AppError('command.lora_only', { fields: { lora: { code: 'command.lora_only' } } })
    const template = input.kind === 'template' ? await templateOf(scope, productId, input) : null
    const subAddress = device && template ? await repo.subAddressOf(scope, device.num) : null
    const checked = checkCommand(model, product.rules, input, template, {
      deviceNo: device?.deviceNo ?? '',
      subAddress,
      now: ctx.now,
    })
    // Without an acknowledgement nothing answers: that it was sent is all there is to know.
    if (input.lora?.confirmed === false && checked.confirm === 'auto') checked.confirm = 'none'
    // What may wait at the network server until then is answered for as long.
    if (input.lora?.expires) {
      const left = expiryOf(input.expiresAt, product.rules, ctx.now).getTime() - ctx.now
      checked.timeoutMs = Math.max(checked.timeoutMs, Math.min(left, MOST_MS))
    }
    const guards = guardsOf(product.rules, model, checked, template?.body ?? null)
    return { product, model, checked, template, guards }
  }

  async function assertInterlock(device: AuthorisedDevice, guards: Guards, now: number): Promise<void> {
    if (guards.interlock.length === 0) return
    const latest = await readLatestValues(database.telemetry, device.ids)
    const refused = interlocked(guards.interlock, latest.get(device.num), now)
    if (refused) throw new AppError('command.interlocked', { params: interlockParams(refused) })
  }

  return {
    async put(scope, ctx, device, input, origin) {
      const { product, model, checked, template, guards } = await understand(
        scope,
        ctx,
        device.productId,
        device,
        input,
      )
      if (!origin.dangersPassed) await passDangers(deps, scope, ctx, product, guards.dangers, input)
      await assertInterlock(device, guards, ctx.now)
      const expiresAt = expiryOf(input.expiresAt, product.rules, ctx.now)
      // It may have gone to the bin since the caller looked.
      const lifecycle = await repo.holdLifecycle(scope, device.num)
      if (lifecycle === null) throw new AppError('device.not_found')
      assertCommandable({ ...device, lifecycle })
      await repo.lockQueue(scope, device.num)
      if (
        (await repo.countQueued(scope, device.num)) >= QUEUE_LIMIT &&
        !(await collapses(scope, device, checked, product.rules))
      )
        throw new AppError('command.queue_full', { params: { limit: QUEUE_LIMIT } })
      const superseded =
        checked.kind === 'property_set' && product.rules.collapse !== false
          ? await repo.supersede(scope, device.num, Object.keys(checked.params))
          : []
      const row = await repo.insertCommand(scope, {
        id: newId(),
        deviceId: device.id,
        device: device.num,
        ...checked,
        interlock: guards.interlock,
        source: origin.source,
        operatorId: actorId(ctx.actor),
        operatorName: actorName(ctx.actor),
        expiresAt,
        template: template ? { id: template.id, name: template.name, params: input.params ?? {} } : null,
        batchId: origin.batchId ?? null,
        lora: loraOf(input, expiresAt),
        scheduleId: origin.scheduleId ?? null,
        secretParams: secretsOf(model, checked),
      })
      if (checked.kind === 'property_set') await repo.mergeDesired(scope, device.num, wishesOf(model, checked.params))
      return { row, superseded }
    },

    async putSame(scope, ctx, productId, devices, input, origin) {
      const written = new Map<number, { row: repo.CommandRow; superseded: string[] }>()
      if (input.kind !== 'property_set' && input.kind !== 'service') return written
      const { product, model, checked, guards } = await understand(scope, ctx, productId, null, input)
      if (guards.dangers.length > 0 || guards.interlock.length > 0) return written
      const expiresAt = expiryOf(input.expiresAt, product.rules, ctx.now)
      const plain = await repo.plainOf(
        scope,
        devices.map(({ num }) => num),
      )
      await repo.lockQueues(scope, [...plain])
      const full = await repo.fullOf(scope, [...plain], QUEUE_LIMIT)
      const those = devices.filter(({ num }) => plain.has(num) && !full.has(num))
      if (those.length === 0) return written
      const numbers = those.map(({ num }) => num)
      const isSet = checked.kind === 'property_set'
      const gone =
        isSet && product.rules.collapse !== false
          ? await repo.supersedeMany(scope, numbers, Object.keys(checked.params))
          : []
      const rows = await repo.insertCommands(
        scope,
        those.map(device => ({
          id: newId(),
          deviceId: device.id,
          device: device.num,
          ...checked,
          interlock: [],
          source: origin.source,
          operatorId: actorId(ctx.actor),
          operatorName: actorName(ctx.actor),
          expiresAt,
          template: null,
          batchId: origin.batchId ?? null,
          lora: loraOf(input, expiresAt),
          scheduleId: origin.scheduleId ?? null,
          secretParams: secretsOf(model, checked),
        })),
      )
      if (isSet) await repo.mergeDesiredOfMany(scope, numbers, wishesOf(model, checked.params))
      for (const row of rows)
        written.set(row.device, {
          row,
          superseded: gone.filter(({ device }) => device === row.device).map(({ id }) => id),
        })
      return written
    },

    async putTemplate(scope, ctx, product, devices, origin) {
      const input: CreateCommand = {
        kind: 'template',
        templateId: product.templateId,
        params: product.params,
        expiresAt: product.expiresAt,
      }
      const first = await understand(scope, ctx, product.id, null, input)
      if (first.guards.dangers.length > 0) throw new AppError('command_schedule.dangerous')
      const { interlock } = first.guards
      const latest =
        interlock.length > 0
          ? await readLatestValues(
              database.telemetry,
              devices.map(d => d.num),
            )
          : null
      const expiresAt = new Date(product.expiresAt)
      const rows = devices
        .filter(device => !latest || !interlocked(interlock, latest.get(device.num), ctx.now))
        .map(device => ({
          id: newId(),
          deviceId: device.id,
          device: device.num,
          ...checkCommand(first.model, first.product.rules, input, first.template, {
            deviceNo: device.deviceNo,
            subAddress: device.subAddress,
            now: ctx.now,
          }),
          interlock,
          source: origin.source,
          operatorId: actorId(ctx.actor),
          operatorName: actorName(ctx.actor),
          expiresAt,
          template: { id: first.template!.id, name: first.template!.name, params: product.params },
          batchId: null,
          lora: null,
          scheduleId: origin.scheduleId ?? null,
          secretParams: secretsOf(first.model, first.checked),
        }))
      return rows.length === 0 ? [] : repo.insertCommands(scope, rows)
    },

    async passDangersOf(scope, ctx, productId, input, device) {
      const { product, guards } = await understand(scope, ctx, productId, device ?? null, input)
      await passDangers(deps, scope, ctx, product, guards.dangers, input)
    },
  }
}

/** Names of the parameters that hold a password somewhere. */
function secretsOf(model: CompiledModel, { kind, identifier, params }: CheckedCommand): string[] {
  const fields = kind === 'property_set' ? model.model.properties : (model.services.get(identifier ?? '')?.input ?? [])
  return fields
    .filter(field => Object.hasOwn(params, field.identifier) && holdsPassword(field.dataType))
    .map(field => field.identifier)
}

/** What becomes the device's wanted state: a password is told once and kept nowhere else. */
function wishesOf(model: CompiledModel, params: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params).filter(([identifier]) => {
      const property = model.properties.get(identifier)
      return !property || !holdsPassword(property.dataType)
    }),
  )
}

/** A full queue still takes a wish that puts an older one aside. */
async function collapses(
  scope: TenantScope,
  device: AuthorisedDevice,
  checked: CheckedCommand,
  rules: CommandRules,
): Promise<boolean> {
  if (checked.kind !== 'property_set' || rules.collapse === false) return false
  return repo.wouldSupersede(scope, device.num, Object.keys(checked.params))
}

/** @throws AppError command_template.not_found, command_template.other_product */
async function templateOf(scope: TenantScope, productId: string, input: CreateCommand): Promise<Template> {
  const row = input.templateId
    ? await templateById(scope, input.templateId)
    : await templateByCode(scope, productId, input.identifier ?? '')
  if (!row) throw new AppError('command_template.not_found')
  if (row.productId !== productId) throw new AppError('command_template.other_product')
  return row
}

/** What was chosen of the way down to a LoRaWAN device, as it is kept. */
function loraOf({ lora }: CreateCommand, expiresAt: Date): repo.NewCommand['lora'] {
  if (!lora) return null
  const { port = null, confirmed = true, expires = false } = lora
  return { port, confirmed, expiresAt: expires ? expiresAt.toISOString() : null }
}
