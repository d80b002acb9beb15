import type { Property } from '@thingwright/thing-model/model'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAppearance } from '../../../lib/appearance.ts'
import { formatDateTime, formatDuration, formatNumber } from '../../../lib/format.ts'
import { locale } from '../../../lib/i18n.ts'
import { SERIES_COLOURS, TOKENS } from '../../../lib/tokens.ts'
import {
  alignSeries,
  apartBySize,
  groupByUnit,
  hasBand,
  shifted,
  sizeOfSeries,
  withGaps,
} from '../../../ui/chart/chart-data.ts'
import { type ChartLine, UplotChart } from '../../../ui/chart/uplot-chart.tsx'
import { boolWords, nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import { isStepped } from '../live/control-kind.ts'
import { levelName } from '../live/value-text.ts'
import css from './history.module.css'
import type { HistoryData, HistorySeries } from './use-history.ts'

const HEIGHT = 320
const STEPPED_HEIGHT = 160

interface Item {
  property: Property
  unit: string
  stepped: boolean
  colour: string
}

/** The chosen properties as charts that share crosshair and time axis: one for each unit, levels each on their own. */
export function HistoryCharts({
  properties,
  data,
  onZoom,
  onReset,
}: {
  properties: readonly Property[]
  data: HistoryData
  onZoom: (from: number, to: number) => void
  onReset: () => void
}) {
  const mode = useAppearance(s => s.mode)
  const groups = useMemo(() => {
    const colours = SERIES_COLOURS[mode]
    const found = groupByUnit(
      properties.map(
        (property, at): Item => ({
          property,
          unit: property.unit ?? '',
          stepped: isStepped(property),
          colour: colours[at % colours.length]!,
        }),
      ),
    )
    // More than there are colours: those of one chart are told apart, whatever the other charts have.
    if (properties.length > colours.length)
      for (const { items } of found)
        for (const [at, item] of items.entries()) item.colour = colours[at % colours.length]!
    return found
  }, [properties, mode])
  const charts = useMemo(() => {
    const sizes = new Map(data.series.map(({ identifier, points }) => [identifier, sizeOfSeries(points)]))
    return groups.flatMap(group => apartBySize(group, ({ property }) => sizes.get(property.identifier) ?? 0))
  }, [groups, data])
  return (
    <div className={css.charts}>
      {charts.map(group => (
        <GroupChart
          key={group.items.map(item => item.property.identifier).join(',')}
          unit={group.unit}
          stepped={group.stepped}
          items={group.items}
          data={data}
          onZoom={onZoom}
          onReset={onReset}
        />
      ))}
    </div>
  )
}

function GroupChart({
  unit,
  stepped,
  items,
  data,
  onZoom,
  onReset,
}: {
  unit: string
  stepped: boolean
  items: readonly Item[]
  data: HistoryData
  onZoom: (from: number, to: number) => void
  onReset: () => void
}) {
  const { t } = useTranslation('devices')
  const mode = useAppearance(s => s.mode)
  const english = locale() === 'en'
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const { xs, lines, resolutionMs, banded, empty } = useMemo(
    () => linesOf(items, data, stepped, hidden, english, t('previousPeriod')),
    [items, data, stepped, hidden, english, t],
  )
  const [first] = items
  const marks = useMemo(
    () => (stepped && first ? marksOf(first.property, english, t('yes'), t('no')) : null),
    [stepped, first, english, t],
  )
  // As many places as the model asks for; where it says nothing, as many as tell something.
  const decimals = Math.max(...items.map(item => item.property.decimals ?? 4))
  const toggle = (key: string) =>
    setHidden(before => {
      const next = new Set(before)
      if (next.has(key)) next.delete(key)
      else next.add(key)
      return next
    })
  const title = items.map(item => nameOf(item.property, english)).join(', ')
  return (
    <section className={css.chartCard}>
      <div className={css.legend}>
        {lines.map(line => (
          <button
            key={line.key}
            type="button"
            aria-pressed={line.shown}
            className={css.legendItem}
            onClick={() => toggle(line.key)}
          >
            <span
              className={css.legendLine}
              data-dashed={line.dashed}
              style={{ borderTopColor: line.shown ? line.colour : 'transparent' }}
            />
            {line.label}
          </button>
        ))}
        <span className={css.legendNote}>
          {empty
            ? t('noPoints')
            : resolutionMs > 0
              ? t(banded ? 'columnBand' : 'column', { width: formatDuration(resolutionMs) })
              : t('rawPoints')}
        </span>
      </div>
      <UplotChart
        xs={xs}
        lines={lines}
        from={data.from}
        to={data.to}
        height={stepped ? STEPPED_HEIGHT : HEIGHT}
        stepped={stepped}
        unit={unit}
        marks={marks}
        format={value => formatNumber(Number(value.toFixed(decimals)))}
        formatTime={ms => formatDateTime(ms)}
        sync="device-history"
        colours={{ text: TOKENS[mode]['text-2'], grid: TOKENS[mode].line }}
        label={t('chartOf', { names: title })}
        onZoom={onZoom}
        onReset={onReset}
      />
    </section>
  )
}

function marksOf(property: Property, english: boolean, yes: string, no: string) {
  const { dataType } = property
  if (dataType.type === 'bool') {
    const words = boolWords(dataType, english)
    return [
      { value: 0, label: words.off ?? no },
      { value: 1, label: words.on ?? yes },
    ]
  }
  if (dataType.type !== 'enum') return null
  return dataType.items.map(item => ({ value: Number(item.value), label: levelName(dataType, item.value, english) }))
}

function linesOf(
  items: readonly Item[],
  data: HistoryData,
  stepped: boolean,
  hidden: ReadonlySet<string>,
  english: boolean,
  beforeWord: string,
) {
  const span = data.to - data.from
  const find = (list: readonly HistorySeries[], identifier: string) => list.find(each => each.identifier === identifier)
  const wanted = items.flatMap(item => {
    const now = find(data.series, item.property.identifier)
    const before = find(data.before, item.property.identifier)
    const label = nameOf(item.property, english)
    return [
      ...(now ? [{ item, label, dashed: false, source: now }] : []),
      ...(before ? [{ item, label: `${label} · ${beforeWord}`, dashed: true, source: before }] : []),
    ]
  })
  const { xs, columns } = alignSeries(
    wanted.map(({ source, dashed }) => {
      const found = withGaps(source.points, source.resolutionMs, stepped)
      return dashed ? shifted(found, span) : found
    }),
  )
  let banded = false
  const lines = wanted.map(({ item, label, dashed, source }, at): ChartLine => {
    const band = !stepped && !dashed && hasBand(source.points)
    banded ||= band
    const column = columns[at]!
    const key = `${item.property.identifier}${dashed ? '/before' : ''}`
    return {
      key,
      label,
      colour: item.colour,
      dashed,
      value: column.value,
      band: band ? { min: column.min, max: column.max } : null,
      shown: !hidden.has(key),
    }
  })
  return {
    xs,
    lines,
    banded,
    resolutionMs: Math.max(0, ...wanted.map(({ source }) => source.resolutionMs)),
    empty: xs.length === 0,
  }
}
