import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { Property } from '@thingwright/thing-model/model'
import { Checkbox, Drawer, Segmented, Select } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAppearance } from '../../../lib/appearance.ts'
import { formatDateTime, formatDuration, formatNumber } from '../../../lib/format.ts'
import { locale } from '../../../lib/i18n.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { useReads } from '../../../lib/server-state/use-read.ts'
import { SERIES_COLOURS, TOKENS } from '../../../lib/tokens.ts'
import { alignSeries, groupByUnit, hasBand, type SeriesPoint, shifted, withGaps } from '../../../ui/chart/chart-data.ts'
import { type ChartLine, UplotChart } from '../../../ui/chart/uplot-chart.tsx'
import { nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import { EmptyState } from '../../../ui/states.tsx'
import history from '../history/history.module.css'
import { boundsOf, type HistoryWindow, RANGES, type RangeName } from '../history/history-window.ts'
import { useThingModel } from '../hooks.ts'
import { isChartable, isStepped } from '../live/control-kind.ts'
import css from './bulk.module.css'

const MAX_LINES = 16
const POINTS = 500

interface Item {
  device: DeviceView
  property: Property
  unit: string
  stepped: boolean
  colour: string
}
interface Series {
  identifier: string
  points: readonly SeriesPoint[]
  resolutionMs: number
}

/** Properties of several devices in one chart for each unit, with the period before and the spread of every column. */
export function CompareDrawer({ devices, onClose }: { devices: readonly DeviceView[]; onClose: () => void }) {
  const { t } = useTranslation('bulk')
  const english = locale() === 'en'
  const mode = useAppearance(s => s.mode)
  const { model } = useThingModel(devices[0]?.productId)
  const chartable = useMemo(() => (model?.properties ?? []).filter(isChartable), [model])
  const [asked, setAsked] = useState<string[] | null>(null)
  const [range, setRange] = useState<RangeName>('24h')
  const [zoom, setZoom] = useState<{ from: number; to: number } | null>(null)
  const [before, setBefore] = useState(false)
  const chosen = useMemo(() => {
    const most = Math.max(1, Math.floor(MAX_LINES / devices.length))
    // What moves says more at first sight than a level.
    const first = chartable.find(property => !isStepped(property)) ?? chartable[0]
    return chartable.filter(p => (asked ? asked.includes(p.identifier) : p === first)).slice(0, most)
  }, [chartable, asked, devices.length])
  const identifiers = chosen.map(property => property.identifier).join(',')
  const now = useMemo(() => {
    const window: HistoryWindow = zoom ? { kind: 'fixed', ...zoom } : { kind: 'last', name: range }
    return boundsOf(window, serverNow())
  }, [zoom, range])
  const series = (shift: number) =>
    devices.map(device => ({
      params: { id: device.id },
      query: {
        identifier: identifiers,
        from: Math.round(now.from - shift),
        to: Math.round(now.to - shift),
        points: POINTS,
      },
    }))
  const span = now.to - now.from
  const some = identifiers !== ''
  const present = useReads('telemetry.series', series(0), { enabled: some })
  const past = useReads('telemetry.series', series(span), { enabled: some && before })
  const groups = useMemo(() => {
    let colour = 0
    const palette = SERIES_COLOURS[mode]
    return groupByUnit(
      chosen.flatMap(property =>
        devices.map(
          (device): Item => ({
            device,
            property,
            unit: property.unit ?? '',
            stepped: false,
            colour: palette[colour++ % palette.length]!,
          }),
        ),
      ),
    )
  }, [chosen, devices, mode])
  const find = (replies: typeof present, item: Item): Series | undefined =>
    replies[devices.indexOf(item.device)]?.data?.series.find(each => each.identifier === item.property.identifier)
  return (
    <Drawer open size={1080} title={t('compareTitle', { count: devices.length })} onClose={onClose}>
      <div className={css.stack}>
        <div className={css.row}>
          <Select
            mode="multiple"
            aria-label={t('properties')}
            style={{ minWidth: 240 }}
            maxTagCount="responsive"
            value={chosen.map(property => property.identifier)}
            options={chartable.map(property => ({ value: property.identifier, label: nameOf(property, english) }))}
            showSearch={{ optionFilterProp: 'label' }}
            onChange={(next: string[]) => next.length > 0 && setAsked(next)}
          />
          <Segmented
            value={zoom ? 'zoom' : range}
            options={[
              ...(Object.keys(RANGES) as RangeName[]).map(name => ({
                value: name as string,
                label: t(`range.${name}`),
              })),
              ...(zoom ? [{ value: 'zoom', label: t('range.custom') }] : []),
            ]}
            onChange={next => {
              if (next === 'zoom') return
              setZoom(null)
              setRange(next as RangeName)
            }}
          />
          <Checkbox checked={before} onChange={event => setBefore(event.target.checked)}>
            {t('comparePast')}
          </Checkbox>
        </div>
        {model && chartable.length === 0 && <EmptyState title={t('nothingToChart')} />}
        <div className={css.charts}>
          {groups.map(group => {
            const wanted = group.items.flatMap(item => {
              const [is, was] = [find(present, item), before ? find(past, item) : undefined]
              const label = `${item.device.name} · ${nameOf(item.property, english)}`
              return [
                ...(is ? [{ item, data: is, label, shift: 0 }] : []),
                ...(was ? [{ item, data: was, label: `${label} (${t('past')})`, shift: span }] : []),
              ]
            })
            const { xs, columns } = alignSeries(
              wanted.map(({ data, shift }) => shifted(withGaps(data.points, data.resolutionMs), shift)),
            )
            const lines = wanted.map(
              ({ item, data, label, shift }, at): ChartLine => ({
                key: label,
                label,
                colour: item.colour,
                dashed: shift > 0,
                shown: true,
                value: columns[at]!.value,
                band: shift === 0 && hasBand(data.points) ? { min: columns[at]!.min, max: columns[at]!.max } : null,
              }),
            )
            const resolution = Math.max(0, ...wanted.map(({ data }) => data.resolutionMs))
            return (
              <section key={group.unit} className={history.chartCard}>
                <div className={history.legend}>
                  {lines.map(line => (
                    <span key={line.key} className={history.legendItem}>
                      <span
                        className={history.legendLine}
                        data-dashed={line.dashed}
                        style={{ borderTopColor: line.colour }}
                      />
                      {line.label}
                    </span>
                  ))}
                  <span className={history.legendNote}>
                    {resolution > 0 ? t('columnBand', { width: formatDuration(resolution) }) : t('rawPoints')}
                  </span>
                </div>
                <UplotChart
                  xs={xs}
                  lines={lines}
                  from={now.from}
                  to={now.to}
                  height={320}
                  stepped={false}
                  unit={group.unit}
                  marks={null}
                  format={value => formatNumber(Number(value.toFixed(4)))}
                  formatTime={ms => formatDateTime(ms)}
                  sync="device-compare"
                  colours={{ text: TOKENS[mode]['text-2'], grid: TOKENS[mode].line }}
                  label={t('compareTitle', { count: devices.length })}
                  onZoom={(from, to) => setZoom({ from, to })}
                  onReset={() => setZoom(null)}
                />
              </section>
            )
          })}
        </div>
      </div>
    </Drawer>
  )
}
