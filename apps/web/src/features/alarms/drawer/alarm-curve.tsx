import type { AlarmView } from '@thingwright/contracts/alarms.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useAppearance } from '../../../lib/appearance.ts'
import { epochOf, formatDateTime, formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { SERIES_COLOURS, TOKENS } from '../../../lib/tokens.ts'
import { hasBand, withGaps } from '../../../ui/chart/chart-data.ts'
import { UplotChart } from '../../../ui/chart/uplot-chart.tsx'
import { useNow } from '../../../ui/ticker.ts'
import css from '../alarms.module.css'
import { useProperties } from '../hooks.ts'

const HEIGHT = 160
const POINTS = 300
const HOUR = 3_600_000
/** The end of the curve of an active alarm moves on so often. */
const STEP_MS = 15_000

/** The curve of the value that raised the alarm, from an hour before to an hour after, the alarm itself shaded. */
export function AlarmCurve({ alarm }: { alarm: AlarmView }) {
  const { t } = useTranslation('alarms')
  const mode = useAppearance(s => s.mode)
  const property = alarm.raiseValues.find(each => each.deviceId === alarm.deviceId && typeof each.value === 'number')
  const look = useProperties(alarm.productId).get(property?.property ?? '')
  const end = Math.ceil(useNow() / STEP_MS) * STEP_MS
  const raised = epochOf(alarm.raisedAt) ?? end
  const cleared = epochOf(alarm.clearedAt)
  const from = Math.round(raised - HOUR)
  const to = Math.round(cleared === null ? Math.max(end, raised + HOUR / 6) : Math.min(end, cleared + HOUR))
  const series = useRead(
    'telemetry.series',
    {
      params: { id: alarm.deviceId ?? '' },
      query: { identifier: property?.property ?? '', from, to, points: POINTS },
    },
    {
      enabled: useMay('telemetry.series') && property !== undefined && alarm.deviceId !== null,
      keep: true,
    },
  )
  const chart = useMemo(() => {
    const found = series.data?.series[0]
    if (!found || found.points.length === 0) return null
    const columns = withGaps(found.points, found.resolutionMs)
    const name = look?.name ?? property?.property ?? ''
    return {
      xs: columns.xs,
      lines: [
        {
          key: name,
          label: name,
          colour: SERIES_COLOURS[mode][0]!,
          dashed: false,
          value: columns.value,
          band: hasBand(found.points) ? { min: columns.min, max: columns.max } : null,
          shown: true,
        },
      ],
    }
  }, [series.data, look, property, mode])
  const shades = useMemo(() => [{ from: raised, to: cleared }], [raised, cleared])
  if (!property) return null
  if (!chart) return <div className={css.curveBone} aria-busy={series.isPending} />
  return (
    <UplotChart
      xs={chart.xs}
      lines={chart.lines}
      from={from}
      to={to}
      height={HEIGHT}
      stepped={false}
      unit={look?.unit ?? ''}
      marks={null}
      shades={shades}
      format={value => formatNumber(Number(value.toFixed(4)))}
      formatTime={ms => formatDateTime(ms)}
      sync="alarm"
      colours={{ text: TOKENS[mode]['text-2'], grid: TOKENS[mode].line }}
      label={t('curveOf', { name: look?.name ?? property.property })}
      onZoom={() => undefined}
      onReset={() => undefined}
    />
  )
}
