import type { DryRunView } from '@thingwright/contracts/triggers.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useAppearance } from '../../../lib/appearance.ts'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { ALARM_COLOURS, SERIES_COLOURS, TOKENS } from '../../../lib/tokens.ts'
import { hasBand, withGaps } from '../../../ui/chart/chart-data.ts'
import { UplotChart } from '../../../ui/chart/uplot-chart.tsx'
import { FIELDS_OF, type Kind } from '../lists.ts'
import css from '../triggers.module.css'

const HEIGHT = 200
const POINTS = 400

/** The curve of the first device in question, with its would-be alarms shaded and the limits drawn. */
export function DryRunCurve({
  deviceId,
  property,
  unit,
  view,
  limits,
}: {
  deviceId: string
  property: string
  unit: string
  view: DryRunView
  limits: { high: number | null; low: number | null; kind: Kind }
}) {
  const { t } = useTranslation('triggers')
  const mode = useAppearance(s => s.mode)
  const series = useRead(
    'telemetry.series',
    { params: { id: deviceId }, query: { identifier: property, from: view.from, to: view.to, points: POINTS } },
    { enabled: useMay('telemetry.series'), staleTime: 60_000 },
  )
  const chart = useMemo(() => {
    const found = series.data?.series[0]
    if (!found || found.points.length === 0) return null
    const columns = withGaps(found.points, found.resolutionMs)
    return {
      xs: columns.xs,
      lines: [
        {
          key: property,
          label: property,
          colour: SERIES_COLOURS[mode][0]!,
          dashed: false,
          value: columns.value,
          band: hasBand(found.points) ? { min: columns.min, max: columns.max } : null,
          shown: true,
        },
      ],
    }
  }, [series.data, property, mode])
  const shades = useMemo(
    () =>
      view.alarms
        .filter(alarm => alarm.deviceId === deviceId || alarm.deviceId === null)
        .map(alarm => ({ from: alarm.raisedAt, to: alarm.clearedAt })),
    [view, deviceId],
  )
  const { high, low, kind } = limits
  const drawn = useMemo(
    () =>
      (['high', 'low'] as const).flatMap(field => {
        const value = field === 'high' ? high : low
        return FIELDS_OF[kind].includes(field) && value !== null
          ? [{ value, label: `${t(`field.${field}`)} ${formatNumber(value)}`, colour: ALARM_COLOURS[5] }]
          : []
      }),
    [high, low, kind, t],
  )
  if (series.isPending) return <div className={css.curveBone} aria-busy="true" />
  if (!chart) return <p className={css.quiet}>{t('dryRun.noCurve')}</p>
  return (
    <UplotChart
      xs={chart.xs}
      lines={chart.lines}
      from={view.from}
      to={view.to}
      height={HEIGHT}
      stepped={false}
      unit={unit}
      marks={null}
      shades={shades}
      limits={drawn}
      format={value => formatNumber(Number(value.toFixed(4)))}
      formatTime={ms => formatDateTime(ms)}
      sync="dry-run"
      colours={{ text: TOKENS[mode]['text-2'], grid: TOKENS[mode].line }}
      label={t('dryRun.curve')}
      onZoom={() => undefined}
      onReset={() => undefined}
    />
  )
}
