import type { AlarmView } from '@thingwright/contracts/alarms.contract'
import { useTranslation } from 'react-i18next'
import { formatClock } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import css from '../alarms.module.css'
import { useProperties } from '../hooks.ts'
import { valueText } from '../words.ts'

/** The values that raised it, those of now, and those that cleared it, side by side. */
export function ValuesTable({ alarm }: { alarm: AlarmView }) {
  const { t } = useTranslation('alarms')
  const properties = useProperties(alarm.productId)
  const allowed = useMay('telemetry.latest')
  const latest = useRead(
    'telemetry.latest',
    { params: { id: alarm.deviceId ?? '' } },
    { enabled: allowed && alarm.deviceId !== null && alarm.active, refetchInterval: 5_000 },
  )
  const names = [
    ...new Set([...alarm.raiseValues, ...alarm.clearValues].map(each => `${each.deviceId ?? ''} ${each.property}`)),
  ]
  if (names.length === 0) return null
  const found = (list: AlarmView['raiseValues'], name: string) =>
    list.find(each => `${each.deviceId ?? ''} ${each.property}` === name)
  const current = (name: string) => {
    const [deviceId, property] = name.split(' ')
    if (deviceId !== '' && deviceId !== alarm.deviceId) return undefined
    return latest.data?.items.find(each => each.identifier === property)?.value
  }
  return (
    <table className={css.values}>
      <thead>
        <tr>
          <th scope="col">{t('property')}</th>
          <th scope="col">
            {t('atRaise')} <small>{formatClock(alarm.raisedAt)}</small>
          </th>
          <th scope="col">
            {alarm.active ? (
              t('atNow')
            ) : (
              <>
                {t('atClear')} <small>{formatClock(alarm.clearedAt)}</small>
              </>
            )}
          </th>
        </tr>
      </thead>
      <tbody>
        {names.map(name => {
          const property = name.split(' ')[1]!
          const look = properties.get(property)
          const unit = look?.unit ?? ''
          return (
            <tr key={name}>
              <th scope="row" title={property} dir="auto">
                {look?.name ?? property}
              </th>
              <td>{valueText(found(alarm.raiseValues, name)?.value, unit)}</td>
              <td>{valueText(alarm.active ? current(name) : found(alarm.clearValues, name)?.value, unit)}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
