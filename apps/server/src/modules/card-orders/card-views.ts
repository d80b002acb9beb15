import type { CardOrderRow, DeskCardOrder } from '@thingwright/contracts/card-orders.contract'
import { RECEIVE_DAYS } from '@thingwright/contracts/money.words'
import type { CardOrder } from './card-orders.repo.ts'

export const RECEIVE_MS = RECEIVE_DAYS * 86_400_000

/** An order of cards as the company reads it. */
export function cardOrderView(row: CardOrder): CardOrderRow {
  const [item] = row.items
  return {
    id: row.id,
    no: row.no,
    state: row.state,
    carrier: row.carrier,
    use: item!.spec.use,
    form: row.form,
    sku: item!.sku,
    planName: item!.name,
    planEname: item!.ename,
    monthMb: item!.spec.monthMb,
    months: item!.spec.months,
    quantity: item!.quantity,
    payableFen: row.payableFen,
    address: row.address,
    remark: row.remark,
    firstIccid: row.firstIccid,
    lastIccid: row.lastIccid,
    logisticsCompany: row.logisticsCompany,
    logisticsNo: row.logisticsNo,
    shippedAt: row.shippedAt?.toISOString() ?? null,
    receivedAt: row.receivedAt?.toISOString() ?? null,
    receivedBy: row.shippedAt && !row.receivedAt ? new Date(row.shippedAt.getTime() + RECEIVE_MS).toISOString() : null,
    active: row.active,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  }
}

export const deskOrderView = (row: CardOrder & { companyName: string }): DeskCardOrder => ({
  ...cardOrderView(row),
  tenantId: row.tenantId,
  companyName: row.companyName,
})
