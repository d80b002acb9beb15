import type { LoraGatewayView } from '@thingwright/contracts/lora-gateways.contract'
import { Alert, Skeleton } from 'antd'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { ApiError } from '../../lib/api/api-error.ts'
import type { Body } from '../../lib/api-client.ts'
import { notify } from '../../lib/notify.ts'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Facts, Panel, Stack } from '../../ui/panel.tsx'
import type { Values } from '../../ui/schema-form/field.ts'
import { EmptyState, ErrorState, NoPermissionState } from '../../ui/states.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { ConnectionsButton } from './connections-button.tsx'
import { GATEWAY_TABS, gatewayFields } from './gateway-fields.ts'
import { GATEWAY_KIND, GATEWAYS, REGION, tagRows, tagsOf, useConnections } from './hooks.ts'
import css from './lora.module.css'
import { TabbedForm } from './tabbed-form.tsx'

const GatewayMetrics = lazy(async () => ({ default: (await import('./gateway-metrics.tsx')).GatewayMetrics }))
const GatewayFrames = lazy(async () => ({ default: (await import('./gateway-frames.tsx')).GatewayFrames }))
const GatewayCertificate = lazy(async () => ({
  default: (await import('./gateway-certificate.tsx')).GatewayCertificate,
}))
const REFRESH_MS = 15_000

/** Registers a gateway. */
export function GatewayAddPage() {
  const { t } = useTranslation('lora')
  const may = useMay('loraGateways.create')
  const { query, items } = useConnections()
  return (
    <>
      <PageHeader title={t('gateway.addTitle')} crumbs={[{ title: t('gateway.title'), to: GATEWAYS }]} />
      {!may ? (
        <NoPermissionState of="loraGateways.create" />
      ) : query.isError && !query.data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        <Skeleton active />
      ) : items.length === 0 ? (
        <EmptyState
          title={t('connection.emptyTitle')}
          description={t('connection.emptyText')}
          action={<ConnectionsButton />}
        />
      ) : (
        <Panel hint={t('gateway.formLead')} title={t('gateway.settings')}>
          <GatewayForm gateway={null} />
        </Panel>
      )}
    </>
  )
}

/** One gateway: its state, what it heard, its settings. */
export function GatewayEditPage() {
  const { t } = useTranslation('lora')
  const [search] = useSearchParams()
  const id = search.get('id') ?? ''
  const may = useMay('loraGateways.get')
  const query = useRead(
    'loraGateways.get',
    { params: { id } },
    { enabled: may && id !== '', refetchInterval: REFRESH_MS },
  )
  const gateway = query.data
  const gone = id === '' || (query.error instanceof ApiError && [404, 400].includes(query.error.status))
  return (
    <>
      <PageHeader
        title={t('gateway.editTitle')}
        crumbs={[{ title: t('gateway.title'), to: GATEWAYS }]}
        extra={
          gateway && <StatusTag kind={GATEWAY_KIND[gateway.state]}>{t(`gateway.states.${gateway.state}`)}</StatusTag>
        }
      />
      {!may ? (
        <NoPermissionState of="loraGateways.get" />
      ) : gone ? (
        <EmptyState title={t('gateway.gone')} description={t('goneText')} />
      ) : query.isError && !gateway ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : gateway ? (
        <Stack>
          {gateway.stale && <Alert type="warning" showIcon title={t('stale')} description={gateway.stale} />}
          <Overview gateway={gateway} />
          {gateway.state === 'never_seen' && (
            <Alert
              type="info"
              showIcon
              title={t('gateway.neverSeenTitle')}
              description={t('gateway.neverSeenText', { id: gateway.gatewayId })}
            />
          )}
          <Suspense fallback={<Skeleton active />}>
            <GatewayMetrics id={gateway.id} />
          </Suspense>
          <Suspense fallback={<Skeleton active />}>
            {gateway.state !== 'never_seen' && <GatewayFrames id={gateway.id} />}
            <GatewayCertificate id={gateway.id} />
          </Suspense>
          <Panel title={t('gateway.settings')}>
            <GatewayForm key={`${gateway.id} ${gateway.version}`} gateway={gateway} />
          </Panel>
        </Stack>
      ) : (
        <Skeleton active />
      )}
    </>
  )
}

