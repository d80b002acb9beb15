import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { Property } from '@thingwright/thing-model/model'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { every } from '../../../lib/every.ts'
import { formatDateTime } from '../../../lib/format.ts'
import { locale } from '../../../lib/i18n.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useMade } from '../../../lib/server-state/use-read.ts'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import { useThingModel } from '../hooks.ts'
import { valueWords } from '../live/value-text.ts'
import css from './bulk.module.css'
import { latestOf } from './latest-loader.ts'

const MAX_COLUMNS = 16
const SHOWN = 3
/** Types that say something in a cell. */
const PLAIN = new Set(['bool', 'int32', 'int64', 'float', 'double', 'string', 'enum', 'date', 'duration'])

/** Columns with the latest values of a product's devices, once the list is narrowed to the product. */
export function useValueColumns(productId: string | undefined): ListColumn<DeviceView>[] {
  const allowed = useMay('telemetry.latestOfMany')
  const { model } = useThingModel(allowed ? productId : undefined)
  return useMemo(() => {
    const properties = (model?.properties ?? [])
      .filter(property => property.access !== 'w' && PLAIN.has(property.dataType.type))
      .slice(0, MAX_COLUMNS)
    const identifiers = properties.map(property => property.identifier).join(',')
    return properties.map(
      (property, at): ListColumn<DeviceView> => ({
        key: `value:${property.identifier}`,
        title: nameOf(property, locale() === 'en'),
        width: 120,
        align: 'right',
        ...(at < SHOWN ? {} : { initiallyHidden: true }),
        render: device => <LatestValue id={device.id} identifiers={identifiers} property={property} />,
      }),
    )
  }, [model])
}

function LatestValue({ id, identifiers, property }: { id: string; identifiers: string; property: Property }) {
  const { t } = useTranslation('devices')
  const values = useMade(
    'telemetry.latestOfMany',
    { query: { ids: id, identifiers } },
    () => latestOf(id, identifiers, query => call('telemetry.latestOfMany', { query })),
    { staleTime: 5000, refetchInterval: every(15_000) },
  )
  const reading = values.data?.[property.identifier]
  if (!reading) return <span className={css.hint}>–</span>
  const { text, unit } = valueWords(property, reading.value, {
    english: locale() === 'en',
    yes: t('yes'),
    no: t('no'),
  })
  return (
    <span className={css.value} data-quality={reading.quality} title={formatDateTime(reading.ts)}>
      {unit ? `${text} ${unit}` : text}
    </span>
  )
}
