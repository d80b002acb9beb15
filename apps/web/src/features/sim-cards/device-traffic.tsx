import { Progress, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { useMay } from '../../lib/permissions.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { CopyId } from '../../ui/copy-id.tsx'
import { Facts, Panel } from '../../ui/panel.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../ui/states.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { STATE_KIND, sizeText } from './hooks.ts'
import css from './sim-cards.module.css'

const REFRESH_MS = 60_000

/** The card in a device for its user: traffic as the company shows it, its end, whether it passes data. */
export function DeviceTraffic({ deviceId }: { deviceId: string }) {
  const { t } = useTranslation('sim-cards')
  const allowed = useMay('simTraffic.ofDevice')
  const query = useRead(
    'simTraffic.ofDevice',
    { params: { id: deviceId } },
    { enabled: allowed, refetchInterval: REFRESH_MS },
  )
  if (!allowed) return <NoPermissionState of="simTraffic.ofDevice" />
  if (query.isError && !query.data) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  if (!query.data) return <Skeleton active paragraph={{ rows: 4 }} />
  const { card } = query.data
  if (!card) return <EmptyState title={t('noCard')} />
  const time = (value: string | null) => (value ? <TimeText value={value} mode="absolute" /> : '–')
  const percent = card.planKb && card.usedKb !== null ? Math.round((card.usedKb / card.planKb) * 100) : null
  return (
    <Panel title={card.iccid} hint={t('traffic.lead')}>
      <div className={css.stack} data-testid="device-sim-traffic">
        {percent !== null && (
          <Progress
            percent={Math.min(100, percent)}
            status={percent >= 100 ? 'exception' : 'normal'}
            format={() => t('traffic.share', { percent: formatNumber(percent) })}
          />
        )}
        <Facts
          items={[
            { label: t('traffic.used'), value: sizeText(card.usedKb) },
            { label: t('traffic.plan'), value: sizeText(card.planKb) },
            { label: t('traffic.rest'), value: sizeText(card.restKb) },
            {
              label: t('state'),
              value: <StatusTag kind={STATE_KIND[card.state]}>{t(`states.${card.state}`)}</StatusTag>,
            },
            {
              label: t('session'),
              value:
                card.online === null ? (
                  '–'
                ) : (
                  <StatusTag kind={card.online ? 'online' : 'offline'}>
                    {t(`onlineIs.${card.online ? 'yes' : 'no'}`)}
                  </StatusTag>
                ),
            },
            { label: t('msisdn'), value: card.msisdn ? <CopyId value={card.msisdn} /> : '–' },
            {
              label: t('sms'),
              value: card.monthSms === null ? '–' : t('smsSent', { text: formatNumber(card.monthSms) }),
            },
            { label: t('dataUntil'), value: time(card.dataUntil) },
            { label: t('expires'), value: time(card.expiresAt) },
            { label: t('synced'), value: time(card.syncedAt) },
          ]}
        />
      </div>
    </Panel>
  )
}
