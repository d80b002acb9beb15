import type { ChartCard } from '@thingwright/contracts/assistant-cards'
import { Button } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAppearance } from '../../../../lib/appearance.ts'
import { formatDateTime, formatNumber } from '../../../../lib/format.ts'
import { SERIES_COLOURS, TOKENS } from '../../../../lib/tokens.ts'
import { alignSeries, hasBand, withGaps } from '../../../../ui/chart/chart-data.ts'
import { type ChartLine, UplotChart } from '../../../../ui/chart/uplot-chart.tsx'
import css from '../messages.module.css'
import { visible } from '../visible.ts'
import own from './cards.module.css'

const HEIGHT = 200
const MINUTE = 60_000

/** The plot itself: a line for each series with its band of lowest and highest, gaps as gaps, drag to look closer. */
export function ChartPlot({ card }: { card: ChartCard }) {
  const { t } = useTranslation('messages')
  const mode = useAppearance(s => s.mode)
  const [hidden, setHidden] = useState<ReadonlySet<number>>(new Set())
  const [zoom, setZoom] = useState<{ from: number; to: number } | null>(null)
  const { xs, lines, whole } = useMemo(() => {
    const { xs, columns } = alignSeries(card.series.map(series => withGaps(series.points, 0)))
    const colours = SERIES_COLOURS[mode]
    const lines = card.series.map(
      (series, at): ChartLine => ({
        key: String(at),
        label: visible(series.name),
        colour: colours[at % colours.length]!,
        dashed: false,
        value: columns[at]!.value,
        band: hasBand(series.points) ? { min: columns[at]!.min, max: columns[at]!.max } : null,
        shown: !hidden.has(at),
      }),
    )
    return { xs, lines, whole: atLeastAMinute(xs[0] ?? 0, xs.at(-1) ?? 0) }
  }, [card.series, hidden, mode])
  const bounds = zoom ?? whole
  const toggle = (at: number) =>
    setHidden(before => {
      const next = new Set(before)
      if (!next.delete(at)) next.add(at)
      return next
    })
  return (
    <>
      <div className={own.legend}>
        {lines.map((line, at) => (
          <button key={line.key} type="button" aria-pressed={line.shown} onClick={() => toggle(at)}>
            <i style={{ background: line.shown ? line.colour : 'transparent', borderColor: line.colour }} />
            <span dir="auto">{line.label}</span>
          </button>
        ))}
        {zoom && (
          <Button size="small" type="link" onClick={() => setZoom(null)}>
            {t('chart.whole')}
          </Button>
        )}
      </div>
      <UplotChart
        xs={xs}
        lines={lines}
        from={bounds.from}
        to={bounds.to}
        height={HEIGHT}
        stepped={false}
        unit={visible(card.unit)}
        marks={null}
        format={value => formatNumber(Number(value.toFixed(4)))}
        formatTime={ms => formatDateTime(ms)}
        sync={`assistant-${card.title}`}
        colours={{ text: TOKENS[mode]['text-2'], grid: TOKENS[mode].line }}
        label={t('chart.label', {
          title: visible(card.title),
          from: formatDateTime(whole.from),
          to: formatDateTime(whole.to),
        })}
        onZoom={(from, to) => setZoom({ from, to })}
        onReset={() => setZoom(null)}
      />
      {lines.some(line => line.band !== null) && <p className={css.quiet}>{t('chart.band')}</p>}
    </>
  )
}

/** A single report stands in the middle; some within a second are not drawn out to look like a long time. */
function atLeastAMinute(from: number, to: number): { from: number; to: number } {
  const room = Math.max(0, (MINUTE - (to - from)) / 2)
  return { from: from - room, to: to + room }
}
