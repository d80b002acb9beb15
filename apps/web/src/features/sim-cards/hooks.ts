import type { CarrierView } from '@thingwright/contracts/carriers.contract'
import type { OperationView, SimCardView } from '@thingwright/contracts/sim-cards.contract'
import { call, type Query, type Reply } from '../../lib/api-client.ts'
import { formatBytes, formatNumber } from '../../lib/format.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'
import type { StatusKind } from '../../ui/status-tag.tsx'

export type CarrierName = CarrierView['carrier']
export type PoolView = Reply<'simCards.counts'>['pools'][number]

export const fetchCards =
  (carrier: CarrierName): FetchPage<SimCardView> =>
  ({ filters, ...input }, signal) =>
    call('simCards.list', { query: { ...input, ...filters, carrier } as Query<'simCards.list'>, signal })

export const fetchOperations =
  (carrier: CarrierName): FetchPage<OperationView> =>
  ({ filters, ...input }, signal) =>
    call('simCards.operations', { query: { ...input, ...filters, carrier } as Query<'simCards.operations'>, signal })

/** Accounts of the carrier; who may see a part of the company only does not ask. */
export const fetchAccounts =
  (carrier: CarrierName): FetchPage<CarrierView> =>
  async ({ q }, signal) => {
    const { items } = await call('carriers.list', { signal })
    const text = q?.toLowerCase() ?? ''
    return {
      items: items.filter(
        item => item.carrier === carrier && `${item.name} ${item.account}`.toLowerCase().includes(text),
      ),
      nextCursor: null,
    }
  }

export const fetchPools =
  (carrier: CarrierName): FetchPage<PoolView> =>
  async ({ q }, signal) => {
    const { pools } = await call('simCards.counts', { query: { carrier }, signal })
    return { items: pools.filter(({ pool }) => pool.toLowerCase().includes(q?.toLowerCase() ?? '')), nextCursor: null }
  }

/** The accounts of a carrier, for choosing one. */
export function useAccounts(carrier: CarrierName): CarrierView[] {
  const { data } = useRead('carriers.list', {}, { staleTime: 30_000 })
  return (data?.items ?? []).filter(item => item.carrier === carrier)
}

/** What one of its pages is found under. */
export const addressOf = (carrier: CarrierName) =>
  carrier === 'cmcc' ? '/flowCard/CmccFlowCard' : '/flowCard/CtccFlowCard'

export const sizeText = (kb: number | null) => (kb === null ? '–' : formatBytes(kb * 1024))

export function shareText(card: Pick<SimCardView, 'monthKb' | 'planKb'>): string | null {
  if (card.monthKb === null || !card.planKb) return null
  return `${formatNumber(Math.round((card.monthKb / card.planKb) * 100))}%`
}

export const STATE_KIND: Record<SimCardView['state'], StatusKind> = {
  unsynced: 'never',
  inventory: 'neutral',
  testable: 'neutral',
  testing: 'processing',
  pending: 'neutral',
  active: 'success',
  stopped: 'error',
  carrier_hold: 'warning',
  dormant: 'disabled',
  transferred: 'disabled',
  pre_cancel: 'warning',
  cancelled: 'disabled',
  unknown: 'error',
}

export const OPERATION_KIND: Record<OperationView['state'], StatusKind> = {
  queued: 'neutral',
  submitted: 'processing',
  succeeded: 'success',
  failed: 'error',
  timed_out: 'warning',
  cancelled: 'disabled',
}

/** The tabs of the page, as its lists show them. */
export interface Tabs {
  items: { key: string; label: string }[]
  active: string
  onChange: (key: string) => void
}

export interface ListProps {
  carrier: CarrierName
  tabs: Tabs
}
