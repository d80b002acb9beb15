import { Alert, Skeleton, Tag } from 'antd'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { ApiError } from '../../lib/api/api-error.ts'
import { formatNumber } from '../../lib/format.ts'
import { useMay } from '../../lib/permissions.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { LazySelect } from '../../ui/lazy-select/lazy-select.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Facts, Panel, Stack } from '../../ui/panel.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../ui/states.tsx'
import { GATEWAYS, megahertz, useConnections } from './hooks.ts'
import css from './lora.module.css'
import { RegionTables } from './region-tables.tsx'

const USUAL = 'cn470_10'

/** Channels, data rates, receive windows and the highest power of a region. */
export function RegionPage() {
  const { t } = useTranslation('lora')
  const may = useMay('loraRegions.get')
  const [search, setSearch] = useSearchParams()
  const { items: connections } = useConnections()
  const connectionId = search.get('connection') ?? connections[0]?.id
  const about = connectionId ? { connectionId } : {}
  const list = useRead('loraRegions.list', { query: about }, { enabled: may, keep: true })
  const regions = list.data?.items ?? []
  const id = search.get('id') ?? (regions.some(region => region.id === USUAL) ? USUAL : (regions[0]?.id ?? ''))
  const query = useRead('loraRegions.get', { params: { id }, query: about }, { enabled: may && id !== '', keep: true })
  const region = query.data
  const choose = (key: 'id' | 'connection', value: string) =>
    setSearch(now => {
      const next = new URLSearchParams(now)
      next.set(key, value)
      if (key === 'connection') next.delete('id')
      return next
    })
  const gone = query.error instanceof ApiError && query.error.status === 404
  return (
    <>
      <PageHeader
        title={t('region.title')}
        crumbs={[{ title: t('gateway.title'), to: GATEWAYS }]}
        description={t('region.lead')}
        actions={
          <>
            {connections.length > 1 && (
              <LazySelect
                aria-label={t('connection.one')}
                className={css.choice}
                value={connectionId ?? null}
                onChange={value => choose('connection', String(value))}
                options={connections.map(({ id: value, name }) => ({ value, label: name }))}
              />
            )}
            <LazySelect
              aria-label={t('region.config')}
              className={css.choice}
              showSearch
              value={id === '' ? null : id}
              onChange={value => choose('id', String(value))}
              options={regions.map(({ id: value, description }) => ({ value, label: `${value} · ${description}` }))}
            />
          </>
        }
      />
      {!may ? (
        <NoPermissionState of="loraRegions.get" />
      ) : gone ? (
        <EmptyState title={t('region.gone')} description={t('region.goneText')} />
      ) : query.isError && !region ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : region ? (
        <Stack>
          {region.source === 'shipped' && (
            <Alert
              type="info"
              showIcon
              title={t('region.shipped')}
              description={list.data?.reason ?? t('region.shippedText')}
            />
          )}
          <Panel title={region.description} hint={region.userInfo || undefined}>
            <Facts
              items={[
                { label: t('region.config'), value: <code className={css.mono}>{region.id}</code> },
                { label: t('region.one'), value: <Tag>{region.region}</Tag> },
                { label: t('region.maxEirp'), value: `${formatNumber(region.maxEirp)} dBm` },
                { label: t('region.rx1Delay'), value: t('region.secondsOf', { count: region.rx1Delay }) },
                { label: t('region.rx1DrOffset'), value: region.rx1DrOffset },
                { label: t('region.rx2'), value: `${megahertz(region.rx2Frequency)} · DR${region.rx2Dr}` },
                {
                  label: t('region.pingSlot'),
                  value: `${region.pingSlotFrequency === 0 ? t('region.hopping') : megahertz(region.pingSlotFrequency)} · DR${region.pingSlotDr}`,
                },
              ]}
            />
          </Panel>
          <RegionTables region={region} />
        </Stack>
      ) : (
        <Skeleton active />
      )}
    </>
  )
}
