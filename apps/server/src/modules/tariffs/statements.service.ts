import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type {
  MeterStatementRow,
  MeterStatementView,
  meterStatementsContract,
} from '@thingwright/contracts/meter-statements.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { move } from '../wallets/index.ts'
import { markView } from './billing.service.ts'
import { listPage, needleOf } from './list-page.ts'
import * as meters from './meters.repo.ts'
import { settle } from './settle.ts'
import * as repo from './statements.repo.ts'

type Contract = typeof meterStatementsContract

export interface StatementsService {
  list(ctx: Ctx, input: QueryOf<Contract['list']>): Promise<ResponseOf<Contract['list']>>
  /** @param endUserId his only; others are not there */
  get(ctx: Ctx, id: string, endUserId?: string): Promise<MeterStatementView>
  /** @throws AppError meter_statement.voided, meter_statement.not_last */
  void(ctx: Ctx, id: string, input: BodyOf<Contract['void']>): Promise<MeterStatementView>
}

export function createStatementsService({ database }: { database: Database }): StatementsService {
  async function shown(scope: TenantScope, id: string): Promise<MeterStatementView> {
    const row = await repo.find(scope, id)
    if (!row) throw new AppError('meter_statement.not_found')
    const { property, factor, fromValue, toValue, marks, dueAt, voidReason } = row
    return {
      ...rowOf(row),
      property,
      factor,
      fromValue,
      toValue,
      lines: await repo.lines(scope, id),
      marks: marks.map(markView),
      dueAt: dueAt?.toISOString() ?? null,
      voidReason,
    }
  }

  return {
    list: (ctx, input) =>
      database.withTenant(ctx, scope =>
        listPage(scope, repo.STATEMENTS, input, {
          given: [scope.tenantId],
          filter: {
            ...needleOf(input.q),
            ...(input.month ? { month: input.month } : {}),
            ...(input.state ? { state: input.state } : {}),
            ...(input.mode ? { mode: input.mode } : {}),
            ...(input.meterId ? { meterId: input.meterId } : {}),
            ...(input.endUserId ? { endUserId: input.endUserId } : {}),
          },
          sorts: repo.STATEMENT_SORTS,
          fallback: '-issuedAt',
          view: rowOf,
        }),
      ),

    get: (ctx, id, endUserId) =>
      database.withTenant(ctx, async scope => {
        const view = await shown(scope, id)
        if (endUserId !== undefined && view.endUserId !== endUserId) throw new AppError('meter_statement.not_found')
        return view
      }),

    void: (ctx, id, { reason }) =>
      database.withTenant(ctx, async scope => {
        const before = await shown(scope, id)
        // In the order in which a statement is made: the meter first.
        if (before.meterId !== null) await meters.hold(scope, before.meterId)
        const held = await repo.hold(scope, id)
        const now = await shown(scope, id)
        if (!held || now.state === 'voided') throw new AppError('meter_statement.voided')
        if (!held.isLast) throw new AppError('meter_statement.not_last')
        await repo.voidIt(scope, id, reason.trim())
        if (now.meterId !== null) await meters.setBilled(scope, now.meterId, held.beforeTo, held.beforeValue)
        if (now.amountFen > 0)
          await move(scope, {
            tenantId: scope.tenantId,
            endUserId: now.endUserId,
            kind: 'refund',
            key: `meter-statement-void:${id}`,
            cause: { kind: 'meter_statement', id, no: now.no },
            actor: ctx.actor,
            remark: reason.trim(),
            entries: { available: now.amountFen, income: -now.amountFen },
          })
        await settle(scope, now.endUserId)
        await recordAudit(scope, ctx, {
          action: 'meter_statement.void',
          objectType: 'meter_statement',
          objectId: id,
          objectName: now.no,
          before: { state: now.state, amountFen: now.amountFen },
          after: { state: 'voided', reason },
        })
        return shown(scope, id)
      }),
  }
}

export const rowOf = (row: repo.StatementData & { position?: string }): MeterStatementRow => ({
  id: row.id,
  no: row.no,
  month: row.month,
  meterId: row.meterId,
  meterName: row.meterName,
  deviceName: row.deviceName,
  endUserId: row.endUserId,
  endUserName: row.endUserName,
  mode: row.mode,
  tariffName: row.tariffName,
  unit: row.unit,
  fromAt: row.fromAt.toISOString(),
  toAt: row.toAt.toISOString(),
  quantity: row.quantity,
  openQuantity: row.openQuantity,
  estimated: row.estimated,
  amountFen: row.amountFen,
  paidFen: row.paidFen,
  state: row.state,
  issuedAt: row.issuedAt.toISOString(),
})
