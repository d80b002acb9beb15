import type { QueryOf, ResponseOf } from '@thingwright/contracts'
import type { LoraDeviceView, loraDevicesContract } from '@thingwright/contracts/lora-devices.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { containing, type ListPosition } from '../../lib/sql/list.ts'
import * as repo from './devices.repo.ts'

type Contract = typeof loraDevicesContract

export interface LoraDevicesService {
  /** Devices that a ChirpStack server spoke of, and how they are heard. */
  list(ctx: Ctx, input: QueryOf<Contract['list']>): Promise<ResponseOf<Contract['list']>>
}

export function createLoraDevicesService({ database }: { database: Database }): LoraDevicesService {
  return {
    list: (ctx, { limit = 20, cursor, q, sort, total, ...filter }) =>
      database.withTenant(ctx, async scope => {
        const order = parseSort(sort, ['lastSeenAt', 'devEui'] as const, '-lastSeenAt')
        const wanted = { ...filter, ...(q?.trim() ? { q: containing(q.trim()) } : {}) }
        const after = decodeCursor(cursor, 2) as ListPosition | null
        const { rows } = await readFrom(cursor, () =>
          scope.run(...repo.LIST.page({ filter: wanted, sort: order, after, limit: limit + 1 })),
        )
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page.map(({ position: _, ...row }) => ({
            ...row,
            class: row.class as 'A' | 'B' | 'C',
            lastSeenAt: row.lastSeenAt?.toISOString() ?? null,
            joinedAt: row.joinedAt?.toISOString() ?? null,
            problemAt: row.problemAt?.toISOString() ?? null,
            locationSource: row.locationSource as LoraDeviceView['locationSource'],
            locationAt: row.locationAt?.toISOString() ?? null,
          })),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.connectionId]) : null,
          ...(total === '1' ? { total: (await scope.run(...repo.LIST.count(wanted))).rows[0]!.n } : {}),
        }
      }),
  }
}
