import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type { GeofenceView, geofencesContract } from '@thingwright/contracts/geofences.contract'
import { FENCE_COLOURS, FENCE_LIMITS } from '@thingwright/contracts/geofences.words'
import { SCOPE_FIELDS } from '@thingwright/rules'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx, ownerIdOf } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { containing, type ListPosition } from '../../lib/sql/list.ts'
import { checkedScope, checkedShape } from './fence-input.ts'
import { insideOf, placesNow } from './fence-places.ts'
import * as repo from './geofences.repo.ts'

type Contract = typeof geofencesContract

export interface GeofencesService {
  list(ctx: Ctx, input: QueryOf<Contract['list']>): Promise<ResponseOf<Contract['list']>>
  /** @throws AppError geofence.invalid, geofence.name_taken, geofence.limit */
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<GeofenceView>
  /** @throws AppError geofence.not_found also for another company's */
  get(ctx: Ctx, id: string): Promise<GeofenceView>
  devices(ctx: Ctx, id: string): Promise<ResponseOf<Contract['devices']>>
  /** @throws AppError geofence.not_found, version.conflict, and those of create */
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<GeofenceView>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

/** Devices that are named in a fence. */
const NAMED = 200

export function createGeofencesService({ database }: { database: Database }): GeofencesService {
  async function known(scope: TenantScope, id: string, lock = false): Promise<repo.GeofenceRow> {
    const row = await repo.find(scope, id, lock)
    if (!row) throw new AppError('geofence.not_found')
    return row
  }

  async function views(
    scope: TenantScope,
    rows: readonly repo.GeofenceRow[],
    withInside = false,
  ): Promise<GeofenceView[]> {
    const places = withInside && rows.length > 0 ? await placesNow(database, scope) : null
    const shown: GeofenceView[] = []
    for (const { createdAt, updatedAt, ...row } of rows) {
      const field = SCOPE_FIELDS.find(name => row.scope?.[name] !== undefined)
      const values = (field && row.scope?.[field]) ?? []
      const names = field && field !== 'tags' ? await repo.namesOf(scope, field, values) : null
      shown.push({
        ...row,
        shape: row.shape as GeofenceView['shape'],
        scopeNames: values.map(value => (names ? (names.get(value) ?? null) : value)),
        inside: places ? (await insideOf(scope, row, places)).length : null,
        createdAt: createdAt.toISOString(),
        updatedAt: updatedAt.toISOString(),
      })
    }
    return shown
  }

  const one = async (scope: TenantScope, id: string) => (await views(scope, [await known(scope, id)]))[0]!

  async function freeName(scope: TenantScope, name: string, but: string | null): Promise<void> {
    if ((await repo.named(scope, name, but)) !== undefined)
      throw new AppError('geofence.name_taken', {
        params: { name },
        fields: { name: { code: 'geofence.name_taken', params: { name } } },
      })
  }

  return {
    list(ctx, query) {
      const limit = query.limit ?? 20
      const sort = parseSort(query.sort, repo.FENCE_SORTS, '-createdAt')
      const after = decodeCursor(query.cursor, 2) as unknown as ListPosition | null
      const filter = {
        ...(query.q ? { q: containing(query.q) } : {}),
        ...(query.enabled ? { enabled: query.enabled === '1' } : {}),
      }
      return database.withTenant(ctx, async scope => {
        const { rows } = await readFrom(query.cursor, () =>
          scope.run(...repo.LIST.page({ filter, sort, after, limit: limit + 1 })),
        )
        const total = query.total === '1' ? (await scope.run(...repo.LIST.count(filter))).rows[0]!.n : undefined
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        const items = await views(
          scope,
          page.map(({ position: _, ...row }) => row),
          query.inside === '1',
        )
        return {
          items,
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(total === undefined ? {} : { total }),
        }
      })
    },

    create: (ctx, { name, ...input }) =>
      database.withTenant(ctx, async scope => {
        const facts = {
          name: name.trim(),
          shape: checkedShape(input.shape),
          colour: input.colour ?? FENCE_COLOURS[0],
          enabled: input.enabled ?? true,
          remark: input.remark ?? '',
          scope: await checkedScope(scope, input.scope),
        }
        if (facts.name === '') throw new AppError('geofence.invalid', { fields: { name: { code: 'field.required' } } })
        await freeName(scope, facts.name, null)
        if ((await repo.count(scope)) >= FENCE_LIMITS.fences)
          throw new AppError('geofence.limit', { params: { limit: FENCE_LIMITS.fences } })
        const id = newId(ctx.now)
        await repo.insert(scope, {
          ...facts,
          id,
          tenantId: ctx.tenantId,
          ownerId: ownerIdOf(ctx.actor),
          ownerName: actorName(ctx.actor),
        })
        await recordAudit(scope, ctx, {
          action: 'geofence.create',
          objectType: 'geofence',
          objectId: id,
          objectName: facts.name,
          after: { ...facts },
        })
        return one(scope, id)
      }),

    get: (ctx, id) => database.withTenant(ctx, scope => one(scope, id)),

    devices: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await known(scope, id)
        const places = await placesNow(database, scope)
        const found = await insideOf(scope, row, places)
        return {
          items: found.slice(0, NAMED).map(device => ({
            id: device.id,
            name: device.name,
            deviceNo: device.deviceNo,
            place: device.place,
            at: device.at === null ? null : new Date(device.at).toISOString(),
          })),
          count: found.length,
          truncated: places.truncated,
        }
      }),

    update: (ctx, id, { version, ...input }) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id, true)
        if (before.version !== version)
          throw new AppError('version.conflict', { params: { current: await one(scope, id) } })
        const name = input.name?.trim()
        if (name === '') throw new AppError('geofence.invalid', { fields: { name: { code: 'field.required' } } })
        if (name !== undefined && name !== before.name) await freeName(scope, name, id)
        const change = {
          ...(name === undefined ? {} : { name }),
          ...(input.shape === undefined ? {} : { shape: checkedShape(input.shape) }),
          ...(input.colour === undefined ? {} : { colour: input.colour }),
          ...(input.enabled === undefined ? {} : { enabled: input.enabled }),
          ...(input.remark === undefined ? {} : { remark: input.remark }),
          ...(input.scope === undefined ? {} : { scope: await checkedScope(scope, input.scope) }),
        }
        if (!(await repo.update(scope, id, change))) throw new AppError('permission.denied')
        const changed = Object.keys(change) as (keyof typeof change)[]
        await recordAudit(scope, ctx, {
          action: 'geofence.update',
          objectType: 'geofence',
          objectId: id,
          objectName: name ?? before.name,
          before: Object.fromEntries(changed.map(field => [field, before[field]])),
          after: change,
        })
        return one(scope, id)
      }),

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const { name, shape, enabled } = await known(scope, id, true)
        if (!(await repo.remove(scope, id))) throw new AppError('permission.denied')
        await recordAudit(scope, ctx, {
          action: 'geofence.remove',
          objectType: 'geofence',
          objectId: id,
          objectName: name,
          before: { name, shape, enabled },
        })
        return { ok: true }
      }),
  }
}
