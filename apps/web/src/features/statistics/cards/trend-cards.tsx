import type { FleetColumns, FleetTrends } from '@thingwright/contracts/statistics.contract'
import { lazy, Suspense, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useAppearance } from '../../../lib/appearance.ts'
import { formatDateTime, formatDuration, formatNumber } from '../../../lib/format.ts'
import type { HomeCardProps, HomeSpan } from '../../../lib/home-cards.ts'
import { SERIES_COLOURS, TOKENS } from '../../../lib/tokens.ts'
import { alignSeries, shifted, withGaps } from '../../../ui/chart/chart-data.ts'
import type { ChartLine } from '../../../ui/chart/uplot-chart.tsx'
import { HomeCardFrame } from '../../../ui/home-card/home-card.tsx'
import { useTrends } from '../hooks.ts'
import { useSpan } from '../overview-span.ts'
import css from '../statistics.module.css'

const UplotChart = lazy(async () => ({ default: (await import('../../../ui/chart/uplot-chart.tsx')).UplotChart }))
const HEIGHT = 200

/** A line of a chart: which figure, in which of the series colours. */
interface Shown {
  key: string
  label: string
  colour: number
  of: (columns: FleetColumns, stepMs: number) => (number | null)[]
  /** The span before is drawn too, dashed. */
  compared?: boolean
}

export function OnlineCard({ span }: HomeCardProps) {
  const { t } = useTranslation('statistics')
  const shown = useMemo<Shown[]>(
    () => [{ key: 'online', label: t('thisSpan'), colour: 2, of: columns => columns.online, compared: true }],
    [t],
  )
  return <TrendCard title={t('online.title')} span={span} shown={shown} whole />
}

export function MessagesCard({ span }: HomeCardProps) {
  const { t } = useTranslation('statistics')
  const shown = useMemo<Shown[]>(
    () => [
      {
        key: 'messages',
        label: t('thisSpan'),
        colour: 0,
        of: (columns, stepMs) => columns.messages.map(count => count / (stepMs / 60_000)),
        compared: true,
      },
    ],
    [t],
  )
  return <TrendCard title={t('messages.title')} span={span} shown={shown} mean fromZero />
}

export function NewDevicesCard({ span }: HomeCardProps) {
  const { t } = useTranslation('statistics')
  const shown = useMemo<Shown[]>(
    () => [
      { key: 'created', label: t('newDevices.created'), colour: 0, of: columns => running(columns.created) },
      { key: 'lost', label: t('newDevices.lost'), colour: 1, of: columns => running(columns.lost) },
    ],
    [t],
  )
  return (
    <TrendCard title={t('newDevices.title')} span={span} shown={shown} note={t('newDevices.note')} whole fromZero />
  )
}

export function CommandsCard({ span }: HomeCardProps) {
  const { t } = useTranslation('statistics')
  const shown = useMemo<Shown[]>(
    () => [
      { key: 'ok', label: t('commands.ok'), colour: 2, of: columns => running(columns.commandsOk) },
      { key: 'failed', label: t('commands.failed'), colour: 1, of: columns => running(columns.commandsFailed) },
    ],
    [t],
  )
  return <TrendCard title={t('commands.title')} span={span} shown={shown} note={t('newDevices.note')} whole fromZero />
}

/** How many there were in all since the beginning of the span. */
function running(values: readonly number[]): number[] {
  let all = 0
  return values.map(value => {
    all += value
    return all
  })
}

interface Axis {
  fromZero?: boolean
  whole?: boolean
}

function TrendCard({
  title,
  span,
  shown,
  note,
  mean = false,
  ...axis
}: Axis & {
  title: string
  span: HomeSpan
  shown: readonly Shown[]
  note?: string
  mean?: boolean
}) {
  const { t } = useTranslation('statistics')
  const read = useTrends(span)
  const mode = useAppearance(s => s.mode)
  const step = read.data && formatDuration(read.data.stepMs)
  return (
    <HomeCardFrame
      title={title}
      mark={<Legend shown={shown} />}
      note={note ?? (step && t(mean ? 'eachPointMean' : 'eachPoint', { step }))}
      of="statistics.trends"
      read={read}
      height={HEIGHT}
      isEmpty={data => data.now.at.length < 2}
      empty={t('trendEmpty')}
    >
      {data => (
        <Suspense fallback={<div style={{ height: HEIGHT }} />}>
          <Trend title={title} trends={data} shown={shown} mode={mode} {...axis} />
        </Suspense>
      )}
    </HomeCardFrame>
  )
}

function Legend({ shown }: { shown: readonly Shown[] }) {
  const { t } = useTranslation('statistics')
  const mode = useAppearance(s => s.mode)
  return (
    <span className={css.legend}>
      {shown.map(({ key, label, colour, compared }) => (
        <span key={key}>
          <i style={{ borderTopColor: SERIES_COLOURS[mode][colour] }} />
          {label}
          {compared && (
            <>
              <i data-dashed="true" />
              {t('spanBefore')}
            </>
          )}
        </span>
      ))}
    </span>
  )
}

function Trend({
  title,
  trends,
  shown,
  mode,
  ...axis
}: Axis & {
  title: string
  trends: FleetTrends
  shown: readonly Shown[]
  mode: 'light' | 'dark'
}) {
  const { zoom, reset } = useSpan()
  const { xs, lines } = useMemo(() => linesOf(trends, shown, mode), [trends, shown, mode])
  return (
    <UplotChart
      xs={xs}
      lines={lines}
      from={trends.from}
      to={trends.to}
      height={HEIGHT}
      stepped={false}
      unit=""
      marks={null}
      {...axis}
      format={value => formatNumber(Number(value.toFixed(1)))}
      formatTime={ms => formatDateTime(ms)}
      sync="home"
      colours={{ text: TOKENS[mode]['text-2'], grid: TOKENS[mode].line }}
      label={title}
      onZoom={zoom}
      onReset={reset}
    />
  )
}

function linesOf({ from, to, stepMs, now, before }: FleetTrends, shown: readonly Shown[], mode: 'light' | 'dark') {
  const colours = SERIES_COLOURS[mode]
  const wanted = shown.flatMap(line => [
    { line, dashed: false, columns: now },
    ...(line.compared && before && before.at.length > 0 ? [{ line, dashed: true, columns: before }] : []),
  ])
  const { xs, columns } = alignSeries(
    wanted.map(({ line, dashed, columns: some }) => {
      const values = line.of(some, stepMs)
      const found = withGaps(
        some.at.map((at, place) => [at, values[place] ?? null]),
        stepMs,
      )
      return dashed ? shifted(found, to - from) : found
    }),
  )
  const lines = wanted.map(
    ({ line, dashed }, at): ChartLine => ({
      key: `${line.key}${dashed ? '/before' : ''}`,
      label: line.label,
      colour: dashed ? TOKENS[mode].offline : colours[line.colour % colours.length]!,
      dashed,
      value: columns[at]!.value,
      band: null,
      shown: true,
    }),
  )
  return { xs, lines }
}
