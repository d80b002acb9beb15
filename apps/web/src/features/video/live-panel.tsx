import { CameraOutlined } from '@ant-design/icons'
import type { VideoChannelView } from '@thingwright/contracts/video.contract'
import { Button, Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../lib/notify.ts'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { LivePlayer, type Quality, type StreamKind } from './player/live-player.tsx'
import { Presets } from './presets.tsx'
import { PtzPad } from './ptz-pad.tsx'
import css from './video.module.css'

/** The live picture, with everything that is done while looking at it. */
export function LivePanel({ channel, onCode }: { channel: VideoChannelView; onCode: (() => void) | undefined }) {
  const { t } = useTranslation('video')
  const mayControl = useMay('videoChannels.turn')
  const [quality, setQuality] = useState<Quality>('main')
  const [kind, setKind] = useState<StreamKind>('hls')
  const { id } = channel
  const vendor = channel.streamUrl === null
  const away = channel.state === 'offline'
  const snapshot = useAct('videoChannels.snapshot', { done: () => notify.success(t('picture.taken')) })
  const arm = useAct('videoChannels.arm', {
    done: ({ armed }) => notify.success(t(armed ? 'armedNow' : 'disarmedNow')),
  })
  return (
    <div className={css.live}>
      <div className={css.stackSmall}>
        <LivePlayer key={`${kind}/${quality}`} channel={channel} quality={quality} kind={kind} onCode={onCode} />
        {vendor && (
          <div className={css.row}>
            <Segmented
              aria-label={t('quality.title')}
              value={quality}
              options={(['main', 'sub'] as const).map(value => ({ value, label: t(`quality.${value}`) }))}
              onChange={setQuality}
            />
            <Segmented
              aria-label={t('protocol')}
              value={kind}
              options={[
                { value: 'hls' as const, label: 'HLS' },
                { value: 'flv' as const, label: 'FLV' },
              ]}
              onChange={setKind}
            />
            {mayControl && (
              <>
                <Button
                  icon={<CameraOutlined aria-hidden />}
                  loading={snapshot.pending}
                  disabled={away}
                  onClick={() => void snapshot.run({ params: { id } })}
                >
                  {t('picture.take')}
                </Button>
                <Button
                  loading={arm.pending}
                  disabled={away}
                  onClick={() => void arm.run({ params: { id }, body: { armed: !channel.armed } })}
                >
                  {t(channel.armed ? 'disarm' : 'arm')}
                </Button>
              </>
            )}
          </div>
        )}
      </div>
      {vendor && mayControl && (
        <aside className={css.side}>
          <PtzPad id={id} disabled={away} />
          <Presets id={id} disabled={away} />
        </aside>
      )}
    </div>
  )
}
