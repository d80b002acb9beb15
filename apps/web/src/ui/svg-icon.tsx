import { createElement, type ReactElement, useMemo } from 'react'
import { parseSvg, type SvgNode } from '../lib/svg-icon.ts'

/** kebab-case attributes as React names them. */
const reactName = (name: string) => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

function draw(node: SvgNode, key: number, extra: Record<string, unknown> = {}): ReactElement {
  const attributes = Object.fromEntries(
    Object.entries(node.attributes).map(([name, value]) => [reactName(name), value]),
  )
  return createElement(
    node.tag,
    { ...attributes, ...extra, key },
    node.children.length > 0 ? node.children.map((child, index) => draw(child, index)) : undefined,
  )
}

/** An SVG icon that comes from data: only its sanitised shapes are drawn, never its markup. Decorative. */
export function SvgIcon({ svg, size = 16, className }: { svg: string; size?: number; className?: string }) {
  const root = useMemo(() => parseSvg(svg), [svg])
  if (!root) return null
  return draw(root, 0, { width: size, height: size, className, 'aria-hidden': true, focusable: false })
}
