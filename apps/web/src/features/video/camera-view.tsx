import type { VideoChannelView } from '@thingwright/contracts/video.contract'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../lib/permissions.ts'
import { TabBar } from '../../ui/tab-bar.tsx'
import { CameraFacts } from './camera-facts.tsx'
import { LivePanel } from './live-panel.tsx'
import { Pictures } from './pictures.tsx'
import css from './video.module.css'

const PlaybackPanel = lazy(async () => ({ default: (await import('./playback-panel.tsx')).PlaybackPanel }))
const EditDrawer = lazy(async () => ({ default: (await import('./edit-drawer.tsx')).EditDrawer }))

/** What a camera shows and what is known of it, wherever it stands: in its drawer, at its device. */
export function CameraView({ channel }: { channel: VideoChannelView }) {
  const { t } = useTranslation('video')
  const mayWrite = useMay('videoChannels.update')
  const [tab, setTab] = useState('live')
  const [editing, setEditing] = useState(false)
  const edit = mayWrite ? () => setEditing(true) : undefined
  // An address has neither recordings nor pictures of a vendor.
  const tabs = channel.streamUrl === null ? ['live', 'playback', 'pictures', 'facts'] : ['live', 'facts']
  return (
    <div className={css.stack} data-testid="camera">
      <TabBar
        label={t('camera')}
        items={tabs.map(key => ({ key, label: t(`detail.${key}`) }))}
        active={tab}
        onChange={setTab}
      />
      {tab === 'live' && <LivePanel channel={channel} onCode={edit} />}
      {tab === 'playback' && (
        <Suspense>
          <PlaybackPanel channel={channel} onCode={edit} />
        </Suspense>
      )}
      {tab === 'pictures' && <Pictures id={channel.id} />}
      {tab === 'facts' && <CameraFacts channel={channel} onEdit={edit} />}
      <Suspense>{editing && <EditDrawer channel={channel} onClose={() => setEditing(false)} />}</Suspense>
    </div>
  )
}
