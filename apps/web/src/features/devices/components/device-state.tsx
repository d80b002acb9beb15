import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { AlarmTag, StatusTag } from '../../../ui/status-tag.tsx'

/** Whether the device is connected: dot and word, since when on hover. */
export function LinkTag({
  device,
}: {
  device: Pick<DeviceView, 'link' | 'onlineSince' | 'lastOfflineAt' | 'lastOfflineReason'>
}) {
  const { t } = useTranslation('devices')
  const since =
    device.link === 'online'
      ? device.onlineSince && t('onlineSince', { time: formatDateTime(device.onlineSince) })
      : device.link === 'offline'
        ? device.lastOfflineAt &&
          t('offlineSince', {
            time: formatDateTime(device.lastOfflineAt),
            reason: device.lastOfflineReason
              ? t(`offlineReason.${device.lastOfflineReason}`, { defaultValue: device.lastOfflineReason })
              : '–',
          })
        : t('neverHelp')
  return (
    <StatusTag kind={device.link} {...(since ? { title: since } : {})}>
      {t(`link.${device.link}`)}
    </StatusTag>
  )
}

const LIFE = { inactive: 'never', active: 'success', disabled: 'disabled', recycled: 'neutral' } as const

/** Where the device is in its life. */
export function LifecycleTag({ lifecycle }: { lifecycle: DeviceView['lifecycle'] }) {
  const { t } = useTranslation('devices')
  return (
    <StatusTag kind={LIFE[lifecycle]} title={t(`lifecycleHelp.${lifecycle}`)}>
      {t(`lifecycle.${lifecycle}`)}
    </StatusTag>
  )
}

/** The highest level of its alarms; a dash for none. */
export function AlarmState({ level }: { level: number }) {
  return level === 0 ? <span>–</span> : <AlarmTag level={level} />
}
