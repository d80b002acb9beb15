import { type PointerEvent, type RefObject, useEffect, useRef } from 'react'
import { dragged, type MapView, pixelOf, placeAt, zoomedView } from '../../map/projection.ts'

/** A turn of the wheel by one notch (100) zooms so much. */
const NOTCH = 0.8
/** A press that moves less is no drag, px. */
const STILL = 4

/** The view closer or wider, with the place under the pointer where it was. */
export function zoomedAt(
  view: MapView,
  factor: number,
  [x, y]: readonly [number, number],
  w: number,
  h: number,
): MapView {
  const held = placeAt(x, y, view, w, h)
  const next = zoomedView(view, factor)
  const [nx, ny] = pixelOf(held, next, w, h)
  return dragged(next, x - nx, y - ny, w)
}

/**
 * A map is dragged by the pointer and zoomed by the wheel at the pointer. The page may be shown larger or smaller than
 * it was drawn: what the pointer moves is counted in pixels of the element.
 */
export function useMapGestures(
  element: RefObject<HTMLElement | null>,
  {
    view,
    w,
    h,
    enabled,
    onView,
  }: { view: MapView; w: number; h: number; enabled: boolean; onView(view: MapView): void },
) {
  const now = useRef({ view, w, h, onView })
  now.current = { view, w, h, onView }
  const held = useRef<{ id: number; x: number; y: number; view: MapView; moved: boolean } | null>(null)

  useEffect(() => {
    const map = element.current
    if (!map || !enabled) return
    // A listener that says beforehand that it may keep the page from scrolling.
    const turn = (event: WheelEvent) => {
      event.preventDefault()
      const room = map.getBoundingClientRect()
      const { view: before, w: width, h: height, onView: show } = now.current
      const point = [
        ((event.clientX - room.left) * width) / (room.width || width),
        ((event.clientY - room.top) * height) / (room.height || height),
      ] as const
      const lines = event.deltaMode === 1 ? 33 : 1
      show(
        zoomedAt(before, NOTCH ** (Math.max(-300, Math.min(300, -event.deltaY * lines)) / 100), point, width, height),
      )
    }
    map.addEventListener('wheel', turn, { passive: false })
    return () => map.removeEventListener('wheel', turn)
  }, [element, enabled])

  if (!enabled) return {}
  const scale = () => w / (element.current?.getBoundingClientRect().width || w)
  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0 || (event.target as Element).closest('button, [role="dialog"]')) return
      held.current = { id: event.pointerId, x: event.clientX, y: event.clientY, view, moved: false }
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const from = held.current
      if (from?.id !== event.pointerId) return
      const [dx, dy] = [event.clientX - from.x, event.clientY - from.y]
      if (!from.moved && Math.hypot(dx, dy) < STILL) return
      if (!from.moved) event.currentTarget.setPointerCapture?.(event.pointerId)
      from.moved = true
      onView(dragged(from.view, dx * scale(), dy * scale(), w))
    },
    onPointerUp() {
      held.current = null
    },
    onPointerCancel() {
      held.current = null
    },
  }
}
