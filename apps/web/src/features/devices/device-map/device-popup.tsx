import type { MapCell } from '@thingwright/contracts/device-map.contract'
import { Button, Drawer, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '../../../lib/format.ts'
import { locale } from '../../../lib/i18n.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { Facts } from '../../../ui/panel.tsx'
import { nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import { ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { deviceAddress } from '../addresses.ts'
import { useDeviceModel } from '../hooks.ts'
import { useLatest } from '../live/use-latest.ts'
import { valueWords } from '../live/value-text.ts'
import css from './device-map.module.css'
import { withinOf } from './within.ts'

const VALUES = 5
/** Around the outermost of several devices at one place, degrees. */
const NEAR = 0.000_01
/** So many of those at one place are listed. */
const LISTED = 100

/** What stands at a mark: a device with five of its values, or several at one place. */
export function DevicePopup({
  cell,
  filters,
  onTrack,
  onClose,
}: {
  cell: MapCell
  filters: Record<string, string>
  /** Its way is to be played. */
  onTrack: (device: NonNullable<MapCell['device']>) => void
  onClose: () => void
}) {
  const { t } = useTranslation('device-map')
  return (
    <Drawer
      open
      mask={false}
      size={360}
      title={cell.device?.name ?? t('several', { count: cell.count })}
      onClose={onClose}
    >
      {cell.device ? (
        <One device={cell.device} cell={cell} onTrack={onTrack} />
      ) : (
        <Several cell={cell} filters={filters} />
      )}
    </Drawer>
  )
}

function One({
  device,
  cell,
  onTrack,
}: {
  device: NonNullable<MapCell['device']>
  cell: MapCell
  onTrack: (device: NonNullable<MapCell['device']>) => void
}) {
  const { t } = useTranslation('device-map')
  const mayRead = useMay('telemetry.latest')
  const mayTrack = useMay('telemetry.raw')
  return (
    <div className={css.stack}>
      <Facts
        items={[
          {
            label: t('link'),
            value: <StatusTag kind={device.link}>{t(`links.${device.link}`)}</StatusTag>,
          },
          ...(cell.alarmLevel > 0 ? [{ label: t('alarm'), value: t('level', { level: cell.alarmLevel }) }] : []),
          { label: t('product'), value: device.productName },
          { label: t('number'), value: device.deviceNo },
          { label: t('place'), value: `${cell.lng.toFixed(5)}, ${cell.lat.toFixed(5)}` },
        ]}
      />
      {mayRead && <Values id={device.id} />}
      <Link to={deviceAddress(device.id)}>
        <Button type="primary">{t('enter')}</Button>
      </Link>
      {mayTrack && <Button onClick={() => onTrack(device)}>{t('track')}</Button>}
    </div>
  )
}

/** The first five values in the order of the thing model, as they come. */
function Values({ id }: { id: string }) {
  const { t } = useTranslation('device-map')
  const { t: td } = useTranslation('devices')
  const english = locale() === 'en'
  const latest = useLatest(id)
  const { model } = useDeviceModel({ id })
  if (latest.isPending) return <Skeleton active paragraph={{ rows: 3 }} title={false} />
  if (latest.isError && !latest.data) return <ErrorState error={latest.error} onRetry={() => void latest.refetch()} />
  const readings = latest.data ?? {}
  const known = (model?.properties ?? []).filter(property => readings[property.identifier])
  const named = new Set(known.map(property => property.identifier))
  const rest = Object.keys(readings).filter(identifier => !named.has(identifier))
  const shown = [
    ...known.map(property => {
      const { value } = readings[property.identifier]!
      const { text, unit } = valueWords(property, value, { english, yes: td('yes'), no: td('no') })
      return {
        identifier: property.identifier,
        label: nameOf(property, english),
        text: unit ? `${text} ${unit}` : text,
      }
    }),
    ...rest.map(identifier => {
      const { value } = readings[identifier]!
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
      return { identifier, label: identifier, text }
    }),
  ].slice(0, VALUES)
  if (shown.length === 0) return <p className={css.muted}>{t('noValues')}</p>
  return (
    <Facts
      items={shown.map(({ identifier, label, text }) => ({
        label,
        value: (
          <>
            {text}{' '}
            <small className={css.muted}>
              <TimeText value={new Date(readings[identifier]!.ts).toISOString()} />
            </small>
          </>
        ),
      }))}
    />
  )
}

function Several({ cell, filters }: { cell: MapCell; filters: Record<string, string> }) {
  const { t } = useTranslation('device-map')
  const { west, south, east, north } = cell
  const box = {
    west: Math.max(-180, west - NEAR),
    south: Math.max(-90, south - NEAR),
    east: Math.min(180, east + NEAR),
    north: Math.min(90, north + NEAR),
  }
  const read = useRead('devices.list', { query: { ...filters, within: withinOf(box), limit: LISTED } })
  const found = read.data?.items ?? []
  return (
    <div className={css.stack}>
      {read.isPending && <Skeleton active />}
      {read.isError && <ErrorState error={read.error} onRetry={() => void read.refetch()} />}
      <ul className={css.rows}>
        {found.map(device => (
          <li key={device.id}>
            <Link to={deviceAddress(device.id)}>{device.name}</Link>
            <StatusTag kind={device.link}>{t(`links.${device.link}`)}</StatusTag>
          </li>
        ))}
      </ul>
      {read.data && found.length < cell.count && (
        <p className={css.muted}>{t('samePlace', { listed: found.length, text: formatNumber(cell.count) })}</p>
      )}
    </div>
  )
}
