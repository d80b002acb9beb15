import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import { LORA_PROFILE_DEFAULTS } from '@thingwright/contracts/lora.words'
import type {
  LoraProfileFields,
  LoraProfileItem,
  LoraProfileView,
  loraProfilesContract,
} from '@thingwright/contracts/lora-profiles.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { containing, type ListPosition } from '../../lib/sql/list.ts'
import type { ConnectionRow } from './connections.repo.ts'
import { enabled } from './connections.service.ts'
import { asAppError, wrong } from './errors.ts'
import { type Lns, LnsError } from './lns.port.ts'
import * as repo from './profiles.repo.ts'
import { shippedRegion } from './region-plans.ts'
import { noted, type SyncDeps } from './sync.ts'

type Contract = typeof loraProfilesContract

export interface ProfilesService {
  list(ctx: Ctx, input: QueryOf<Contract['list']>): Promise<ResponseOf<Contract['list']>>
  /** As ChirpStack has it now; as it was read last where that does not answer. */
  get(ctx: Ctx, id: string): Promise<LoraProfileView>
  /** @throws AppError lora_profile.region_mismatch, script_missing, measurement_twice, lora.refused with ChirpStack's words */
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<LoraProfileView>
  /** @throws AppError lora_profile.not_found, gone, shared, version.conflict, and those of create */
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<LoraProfileView>
  /** @throws AppError lora.refused while devices use it */
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

export function createProfilesService(deps: SyncDeps): ProfilesService {
  const { database } = deps

  async function withConnection(ctx: Ctx, id: string) {
    return database.withTenant(ctx, async scope => {
      const row = await known(scope, id)
      return { row, connection: await enabled(scope, row.connectionId) }
    })
  }

  const asking = async <T>(connection: ConnectionRow, work: (lns: Lns) => Promise<T>): Promise<T> => {
    try {
      return await noted(deps, connection, work)
    } catch (error) {
      throw asAppError(error, 'lora_profile.gone')
    }
  }

  return {
    list: (ctx, { limit = 20, cursor, q, sort, total, ...filter }) =>
      database.withTenant(ctx, async scope => {
        const order = parseSort(sort, repo.PROFILE_SORTS, '-createdAt')
        const wanted = { ...filter, ...(q?.trim() ? { q: containing(q.trim()) } : {}) }
        const after = decodeCursor(cursor, 2) as ListPosition | null
        const { rows } = await readFrom(cursor, () =>
          scope.run(...repo.LIST.page({ filter: wanted, sort: order, after, limit: limit + 1 })),
        )
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page.map(itemOf),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(total === '1' ? { total: (await scope.run(...repo.LIST.count(wanted))).rows[0]!.n } : {}),
        }
      }),

    async get(ctx, id) {
      const row = await database.withTenant(ctx, scope => known(scope, id))
      try {
        const { connection } = await withConnection(ctx, id)
        const profile = await noted(deps, connection, lns => lns.profile(row.remoteId))
        return await database.withTenant(ctx, async scope => {
          await repo.keepWhole(scope, id, profile)
          return viewOf(await known(scope, id), null)
        })
      } catch (error) {
        const passing = error instanceof LnsError && error.fault !== 'gone'
        const disabled = error instanceof AppError && error.code === 'lora_connection.disabled'
        if ((!passing && !disabled) || row.settings === null) throw asAppError(error, 'lora_profile.gone')
        return viewOf(row, passing ? [error.code, error.text].filter(Boolean).join(' ') : 'disabled')
      }
    },

    async create(ctx, { connectionId, ...input }) {
      const fields: LoraProfileFields = { ...LORA_PROFILE_DEFAULTS, ...input }
      check(fields)
      const connection = await database.withTenant(ctx, scope => enabled(scope, connectionId))
      const { remoteId, profile } = await asking(connection, async lns => {
        const remoteId = await lns.createProfile(fields)
        return { remoteId, profile: await lns.profile(remoteId) }
      })
      return database.withTenant(ctx, async scope => {
        const id = await repo.keep(
          scope,
          { id: newId(ctx.now), tenantId: scope.tenantId, connectionId },
          { ...profile.fields, remoteId, shared: false, createdAt: profile.createdAt, updatedAt: profile.updatedAt },
        )
        await repo.keepWhole(scope, id, profile)
        const row = await known(scope, id)
        await recordAudit(scope, ctx, {
          action: 'lora_profile.create',
          objectType: 'lora_profile',
          objectId: id,
          objectName: row.name,
          after: shown(profile.fields),
        })
        return viewOf(row, null)
      })
    },

    async update(ctx, id, { version, ...input }) {
      const { row, connection } = await withConnection(ctx, id)
      if (row.shared) throw new AppError('lora_profile.shared')
      if (row.version !== version) throw new AppError('version.conflict', { params: { current: viewOf(row, null) } })
      const { before, profile } = await asking(connection, async lns => {
        const before = await lns.profile(row.remoteId)
        // It was changed in ChirpStack since it was read: that change is not overwritten.
        if (row.settings !== null && Date.parse(before.updatedAt) !== row.updatedAt.getTime()) {
          const current = await database.withTenant(ctx, async scope => {
            await repo.keepWhole(scope, id, before)
            return viewOf(await known(scope, id), null)
          })
          throw new AppError('version.conflict', { params: { current } })
        }
        const fields = { ...before.fields, ...input }
        check(fields)
        await lns.updateProfile(row.remoteId, fields)
        return { before, profile: await lns.profile(row.remoteId) }
      })
      return database.withTenant(ctx, async scope => {
        await repo.keepWhole(scope, id, profile)
        const after = await known(scope, id)
        await recordAudit(scope, ctx, {
          action: 'lora_profile.update',
          objectType: 'lora_profile',
          objectId: id,
          objectName: after.name,
          before: shown(before.fields),
          after: shown(profile.fields),
        })
        return viewOf(after, null)
      })
    },

    async remove(ctx, id) {
      const { row, connection } = await withConnection(ctx, id)
      if (row.shared) throw new AppError('lora_profile.shared')
      try {
        await noted(deps, connection, lns => lns.removeProfile(row.remoteId))
      } catch (error) {
        // Gone already is what was wanted.
        if (!(error instanceof LnsError) || error.fault !== 'gone') throw asAppError(error, 'lora_profile.gone')
      }
      return database.withTenant(ctx, async scope => {
        await repo.remove(scope, id)
        await recordAudit(scope, ctx, {
          action: 'lora_profile.remove',
          objectType: 'lora_profile',
          objectId: id,
          objectName: row.name,
          before: row.settings ? shown(row.settings) : { name: row.name },
        })
        return { ok: true }
      })
    },
  }
}

