import { type PointerEvent, useRef } from 'react'
import type { Box } from './document.ts'
import css from './editor.module.css'

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000]

function marks(length: number, zoom: number, from: number): { at: number; value: number }[] {
  const step = STEPS.find(each => each * zoom >= 50) ?? 5000
  const first = Math.ceil(-from / zoom / step) * step
  const count = Math.max(0, Math.ceil(length / (step * zoom)))
  return Array.from({ length: count }, (_, i) => ({ value: first + i * step, at: (first + i * step) * zoom + from }))
}

/** Rulers at the top and the left; dragged off, they leave a guide. */
export function Rulers({
  width,
  height,
  zoom,
  pan,
  frame,
  onGuide,
}: {
  width: number
  height: number
  zoom: number
  pan: { x: number; y: number }
  frame: Box | null
  onGuide(axis: 'x' | 'y', clientX: number, clientY: number): void
}) {
  const dragging = useRef(false)
  const handlers = (axis: 'x' | 'y') => ({
    onPointerDown(event: PointerEvent<HTMLDivElement>) {
      dragging.current = true
      event.currentTarget.setPointerCapture(event.pointerId)
    },
    onPointerUp(event: PointerEvent<HTMLDivElement>) {
      if (!dragging.current) return
      dragging.current = false
      const box = event.currentTarget.getBoundingClientRect()
      const left = axis === 'x' ? event.clientX > box.right : event.clientY > box.bottom
      if (left) onGuide(axis, event.clientX, event.clientY)
    },
  })
  return (
    <>
      <div className={css.rulerTop} {...handlers('y')}>
        {frame && <span className={css.rulerMark} style={{ left: frame.x * zoom + pan.x, width: frame.w * zoom }} />}
        {marks(width, zoom, pan.x).map(({ at, value }) => (
          <span key={value} style={{ left: at }}>
            {value}
          </span>
        ))}
      </div>
      <div className={css.rulerLeft} {...handlers('x')}>
        {frame && (
          <span className={css.rulerMarkLeft} style={{ top: frame.y * zoom + pan.y, height: frame.h * zoom }} />
        )}
        {marks(height, zoom, pan.y).map(({ at, value }) => (
          <span key={value} style={{ top: at }}>
            {value}
          </span>
        ))}
      </div>
    </>
  )
}
