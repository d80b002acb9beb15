import { LORA_METRICS } from '@thingwright/contracts/lora.words'
import type { LoraMetric } from '@thingwright/contracts/lora-gateways.contract'
import { Segmented, Skeleton } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAppearance } from '../../lib/appearance.ts'
import { formatDateTime, formatNumber } from '../../lib/format.ts'
import { serverNow } from '../../lib/server-clock.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { SERIES_COLOURS, TOKENS } from '../../lib/tokens.ts'
import { type ChartLine, UplotChart } from '../../ui/chart/uplot-chart.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { megahertz } from './hooks.ts'
import css from './lora.module.css'

const SPANS = {
  hour: { ms: 3_600_000, step: 'minute' },
  day: { ms: 86_400_000, step: 'hour' },
  month: { ms: 30 * 86_400_000, step: 'day' },
  year: { ms: 365 * 86_400_000, step: 'month' },
} as const
type Span = keyof typeof SPANS
const REFRESH_MS = 60_000
const ROUND_MS = 60_000

/** What a gateway received and sent: in all, by frequency, by data rate, and how sending ended. */
export function GatewayMetrics({ id }: { id: string }) {
  const { t } = useTranslation('lora')
  const [span, setSpan] = useState<Span>('day')
  const query = useMemo(() => {
    const to = Math.ceil(serverNow() / ROUND_MS) * ROUND_MS
    const { ms, step } = SPANS[span]
    return { from: new Date(to - ms).toISOString(), to: new Date(to).toISOString(), step }
  }, [span])
  const read = useRead('loraGateways.metrics', { params: { id }, query }, { keep: true, refetchInterval: REFRESH_MS })
  return (
    <Panel
      title={t('metrics.title')}
      hint={t('metrics.hint')}
      actions={
        <Segmented
          aria-label={t('metrics.span')}
          value={span}
          onChange={value => setSpan(value as Span)}
          options={(Object.keys(SPANS) as Span[]).map(value => ({ value, label: t(`metrics.spans.${value}`) }))}
        />
      }
    >
      {read.isError && !read.data ? (
        <ErrorState error={read.error} onRetry={() => void read.refetch()} />
      ) : read.data ? (
        <div className={css.charts}>
          {LORA_METRICS.map(name => {
            const metric = read.data.metrics.find(one => one.metric === name)
            return (
              <MetricChart
                key={name}
                metric={metric}
                name={name}
                from={Date.parse(query.from)}
                to={Date.parse(query.to)}
              />
            )
          })}
        </div>
      ) : (
        <Skeleton active />
      )}
    </Panel>
  )
}

function MetricChart({
  metric,
  name,
  from,
  to,
}: {
  metric: LoraMetric | undefined
  name: (typeof LORA_METRICS)[number]
  from: number
  to: number
}) {
  const { t } = useTranslation('lora')
  const mode = useAppearance(state => state.mode)
  const title = t(`metrics.names.${name}`)
  const labelOf = (label: string) =>
    name.endsWith('Frequency')
      ? megahertz(Number(label))
      : name.endsWith('DataRate')
        ? `DR${label}`
        : name === 'txPerStatus'
          ? label
          : title
  const xs = metric?.times.map(time => Date.parse(time)) ?? []
  const colours = SERIES_COLOURS[mode]
  const lines: ChartLine[] = (metric?.series ?? []).map(({ label, values }, at) => ({
    key: label,
    label: labelOf(label),
    colour: colours[at % colours.length]!,
    dashed: false,
    value: values,
    band: null,
    shown: true,
  }))
  const total = metric?.series.reduce((sum, { values }) => sum + values.reduce((a, b) => a + b, 0), 0) ?? 0
  return (
    <figure className={css.chart}>
      <figcaption className={css.chartHead}>
        <strong>{title}</strong>
        <span className={css.quiet}>{formatNumber(total)}</span>
      </figcaption>
      {total === 0 ? (
        <p className={css.quiet}>{t('metrics.none')}</p>
      ) : (
        <>
          <UplotChart
            xs={xs}
            lines={lines}
            from={from}
            to={to}
            height={160}
            stepped={false}
            unit=""
            marks={null}
            fromZero
            whole
            format={value => formatNumber(value)}
            formatTime={ms => formatDateTime(ms)}
            sync="lora-gateway"
            colours={{ text: TOKENS[mode]['text-2'], grid: TOKENS[mode].line }}
            label={title}
            onZoom={() => {}}
            onReset={() => {}}
          />
          {lines.length > 1 && (
            <ul className={css.legend}>
              {lines.map(line => (
                <li key={line.key}>
                  <i style={{ background: line.colour }} aria-hidden="true" />
                  {line.label}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </figure>
  )
}
