import type { QueryOf, ResponseOf } from '@thingwright/contracts'
import type { LoraRegionItem, LoraRegionView, loraRegionsContract } from '@thingwright/contracts/lora.contract'
import type { Ctx } from '../../lib/context.ts'
import { AppError } from '../../lib/errors.ts'
import * as connections from './connections.repo.ts'
import { LnsError } from './lns.port.ts'
import words from './lora-words.json' with { type: 'json' }
import { regionView, shippedRegion, shippedRegions } from './region-plans.ts'
import type { SyncDeps } from './sync.ts'

type Contract = typeof loraRegionsContract

export interface RegionsService {
  /** Regions of the server where it may be asked, in the order of their ids; else those that ChirpStack comes with. */
  list(ctx: Ctx, input: QueryOf<Contract['list']>): Promise<ResponseOf<Contract['list']>>
  /** @throws AppError lora_region.unknown */
  get(ctx: Ctx, id: string, input: QueryOf<Contract['get']>): Promise<LoraRegionView>
}

export function createRegionsService({ database, clients }: Pick<SyncDeps, 'database' | 'clients'>): RegionsService {
  async function connectionOf(ctx: Ctx, id: string | undefined) {
    if (id === undefined) return null
    const row = await database.withTenant(ctx, scope => connections.find(scope, id))
    if (!row) throw new AppError('lora_connection.not_found')
    return row.state === 'disabled' ? null : row
  }

  const used = (items: LoraRegionItem[], wanted: readonly string[] | undefined) =>
    wanted && wanted.length > 0 ? items.filter(({ id }) => wanted.includes(id)) : items

  return {
    async list(ctx, { connectionId }) {
      const connection = await connectionOf(ctx, connectionId)
      let reason: string | null = null
      if (connection) {
        try {
          const found = await clients.of(connection).regions()
          if (found) return { items: used(found, connection.regions), source: 'server', reason: null }
          reason = words[ctx.locale].regionSource.noPerson
        } catch (error) {
          if (!(error instanceof LnsError)) throw error
          reason = [error.code, error.text].filter(Boolean).join(' ')
        }
      }
      const shipped = shippedRegions().map(({ id, description, region }) => ({ id, description, region }))
      return { items: used(shipped, connection?.regions), source: 'shipped', reason }
    },

    async get(ctx, id, { connectionId }) {
      const connection = await connectionOf(ctx, connectionId)
      if (connection) {
        try {
          const found = await clients.of(connection).region(id)
          if (found) return regionView(found, 'server')
        } catch (error) {
          if (!(error instanceof LnsError)) throw error
        }
      }
      const shipped = shippedRegion(id)
      if (!shipped) throw new AppError('lora_region.unknown', { params: { id } })
      return regionView(shipped, 'shipped')
    },
  }
}
