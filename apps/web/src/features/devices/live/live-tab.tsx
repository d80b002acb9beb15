import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { Property } from '@thingwright/thing-model/model'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { useLiveState } from '../../../lib/live-socket.ts'
import { useMay } from '../../../lib/permissions.ts'
import { EmptyState, ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { useNow } from '../../../ui/ticker.ts'
import { DEVICE_LINK, deviceAddress, productAddress } from '../addresses.ts'
import { useDeviceModel } from '../hooks.ts'
import { isChartable } from './control-kind.ts'
import css from './live.module.css'
import { LiveCard } from './live-card.tsx'
import { groupProperties } from './property-groups.ts'
import { useLatest } from './use-latest.ts'
import { usePropertyWriter } from './use-property-writer.ts'
import { useSparklines } from './use-sparklines.ts'

const PropertyForm = lazy(async () => ({ default: (await import('./property-form.tsx')).PropertyForm }))

/** Without the live connection for so long, values are shown as old. */
const STALE_MS = 60_000
const SKELETON = 8

/** All properties of a device as cards, changing as the device reports. */
export function LiveTab({ device }: { device: DeviceView }) {
  const { t } = useTranslation('devices')
  const mayRead = useMay('telemetry.latest')
  const mayCommand = useMay('commands.create') && device.lifecycle !== 'disabled' && device.lifecycle !== 'recycled'
  const latest = useLatest(device.id)
  const { model, error } = useDeviceModel(device)
  const writer = usePropertyWriter(device.id, device.link === 'online')
  const [, setParams] = useSearchParams()
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
  return (
    <div className={css.live}>
      {device.link === 'never' && Object.keys(readings).length === 0 && (
        <p className={css.neverHint}>
          {t('neverConnected')} <Link to={deviceAddress(device.id, DEVICE_LINK)}>{t('toConnect')}</Link>
        </p>
      )}
      {groups.map(group => (
        <section key={group.name} className={css.liveGroup}>
          {groups.length > 1 && <h3 className={css.groupTitle}>{group.name || t('ungrouped')}</h3>}
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
        </section>
      ))}
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
