import type { FenceShape } from '@thingwright/contracts/geofences.contract'
import { FENCE_LIMITS } from '@thingwright/contracts/geofences.words'
import { SCOPE_FIELDS, type Scope } from '@thingwright/rules'
import { actorName, type Ctx, ownerIdOf } from '../../lib/context.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { checkedShape } from './fence-input.ts'
import * as stored from './fence-transfer.repo.ts'
import * as repo from './geofences.repo.ts'

/** A geofence in the file of a company; ids in it are the exporting company's. */
export interface PackedFence extends stored.StoredFence {
  /** Devices that it names. */
  devices: stored.NamedDevice[]
}

/** Where what a file names is in this company; undefined: it is not here. */
export interface FenceHere {
  product(id: string): string | undefined
  group(id: string): string | undefined
  device(productId: string, deviceNo: string): Promise<string | undefined>
}

/** As a file says it: its shape is not known to be one. */
type FenceLine = Omit<PackedFence, 'shape'> & { shape: FenceShape }

export interface BroughtFence {
  what: 'created' | 'replaced' | 'kept'
  id: string
  /** None of its devices is here: it came in disabled. */
  isEmpty: boolean
}

/** Geofences of a company to and from its file. */
export interface GeofenceTransfer {
  pack(scope: TenantScope): Promise<PackedFence[]>
  /** Its id here: one that is there already has the same name. */
  find(scope: TenantScope, line: Pick<PackedFence, 'name'>): Promise<string | undefined>
  /** @throws AppError geofence.invalid, geofence.limit */
  bring(
    scope: TenantScope,
    ctx: Ctx,
    line: FenceLine,
    to: { here: FenceHere; existing: 'keep' | 'replace' },
  ): Promise<BroughtFence>
}

export const geofenceTransfer: GeofenceTransfer = {
  async pack(scope) {
    const rows = await stored.allFences(scope)
    const ids = [...new Set(rows.flatMap(({ scope: chosen }) => chosen?.deviceIds ?? []))]
    const devices = new Map((await stored.devicesOf(scope, ids)).map(device => [device.id, device]))
    return rows.map(row => ({ ...row, devices: (row.scope?.deviceIds ?? []).flatMap(id => devices.get(id) ?? []) }))
  },

  find: (scope, { name }) => repo.named(scope, name, null),

  async bring(scope, ctx, line, { here, existing }) {
    const found = await repo.named(scope, line.name, null)
    if (found !== undefined && existing === 'keep') return { what: 'kept', id: found, isEmpty: false }
    const chosen = await repointed(line, here)
    const isEmpty = chosen === 'none'
    const facts = {
      name: line.name,
      shape: checkedShape(line.shape),
      colour: line.colour,
      enabled: line.enabled && !isEmpty,
      remark: line.remark,
      scope: isEmpty ? null : chosen,
    }
    if (found !== undefined) {
      if (!(await repo.update(scope, found, facts))) throw new AppError('permission.denied')
      return { what: 'replaced', id: found, isEmpty }
    }
    if ((await repo.count(scope)) >= FENCE_LIMITS.fences)
      throw new AppError('geofence.limit', { params: { limit: FENCE_LIMITS.fences } })
    const id = newId(ctx.now)
    await repo.insert(scope, {
      ...facts,
      id,
      tenantId: scope.tenantId,
      ownerId: ownerIdOf(ctx.actor),
      ownerName: actorName(ctx.actor),
    })
    return { what: 'created', id, isEmpty }
  },
}

/** What is not here is left out. */
async function repointed({ scope: chosen, devices }: FenceLine, here: FenceHere): Promise<Scope | null | 'none'> {
  const field = SCOPE_FIELDS.find(name => chosen?.[name] !== undefined)
  if (!chosen || field === undefined) return null
  if (field === 'tags') return chosen
  const numbers = new Map(devices.map(device => [device.id, device]))
  const ids: string[] = []
  for (const id of chosen[field] ?? []) {
    const device = numbers.get(id)
    const own =
      field === 'deviceIds'
        ? device && (await here.device(device.productId, device.deviceNo))
        : field === 'productIds'
          ? here.product(id)
          : here.group(id)
    if (own !== undefined) ids.push(own)
  }
  return ids.length === 0 ? 'none' : { [field]: ids }
}
