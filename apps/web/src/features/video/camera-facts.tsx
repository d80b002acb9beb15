import type { VideoChannelView } from '@thingwright/contracts/video.contract'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { AuthPicture } from '../../ui/auth-picture.tsx'
import { CopyId } from '../../ui/copy-id.tsx'
import { Facts } from '../../ui/panel.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import css from './video.module.css'

/** What is known of a camera. */
export function CameraFacts({ channel, onEdit }: { channel: VideoChannelView; onEdit: (() => void) | undefined }) {
  const { t } = useTranslation('video')
  const yesNo = (value: boolean | null) => (value === null ? t('unknown') : t(value ? 'yes' : 'no'))
  const device = channel.deviceId && (
    <Link to={`/manage/device/DeviceSet/DeviceCenter?id=${channel.deviceId}`} dir="auto">
      {channel.deviceName}
    </Link>
  )
  const vendor = channel.streamUrl === null
  return (
    <div className={css.stack}>
      {channel.cover !== null && (
        <div className={css.factsCover}>
          <AuthPicture id={channel.cover} alt={t('coverOf', { name: channel.name })} />
        </div>
      )}
      <Facts
        items={[
          { label: t('name'), value: <span dir="auto">{channel.name}</span> },
          { label: t('device'), value: device || '–' },
          ...(vendor
            ? [
                { label: t('account.one'), value: channel.accountName ?? '–' },
                { label: t('serial'), value: channel.serial && <CopyId value={channel.serial} /> },
                { label: t('channelNo'), value: channel.channelNo },
                { label: t('model'), value: channel.model || '–' },
                { label: t('encrypted'), value: yesNo(channel.encrypted) },
                { label: t('codeStored'), value: yesNo(channel.hasCode) },
                { label: t('armed'), value: yesNo(channel.armed) },
                { label: t('syncedAt'), value: <TimeText value={channel.syncedAt} fallback={t('never')} /> },
                { label: t('snapshotAt'), value: <TimeText value={channel.snapshotAt} fallback={t('never')} /> },
              ]
            : [{ label: t('streamUrl'), value: <code className={css.mono}>{channel.streamUrl}</code>, wide: true }]),
          { label: t('createdAt'), value: <TimeText value={channel.createdAt} /> },
        ]}
      />
      {onEdit && (
        <div>
          <Button onClick={onEdit}>{t('edit')}</Button>
        </div>
      )}
    </div>
  )
}
