import type { Property } from '@thingwright/thing-model/model'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { HistoryCharts } from '../history/history-charts.tsx'
import { useHistory } from '../history/use-history.ts'
import { isChartable } from './control-kind.ts'
import css from './live.module.css'

/** As many as one question may name; more could not be told apart either. */
const MOST = 16
const WINDOW = { kind: 'last', name: '24h' } as const

/** The last 24 hours of everything that can be drawn; what is looked at closer opens the history. */
export function ReadingsCharts({ deviceId, properties }: { deviceId: string; properties: readonly Property[] }) {
  const { t } = useTranslation('devices')
  const [, setParams] = useSearchParams()
  const shown = useMemo(() => properties.filter(isChartable).slice(0, MOST), [properties])
  const identifiers = shown.map(property => property.identifier)
  const history = useHistory(deviceId, identifiers, WINDOW, false)
  if (shown.length === 0) return <EmptyState title={t('noHistory')} description={t('noHistoryText')} />
  if (history.isError && !history.data)
    return <ErrorState error={history.error} onRetry={() => void history.refetch()} />
  if (!history.data) return <div className={css.chartsBone} />
  return (
    <HistoryCharts
      properties={shown}
      data={history.data}
      onReset={() => undefined}
      onZoom={(from, to) =>
        setParams(before => {
          const next = new URLSearchParams(before)
          next.set('tab', 'history')
          next.set('props', identifiers.slice(0, 8).join(','))
          next.set('from', String(Math.round(from)))
          next.set('to', String(Math.round(to)))
          return next
        })
      }
    />
  )
}
