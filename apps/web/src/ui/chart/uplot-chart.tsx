// Before uPlot, which trusts the browser's language.
import '../../lib/usable-language.ts'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatNumber } from '../../lib/format.ts'
import css from './chart.module.css'
import type { Aligned } from './chart-data.ts'
import { type DrawnOver, drawnOver } from './drawn-over.ts'
import { axisWords, zoomed } from './time-axis.ts'
import { tickWords } from './value-axis.ts'

export interface ChartLine {
  key: string
  label: string
  colour: string
  /** The period before, laid over: dashed and thin. */
  dashed: boolean
  value: Aligned
  /** Drawn as a band where the columns hold more than one value. */
  band: { min: Aligned; max: Aligned } | null
  shown: boolean
}

export interface ChartProps extends DrawnOver {
  /** Epoch ms. */
  xs: readonly number[]
  lines: readonly ChartLine[]
  from: number
  to: number
  height: number
  stepped: boolean
  unit: string
  /** Marks of the value axis and their words, for levels and truth values. */
  marks: readonly { value: number; label: string }[] | null
  /** The value axis begins at 0, and the lines that are of now are filled down to it. */
  fromZero?: boolean
  /** Values are whole numbers: so are the marks of their axis. */
  whole?: boolean
  format: (value: number) => string
  formatTime: (ms: number) => string
  /** Charts of one name share the crosshair. */
  sync: string
  colours: { text: string; grid: string }
  label: string
  onZoom: (from: number, to: number) => void
  onReset: () => void
}

const WHEEL_MS = 250
const WHOLE_STEPS = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map(step => step * 10 ** power)).flat()

