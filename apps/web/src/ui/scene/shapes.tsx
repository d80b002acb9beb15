import type { Shape } from '@thingwright/scene'
import { createElement, type ReactElement } from 'react'
import css from './scene.module.css'

/** Names of attributes as React wants them. */
const NAMES: Record<string, string> = {
  'stroke-width': 'strokeWidth',
  'stroke-opacity': 'strokeOpacity',
  'stroke-dasharray': 'strokeDasharray',
  'stroke-linejoin': 'strokeLinejoin',
  'stroke-linecap': 'strokeLinecap',
  'text-anchor': 'textAnchor',
  'font-size': 'fontSize',
  'font-weight': 'fontWeight',
  'font-family': 'fontFamily',
  'dominant-baseline': 'dominantBaseline',
  'clip-path': 'clipPath',
  'shape-rendering': 'shapeRendering',
}

function one(shape: Shape, key: number, colour: string | null): ReactElement {
  const attributes: Record<string, unknown> = { key }
  for (const [name, value] of Object.entries(shape.a)) attributes[NAMES[name] ?? name] = value
  if (colour !== null && attributes.stroke !== undefined && shape.t !== 'text') attributes.stroke = colour
  if (shape.move) attributes.className = css[shape.move]
  return createElement(shape.t, attributes, shape.text ?? shape.c?.map((each, i) => one(each, i, colour)))
}

/** A picture of shapes as SVG of the size of its element. @param colour takes the place of every edge's */
export function Shapes({
  shapes,
  w,
  h,
  colour = null,
  title,
  whole = false,
}: {
  shapes: readonly Shape[]
  w: number
  h: number
  colour?: string | null
  title?: string
  /** Keeps its proportions instead of filling the element. */
  whole?: boolean
}) {
  return (
    <svg
      className={css.svg}
      viewBox={`0 0 ${w} ${h}`}
      preserveAspectRatio={whole ? 'xMidYMid meet' : 'none'}
      role={title ? 'img' : undefined}
      aria-label={title}
      aria-hidden={title ? undefined : true}
    >
      {shapes.map((shape, i) => one(shape, i, colour))}
    </svg>
  )
}
