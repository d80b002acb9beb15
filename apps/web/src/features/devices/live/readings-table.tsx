import type { Property } from '@thingwright/thing-model/model'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn, RowAction } from '../../../ui/list-page/list-types.ts'
import { nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { isChartable, isStepped } from './control-kind.ts'
import css from './live.module.css'
import { Sparkline } from './sparkline.tsx'
import type { Readings } from './use-latest.ts'
import type { Spark } from './use-sparklines.ts'
import { valueWords } from './value-text.ts'

const QUALITY = { good: 'success', uncertain: 'warning', bad: 'error' } as const

/** The properties of a group as rows: values under values, units under units, times under times. */
export function ReadingsTable({
  title,
  properties,
  readings,
  sparks,
  stale,
  mayCommand,
  onForm,
  onHistory,
}: {
  title: string
  properties: readonly Property[]
  readings: Readings
  sparks: ReadonlyMap<string, Spark>
  stale: boolean
  mayCommand: boolean
  onForm: (identifier: string) => void
  onHistory: (identifier: string) => void
}) {
  const { t } = useTranslation('devices')
  const english = locale() === 'en'
  const columns = useMemo<ListColumn<Property>[]>(() => {
    const wordsOf = (property: Property) =>
      valueWords(property, readings[property.identifier]?.value, { english, yes: t('yes'), no: t('no') })
    return [
      {
        key: 'name',
        title: t('property'),
        minWidth: 140,
        render: property => (
          <span title={`${nameOf(property, english)} · ${property.identifier}`} dir="auto">
            {nameOf(property, english)}
          </span>
        ),
      },
      {
        key: 'value',
        title: t('value'),
        width: 116,
        align: 'right',
        render: property => (
          <b className={css.cellValue} data-property={property.identifier} title={wordsOf(property).text} dir="auto">
            {wordsOf(property).text}
          </b>
        ),
      },
      { key: 'unit', title: t('unit'), width: 76, render: property => wordsOf(property).unit ?? '' },
      {
        key: 'line',
        title: t('lineTitle'),
        width: 116,
        rank: 1,
        render: property =>
          isChartable(property) ? (
            <Sparkline spark={sparks.get(property.identifier)} width={92} height={22} stepped={isStepped(property)} />
          ) : (
            ''
          ),
      },
      {
        key: 'quality',
        title: t('qualityTitle'),
        width: 84,
        rank: 2,
        render: property => {
          const reading = readings[property.identifier]
          return reading ? (
            <StatusTag kind={stale ? 'neutral' : QUALITY[reading.quality]} title={t(`quality.${reading.quality}`)}>
              {t(`qualityShort.${reading.quality}`)}
            </StatusTag>
          ) : (
            '–'
          )
        },
      },
      {
        key: 'ts',
        title: t('reportedAt'),
        width: 104,
        render: property => <TimeText value={readings[property.identifier]?.ts} fallback={t('noValue')} />,
      },
    ]
  }, [t, english, readings, sparks, stale])
  const actions = (property: Property): RowAction[] => [
    ...(mayCommand && property.access !== 'r'
      ? [{ key: 'set', label: t('set'), onClick: () => onForm(property.identifier) }]
      : []),
    ...(isChartable(property)
      ? [{ key: 'history', label: t('tabs.history'), onClick: () => onHistory(property.identifier) }]
      : []),
  ]
  return (
    <div className={css.tableCard}>
      <DataTable
        label={title}
        columns={columns}
        rows={properties}
        rowKey={property => property.identifier}
        density="dense"
        actions={actions}
        actionsWidth={english ? 116 : 128}
        skeleton={0}
      />
    </div>
  )
}
