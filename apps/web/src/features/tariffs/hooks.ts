import type { MeterAccountRow, MeterStatementRow } from '@thingwright/contracts/meter-statements.contract'
import type { MeterRow } from '@thingwright/contracts/meters.contract'
import type { TariffRow } from '@thingwright/contracts/tariffs.contract'
import type { StatementState } from '@thingwright/contracts/tariffs.words'
import { call, type Query } from '../../lib/api-client.ts'
import type { Resource } from '../../lib/server-state/keys.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'
import type { StatusKind } from '../../ui/status-tag.tsx'

/** What a change here makes out of date. */
export const METERING: readonly Resource[] = [
  'tariffs',
  'meters',
  'meterStatements',
  'meterAccounts',
  'billingRuns',
  'ownMeters',
  'ownPayments',
  'meterPayments',
  'meterSettings',
  'merchantAccounts',
]

export const PAGE = '/cost/tariffs'

export const fetchTariffs: FetchPage<TariffRow> = ({ filters: _, ...input }, signal) =>
  call('tariffs.list', { query: input, signal })

export const fetchMeters: FetchPage<MeterRow> = ({ filters, ...input }, signal) =>
  call('meters.list', { query: { ...input, ...filters } as Query<'meters.list'>, signal })

export const fetchStatements: FetchPage<MeterStatementRow> = ({ filters, ...input }, signal) =>
  call('meterStatements.list', { query: { ...input, ...filters } as Query<'meterStatements.list'>, signal })

export const fetchAccounts: FetchPage<MeterAccountRow> = ({ filters: _, ...input }, signal) =>
  call('meterAccounts.list', { query: input, signal })

export const STATE_KIND: Record<StatementState, StatusKind> = { open: 'warning', paid: 'success', voided: 'neutral' }
