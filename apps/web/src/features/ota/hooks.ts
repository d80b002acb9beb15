import type { FirmwarePackageView } from '@thingwright/contracts/firmware.contract'
import type { OtaCampaignView, OtaJobView } from '@thingwright/contracts/ota.contract'
import { useMemo, useState } from 'react'
import { call, type Query } from '../../lib/api-client.ts'
import { every } from '../../lib/every.ts'
import { useMay } from '../../lib/permissions.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'
import { isCampaignOver, isJobOpen } from './words.ts'

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
  return useRead(
    'firmware.get',
    { params: { id: id ?? '' } },
    {
      enabled: id !== null && id !== '',
      refetchInterval: ({ state: { data } }) => (data?.state === 'verifying' ? LIVE_MS : false),
    },
  )
}

export function useCampaign(id: string) {
  return useRead(
    'otaCampaigns.get',
    { params: { id } },
    { refetchInterval: query => every(query.state.data && isCampaignOver(query.state.data) ? false : LIVE_MS)(query) },
  )
}

/** One device's update with its time line. */
export function useJob(id: string) {
  return useRead(
    'otaJobs.get',
    { params: { id } },
    {
      refetchInterval: query =>
        every(query.state.data && !isJobOpen(query.state.data.job.state) ? false : LIVE_MS)(query),
    },
  )
}

export function useSettings(productId: string | null) {
  return useRead(
    'firmware.settings',
    { params: { id: productId ?? '' } },
    { enabled: productId !== null && productId !== '' },
  )
}

/** Everything that firmware pages show: a change of one thing is seen in most others. */
export const FIRMWARE = ['firmware', 'otaCampaigns', 'otaJobs'] as const

/** Products, searched at the server as the person types. */
export function useProducts() {
  const [q, setQ] = useState('')
  const allowed = useMay('products.list')
  const { data, isFetching } = useRead(
    'products.list',
    { query: { limit: 50, ...(q === '' ? {} : { q }) } },
    { enabled: allowed, keep: true, staleTime: 30_000 },
  )
  const choices = useMemo(() => (data?.items ?? []).map(({ id, name }) => ({ value: id, label: name })), [data])
  return { choices, setQ, loading: isFetching }
}

/** Devices of a product, searched at the server as the person types. */
export function useDevices(productId: string | null) {
  const [q, setQ] = useState('')
  const allowed = useMay('devices.list')
  const { data, isFetching } = useRead(
    'devices.list',
    { query: { limit: 50, ...(productId ? { productId } : {}), ...(q === '' ? {} : { q }) } },
    { enabled: allowed && productId !== null, keep: true, staleTime: 10_000 },
  )
  return { devices: data?.items ?? [], setQ, loading: isFetching }
}
