import { shownNumber } from '@thingwright/scene'
import { tickDecimals } from '../../chart/value-axis.ts'
import css from '../scene.module.css'
import { useScene } from '../scene-context.ts'
import words from '../words.json' with { type: 'json' }
import { useSeries } from './use-series.ts'
import type { ViewProps } from './view-props.ts'

/** Least width of the value axis, and of a digit on it. */
const LEAST_LEFT = 46
const DIGIT = 7.5
const BOTTOM = 20
/** A time below the chart, with the distance to the next one. */
const TIME_WIDTH = 56

/** Numbers of an axis that people like: 1, 2 or 5 times a power of ten. */
function steps(min: number, max: number, count: number): number[] {
  const span = max - min || 1
  const rough = span / count
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find(each => each * power >= rough) ?? 10) * power
  const first = Math.ceil(min / step) * step
  return Array.from({ length: Math.max(0, Math.floor((max - first) / step) + 1) }, (_, i) => first + i * step)
}

/** The signal that an element's value is bound to, when it is the value of a device. */
export function historyKey({ node }: ViewProps): string | null {
  const source = node.bind.find(({ prop }) => prop === 'value')?.source
  return source?.from === 'property' ? `${source.role}.${source.point}` : null
}

export function ChartView(props: ViewProps) {
  const { look, node, shown } = props
  const { language } = useScene()
  const hours = Math.min(744, Math.max(1, look.number('hours', 24)))
  const points = useSeries(historyKey(props), hours)
  const w = Math.max(60, node.w - 34)
  const h = Math.max(40, node.h - 26 - (look.text('label') ? 26 : 0))
  const low = look.value('low')
  const high = look.value('high')
  const now = Date.now()
  const all = [...(points ?? [])]
  const last = shown.value
  if (typeof last === 'number' && all.length > 0) all.push([now, last, last, last])
  const values = all.flatMap(([, , min, max]) => [min, max])
  const least = Math.min(...values, low ?? Number.POSITIVE_INFINITY)
  const most = Math.max(...values, high ?? Number.NEGATIVE_INFINITY)
  const pad = (most - least || Math.abs(most) || 1) * 0.1
  const [from, to] = [least - pad, most + pad]
  const ticks = steps(from, to, 4)
  const decimals = tickDecimals(ticks)
  const numbers = ticks.map(value => shownNumber(value, decimals))
  const left = Math.max(LEAST_LEFT, ...numbers.map(({ length }) => 10 + DIGIT * length))
  const x = (ts: number) => left + ((ts - (now - hours * 3_600_000)) / (hours * 3_600_000)) * (w - left)
  const y = (value: number) => (1 - (value - from) / (to - from)) * (h - BOTTOM)
  const gap = (hours * 3_600_000) / 12
  const runs: (typeof all)[] = []
  for (const [i, point] of all.entries())
    if (i === 0 || point[0] - all[i - 1]![0] > gap) runs.push([point])
    else runs.at(-1)!.push(point)
  const lineOf = (run: typeof all) =>
    `M${run.map(([ts, value]) => `${x(ts).toFixed(1)} ${y(value).toFixed(1)}`).join('L')}`
  const areaOf = (run: typeof all) =>
    `${lineOf(run)}L${x(run.at(-1)![0]).toFixed(1)} ${h - BOTTOM}L${x(run[0]![0]).toFixed(1)} ${h - BOTTOM}Z`
  const colour = look.text('stroke')
  const form = look.text('form')
  const time = new Intl.DateTimeFormat(
    language === 'zh' ? 'zh-CN' : 'en-GB',
    hours <= 48 ? { hour: '2-digit', minute: '2-digit' } : { month: '2-digit', day: '2-digit' },
  )
  const room = Math.floor((w - left) / TIME_WIDTH)
  const moments = room >= 5 ? [0, 0.25, 0.5, 0.75, 1] : room >= 3 ? [0, 0.5, 1] : [0, 1]
  return (
    <figure className={css.box} style={{ margin: 0 }} aria-label={look.text('label')}>
      {look.text('label') && (
        <figcaption className={css.boxTitle}>
          {look.text('label')} <span className={css.note}>{look.text('unit')}</span>
        </figcaption>
      )}
      <div className={css.grow}>
        {points !== null && all.length === 0 && <div className={css.empty}>{words[language].noData}</div>}
        {all.length > 0 && (
          <svg className={css.svg} viewBox={`0 0 ${w} ${h}`} role="img" aria-label={look.text('label')}>
            {low !== null && high !== null && (
              <rect
                x={left}
                y={y(high)}
                width={w - left}
                height={Math.max(0, y(low) - y(high))}
                fill="var(--scene-band, #c9d7ef)"
              />
            )}
            {ticks.map((value, i) => (
              <g key={value}>
                <line x1={left} x2={w} y1={y(value)} y2={y(value)} stroke="var(--scene-edge, #d3d7dd)" />
                <text
                  x={left - 6}
                  y={y(value)}
                  textAnchor="end"
                  dominantBaseline="central"
                  fontSize={13}
                  fill="var(--scene-note, #575f6b)"
                >
                  {numbers.indexOf(numbers[i]!) === i ? numbers[i] : ''}
                </text>
              </g>
            ))}
            {moments.map(part => (
              <text
                key={part}
                x={left + (w - left) * part}
                y={h - 6}
                textAnchor={part === 0 ? 'start' : part === 1 ? 'end' : 'middle'}
                fontSize={13}
                fill="var(--scene-note, #575f6b)"
              >
                {time.format(now - hours * 3_600_000 * (1 - part))}
              </text>
            ))}
            {form === 'bars' ? (
              all.map(([ts, value]) => (
                <rect
                  key={ts}
                  x={x(ts) - 2}
                  y={y(value)}
                  width={Math.max(2, ((w - left) / all.length) * 0.7)}
                  height={Math.max(0, h - BOTTOM - y(value))}
                  fill={colour}
                />
              ))
            ) : (
              <>
                {form === 'area' && <path d={runs.map(areaOf).join('')} fill={colour} opacity={0.15} />}
                <path
                  d={runs.map(lineOf).join('')}
                  fill="none"
                  stroke={colour}
                  strokeWidth={2}
                  strokeLinejoin="round"
                />
              </>
            )}
          </svg>
        )}
      </div>
    </figure>
  )
}

