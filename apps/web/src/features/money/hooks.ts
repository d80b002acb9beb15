import type { OrderRow, RechargeView } from '@thingwright/contracts/purchase-orders.contract'
import type { ConsumptionView, EntryView, UnitUseView } from '@thingwright/contracts/wallets.contract'
import { call, type Query } from '../../lib/api-client.ts'
import type { Resource } from '../../lib/server-state/keys.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'

/** What a movement of money makes out of date. */
export const MONEY: readonly Resource[] = ['purchaseOrders', 'wallets', 'account']

export const fetchOrders: FetchPage<OrderRow> = ({ filters, ...input }, signal) =>
  call('purchaseOrders.list', { query: { ...input, ...filters } as Query<'purchaseOrders.list'>, signal })

export const fetchRecharges: FetchPage<RechargeView> = ({ filters, ...input }, signal) =>
  call('purchaseOrders.recharges', { query: { ...input, ...filters } as Query<'purchaseOrders.recharges'>, signal })

export const fetchEntries: FetchPage<EntryView> = ({ filters, ...input }, signal) =>
  call('wallets.entries', { query: { ...input, ...filters } as Query<'wallets.entries'>, signal })

export const fetchUnitUses: FetchPage<UnitUseView> = ({ filters, ...input }, signal) =>
  call('wallets.unitUses', { query: { ...input, ...filters } as Query<'wallets.unitUses'>, signal })

export const fetchConsumption: FetchPage<ConsumptionView> = ({ filters, ...input }, signal) =>
  call('wallets.consumption', { query: { ...input, ...filters } as Query<'wallets.consumption'>, signal })
