import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../lib/server-state/use-read.ts'
import { Panel } from '../../ui/panel.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { TrafficTable } from '../../ui/traffic-table.tsx'

const REFRESH_MS = 10_000

/** What a gateway hears and sends: the last frames that ChirpStack keeps, and new ones. */
export function GatewayFrames({ id }: { id: string }) {
  const { t } = useTranslation('lora')
  const query = useRead('loraGateways.frames', { params: { id } }, { refetchInterval: REFRESH_MS })
  return (
    <Panel title={t('frames.title')} hint={t('frames.hint')}>
      {query.isError && !query.data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <Skeleton active paragraph={{ rows: 3 }} />
      ) : query.data.items.length === 0 ? (
        <EmptyState title={t('frames.none')} description={t('frames.noneText')} />
      ) : (
        <TrafficTable
          lines={query.data.items}
          words={{
            label: t('frames.title'),
            time: t('frames.time'),
            kind: t('frames.kind'),
            facts: t('frames.facts'),
            body: t('frames.body'),
            open: t('frames.open'),
          }}
        />
      )}
    </Panel>
  )
}
