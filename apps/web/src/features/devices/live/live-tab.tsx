import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { Property } from '@thingwright/thing-model/model'
import { Segmented } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { loadTexts } from '../../../lib/i18n.ts'
import { useLiveState } from '../../../lib/live-socket.ts'
import { useMay } from '../../../lib/permissions.ts'
import { EmptyState, ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { useNow } from '../../../ui/ticker.ts'
import { DEVICE_LINK, deviceAddress, productAddress } from '../addresses.ts'
import { useDeviceModel } from '../hooks.ts'
import { positionOf } from '../overview/position.ts'
import { isChartable } from './control-kind.ts'
import css from './live.module.css'
import { LiveCard } from './live-card.tsx'
import { LIVE_VIEWS, useLiveView } from './live-view.ts'
import { groupProperties, type PropertyGroup } from './property-groups.ts'
import { ReadingsTable } from './readings-table.tsx'
import { useLatest } from './use-latest.ts'
import { usePropertyWriter } from './use-property-writer.ts'
import { useSparklines } from './use-sparklines.ts'

const ReadingsCharts = lazy(async () => ({ default: (await import('./readings-charts.tsx')).ReadingsCharts }))
const PositionCard = lazy(async () => {
  const [card] = await Promise.all([import('../overview/position-card.tsx'), loadTexts('map')])
  return { default: card.PositionCard }
})
const RecentCommands = lazy(async () => ({ default: (await import('../overview/recent-commands.tsx')).RecentCommands }))
const RecentEvents = lazy(async () => ({ default: (await import('../overview/recent-events.tsx')).RecentEvents }))
const PropertyForm = lazy(async () => ({ default: (await import('./property-form.tsx')).PropertyForm }))

/** Without the live connection for so long, values are shown as old. */
const STALE_MS = 60_000
const SKELETON = 8

/** What a device tells now, as cards, rows or curves, changing as it reports; beside it where it is and what happened last. */
export function LiveTab({ device }: { device: DeviceView }) {
  const { t } = useTranslation('devices')
  const mayRead = useMay('telemetry.latest')
  const mayCommands = useMay('commands.list')
  const mayEvents = useMay('telemetry.events')
  const mayCommand = useMay('commands.create') && device.lifecycle !== 'disabled' && device.lifecycle !== 'recycled'
  const latest = useLatest(device.id)
  const { model, error } = useDeviceModel(device)
  const writer = usePropertyWriter(device.id, device.link === 'online')
  const [, setParams] = useSearchParams()
  const [view, setView] = useLiveView(device.productId)
  const [form, setForm] = useState<Property | null>(null)
  const now = useNow()
  const live = useLiveState()
  const stale = live.state === 'reconnecting' && now - live.since > STALE_MS
  const properties = model?.properties
  const chartable = useMemo(
    () => (properties ?? []).filter(isChartable).map(property => property.identifier),
    [properties],
  )
  const sparks = useSparklines(device.id, chartable)
  const groups = useMemo(() => groupProperties(properties ?? []), [properties])
  const openHistory = useCallback(
    (identifier: string) =>
      setParams(before => {
        const next = new URLSearchParams(before)
        next.set('tab', 'history')
        next.set('props', identifier)
        return next
      }),
    [setParams],
  )
  const openForm = useCallback(
    (identifier: string) => setForm(properties?.find(property => property.identifier === identifier) ?? null),
    [properties],
  )
  if (!mayRead) return <NoPermissionState of="telemetry.latest" />
  const failure = latest.isError && !latest.data ? latest.error : model === null ? error : null
  if (failure) return <ErrorState error={failure} onRetry={() => void latest.refetch()} />
  if (!model || !latest.data)
    return (
      <div className={css.liveGrid} aria-busy="true">
        {Array.from({ length: SKELETON }, (_, at) => (
          <div key={at} className={`${css.liveCard} ${css.cardBone}`} />
        ))}
      </div>
    )
  if (model.properties.length === 0)
    return (
      <EmptyState
        title={t('noProperties')}
        description={t('noPropertiesText')}
        action={<Link to={productAddress(device.productId)}>{t('toModel')}</Link>}
      />
    )
  const readings = latest.data
  const position = positionOf(device, model.properties, readings)
  const titleOf = ({ name, part }: PropertyGroup) => name || t(`part.${part}`)
  return (
    <div className={css.stage}>
      <div className={css.overview}>
        <div className={css.live}>
          {device.link === 'never' && Object.keys(readings).length === 0 && (
            <p className={css.neverHint}>
              {t('neverConnected')} <Link to={deviceAddress(device.id, DEVICE_LINK)}>{t('toConnect')}</Link>
            </p>
          )}
          <div className={css.viewBar} data-view={view}>
            <Segmented
              size="small"
              aria-label={t('view.title')}
              value={view}
              options={LIVE_VIEWS.map(value => ({ value, label: t(`view.${value}`) }))}
              onChange={setView}
            />
          </div>
          {view === 'charts' && (
            <Suspense fallback={<div className={css.chartsBone} />}>
              <ReadingsCharts deviceId={device.id} properties={groups.flatMap(group => group.properties)} />
            </Suspense>
          )}
          {view !== 'charts' &&
            groups.map(group => (
              <section key={`${group.part}/${group.name}`} className={css.liveGroup} aria-label={titleOf(group)}>
                <h3 className={css.groupTitle}>
                  {titleOf(group)}
                  <small>
                    {group.part === 'settings'
                      ? t('part.settingsHint')
                      : t('part.count', { count: group.properties.length })}
                  </small>
                </h3>
                {view === 'table' ? (
                  <ReadingsTable
                    title={titleOf(group)}
                    properties={group.properties}
                    readings={readings}
                    sparks={sparks}
                    stale={stale}
                    mayCommand={mayCommand}
                    onForm={openForm}
                    onHistory={openHistory}
                  />
                ) : (
                  <div className={css.liveGrid}>
                    {group.properties.map(property => (
                      <LiveCard
                        key={property.identifier}
                        property={property}
                        reading={readings[property.identifier]}
                        write={writer.writes.get(property.identifier)}
                        spark={sparks.get(property.identifier)}
                        stale={stale}
                        mayCommand={mayCommand}
                        onSet={writer.write}
                        onForm={openForm}
                        onCancel={writer.cancel}
                        onDismiss={writer.dismiss}
                        onHistory={openHistory}
                      />
                    ))}
                  </div>
                )}
              </section>
            ))}
        </div>
        <aside className={css.beside}>
          <Suspense fallback={<div className={css.besideBone} />}>
            {position && <PositionCard name={device.name} position={position} />}
            {mayCommands && <RecentCommands device={device} model={model} />}
            {mayEvents && <RecentEvents device={device} model={model} />}
          </Suspense>
        </aside>
      </div>
      <Suspense>
        {form && (
          <PropertyForm
            property={form}
            value={readings[form.identifier]?.value}
            onClose={() => setForm(null)}
            onSet={value => writer.write(form.identifier, value)}
          />
        )}
      </Suspense>
    </div>
  )
}
