import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import type { FirmwarePackageView } from '@thingwright/contracts/firmware.contract'
import type { OtaCampaignView, OtaJobView } from '@thingwright/contracts/ota.contract'
import { useCallback, useMemo, useState } from 'react'
import { call, type Query } from '../../lib/api-client.ts'
import { every } from '../../lib/every.ts'
import { usePermission } from '../../lib/permissions.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'
import { isCampaignOver, isJobOpen } from './words.ts'

export const OTA = ['ota'] as const
export const PACKAGES = [...OTA, 'packages'] as const
export const CAMPAIGNS = [...OTA, 'campaigns'] as const
export const JOBS = [...OTA, 'jobs'] as const

/** How often what is on its way is asked for anew, in milliseconds. */
export const LIVE_MS = 2_000

export const fetchPackages: FetchPage<FirmwarePackageView> = ({ filters, ...input }, signal) =>
  call('firmware.list', { query: { ...input, ...filters } as Query<'firmware.list'>, signal })

export const fetchCampaigns: FetchPage<OtaCampaignView> = ({ filters, sort: _, ...input }, signal) =>
  call('otaCampaigns.list', { query: { ...input, ...filters } as Query<'otaCampaigns.list'>, signal })

/** The devices of one campaign. */
export const fetchJobsOf =
  (campaignId: string): FetchPage<OtaJobView> =>
  ({ filters, ...input }, signal) =>
    call('otaJobs.list', { query: { ...input, ...filters, campaignId } as Query<'otaJobs.list'>, signal })

export const packagesLive = (rows: readonly FirmwarePackageView[]) =>
  rows.some(row => row.state === 'verifying') ? LIVE_MS * 2 : false
export const campaignsLive = (rows: readonly OtaCampaignView[]) =>
  rows.some(row => row.state === 'scheduled' || row.state === 'running')
    ? LIVE_MS
    : rows.every(isCampaignOver)
      ? false
      : LIVE_MS * 5
/** Devices of it may still move, or join. */
export const isLiveCampaign = (campaign: OtaCampaignView) => !isCampaignOver(campaign)
export const jobsLive = (rows: readonly OtaJobView[]) => (rows.some(row => isJobOpen(row.state)) ? LIVE_MS : false)

export function usePackage(id: string | null) {
  return useQuery({
    queryKey: [...PACKAGES, 'get', id],
    enabled: id !== null && id !== '',
    queryFn: ({ signal }) => call('firmware.get', { params: { id: id ?? '' }, signal }),
    refetchInterval: ({ state: { data } }) => (data?.state === 'verifying' ? LIVE_MS : false),
  })
}

export function useCampaign(id: string) {
  return useQuery({
    queryKey: [...CAMPAIGNS, 'get', id],
    queryFn: ({ signal }) => call('otaCampaigns.get', { params: { id }, signal }),
    refetchInterval: query => every(query.state.data && isCampaignOver(query.state.data) ? false : LIVE_MS)(query),
  })
}

/** One device's update with its time line. */
export function useJob(id: string) {
  return useQuery({
    queryKey: [...JOBS, 'get', id],
    queryFn: ({ signal }) => call('otaJobs.get', { params: { id }, signal }),
    refetchInterval: query =>
      every(query.state.data && !isJobOpen(query.state.data.job.state) ? false : LIVE_MS)(query),
  })
}

export function useSettings(productId: string | null) {
  return useQuery({
    queryKey: [...OTA, 'settings', productId],
    enabled: productId !== null && productId !== '',
    queryFn: ({ signal }) => call('firmware.settings', { params: { id: productId ?? '' }, signal }),
  })
}

/** Everything that firmware pages show is read anew: a change of one thing is seen in most others. */
export function useOtaChanged(): () => void {
  const client = useQueryClient()
  return useCallback(() => void client.invalidateQueries({ queryKey: OTA }), [client])
}

/** Products, searched at the server as the person types. */
export function useProducts() {
  const [q, setQ] = useState('')
  const allowed = usePermission('product:read')
  const { data, isFetching } = useQuery({
    queryKey: ['products', 'choices', q],
    enabled: allowed,
    queryFn: ({ signal }) => call('products.list', { query: { limit: 50, ...(q === '' ? {} : { q }) }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
  const choices = useMemo(() => (data?.items ?? []).map(({ id, name }) => ({ value: id, label: name })), [data])
  return { choices, setQ, loading: isFetching }
}

/** Devices of a product, searched at the server as the person types. */
export function useDevices(productId: string | null) {
  const [q, setQ] = useState('')
  const allowed = usePermission('device:read')
  const { data, isFetching } = useQuery({
    queryKey: ['devices', 'choices', productId, q],
    enabled: allowed && productId !== null,
    queryFn: ({ signal }) =>
      call('devices.list', {
        query: { limit: 50, ...(productId ? { productId } : {}), ...(q === '' ? {} : { q }) },
        signal,
      }),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  })
  return { devices: data?.items ?? [], setQ, loading: isFetching }
}
