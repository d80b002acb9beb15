import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { SubDeviceView } from '@thingwright/contracts/sub-devices.contract'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { deviceAddress } from '../addresses.ts'
import { LinkTag } from '../components/device-state.tsx'
import css from './sub-devices.module.css'

/** More than these would say less. */
const MOST = 24

/** A gateway and the devices behind it, each with its state. */
export function Topology({
  gateway,
  devices,
  total,
}: {
  gateway: DeviceView
  devices: readonly SubDeviceView[]
  total: number
}) {
  const { t } = useTranslation('sub-devices')
  const { t: words } = useTranslation('devices')
  const shown = devices.slice(0, MOST)
  return (
    <div className={css.topology}>
      <div className={css.node}>
        <span className={css.nodeName} title={gateway.name} dir="auto">
          {gateway.name}
        </span>
        <LinkTag device={gateway} />
      </div>
      <div className={css.wire} />
      <div className={css.leaves}>
        {shown.map(device => (
          <Link
            key={device.id}
            to={deviceAddress(device.id)}
            className={css.leaf ?? ''}
            title={`${device.name} · ${device.subAddress ?? device.deviceNo} · ${words(`link.${device.link}`)}`}
          >
            <span className={css.dot} data-link={device.link} role="img" aria-label={words(`link.${device.link}`)} />
            <span dir="auto">{device.name}</span>
          </Link>
        ))}
        {total > shown.length && <span className={css.more}>{t('andMore', { count: total - shown.length })}</span>}
      </div>
    </div>
  )
}
