import type { BodyOf, ResponseOf } from '@thingwright/contracts'
import type { Diagnosis, diagnosisContract, SimulatedAction } from '@thingwright/contracts/diagnosis.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorId, type Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { LinkPortState } from '../devices/gateway.port.ts'
import { type DeviceAddresses, readAuthorisedDevice } from '../devices/index.ts'
import type { DiagnosisPort, SimulatedAct } from './diagnosis.port.ts'
import * as repo from './diagnosis.repo.ts'
import { diagnose } from './doctor/doctor.ts'
import type { WatchFacts } from './doctor/facts.ts'
import { frameView } from './frame-view.ts'

type Contract = typeof diagnosisContract

export interface DiagnosisDeps {
  database: Database
  gateway: DiagnosisPort
  /** Ports that belong to products; null: the gateway does not answer. */
  linkPorts?(): Promise<LinkPortState[] | null>
  addresses(): DeviceAddresses
  /** Rows that each consumer of the journal is behind; null: nobody knows. */
  behind(): Promise<Record<string, number> | null>
  /** Messages of the company today and how many it may send; null: as many as it likes. */
  messagesQuota(ctx: Ctx): Promise<{ used: number; limit: number } | null>
  /** What watches a device, as far as the caller may see it. */
  watch?(ctx: Ctx, deviceId: string): Promise<WatchFacts>
  /** Asks what a raw command of the product would be asked. @throws AppError command.pin_required and its like */
  passRaw(ctx: Ctx, productId: string, hex: string, answers: { acknowledged?: boolean; pin?: string }): Promise<void>
}

export interface DiagnosisService {
  device(ctx: Ctx, id: string): Promise<Diagnosis>
  frames(ctx: Ctx, id: string): Promise<ResponseOf<Contract['frames']>>
  refusedSignIns(ctx: Ctx, productId: string): Promise<ResponseOf<Contract['refusedSignIns']>>
  /** @throws AppError command.pin_required and its like; diagnosis.offline, diagnosis.not_subscribed, diagnosis.link_cannot, diagnosis.gateway_down */
  send(ctx: Ctx, id: string, input: BodyOf<Contract['send']>): Promise<ResponseOf<Contract['send']>>
  /** @throws AppError diagnosis.connected while the real device is there; device.disabled, product.not_published … */
  simulate(ctx: Ctx, id: string, action: SimulatedAction): Promise<ResponseOf<Contract['simulate']>>
}

/** One line of the operation log for a person who acts as a device, however many messages he sends meanwhile. */
const AUDIT_AGAIN_MS = 10 * 60_000
const MAX_AUDITED = 1_000

