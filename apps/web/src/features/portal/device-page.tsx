import { emptyModel, type Property, type ThingModel } from '@thingwright/thing-model/model'
import { Button, Select, Skeleton, Switch } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { every } from '../../lib/every.ts'
import { formatNumber } from '../../lib/format.ts'
import { locale } from '../../lib/i18n.ts'
import { notify } from '../../lib/notify.ts'
import { useMay } from '../../lib/permissions.ts'
import { portalPath } from '../../lib/portal.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { InputNumber } from '../../ui/input-number.tsx'
import { boolWords, nameOf } from '../../ui/schema-form/from-thing-model.ts'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
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
                  <Control id={id} property={property} value={reading?.value} />
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

/** Sets a switch, a number or a level; other types are set in the console. */
function Control({ id, property, value }: { id: string; property: Property; value: unknown }) {
  const { t } = useTranslation('portal')
  const [number, setNumber] = useState<number | null>(null)
  const send = useAct('commands.create', { touches: ['telemetry'], done: () => notify.success(t('sent')) })
  const { dataType, identifier } = property
  const english = locale() === 'en'
  const label = nameOf(property, english)
  const set = (next: unknown) =>
    void send.run({ params: { id }, body: { kind: 'property_set', params: { [identifier]: next } } })
  if (dataType.type === 'bool')
    return <Switch aria-label={label} checked={value === true} loading={send.pending} onChange={set} />
  if (dataType.type === 'enum')
    return (
      <Select
        aria-label={label}
        style={{ width: 120 }}
        value={value as string | number | undefined}
        loading={send.pending}
        options={dataType.items.map(item => ({
          value: item.value,
          label: english ? item.ename || item.name : item.name,
        }))}
        onChange={set}
      />
    )
  if (dataType.type === 'int32' || dataType.type === 'float' || dataType.type === 'double')
    return (
      <>
        <InputNumber
          aria-label={label}
          style={{ width: 96 }}
          value={number}
          {...(dataType.min === undefined ? {} : { min: dataType.min })}
          {...(dataType.max === undefined ? {} : { max: dataType.max })}
          onChange={setNumber}
        />
        <Button disabled={number === null} loading={send.pending} onClick={() => set(number)}>
          {t('set')}
        </Button>
      </>
    )
  return null
}
