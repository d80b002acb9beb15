import type { BodyOf, ResponseOf } from '@thingwright/contracts'
import type { LoraMulticastView, loraMulticastContract } from '@thingwright/contracts/lora-multicast.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import { AppError } from '../../lib/errors.ts'
import type { ConnectionRow } from './connections.repo.ts'
import { enabled } from './connections.service.ts'
import { asAppError, wrong } from './errors.ts'
import { type Lns, LnsError } from './lns.port.ts'
import { noted, type SyncDeps } from './sync.ts'

type Contract = typeof loraMulticastContract

/** Multicast groups live in ChirpStack; every answer is what it has now. */
export interface MulticastService {
  list(ctx: Ctx, connectionId: string): Promise<ResponseOf<Contract['list']>>
  /** @throws AppError lora_multicast.not_found, lora.unavailable … */
  get(ctx: Ctx, connectionId: string, groupId: string): Promise<LoraMulticastView>
  /** @throws AppError lora_link.application_unknown, lora.refused with ChirpStack's words */
  create(ctx: Ctx, connectionId: string, input: BodyOf<Contract['create']>): Promise<LoraMulticastView>
  remove(ctx: Ctx, connectionId: string, groupId: string): Promise<{ ok: boolean }>
  /** What ChirpStack refuses of some devices does not keep the others out. */
  addDevices(
    ctx: Ctx,
    connectionId: string,
    groupId: string,
    devEuis: readonly string[],
  ): Promise<ResponseOf<Contract['addDevices']>>
  removeDevice(ctx: Ctx, connectionId: string, groupId: string, devEui: string): Promise<LoraMulticastView>
  send(ctx: Ctx, connectionId: string, groupId: string, input: BodyOf<Contract['send']>): Promise<LoraMulticastView>
}

export function createMulticastService(deps: SyncDeps): MulticastService {
  const { database } = deps

  async function asking<T>(ctx: Ctx, connectionId: string, work: (lns: Lns) => Promise<T>): Promise<T> {
    const connection: ConnectionRow = await database.withTenant(ctx, scope => enabled(scope, connectionId))
    try {
      return await noted(deps, connection, work)
    } catch (error) {
      if (error instanceof LnsError && error.fault === 'gone') throw new AppError('lora_multicast.not_found')
      throw asAppError(error, 'lora.answer')
    }
  }

  /** A key of the whole server could read groups of other tenants: only those of this one's applications are known. */
  async function read(lns: Lns, groupId: string): Promise<LoraMulticastView> {
    const applications = await lns.applications()
    const group = await lns.multicastGroup(groupId)
    const application = applications.find(({ id }) => id === group.applicationId)
    if (!application) throw new AppError('lora_multicast.not_found')
    return { ...group, applicationName: application.name }
  }

  const log = (ctx: Ctx, action: string, group: LoraMulticastView, facts: Record<string, unknown>) =>
    database.withTenant(ctx, scope =>
      recordAudit(scope, ctx, {
        action: `lora_multicast.${action}`,
        objectType: 'lora_multicast',
        objectId: group.groupId,
        objectName: group.name,
        after: facts,
      }),
    )

  return {
    list: (ctx, connectionId) => asking(ctx, connectionId, async lns => ({ items: await lns.multicastGroups() })),
    get: (ctx, connectionId, groupId) => asking(ctx, connectionId, lns => read(lns, groupId)),

    async create(ctx, connectionId, { pingSlotPeriodicity = 0, ...input }) {
      const group = await asking(ctx, connectionId, async lns => {
        const applications = await lns.applications()
        if (!applications.some(({ id }) => id === input.applicationId))
          wrong('applicationId', 'lora_link.application_unknown')
        const lower = (text: string) => text.toLowerCase()
        const id = await lns.createMulticastGroup({
          ...input,
          pingSlotPeriodicity,
          mcAddr: lower(input.mcAddr),
          mcNwkSKey: lower(input.mcNwkSKey),
          mcAppSKey: lower(input.mcAppSKey),
        })
        return read(lns, id)
      })
      const { name, applicationId, region, type, mcAddr, dr, frequency } = group
      await log(ctx, 'create', group, { name, applicationId, region, type, mcAddr, dr, frequency })
      return group
    },

    async remove(ctx, connectionId, groupId) {
      const group = await asking(ctx, connectionId, async lns => {
        const known = await read(lns, groupId)
        await lns.removeMulticastGroup(groupId)
        return known
      })
      await log(ctx, 'remove', group, { mcAddr: group.mcAddr, devices: group.devices.length })
      return { ok: true }
    },

    async addDevices(ctx, connectionId, groupId, devEuis) {
      const failed: { devEui: string; text: string }[] = []
      const group = await asking(ctx, connectionId, async lns => {
        await read(lns, groupId)
        for (const devEui of devEuis.map(typed => typed.toLowerCase())) {
          try {
            await lns.addToMulticastGroup(groupId, devEui)
          } catch (error) {
            // Of one device; what concerns all of them ends the whole.
            if (!(error instanceof LnsError) || !['gone', 'exists', 'refused'].includes(error.fault)) throw error
            if (error.fault !== 'exists')
              failed.push({ devEui, text: [error.code, error.text].filter(Boolean).join(' ') })
          }
        }
        return read(lns, groupId)
      })
      const added = devEuis.length - failed.length
      await log(ctx, 'add_devices', group, { added, failed: failed.length })
      return { added, failed, group }
    },

    async removeDevice(ctx, connectionId, groupId, devEui) {
      const group = await asking(ctx, connectionId, async lns => {
        await read(lns, groupId)
        await lns.removeFromMulticastGroup(groupId, devEui.toLowerCase())
        return read(lns, groupId)
      })
      await log(ctx, 'remove_device', group, { devEui: devEui.toLowerCase() })
      return group
    },

    async send(ctx, connectionId, groupId, { port, hex }) {
      const group = await asking(ctx, connectionId, async lns => {
        await read(lns, groupId)
        await lns.sendToMulticastGroup(groupId, port, Buffer.from(hex, 'hex'))
        return read(lns, groupId)
      })
      await log(ctx, 'send', group, { port, bytes: hex.length / 2, devices: group.devices.length })
      return group
    },
  }
}