/** Finding out why a device's data does not arrive, and trying out what would. */
export function createDiagnosisService(deps: DiagnosisDeps): DiagnosisService {
  const { database, gateway } = deps
  const authorise = (ctx: Ctx, id: string) => readAuthorisedDevice(database, ctx, id)
  const audited = new Map<string, number>()

  /** Whether this person's acting as this device stands in the operation log already. */
  function isAudited(ctx: Ctx, deviceId: string): boolean {
    const key = `${actorId(ctx.actor)}/${deviceId}`
    const before = audited.get(key)
    if (before !== undefined && before > ctx.now - AUDIT_AGAIN_MS) return true
    if (audited.size >= MAX_AUDITED) audited.delete(audited.keys().next().value!)
    audited.delete(key)
    audited.set(key, ctx.now)
    return false
  }

  return {
    async device(ctx, id) {
      const device = await authorise(ctx, id)
      const { telemetry } = database
      const { num, productKey } = device
      const [facts, path, linkPorts, behind, rows, connections, commands, messagesQuota, watch] = await Promise.all([
        repo.deviceFacts(telemetry, device),
        gateway.probe('state', { device: num, productKey }),
        deps.linkPorts?.() ?? null,
        deps.behind().catch(() => null),
        repo.lastRows(telemetry, device),
        repo.lastChanges(telemetry, device),
        repo.commandFacts(telemetry, device),
        deps.messagesQuota(ctx),
        deps.watch?.(ctx, id) ?? null,
      ])
      return diagnose({
        now: ctx.now,
        device: facts,
        ports: deps.addresses(),
        ownPort: linkPorts?.find(({ product }) => product === device.productNum) ?? null,
        path,
        behind,
        rows,
        connections,
        commands,
        messagesQuota,
        watch,
      })
    },

    async frames(ctx, id) {
      const { num } = await authorise(ctx, id)
      return { items: ((await gateway.probe('frames', { device: num })) ?? []).map(frameView) }
    },

    async refusedSignIns(ctx, productId) {
      const productKey = await database.withTenant(ctx, scope => repo.productKeyOf(scope, productId))
      if (productKey === null) throw new AppError('product.not_found')
      const refusals = await gateway.probe('refusals', { productKey })
      if (refusals === null) throw new AppError('diagnosis.gateway_down')
      const numbers = [...new Set(refusals.map(({ deviceNo }) => deviceNo))]
      const ids = await database.withTenant(ctx, scope => repo.devicesByNo(scope, productId, numbers))
      return {
        items: refusals.map(({ deviceNo, reason, transport, address, firstAt, lastAt, count }) => ({
          deviceNo,
          deviceId: ids.get(deviceNo) ?? null,
          reason,
          transport,
          address,
          firstAt: new Date(firstAt).toISOString(),
          lastAt: new Date(lastAt).toISOString(),
          count,
        })),
      }
    },

    async send(ctx, id, { hex, ...answers }) {
      const device = await authorise(ctx, id)
      await deps.passRaw(ctx, device.productId, hex, answers)
      const bytes = Buffer.from(hex, 'hex')
      const outcome = await gateway.probe('send', { device: device.num, bytes })
      await database.withTenant(ctx, scope =>
        recordAudit(scope, ctx, {
          action: 'device.send_raw',
          objectType: 'device',
          objectId: id,
          objectName: device.name,
          after: { hex: hex.slice(0, 1_024), size: bytes.length, outcome: outcome ?? 'gateway_down' },
          result: outcome === 'sent' ? 'ok' : 'failed',
        }),
      )
      if (outcome === null) throw new AppError('diagnosis.gateway_down')
      if (outcome === 'offline') throw new AppError('diagnosis.offline')
      if (outcome === 'not_subscribed')
        throw new AppError('diagnosis.not_subscribed', {
          params: { topic: `things/${device.productKey}/${device.deviceNo}/raw/down` },
        })
      if (outcome === 'unsupported') {
        const path = await gateway.probe('state', { device: device.num, productKey: device.productKey })
        throw new AppError('diagnosis.link_cannot', { params: { transport: path?.session?.transport ?? '' } })
      }
      return { size: bytes.length, at: new Date(ctx.now).toISOString() }
    },

    async simulate(ctx, id, action) {
      const device = await authorise(ctx, id)
      const { productKey, deviceNo } = device
      const outcome = await gateway.probe('simulate', { productKey, deviceNo, act: actOf(action) })
      if (isAudited(ctx, id)) ctx.audited = true
      else
        await database.withTenant(ctx, scope =>
          recordAudit(scope, ctx, {
            action: 'device.simulate',
            objectType: 'device',
            objectId: id,
            objectName: device.name,
            after: { kind: action.kind },
          }),
        )
      if (outcome === null) throw new AppError('diagnosis.gateway_down')
      if (outcome.outcome !== 'unavailable')
        return { outcome: outcome.outcome, reason: 'reason' in outcome ? outcome.reason : null }
      switch (outcome.reason) {
        case 'connected':
          throw new AppError('diagnosis.connected')
        case 'disabled':
          throw new AppError('device.disabled')
        case 'not_published':
          throw new AppError('product.not_published')
        case 'unknown_device':
          throw new AppError('device.recycled')
        case 'overloaded':
          throw new AppError('diagnosis.overloaded')
      }
    },
  }
}

function actOf(action: SimulatedAction): SimulatedAct {
  switch (action.kind) {
    case 'property':
      return { kind: 'property', payload: JSON.stringify(action.values) }
    case 'event':
      return { kind: 'event', identifier: action.identifier, payload: JSON.stringify(action.params) }
    case 'raw':
      return { kind: 'raw', bytes: Buffer.from(action.hex, 'hex') }
    case 'reply': {
      const { commandId, code, message, data } = action
      return { kind: 'reply', commandId, code, message: message ?? null, data: data ?? null }
    }
    default:
      return { kind: action.kind }
  }
}
