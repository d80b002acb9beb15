import type { Property } from '@thingwright/thing-model/model'
import { Button, Select } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { locale } from '../../../lib/i18n.ts'
import { usePages } from '../../../lib/server-state/use-pages.ts'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import shared from '../devices.module.css'
import { valueWords } from '../live/value-text.ts'
import css from './history.module.css'

const LIMIT = 200

interface Line {
  at: number
  ts: number
  value: unknown
  quality: 'good' | 'uncertain' | 'bad'
  raw: unknown
}

/** The values of one property as they were reported, oldest first. */
export function HistoryTable({
  deviceId,
  properties,
  from,
  to,
}: {
  deviceId: string
  properties: readonly Property[]
  from: number
  to: number
}) {
  const { t } = useTranslation('devices')
  const english = locale() === 'en'
  const [chosen, setChosen] = useState(properties[0]?.identifier ?? '')
  const property = properties.find(each => each.identifier === chosen) ?? properties[0]
  const identifier = property?.identifier ?? ''
  const rows = usePages(
    'telemetry.raw',
    {
      params: { id: deviceId },
      query: { identifier, from: Math.round(from), to: Math.round(to), limit: LIMIT, detail: '1' as const },
    },
    { enabled: identifier !== '' },
  )
  const lines = useMemo<Line[]>(
    () =>
      (rows.data?.pages ?? [])
        .flatMap(page => page.items)
        .map(([ts, value, quality, raw], at) => ({
          at,
          ts: Number(ts),
          value,
          quality: (quality ?? 'good') as Line['quality'],
          raw,
        })),
    [rows.data],
  )
  const columns = useMemo<ListColumn<Line>[]>(
    () => [
      { key: 'ts', title: t('time'), width: 240, render: line => formatDateTime(line.ts, { millis: true }) },
      {
        key: 'value',
        title: property ? nameOf(property, english) : '',
        minWidth: 200,
        render: line => {
          if (!property) return ''
          const { text, unit } = valueWords(property, line.value, { english, yes: t('yes'), no: t('no') })
          return <span className={css.number}>{unit ? `${text} ${unit}` : text}</span>
        },
      },
      ...(lines.some(line => line.raw !== null && line.raw !== undefined)
        ? [
            {
              key: 'raw',
              title: t('rawValue'),
              width: 160,
              render: (line: Line) => (
                <span className={css.number}>
                  {line.raw === null || line.raw === undefined ? '–' : String(line.raw)}
                </span>
              ),
            },
          ]
        : []),
      ...(lines.some(line => line.quality !== 'good')
        ? [
            {
              key: 'quality',
              title: t('qualityTitle'),
              width: 120,
              render: (line: Line) => (
                <StatusTag kind={line.quality === 'good' ? 'success' : line.quality === 'bad' ? 'error' : 'warning'}>
                  {t(`qualityShort.${line.quality}`)}
                </StatusTag>
              ),
            },
          ]
        : []),
    ],
    [t, property, english, lines],
  )
  return (
    <div className={css.historyTable}>
      <div className={css.tableBar}>
        <Select
          aria-label={t('property')}
          value={identifier}
          popupMatchSelectWidth={false}
          options={properties.map(each => ({ value: each.identifier, label: nameOf(each, english) }))}
          onChange={setChosen}
        />
        <span className={shared.hint}>{t('rawHint')}</span>
      </div>
      {rows.isError && !rows.data ? (
        <ErrorState error={rows.error} onRetry={() => void rows.refetch()} />
      ) : !rows.isPending && lines.length === 0 ? (
        <EmptyState title={t('noPoints')} description={t('noPointsText')} />
      ) : (
        <>
          <div className={css.tableScroll}>
            <DataTable
              label={t('historyTable')}
              columns={columns}
              rows={lines}
              rowKey={line => String(line.at)}
              density="dense"
              skeleton={rows.isPending ? 10 : 0}
            />
          </div>
          {rows.hasNextPage && (
            <Button block loading={rows.isFetchingNextPage} onClick={() => void rows.fetchNextPage()}>
              {t('loadMore')}
            </Button>
          )}
        </>
      )}
    </div>
  )
}