function Overview({ gateway }: { gateway: LoraGatewayView }) {
  const { t } = useTranslation('lora')
  return (
    <Panel title={gateway.name} hint={gateway.description || undefined}>
      <Facts
        items={[
          { label: t('gateway.id'), value: <code className={css.mono}>{gateway.gatewayId}</code> },
          { label: t('gateway.lastSeen'), value: <TimeText value={gateway.lastSeenAt} fallback={t('never')} /> },
          { label: t('gateway.stateSince'), value: <TimeText value={gateway.stateSince} /> },
          {
            label: t('region.config'),
            value: gateway.regionConfigId ? (
              <Link
                to={`${REGION}?id=${encodeURIComponent(gateway.regionConfigId)}&connection=${gateway.connectionId}`}
              >
                {gateway.regionConfigId}
              </Link>
            ) : (
              t('gateway.regionUnknown')
            ),
          },
          {
            label: t('gateway.location'),
            value: gateway.location
              ? `${gateway.location.lat.toFixed(5)}, ${gateway.location.lng.toFixed(5)} · ${t(`gateway.sources.${gateway.locationSource}`)}`
              : '–',
          },
          { label: t('connection.one'), value: gateway.connectionName },
          ...Object.entries(gateway.metadata).map(([key, value]) => ({ label: key, value })),
        ]}
      />
    </Panel>
  )
}

function GatewayForm({ gateway }: { gateway: LoraGatewayView | null }) {
  const { t } = useTranslation('lora')
  const navigate = useNavigate()
  const { items: connections } = useConnections()
  const mayUpdate = useMay('loraGateways.update')
  const create = useAct('loraGateways.create')
  const update = useAct('loraGateways.update')
  const fields = useMemo(() => gatewayFields(t, gateway ? null : connections), [t, gateway, connections])
  // What is there when the form opens; connections that come later are only choices.
  const [initial] = useState<Values>(() => ({
    connectionId: connections[0]?.id,
    name: gateway?.name ?? '',
    description: gateway?.description ?? '',
    location: gateway?.location,
    statsInterval: gateway?.statsInterval ?? 30,
    downlinkPriority: gateway?.downlinkPriority ?? 10,
    tags: tagRows(gateway?.tags ?? {}),
  }))
  const leave = () => setTimeout(() => void navigate(GATEWAYS), 0)
  return (
    <TabbedForm
      label={t('gateway.tabsLabel')}
      tabs={GATEWAY_TABS}
      tabLabel={tab => t(`gateway.tabs.${tab}`)}
      fields={fields}
      initial={initial}
      readOnly={gateway !== null && (!mayUpdate || gateway.stale !== null)}
      submitText={gateway ? t('save') : t('create')}
      onSubmit={async ({ tags, location, ...values }) => {
        const at = location as { lat: number; lng: number; alt?: number } | null | undefined
        const given = {
          ...values,
          ...(location === undefined ? {} : { location: at ? { lat: at.lat, lng: at.lng, alt: at.alt ?? 0 } : null }),
          ...(tags === undefined ? {} : { tags: tagsOf(tags) }),
        }
        if (gateway)
          await update.send({
            params: { id: gateway.id },
            body: { ...given, version: gateway.version } as Body<'loraGateways.update'>,
          })
        else {
          const made = await create.send({ body: given as Body<'loraGateways.create'> })
          notify.success(t('saved'))
          setTimeout(() => void navigate(`${GATEWAYS}/edit?id=${made.id}`, { replace: true }), 0)
          return
        }
        notify.success(t('saved'))
      }}
      onCancel={leave}
    />
  )
}
