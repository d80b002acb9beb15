import type { VideoChannelView } from '@thingwright/contracts/video.contract'
import type { ChannelRow } from './channels.repo.ts'

/** A channel as people read it: without its verification code. */
export function channelView({ tenantId: _, codeCipher, ...row }: ChannelRow): VideoChannelView {
  return {
    ...row,
    source: row.accountId === null ? 'address' : 'ezviz',
    hasCode: codeCipher !== null,
    snapshotAt: row.snapshotAt?.toISOString() ?? null,
    syncedAt: row.syncedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  }
}