export function SparklineView(props: ViewProps) {
  const { look, node } = props
  const points = useSeries(historyKey(props), Math.min(744, Math.max(1, look.number('hours', 24)))) ?? []
  if (points.length < 2) return null
  const least = Math.min(...points.map(([, value]) => value))
  const most = Math.max(...points.map(([, value]) => value))
  const [first, last] = [points[0]![0], points.at(-1)![0]]
  const d = points
    .map(([ts, value], i) => {
      const px = ((ts - first) / (last - first || 1)) * node.w
      const py = (1 - (value - least) / (most - least || 1)) * (node.h - 4) + 2
      return `${i === 0 ? 'M' : 'L'}${px.toFixed(1)} ${py.toFixed(1)}`
    })
    .join('')
  return (
    <svg className={css.svg} viewBox={`0 0 ${node.w} ${node.h}`} aria-hidden>
      <path d={d} fill="none" stroke={look.text('stroke')} strokeWidth={2} />
    </svg>
  )
}

const SERIES = ['#1b4396', '#e8684a', '#00a870', '#9254de']

function parts({ look }: ViewProps) {
  const names = look.text('labels').split(',')
  return ['a', 'b', 'c', 'd'].flatMap((key, i) => {
    const value = look.value(key)
    return value === null ? [] : [{ name: names[i]?.trim() || key, value, colour: SERIES[i]! }]
  })
}

export function PieView(props: ViewProps) {
  const { language } = useScene()
  const items = parts(props).filter(({ value }) => value > 0)
  const sum = items.reduce((all, { value }) => all + value, 0)
  if (sum === 0) return <div className={css.blocked}>{words[language].noData}</div>
  const hole = props.look.text('form') === 'donut' ? 52 : 0
  let at = 0
  return (
    <svg
      className={css.svg}
      viewBox="0 0 200 200"
      role="img"
      aria-label={items.map(({ name, value }) => `${name} ${value}`).join(', ')}
    >
      {items.map(({ name, value, colour }) => {
        const begin = at
        at += value / sum
        const [a, b] = [begin, Math.min(at, begin + 0.9999)].map(share => share * 2 * Math.PI - Math.PI / 2) as [
          number,
          number,
        ]
        const mid = (a + b) / 2
        const p = (angle: number, r: number) =>
          `${(100 + r * Math.cos(angle)).toFixed(2)} ${(100 + r * Math.sin(angle)).toFixed(2)}`
        const large = b - a > Math.PI ? 1 : 0
        return (
          <g key={name}>
            <path
              d={`M${p(a, 92)}A92 92 0 ${large} 1 ${p(b, 92)}L${p(b, hole)}A${hole} ${hole} 0 ${large} 0 ${p(a, hole)}Z`}
              fill={colour}
            />
            <text
              x={100 + 70 * Math.cos(mid)}
              y={100 + 70 * Math.sin(mid)}
              textAnchor="middle"
              dominantBaseline="central"
              fontSize={13}
              fill="#fff"
            >
              {name}
            </text>
          </g>
        )
      })}
    </svg>
  )
}

export function ColumnsView(props: ViewProps) {
  const items = parts(props)
  const { look } = props
  const min = look.number('min')
  const max = look.number('max', 100)
  return (
    <svg
      className={css.svg}
      viewBox="0 0 320 220"
      role="img"
      aria-label={items.map(({ name, value }) => `${name} ${value}`).join(', ')}
    >
      <line x1={0} x2={320} y1={190} y2={190} stroke="#868e98" />
      {items.map(({ name, value, colour }, i) => {
        const height = Math.min(1, Math.max(0, (value - min) / (max - min || 1))) * 160
        const x = (320 / items.length) * i + 10
        const width = 320 / items.length - 20
        return (
          <g key={name}>
            <rect x={x} y={190 - height} width={width} height={height} fill={colour} />
            <text x={x + width / 2} y={182 - height} textAnchor="middle" fontSize={14} fill="var(--scene-ink, #1d2129)">
              {shownNumber(value, 1)}
            </text>
            <text x={x + width / 2} y={208} textAnchor="middle" fontSize={14} fill="var(--scene-note, #575f6b)">
              {name}
            </text>
          </g>
        )
      })}
    </svg>
  )
}
