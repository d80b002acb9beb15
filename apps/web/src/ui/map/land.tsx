import { memo, type ReactNode, useMemo } from 'react'
import { locale } from '../../lib/i18n.ts'
import css from './map.module.css'
import { isSeen, type Outlines, type Shape } from './outlines.ts'
import { type MapView, pixelOf, project, scaleOf, WORLD } from './projection.ts'

/** Of the window, on each side: so far what was drawn is moved as it is before it is drawn again. */
export const BESIDE = 0.5
/** Names of provinces stand where the window shows at most so many degrees. */
const NAMES_BELOW = 60
/** Width of lines, px. */
const COAST = 1.5
const BORDER = 1

/** A drawing of the window and of what lies beside it; its places are pixels of the window. */
export function Picture({ width, height, children }: { width: number; height: number; children: ReactNode }) {
  const [left, top] = [width * BESIDE, height * BESIDE]
  return (
    <svg
      className={css.land}
      style={{ left: -left, top: -top }}
      width={width + 2 * left}
      height={height + 2 * top}
      aria-hidden="true"
    >
      <g transform={`translate(${left} ${top})`}>{children}</g>
    </svg>
  )
}

interface LandProps {
  outlines: Outlines
  view: MapView
  /** Tiles have names of their own. */
  named: boolean
  width: number
  height: number
}

/**
 * Outlines around a view. Only the shapes that lie in the drawing are drawn, each a path of its own, so that the browser
 * paints a piece of the map without the rest; lines are as wide as the scale asks, which costs less than lines that do
 * not scale.
 */
export const Land = memo(function Land({ outlines, view, named, width, height }: LandProps) {
  const english = locale() === 'en'
  const scale = scaleOf(view, width)
  const [cx, cy] = project(view)
  const shift = `translate(${width / 2} ${height / 2}) scale(${scale}) translate(${-cx} ${-cy})`
  const reach = (width * (0.5 + BESIDE)) / scale
  const reachDown = (height * (0.5 + BESIDE)) / scale
  // Where the drawing reaches over the edge of the world, the world goes on.
  const worlds = [0, ...(cx - reach < 0 ? [-WORLD] : []), ...(cx + reach > WORLD ? [WORLD] : [])]
  return (
    <Picture width={width} height={height}>
      <g transform={shift}>
        {worlds.map(by => {
          const box = [cx - by - reach, cy - reachDown, cx - by + reach, cy + reachDown] as const
          return (
            <g key={by} transform={`translate(${by} 0)`}>
              <g className={css.others} strokeWidth={COAST / scale}>
                <Shapes shapes={outlines.land} box={box} />
              </g>
              <g className={css.provinces} strokeWidth={BORDER / scale}>
                <Shapes shapes={outlines.borders} box={box} />
              </g>
            </g>
          )
        })}
      </g>
      {named &&
        view.span <= NAMES_BELOW &&
        outlines.provinces.map(province => {
          const [x, y] = pixelOf(province.at, view, width, height)
          const [left, top] = [width * BESIDE, height * BESIDE]
          if (x < -left || y < -top || x > width + left || y > height + top) return null
          return (
            <text key={province.en} className={css.name} x={x} y={y}>
              {english ? province.en : province.zh}
            </text>
          )
        })}
    </Picture>
  )
})

type Box = readonly [left: number, top: number, right: number, bottom: number]

/** The shapes of an outline that lie in a box. */
function Shapes({ shapes, box }: { shapes: readonly Shape[]; box: Box }) {
  const paths = useMemo(() => shapes.map((shape, at) => ({ shape, path: <path key={at} d={shape.d} /> })), [shapes])
  return paths.map(({ shape, path }) => (isSeen(shape, ...box) ? path : null))
}
