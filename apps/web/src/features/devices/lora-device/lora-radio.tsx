import type { LoraDeviceView } from '@thingwright/contracts/lora-devices.contract'
import { Alert, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { useLoraDevice } from './use-lora-device.ts'

const measured = (value: number | null, unit: string) => (value === null ? '–' : `${formatNumber(value)} ${unit}`)

/** How a device is heard: gateway, strength, data rate, battery, and ChirpStack's last complaint. */
export function LoraRadio({ deviceId }: { deviceId: string }) {
  const { t } = useTranslation('lora-device')
  const query = useLoraDevice(deviceId)
  return (
    <Panel title={t('radio')} hint={t('radioHint')}>
      {query.isError && !query.data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <Skeleton active paragraph={{ rows: 3 }} />
      ) : query.data.radio?.lastSeenAt ? (
        <RadioFacts radio={query.data.radio} />
      ) : (
        <EmptyState title={t('unheard')} description={t('unheardText')} />
      )}
    </Panel>
  )
}

function RadioFacts({ radio }: { radio: LoraDeviceView }) {
  const { t } = useTranslation('lora-device')
  return (
    <>
      {radio.problem && (
        <Alert
          type={radio.problem.level === 'error' ? 'error' : 'warning'}
          showIcon
          title={t(`logs.${radio.problem.code}`, { defaultValue: radio.problem.code })}
          description={
            <span dir="auto">
              {radio.problem.text} {radio.problemAt && <TimeText value={radio.problemAt} />}
            </span>
          }
        />
      )}
      <Facts
        items={[
          { label: t('lastSeen'), value: radio.lastSeenAt ? <TimeText value={radio.lastSeenAt} /> : '–' },
          {
            label: t('gateway'),
            value: radio.gatewayId ? (
              <span dir="auto">
                {radio.gatewayName} <CopyId value={radio.gatewayId} />
              </span>
            ) : (
              '–'
            ),
          },
          { label: 'RSSI', value: measured(radio.rssi, 'dBm') },
          { label: 'SNR', value: measured(radio.snr, 'dB') },
          { label: t('dataRate'), value: radio.dr === null ? '–' : `DR${radio.dr}` },
          { label: t('frequency'), value: measured(radio.frequency === null ? null : radio.frequency / 1e6, 'MHz') },
          { label: t('uplinks'), value: formatNumber(radio.uplinks) },
          {
            label: t('battery'),
            value: radio.externalPower ? t('externalPower') : measured(radio.battery, '%'),
          },
          { label: t('margin'), value: measured(radio.margin, 'dB') },
          {
            label: t('position'),
            value: radio.location
              ? `${radio.location.lat.toFixed(5)}, ${radio.location.lng.toFixed(5)} · ${t(`sources.${radio.locationSource ?? 'unknown'}`)}`
              : '–',
          },
          { label: t('joinedAt'), value: radio.joinedAt ? <TimeText value={radio.joinedAt} /> : '–' },
        ]}
      />
    </>
  )
}