async function known(scope: TenantScope, id: string): Promise<repo.ProfileRow> {
  const row = await repo.find(scope, id)
  if (!row) throw new AppError('lora_profile.not_found')
  return row
}

/** Values that ChirpStack accepts and that make no sense together. */
function check(fields: LoraProfileFields): void {
  const config = fields.regionConfigId === '' ? null : shippedRegion(fields.regionConfigId)
  if (config && config.region !== fields.region)
    wrong('regionConfigId', 'lora_profile.region_mismatch', { config: config.id, region: config.region })
  if (fields.codecRuntime === 'js' && fields.codecScript.trim() === '')
    wrong('codecScript', 'lora_profile.script_missing')
  const seen = new Set<string>()
  fields.measurements.forEach(({ key }, n) => {
    if (seen.has(key)) wrong(`measurements[${n}].key`, 'lora_profile.measurement_twice', { key })
    seen.add(key)
  })
}

/** For the operation log, which needs no whole script. */
const shown = ({ codecScript, ...fields }: LoraProfileFields) => ({ ...fields, codecScriptLength: codecScript.length })

function itemOf(row: repo.ProfileRow): LoraProfileItem {
  const { tenantId: _, settings: __, createdAt, updatedAt, syncedAt, ...item } = row
  const { position: ___, ...shownItem } = item as typeof item & { position?: string }
  return {
    ...shownItem,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    syncedAt: syncedAt.toISOString(),
  }
}

const viewOf = (row: repo.ProfileRow, stale: string | null): LoraProfileView => ({
  ...LORA_PROFILE_DEFAULTS,
  ...row.settings,
  ...itemOf(row),
  stale,
})
