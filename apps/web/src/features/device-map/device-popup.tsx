import type { MapCell } from '@thingwright/contracts/device-map.contract'
import { Button, Drawer, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useMay } from '../../lib/permissions.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { Facts } from '../../ui/panel.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import css from './device-map.module.css'

const VALUES = 5
const NEAR = 0.000_6

const centre = (id: string) => `/manage/device/DeviceSet/DeviceCenter?id=${id}`

/** What stands at a mark: a device with five of its values, or several at one place. */
export function DevicePopup({
  cell,
  filters,
  onClose,
}: {
  cell: MapCell
  filters: Record<string, string>
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
      {cell.device ? <One device={cell.device} cell={cell} /> : <Several cell={cell} filters={filters} />}
    </Drawer>
  )
}

function One({ device, cell }: { device: NonNullable<MapCell['device']>; cell: MapCell }) {
  const { t } = useTranslation('device-map')
  const mayRead = useMay('telemetry.latest')
  const params = { id: device.id }
  const values = useRead('telemetry.latest', { params }, { enabled: mayRead })
  const shown = (values.data?.items ?? []).slice(0, VALUES)
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
      {mayRead && values.isPending && <Skeleton active paragraph={{ rows: 3 }} title={false} />}
      {shown.length > 0 && (
        <Facts
          items={shown.map(item => ({
            label: item.identifier,
            value: (
              <>
                {typeof item.value === 'object' ? JSON.stringify(item.value) : String(item.value)}{' '}
                <small className={css.muted}>
                  <TimeText value={new Date(item.ts).toISOString()} />
                </small>
              </>
            ),
          }))}
        />
      )}
      <Link to={centre(device.id)}>
        <Button type="primary">{t('enter')}</Button>
      </Link>
    </div>
  )
}

function Several({ cell, filters }: { cell: MapCell; filters: Record<string, string> }) {
  const { t } = useTranslation('device-map')
  const read = useRead('deviceMap.cells', {
    query: {
      ...filters,
      west: Math.max(-180, cell.west - NEAR / 100),
      south: Math.max(-90, cell.south - NEAR / 100),
      east: Math.min(180, cell.east + NEAR / 100),
      north: Math.min(90, cell.north + NEAR / 100),
      cell: 0.000_01,
    },
  })
  const found = (read.data?.items ?? []).filter(one => one.device !== null)
  return (
    <div className={css.stack}>
      {read.isPending && <Skeleton active />}
      <ul className={css.rows}>
        {found.map(one => (
          <li key={one.device!.id}>
            <Link to={centre(one.device!.id)}>{one.device!.name}</Link>
            <StatusTag kind={one.device!.link}>{t(`links.${one.device!.link}`)}</StatusTag>
          </li>
        ))}
      </ul>
      {read.data && found.length < cell.count && <p className={css.muted}>{t('samePlace', { count: cell.count })}</p>}
    </div>
  )
}
