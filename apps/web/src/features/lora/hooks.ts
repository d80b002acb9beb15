import type { LoraConnectionView } from '@thingwright/contracts/lora.contract'
import type { LoraGatewayView } from '@thingwright/contracts/lora-gateways.contract'
import type { LoraProfileItem } from '@thingwright/contracts/lora-profiles.contract'
import { call, type Query } from '../../lib/api-client.ts'
import { formatNumber } from '../../lib/format.ts'
import type { Resource } from '../../lib/server-state/keys.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'
import type { StatusKind } from '../../ui/status-tag.tsx'

export const PROFILES = '/ChirpStack/DeviceProfiles'
export const GATEWAYS = '/ChirpStack/Gateways'
export const REGION = '/ChirpStack/Gateways/regionInfo'

/** What a connection makes out of date. */
export const LORA: readonly Resource[] = ['loraConnections', 'loraProfiles', 'loraGateways', 'loraRegions']

export const fetchProfiles: FetchPage<LoraProfileItem> = ({ filters, ...input }, signal) =>
  call('loraProfiles.list', { query: { ...input, ...filters } as Query<'loraProfiles.list'>, signal })

export const fetchGateways: FetchPage<LoraGatewayView> = ({ filters, ...input }, signal) =>
  call('loraGateways.list', { query: { ...input, ...filters } as Query<'loraGateways.list'>, signal })

/** The connections of the company, for choosing one. */
export function useConnections() {
  const query = useRead('loraConnections.list', {}, { staleTime: 10_000 })
  return { query, items: query.data?.items ?? NONE }
}
const NONE: LoraConnectionView[] = []

export const CONNECTION_KIND: Record<LoraConnectionView['state'], StatusKind> = {
  untested: 'never',
  ok: 'success',
  failed: 'error',
  disabled: 'disabled',
}

export const FEED_KIND: Record<NonNullable<LoraConnectionView['mqtt']>['state'], StatusKind> = {
  off: 'disabled',
  waiting: 'never',
  connected: 'success',
  failed: 'error',
}

export const GATEWAY_KIND: Record<LoraGatewayView['state'], StatusKind> = {
  never_seen: 'never',
  online: 'online',
  offline: 'offline',
}

/** `486.3 MHz` */
export const megahertz = (hz: number) => `${formatNumber(hz / 1_000_000)} MHz`

export const faultText = (fault: { code: string; text: string }) => [fault.code, fault.text].filter(Boolean).join(' ')

/** The names and texts beside an object, as rows of a form and back. */
export const tagRows = (tags: Record<string, string>) => Object.entries(tags).map(([key, value]) => ({ key, value }))
export const tagsOf = (rows: unknown): Record<string, string> =>
  Object.fromEntries(
    ((rows as { key: string; value?: string | null }[] | null) ?? []).map(({ key, value }) => [key, value ?? '']),
  )
