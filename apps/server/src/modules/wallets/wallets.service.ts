import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type {
  ConsumptionView,
  EntryView,
  UnitUseView,
  WalletView,
  walletsContract,
} from '@thingwright/contracts/wallets.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import * as consumption from './consumption.repo.ts'
import { ENTRIES, ENTRY_SORTS, type EntryRow } from './entries.repo.ts'
import { findWallet, holdWallet, NO_WALLET, setSettings, type WalletRow } from './ledger.repo.ts'
import { UNIT_USE_SORTS, UNIT_USES, type UnitUseRow } from './unit-uses.repo.ts'

type Contract = typeof walletsContract

export interface WalletsService {
  settings(ctx: Ctx, input: BodyOf<Contract['settings']>): Promise<WalletView>
  entries(ctx: Ctx, input: QueryOf<Contract['entries']>): Promise<ResponseOf<Contract['entries']>>
  consumption(ctx: Ctx, input: QueryOf<Contract['consumption']>): Promise<ResponseOf<Contract['consumption']>>
  unitUses(ctx: Ctx, input: QueryOf<Contract['unitUses']>): Promise<ResponseOf<Contract['unitUses']>>
  statements(ctx: Ctx, input: QueryOf<Contract['statements']>): Promise<ResponseOf<Contract['statements']>>
}

export function createWalletsService({ database }: { database: Database }): WalletsService {
  return {
    settings: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const before = await holdWallet(scope, scope.tenantId, newId(ctx.now))
        const after = await setSettings(scope, scope.tenantId, input.version, input.warnFen, input.urgentOnBalance)
        if (!after) throw new AppError('version.conflict', { params: { current: walletView(before) } })
        await recordAudit(scope, ctx, {
          action: 'wallet.update',
          objectType: 'wallet',
          objectId: after.id,
          before: { warnFen: before.warnFen, urgentOnBalance: before.urgentOnBalance },
          after: { warnFen: after.warnFen, urgentOnBalance: after.urgentOnBalance },
        })
        return walletView(after)
      }),

    entries: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const wallet = await findWallet(scope, scope.tenantId)
        const limit = input.limit ?? 20
        const sort = parseSort(input.sort, ENTRY_SORTS, '-at')
        const given = [(wallet ?? NO_WALLET).id]
        const filter = filterOf(input, input.kind ? { kind: input.kind } : {})
        const { rows } = await readFrom(input.cursor, () =>
          scope.run(...ENTRIES.page({ given, filter, sort, after: positionOf(input.cursor), limit: limit + 1 })),
        )
        const total = input.total === '1' ? (await scope.run(...ENTRIES.count(filter, given))).rows[0]!.n : undefined
        return pageOf(rows, limit, entryView, total)
      }),

    consumption: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const limit = input.limit ?? 20
        const sort = parseSort(input.sort, consumption.CONSUMPTION_SORTS, '-at')
        const given = [scope.tenantId]
        const filter = filterOf(input, input.item ? { item: input.item } : {})
        const list = consumption.CONSUMPTIONS
        const { rows } = await readFrom(input.cursor, () =>
          scope.run(...list.page({ given, filter, sort, after: positionOf(input.cursor), limit: limit + 1 })),
        )
        const total = input.total === '1' ? (await scope.run(...list.count(filter, given))).rows[0]!.n : undefined
        return pageOf(rows, limit, consumptionView, total)
      }),

    unitUses: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const limit = input.limit ?? 20
        const sort = parseSort(input.sort, UNIT_USE_SORTS, '-at')
        const given = [scope.tenantId]
        const filter = filterOf(input, {
          ...(input.kind ? { kind: input.kind } : {}),
          ...(input.state ? { state: input.state } : {}),
        })
        const { rows } = await readFrom(input.cursor, () =>
          scope.run(...UNIT_USES.page({ given, filter, sort, after: positionOf(input.cursor), limit: limit + 1 })),
        )
        const total = input.total === '1' ? (await scope.run(...UNIT_USES.count(filter, given))).rows[0]!.n : undefined
        return pageOf(rows, limit, unitUseView, total)
      }),

    statements: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const [from, to] = [new Date(input.from), new Date(input.to)]
        const { zone } = await consumption.companyOf(scope, scope.tenantId)
        const asked = { from, to, by: input.by, split: input.split, zone }
        const rows = await consumption.statementRows(scope, scope.tenantId, asked)
        return {
          items: rows.slice(0, consumption.MOST_ROWS),
          totalFen: await consumption.chargedBetween(scope, scope.tenantId, from, to),
          truncated: rows.length > consumption.MOST_ROWS,
        }
      }),
  }
}

export const walletView = (row: Omit<WalletRow, 'tenantId'>): WalletView => ({
  id: row.id,
  availableFen: row.availableFen,
  frozenFen: row.frozenFen,
  creditFen: row.creditFen,
  warnFen: row.warnFen,
  urgentOnBalance: row.urgentOnBalance,
  version: row.version,
})

const entryView = ({ at, ...row }: EntryRow & { position: string }): EntryView => {
  const { position: _, ...view } = row
  return { ...view, at: at.toISOString() }
}

/** A use of units with the middle digits of its phone number hidden. */
const unitUseView = ({ at, address, ...row }: UnitUseRow & { position: string }): UnitUseView => {
  const { position: _, ...view } = row
  return { ...view, at: at.toISOString(), address: address.replace(/^(.{3,6})\d{4}(\d{4})$/, '$1****$2') }
}

const consumptionView = (row: consumption.ConsumptionRow & { position: string }): ConsumptionView => {
  const { position: _, at, periodFrom, periodTo, ...view } = row
  return {
    ...view,
    at: at.toISOString(),
    periodFrom: periodFrom?.toISOString() ?? null,
    periodTo: periodTo?.toISOString() ?? null,
  }
}

function filterOf<More extends object>(
  input: { q?: string | undefined; from?: string | undefined; to?: string | undefined },
  more: More,
): { q?: string; from?: Date; to?: Date } & More {
  const q = input.q?.trim()
  return {
    ...(q ? { q: `%${q.replaceAll(/[\\%_]/g, sign => `\\${sign}`)}%` } : {}),
    ...(input.from ? { from: new Date(input.from) } : {}),
    ...(input.to ? { to: new Date(input.to) } : {}),
    ...more,
  }
}

function positionOf(cursor: string | undefined): readonly [string, string] | null {
  const position = decodeCursor(cursor, 2)
  if (!position) return null
  if (!position.every(each => typeof each === 'string')) throw new AppError('request.cursor_invalid')
  return position as [string, string]
}

function pageOf<Row extends { id: string; position: string }, View>(
  rows: Row[],
  limit: number,
  view: (row: Row) => View,
  total: number | undefined,
) {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    items: page.map(view),
    nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
    ...(total === undefined ? {} : { total }),
  }
}
