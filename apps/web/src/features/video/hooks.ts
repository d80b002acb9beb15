import type { VideoAccountView, VideoChannelView } from '@thingwright/contracts/video.contract'
import { call, type Query } from '../../lib/api-client.ts'
import { useMay } from '../../lib/permissions.ts'
import type { Resource } from '../../lib/server-state/keys.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'
import type { StatusKind } from '../../ui/status-tag.tsx'

export const VIDEO = '/manage/ezviz'

/** What a change of an account makes out of date. */
export const VIDEO_DATA: readonly Resource[] = ['videoAccounts', 'videoChannels']

export const fetchChannels: FetchPage<VideoChannelView> = ({ filters, ...input }, signal) =>
  call('videoChannels.list', { query: { ...input, ...filters } as Query<'videoChannels.list'>, signal })

/** The accounts of the company; who sees a part of the company only does not ask for them. */
export function useAccounts() {
  const allowed = useMay('videoAccounts.list')
  const query = useRead('videoAccounts.list', {}, { staleTime: 10_000, enabled: allowed })
  return { allowed, query, items: query.data?.items ?? NONE }
}
const NONE: VideoAccountView[] = []

export const ACCOUNT_KIND: Record<VideoAccountView['state'], StatusKind> = {
  untested: 'never',
  ok: 'success',
  failed: 'error',
  disabled: 'disabled',
}

export const CHANNEL_KIND: Record<VideoChannelView['state'], StatusKind> = {
  online: 'online',
  offline: 'offline',
  unknown: 'never',
}

export const channelAddress = (id: string) => `${VIDEO}?channel=${id}`

export const faultText = (fault: { code: string; text: string }) => [fault.code, fault.text].filter(Boolean).join(' ')
