import type { VideoChannelView } from '@thingwright/contracts/video.contract'
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { Player } from './player.tsx'
import type { AskStream } from './use-stream.ts'

export type Quality = 'main' | 'sub'
export type StreamKind = 'hls' | 'flv'

/** The live picture of a camera; one that is offline is not asked. */
export function LivePlayer({
  channel,
  quality = 'main',
  kind = 'hls',
  onCode,
}: {
  channel: Pick<VideoChannelView, 'id' | 'name' | 'state'>
  quality?: Quality
  kind?: StreamKind
  onCode?: (() => void) | undefined
}) {
  const { t } = useTranslation('video')
  const { id, name, state } = channel
  const ask = useCallback<AskStream>(
    signal => call('videoChannels.live', { params: { id }, body: { kind, quality }, signal }),
    [id, kind, quality],
  )
  return (
    <Player
      ask={state === 'offline' ? null : ask}
      live
      label={t('player.liveOf', { name })}
      idle={t('player.offline')}
      onCode={onCode}
    />
  )
}
