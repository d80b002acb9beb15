import { type PointerEvent, useRef, useState } from 'react'
import type { Place } from './panel-state.ts'

/** Below this a pressed pointer is a click that trembled, px. */
const THRESHOLD = 4

interface Drag {
  place: Place
  /** The pointer when it went down, and the thing then. */
  from: Place
  start: Place
  moved: boolean
}

/**
 * Moves a thing with the pointer. `start` is where it stands when the pointer goes down, `fit` keeps it on the screen,
 * `done` is told the last place. `moving` is where it is meanwhile, null otherwise. `wasDrag` tells a click that ended
 * a drag from a real one.
 */
export function useDrag({
  start,
  fit,
  done,
}: {
  start: () => Place
  fit: (place: Place) => Place
  done: (place: Place) => void
}) {
  const drag = useRef<Drag | null>(null)
  const dragged = useRef(false)
  const [moving, setMoving] = useState<Place | null>(null)
  const finish = (keep: boolean) => {
    const ended = drag.current
    drag.current = null
    setMoving(null)
    if (ended?.moved && keep) done(ended.place)
  }
  return {
    moving,
    wasDrag: () => dragged.current,
    handlers: {
      onPointerDown(event: PointerEvent<HTMLElement>) {
        dragged.current = false
        if (event.button !== 0 || !event.isPrimary || ownButton(event)) return
        // From here on the pointer belongs to the thing: a quick one leaves it before its first move.
        event.currentTarget.setPointerCapture(event.pointerId)
        const place = start()
        drag.current = { place, start: place, from: { x: event.clientX, y: event.clientY }, moved: false }
      },
      onPointerMove(event: PointerEvent<HTMLElement>) {
        const now = drag.current
        if (!now) return
        const dx = event.clientX - now.from.x
        const dy = event.clientY - now.from.y
        if (!now.moved && Math.hypot(dx, dy) < THRESHOLD) return
        now.moved = true
        dragged.current = true
        now.place = fit({ x: now.start.x + dx, y: now.start.y + dy })
        setMoving(now.place)
      },
      onPointerUp: () => finish(true),
      onPointerCancel: () => finish(false),
      onLostPointerCapture: () => finish(true),
    },
  }
}

/** Whether a button inside the thing was pressed: with the pointer captured, it would never hear of its click. */
function ownButton({ target, currentTarget }: PointerEvent<HTMLElement>): boolean {
  const button = (target as Element).closest('button')
  return button !== null && button !== currentTarget
}
