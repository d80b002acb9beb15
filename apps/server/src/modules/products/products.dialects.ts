import type { BodyOf } from '@thingwright/contracts'
import type { DialectsView, dialectsContract, SubDeviceSettingsView } from '@thingwright/contracts/dialects.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { GatewayPort } from '../devices/gateway.port.ts'
import { findSpeech, type SpeechRow, writeSpeech } from './products.dialects.repo.ts'
import type { ProductDevices } from './products.service.ts'

type Contract = typeof dialectsContract

export interface ProductDialectsDeps {
  database: Database
  gateway: Pick<GatewayPort, 'forget'>
  devices: Pick<ProductDevices, 'giveTokens'>
}

export interface ProductDialectsService {
  get(ctx: Ctx, id: string): Promise<DialectsView>
  set(ctx: Ctx, id: string, input: BodyOf<Contract['set']>): Promise<DialectsView>
  subDevices(ctx: Ctx, id: string): Promise<SubDeviceSettingsView>
  setSubDevices(ctx: Ctx, id: string, input: BodyOf<Contract['setSubDevices']>): Promise<SubDeviceSettingsView>
}

/** The protocol dialects that a product's devices may speak, and how devices below its gateways behave. */
export function createProductDialectsService({
  database,
  gateway,
  devices,
}: ProductDialectsDeps): ProductDialectsService {
  async function existing(scope: TenantScope, id: string, lock = false): Promise<SpeechRow> {
    const row = await findSpeech(scope, id, lock)
    if (row) return row
    if (lock && scope.limited && (await findSpeech(scope, id))) throw new AppError('scope.outside')
    throw new AppError('product.not_found')
  }

  /** One change: locks the product, checks the caller's version, writes, logs, tells the device path. */
  function change(
    ctx: Ctx,
    id: string,
    action: string,
    version: number | undefined,
    work: (scope: TenantScope, before: SpeechRow) => Promise<Partial<Pick<SpeechRow, 'dialects' | 'subDevices'>>>,
  ): Promise<SpeechRow> {
    return database.withTenant(ctx, async scope => {
      const before = await existing(scope, id, true)
      if (version !== undefined && version !== before.version)
        throw new AppError('version.conflict', {
          params: { current: { ...dialectsView(before), subDevices: subDevicesView(before) } },
        })
      await writeSpeech(scope, id, { ...before, ...(await work(scope, before)) })
      const after = await existing(scope, id)
      await recordAudit(scope, ctx, {
        action,
        objectType: 'product',
        objectId: id,
        objectName: after.name,
        before: { dialects: before.dialects, subDevices: before.subDevices },
        after: { dialects: after.dialects, subDevices: after.subDevices },
      })
      scope.afterCommit(() => gateway.forget({ product: before.num }))
      return after
    })
  }

  return {
    get: async (ctx, id) => dialectsView(await database.withTenant(ctx, scope => existing(scope, id))),

    set: async (ctx, id, { version, ...input }) =>
      dialectsView(
        await change(ctx, id, 'product.dialects', version, async (scope, { dialects }) => {
          // Devices that are there already speak with a token or not at all.
          if (input.thingsboard) await devices.giveTokens?.(scope, id)
          return { dialects: { ...dialects, ...input } }
        }),
      ),

    subDevices: async (ctx, id) => subDevicesView(await database.withTenant(ctx, scope => existing(scope, id))),

    setSubDevices: async (ctx, id, { version, presence, autoCreateProductId }) =>
      subDevicesView(
        await change(ctx, id, 'product.sub_devices', version, async (scope, before) => {
          const product =
            autoCreateProductId === undefined ? before.subDevices.autoCreateProductId : autoCreateProductId
          if (product) {
            const of = await existing(scope, product)
            if (of.nodeType === 'gateway') throw new AppError('device.not_sub_device')
          }
          return { subDevices: { presence, autoCreateProductId: product ?? null } }
        }),
      ),
  }
}

function dialectsView({ dialects, version }: SpeechRow): DialectsView {
  return { thingsboard: dialects.thingsboard === true, alibaba: dialects.alibaba === true, version }
}

function subDevicesView({ subDevices, autoCreateProductName, version }: SpeechRow): SubDeviceSettingsView {
  return {
    presence: subDevices.presence ?? 'gateway',
    autoCreateProductId: subDevices.autoCreateProductId ?? null,
    autoCreateProductName,
    version,
  }
}