/** Draws one chart. The plot is made anew only when its lines are others; new data just flows in. */
export function UplotChart(props: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const latest = useRef(props)
  latest.current = props
  // Everything the plot is built from; the same structure keeps the plot.
  const structure = JSON.stringify([
    props.lines.map(({ label, colour, dashed, band }) => [label, colour, dashed, band !== null]),
    props.stepped,
    props.unit,
    props.marks,
    props.colours,
    props.height,
    props.sync,
    props.fromZero,
    props.whole,
  ])
  useEffect(() => {
    const element = box.current
    if (!element) return
    const made = new uPlot(optionsFor(latest, element.clientWidth), dataOf(latest.current), element)
    plot.current = made
    made.setScale('x', { min: latest.current.from, max: latest.current.to })
    const observer = new ResizeObserver(() => {
      if (element.clientWidth > 0 && element.clientWidth !== made.width)
        made.setSize({ width: element.clientWidth, height: latest.current.height })
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      made.destroy()
      plot.current = null
    }
  }, [structure])
  useEffect(() => {
    const made = plot.current
    if (!made) return
    made.batch(() => {
      made.setData(dataOf(latest.current), false)
      made.setScale('x', { min: props.from, max: props.to })
      let at = 1
      for (const line of latest.current.lines) {
        const columns = line.band ? 3 : 1
        for (let n = 0; n < columns; n++) {
          if (made.series[at + n]?.show !== line.shown) made.setSeries(at + n, { show: line.shown })
        }
        at += columns
      }
    })
  }, [props.xs, props.lines, props.from, props.to, props.shades, props.limits])
  return <div ref={box} className={css.chart} role="img" aria-label={props.label} style={{ height: props.height }} />
}

function dataOf({ xs, lines }: ChartProps): uPlot.AlignedData {
  return [
    xs as number[],
    ...lines.flatMap(line => (line.band ? [line.value, line.band.min, line.band.max] : [line.value])),
  ] as uPlot.AlignedData
}

function optionsFor(latest: { current: ChartProps }, width: number): uPlot.Options {
  const given = latest.current
  const stepped = uPlot.paths.stepped?.({ align: 1 })
  const series: uPlot.Series[] = [{}]
  const bands: uPlot.Band[] = []
  for (const line of given.lines) {
    series.push({
      label: line.label,
      stroke: line.colour,
      width: line.dashed ? 1 : 1.5,
      show: line.shown,
      // Dots only where there is room for them: a single report must be seen too.
      points: { size: 4, fill: line.colour },
      ...(line.dashed ? { dash: [4, 4] } : {}),
      ...(given.fromZero && !line.dashed ? { fill: `${line.colour}1a` } : {}),
      ...(given.stepped && stepped ? { paths: stepped } : {}),
    })
    if (line.band) {
      const edge: uPlot.Series = { stroke: 'transparent', width: 0, show: line.shown, points: { show: false } }
      series.push(edge, { ...edge })
      bands.push({ series: [series.length - 1, series.length - 2], fill: `${line.colour}2b` })
    }
  }
  const font = '12px sans-serif'
  const { marks } = given
  return {
    width,
    height: given.height,
    ms: 1,
    series,
    bands,
    legend: { show: false },
    padding: [8, 12, 0, 0],
    cursor: {
      y: false,
      sync: { key: given.sync, scales: ['x', null] },
      drag: { x: true, y: false, setScale: false },
      points: { size: 6 },
      bind: {
        dblclick: () => () => {
          latest.current.onReset()
          return null
        },
      },
      // A series without a value at the pointer's time answers with its nearest one.
      dataIdx: (self, line, closest) => nearest(self.data[line] as Aligned | undefined, closest),
    },
    scales: {
      x: { time: true, range: (_self, min, max) => [min, max] },
      y: marks
        ? {
            range: () => [
              Math.min(...marks.map(mark => mark.value)) - 0.25,
              Math.max(...marks.map(mark => mark.value)) + 0.25,
            ],
          }
        : {
            range: (_self, min, max) =>
              given.fromZero
                ? [0, (max ?? 0) > 0 ? (max ?? 0) * 1.08 : 1]
                : spread(...withLimits(latest.current, min, max)),
          },
    },
    axes: [
      {
        stroke: given.colours.text,
        font,
        grid: { stroke: given.colours.grid, width: 1 },
        ticks: { stroke: given.colours.grid, width: 1, size: 4 },
        values: (self, splits) => axisWords(splits, (self.scales.x?.max ?? 0) - (self.scales.x?.min ?? 0)),
      },
      {
        stroke: given.colours.text,
        font,
        size: axisSize,
        label: given.unit,
        labelFont: font,
        labelSize: given.unit === '' ? 0 : 18,
        labelGap: 0,
        grid: { stroke: given.colours.grid, width: 1 },
        ticks: { show: false },
        ...(given.whole ? { incrs: WHOLE_STEPS } : {}),
        ...(marks
          ? {
              splits: () => marks.map(mark => mark.value),
              values: (_self, splits) => splits.map(value => marks.find(mark => mark.value === value)?.label ?? ''),
            }
          : {
              // Without a value the axis has no meaning: what is written on it would look measured.
              values: (_self, splits) =>
                isEmpty(latest.current) ? splits.map(() => '') : tickWords(splits, latest.current.format, exactly),
            }),
      },
    ],
    hooks: {
      setSelect: [
        self => {
          const { left, width: dragged } = self.select
          if (dragged < 4) return
          const from = self.posToVal(left, 'x')
          const to = self.posToVal(left + dragged, 'x')
          self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          latest.current.onZoom(from, to)
        },
      ],
      ready: [self => bindWheel(self, latest)],
    },
    plugins: [drawnOver(() => latest.current), tooltip(latest)],
  }
}

const exactly = (value: number, decimals: number) => formatNumber(value, { decimals })

const isEmpty = ({ lines }: ChartProps) =>
  !lines.some(line => line.shown && line.value.some(value => typeof value === 'number'))

/** A limit is to be seen also where the values keep away from it. */
function withLimits(
  { limits = [] }: ChartProps,
  min: number | null,
  max: number | null,
): [number | null, number | null] {
  if (limits.length === 0 || min === null || max === null) return [min, max]
  const values = limits.map(limit => limit.value)
  return [Math.min(min, ...values), Math.max(max, ...values)]
}

/** Room above and below; a constant value stands in the middle. */
function spread(min: number | null, max: number | null): [number, number] {
  if (min === null || max === null) return [0, 1]
  if (min === max) {
    const around = Math.abs(min) * 0.1 || 1
    return [min - around, max + around]
  }
  const room = (max - min) * 0.08
  return [min - room, max + room]
}

const axisSize = (_self: uPlot, values: string[] | null) =>
  Math.max(44, ...(values ?? []).map(value => 14 + 7 * (value?.length ?? 0)))

function nearest(column: Aligned | undefined, closest: number): number {
  if (!column || column[closest] !== undefined) return closest
  for (let away = 1; away < column.length; away++) {
    if (column[closest - away] !== undefined) return closest - away
    if (column[closest + away] !== undefined) return closest + away
  }
  return closest
}

/** Ctrl and the wheel look closer; the picture follows at once, the question to the server when the wheel rests. */
function bindWheel(self: uPlot, latest: { current: ChartProps }): void {
  let timer: ReturnType<typeof setTimeout> | null = null
  let pending: { from: number; to: number } | null = null
  self.over.addEventListener(
    'wheel',
    event => {
      if (!event.ctrlKey) return
      event.preventDefault()
      const at = (event.clientX - self.over.getBoundingClientRect().left) / self.over.clientWidth
      const bounds = pending ?? { from: latest.current.from, to: latest.current.to }
      pending = zoomed(bounds, Math.min(1, Math.max(0, at)), event.deltaY > 0 ? 1.25 : 0.8)
      self.setScale('x', { min: pending.from, max: pending.to })
      if (timer) clearTimeout(timer)
      timer = setTimeout(() => {
        if (pending) latest.current.onZoom(pending.from, pending.to)
        pending = null
      }, WHEEL_MS)
    },
    { passive: false },
  )
}

/** Time and values at the crosshair, written as text only. */
function tooltip(latest: { current: ChartProps }): uPlot.Plugin {
  const tip = document.createElement('div')
  tip.className = css.tip ?? ''
  tip.hidden = true
  return {
    hooks: {
      ready: self => {
        self.over.append(tip)
        self.over.addEventListener('mouseleave', () => {
          tip.hidden = true
        })
      },
      setCursor: self => {
        const { left, top, idx, idxs } = self.cursor
        if (idx === null || idx === undefined || left === undefined || left < 0 || top === undefined) {
          tip.hidden = true
          return
        }
        const rows: Node[] = []
        const time = document.createElement('div')
        time.className = css.tipTime ?? ''
        time.textContent = latest.current.formatTime(self.data[0][idx] ?? 0)
        rows.push(time)
        let at = 1
        for (const line of latest.current.lines) {
          const place = idxs?.[at] ?? idx
          const value = self.data[at]?.[place]
          if (line.shown && value !== null && value !== undefined) {
            const low = line.band ? self.data[at + 1]?.[place] : null
            const high = line.band ? self.data[at + 2]?.[place] : null
            rows.push(tipRow(latest.current, line, value, low ?? null, high ?? null))
          }
          at += line.band ? 3 : 1
        }
        tip.replaceChildren(...rows)
        tip.hidden = rows.length === 1
        const right = left > self.over.clientWidth / 2
        tip.style.transform = `translate(${right ? `calc(${left - 12}px - 100%)` : `${left + 12}px`}, ${Math.max(0, Math.min(top, self.over.clientHeight - 60))}px)`
      },
    },
  }
}

function tipRow(
  props: ChartProps,
  line: ChartLine,
  value: number,
  low: number | null,
  high: number | null,
): HTMLElement {
  const row = document.createElement('div')
  row.className = css.tipRow ?? ''
  const dot = document.createElement('span')
  dot.className = css.tipDot ?? ''
  dot.style.background = line.colour
  const name = document.createElement('span')
  name.textContent = line.label
  const number = document.createElement('b')
  const mark = props.marks?.find(each => each.value === value)
  number.textContent = mark ? mark.label : `${props.format(value)}${props.unit ? ` ${props.unit}` : ''}`
  row.append(dot, name, number)
  if (low !== null && high !== null && low < high) {
    const range = document.createElement('small')
    range.textContent = `${props.format(low)} – ${props.format(high)}`
    row.append(range)
  }
  return row
}
