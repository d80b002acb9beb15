import { LORA_TRAFFIC } from '@thingwright/contracts/lora.words'
import { Segmented, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { Panel } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { TrafficTable } from '../../../ui/traffic-table.tsx'
import { useLoraDevice } from './use-lora-device.ts'

type Kind = (typeof LORA_TRAFFIC)[number]
const REFRESH_MS = 10_000

/** Frames and events of a device as ChirpStack shows them; nothing before it was made there. */
export function LoraTraffic({ deviceId }: { deviceId: string }) {
  const { data: device } = useLoraDevice(deviceId)
  return device?.registeredAt ? <TrafficPanel deviceId={deviceId} /> : null
}

function TrafficPanel({ deviceId }: { deviceId: string }) {
  const { t } = useTranslation('lora-device')
  const [kind, setKind] = useState<Kind>('frames')
  const query = useRead(
    'loraLinks.traffic',
    { params: { id: deviceId }, query: { kind } },
    { refetchInterval: REFRESH_MS },
  )
  return (
    <Panel
      title={t('traffic')}
      hint={t('trafficHint')}
      actions={
        <Segmented
          aria-label={t('traffic')}
          value={kind}
          onChange={value => setKind(value as Kind)}
          options={LORA_TRAFFIC.map(value => ({ value, label: t(`trafficKinds.${value}`) }))}
        />
      }
    >
      {query.isError && !query.data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <Skeleton active paragraph={{ rows: 3 }} />
      ) : query.data.items.length === 0 ? (
        <EmptyState title={t('trafficNone')} description={t('trafficNoneText')} />
      ) : (
        <TrafficTable
          lines={query.data.items}
          words={{
            label: t('traffic'),
            time: t('trafficTime'),
            kind: t('trafficKind'),
            facts: t('trafficFacts'),
            body: t('trafficBody'),
            open: t('trafficOpen'),
          }}
        />
      )}
    </Panel>
  )
}
