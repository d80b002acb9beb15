import type { MapCell } from '@thingwright/contracts/device-map.contract'
import type { TFunction } from 'i18next'
import { memo } from 'react'
import css from './device-map.module.css'

/** One device or several at one place, coloured by their state. A map has many: texts and what a press does come from it. */
export const Mark = memo(function Mark({
  cell,
  t,
  onPress,
}: {
  cell: MapCell
  t: TFunction<'device-map'>
  onPress: (cell: MapCell) => void
}) {
  const { device, count, online, alarmLevel } = cell
  const state = alarmLevel > 0 ? 'alarm' : online > 0 ? 'online' : (device?.link ?? 'offline')
  const name = device
    ? t('markOne', { name: device.name, state: t(alarmLevel > 0 ? 'inAlarm' : `links.${device.link}`) })
    : t('markMany', { count, online })
  return (
    <button
      type="button"
      className={`${device ? css.one : css.many} ${css[state]}`}
      aria-label={name}
      title={name}
      onClick={() => onPress(cell)}
    >
      {device ? '' : count > 999 ? `${Math.floor(count / 1000)}k` : count}
    </button>
  )
})
