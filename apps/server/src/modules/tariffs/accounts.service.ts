import type { QueryOf, ResponseOf } from '@thingwright/contracts'
import type {
  MeterAccountRow,
  MeterEntry,
  meterAccountsContract,
  ownMetersContract,
} from '@thingwright/contracts/meter-statements.contract'
import type { MeterCutoff, meterPaymentsContract } from '@thingwright/contracts/prepaid.contract'
import { type Ctx, customerOf } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { ENTRIES, findEndUserWallet, NO_WALLET } from '../wallets/index.ts'
import { ACCOUNT_SORTS, ACCOUNTS, type AccountData } from './accounts.repo.ts'
import { CUTOFFS } from './cutoffs.repo.ts'
import { listPage, needleOf } from './list-page.ts'
import * as meters from './meters.repo.ts'

type Contract = typeof meterAccountsContract
type Own = typeof ownMetersContract

export interface AccountsService {
  list(ctx: Ctx, input: QueryOf<Contract['list']>): Promise<ResponseOf<Contract['list']>>
  get(ctx: Ctx, endUserId: string): Promise<MeterAccountRow>
  entries(ctx: Ctx, endUserId: string, input: QueryOf<Contract['entries']>): Promise<ResponseOf<Contract['entries']>>
  /** @param open those that did not end alone */
  cutoffs(
    ctx: Ctx,
    input: QueryOf<(typeof meterPaymentsContract)['cutoffs']>,
    open?: boolean,
  ): Promise<ResponseOf<(typeof meterPaymentsContract)['cutoffs']>>
  own(ctx: Ctx): Promise<ResponseOf<Own['account']>>
}

/** The end user who asks. @throws AppError end_user.not_found for anybody else */
export function ownId(ctx: Ctx): string {
  const customer = customerOf(ctx.actor)
  if (!customer) throw new AppError('end_user.not_found')
  return customer.id
}

export function createAccountsService({ database }: { database: Database }): AccountsService {
  async function account(scope: TenantScope, endUserId: string): Promise<MeterAccountRow> {
    const asked = { given: [scope.tenantId], filter: { endUserId }, after: null, limit: 1 }
    const { rows } = await scope.run(...ACCOUNTS.page({ ...asked, sort: { key: 'name', descending: false } }))
    if (rows[0]) return rowOf(rows[0])
    const name = await meters.endUserName(scope, endUserId)
    if (name === undefined) throw new AppError('end_user.not_found')
    return { endUserId, name, meters: 0, balanceFen: 0, owedFen: 0 }
  }

  return {
    list: (ctx, input) =>
      database.withTenant(ctx, scope =>
        listPage(scope, ACCOUNTS, input, {
          given: [scope.tenantId],
          filter: needleOf(input.q),
          sorts: ACCOUNT_SORTS,
          fallback: 'balance',
          view: rowOf,
        }),
      ),

    get: (ctx, endUserId) => database.withTenant(ctx, scope => account(scope, endUserId)),

    entries: (ctx, endUserId, input) =>
      database.withTenant(ctx, async scope => {
        await account(scope, endUserId)
        const wallet = await findEndUserWallet(scope, scope.tenantId, endUserId)
        return listPage(scope, ENTRIES, input, {
          given: [(wallet ?? NO_WALLET).id],
          filter: {},
          sorts: ['at'],
          fallback: '-at',
          view: ({ id, no, at, kind, amountFen, afterFen, causeNo, remark }): MeterEntry => ({
            id,
            no,
            at: at.toISOString(),
            kind,
            amountFen,
            afterFen,
            causeNo,
            remark,
          }),
        })
      }),

    cutoffs: (ctx, input, open) =>
      database.withTenant(ctx, scope =>
        listPage(scope, CUTOFFS, input, {
          given: [scope.tenantId],
          filter: { ...(input.endUserId ? { endUserId: input.endUserId } : {}), ...(open ? { open } : {}) },
          sorts: ['noticedAt'],
          fallback: '-noticedAt',
          view: ({ id, meterId, meterName, endUserId, endUserName, state, waits, reason, ...times }): MeterCutoff => ({
            id,
            meterId,
            meterName,
            endUserId,
            endUserName,
            state,
            waits,
            reason,
            noticedAt: times.noticedAt.toISOString(),
            cutAt: times.cutAt?.toISOString() ?? null,
            restoredAt: times.restoredAt?.toISOString() ?? null,
          }),
        }),
      ),

    own: ctx =>
      database.withTenant(ctx, async scope => {
        const id = ownId(ctx)
        const items = (await meters.ofEndUser(scope, id)).map(m => ({
          id: m.id,
          name: m.name,
          deviceName: m.deviceName,
          tariffName: m.tariffName,
          unit: m.unit,
          mode: m.mode,
          billedTo: m.billedTo?.toISOString() ?? null,
          billedValue: m.billedValue,
        }))
        return { ...(await account(scope, id)), items }
      }),
  }
}

const rowOf = ({ id, name, meters: count, balanceFen, owedFen }: AccountData): MeterAccountRow => ({
  endUserId: id,
  name,
  meters: count,
  balanceFen,
  owedFen,
})
