import { emptyModel, type Property, type ThingModel } from '@thingwright/thing-model/model'
import { Skeleton } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { every } from '../../lib/every.ts'
import { formatNumber } from '../../lib/format.ts'
import { locale } from '../../lib/i18n.ts'
import { useMay } from '../../lib/permissions.ts'
import { portalPath } from '../../lib/portal.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { boolWords, nameOf } from '../../ui/schema-form/from-thing-model.ts'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { Control } from './control.tsx'
import { linkOf } from './devices-section.tsx'
import css from './portal.module.css'

/** One device: what it says now, and what of it can be set. */
export function DevicePage({ id, suffix }: { id: string; suffix: string }) {
  const { t } = useTranslation('portal')
  const params = { id }
  const device = useRead('devices.get', { params }, { refetchInterval: every(10_000) })
  const model = useRead('thingModels.deviceModel', { params }, { staleTime: 60_000 })
  const latest = useRead(
    'telemetry.latest',
    { params },
    { enabled: useMay('telemetry.latest'), refetchInterval: every(5_000) },
  )
  const mayCommand = useMay('commands.create')
  const properties = useMemo(
    () => (model.data ? { ...emptyModel(), ...(model.data.model as Partial<ThingModel>) }.properties : []),
    [model.data],
  )
  const readings = useMemo(() => new Map(latest.data?.items.map(item => [item.identifier, item])), [latest.data])
  const error = device.error ?? model.error
  if (error) return <ErrorState error={error} onRetry={() => void Promise.all([device.refetch(), model.refetch()])} />
  if (!device.data || !model.data) return <Skeleton active />
  return (
    <section aria-labelledby="portal-device">
      <div className={css.head}>
        <Link to={portalPath(suffix, '/devices')}>{t('back')}</Link>
        <h1 id="portal-device" dir="auto">
          {device.data.name}
        </h1>
        <StatusTag kind={linkOf(device.data)}>{t(`link.${linkOf(device.data)}`)}</StatusTag>
      </div>
      {properties.length === 0 ? (
        <EmptyState title={t('noValues')} />
      ) : (
        <ul className={css.rows}>
          {properties.map(property => {
            const reading = readings.get(property.identifier)
            return (
              <li key={property.identifier} className={css.row}>
                <span className={css.what}>
                  <b dir="auto">{nameOf(property, locale() === 'en')}</b>
                  <small>{reading ? <TimeText value={reading.ts} /> : t('noValue')}</small>
                </span>
                <span className={css.value}>
                  <ValueText property={property} value={reading?.value} />
                </span>
                {mayCommand && property.access !== 'r' && (
                  <Control id={id} property={property} value={reading?.value} onDone={() => void latest.refetch()} />
                )}
              </li>
            )
          })}
        </ul>
      )}
    </section>
  )
}

function ValueText({ property, value }: { property: Property; value: unknown }) {
  const { t } = useTranslation('portal')
  if (value === undefined || value === null) return <>–</>
  const { dataType, unit, decimals } = property
  const english = locale() === 'en'
  if (dataType.type === 'bool') {
    const words = boolWords(dataType, english)
    return <>{value === true ? (words.on ?? t('yes')) : (words.off ?? t('no'))}</>
  }
  if (dataType.type === 'enum') {
    const item = dataType.items.find(each => each.value === value)
    return <>{item ? (english ? item.ename || item.name : item.name) : String(value)}</>
  }
  if (typeof value === 'number')
    return (
      <>
        {formatNumber(value, decimals === undefined ? {} : { decimals })} {unit}
      </>
    )
  return <>{typeof value === 'string' ? value : JSON.stringify(value)}</>
}
