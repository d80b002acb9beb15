import {
  type KeyboardEvent,
  memo,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useTranslation } from 'react-i18next'
import { boxToWgs, type Datum } from './datum.ts'
import { BESIDE, Land, Picture } from './land.tsx'
import css from './map.module.css'
import { loadOutlines, type Outlines } from './outlines.ts'
import {
  type Box,
  boxBetween,
  dragged,
  draggedPixels,
  type MapView,
  type Place,
  partOf,
  pixelOf,
  placeAt,
  scaleBar,
  zoomedView,
} from './projection.ts'
import { Tiles } from './tiles.tsx'
import { useTiles } from './use-tiles.ts'

const CLOSER = 0.5
const STEP = 48
/** A box of fewer pixels was a click. */
const LEAST_BOX = 4

type Corners = readonly [x: number, y: number, x2: number, y2: number]

/** What the pointer does on a map on which it draws. */
export interface MapPress {
  what: 'down' | 'move' | 'up'
  place: Place
  at: readonly [x: number, y: number]
  pixel(place: Place): [x: number, y: number]
}

export interface MapMarker {
  key: string
  place: Place
  content: ReactNode
}

/**
 * A map: land of the world and provinces of China as outlines that need no other server, below the tiles of a service
 * where the installation names one, and what the caller marks. Places are WGS 84, whatever the service draws in.
 */
export function GeoMap({
  home,
  markers,
  height,
  label,
  onView,
  overlay,
  onBox,
  boxing = false,
  onBoxingEnd,
  onDraw,
  onDrawKey,
}: {
  /** What is seen first and again on request; a new one is gone to. */
  home: MapView
  markers: readonly MapMarker[]
  height: number
  label: string
  /** What is seen and how wide the window is, px, each time it changes; of a drag, when it ends. */
  onView?: (view: MapView, width: number) => void
  /** SVG between the land and the marks; gets where a place is in the window, px. */
  overlay?: (pixel: (place: Place) => [x: number, y: number]) => ReactNode
  /** Receives the box that was drawn: with Shift and the pointer, or with the pointer alone while `boxing`. */
  onBox?: ((box: Box) => void) | undefined
  /** The pointer draws a box instead of moving the map; Enter takes the whole window. */
  boxing?: boolean
  /** Escape was pressed while boxing. */
  onBoxingEnd?: () => void
  /** The pointer draws: it no longer moves the map, and what it does goes here. */
  onDraw?: ((press: MapPress) => void) | undefined
  /** Keys that a drawing knows while {@link onDraw} is set. */
  onDrawKey?: (key: 'Enter' | 'Escape' | 'Backspace') => void
}) {
  const { t } = useTranslation('map')
  const frame = useRef<HTMLDivElement>(null)
  // While the pointer drags, what was drawn is moved as one picture: nothing is rendered or asked for in between.
  const picture = useRef<HTMLDivElement>(null)
  const drag = useRef<{ x: number; y: number; view: MapView; moved: boolean } | null>(null)
  // What is drawn of it; pointer events come faster than that.
  const [corners, showCorners] = useState<Corners | null>(null)
  const drawn = useRef<Corners | null>(null)
  const setCorners = (next: Corners | null) => {
    drawn.current = next
    showCorners(next)
  }
  const [width, setWidth] = useState(0)
  const [outlines, setOutlines] = useState<Outlines | 'failed' | null>(null)
  const [view, setView] = useState(home)
  const { tiles, datum, failed, onFailed, retry } = useTiles()
  /** The view in the coordinates of the map; drags are counted in those. */
  const seen = useMemo<MapView>(() => ({ ...datum.toMap(view), span: view.span }), [datum, view])
  const look = (next: MapView) => setView({ ...datum.toWgs(next), span: next.span })
  const pixel = (place: Place) => pixelOf(datum.toMap(place), seen, width, height)
  const { lng, lat, span } = home
  useEffect(() => {
    drag.current = null
    setView({ lng, lat, span })
  }, [lng, lat, span])
  // Before the frame is painted: what is drawn for the new view stands where the picture was moved to.
  useLayoutEffect(() => {
    if (picture.current && view && datum) picture.current.style.transform = ''
  }, [view, datum])
  useEffect(() => {
    if (width > 0 && !drag.current) onView?.(view, width)
  }, [onView, view, width])
  useEffect(() => {
    let shown = true
    loadOutlines().then(
      found => shown && setOutlines(found),
      () => shown && setOutlines('failed'),
    )
    return () => {
      shown = false
    }
  }, [])
  useEffect(() => {
    const box = frame.current
    if (!box) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)))
    observer.observe(box)
    return () => observer.disconnect()
  }, [])
  // Enter and Escape are the map's now.
  const drawing = onDraw !== undefined
  useEffect(() => {
    if (boxing || drawing) frame.current?.focus({ preventScroll: true })
  }, [boxing, drawing])
  const pressed = useRef(false)
  const draw = (what: MapPress['what'], event: PointerEvent<HTMLDivElement>) => {
    const { left, top } = event.currentTarget.getBoundingClientRect()
    const at = [event.clientX - left, event.clientY - top] as const
    onDraw?.({ what, place: datum.toWgs(placeAt(at[0], at[1], seen, width, height)), at, pixel })
  }
  const down = (event: PointerEvent<HTMLDivElement>) => {
    const boxed = onBox !== undefined && (boxing || event.shiftKey)
    const target = event.target as HTMLElement
    if (drawing && event.button === 0 && !target.closest(`.${css.tools}, .${css.note}`)) {
      event.currentTarget.setPointerCapture(event.pointerId)
      pressed.current = true
      draw('down', event)
      return
    }
    // A box may begin on a mark, which a drag of the map may not.
    if (event.button !== 0 || target.closest(boxed ? `.${css.tools}` : 'button, a')) return
    event.currentTarget.setPointerCapture(event.pointerId)
    if (boxed) {
      const { left, top } = event.currentTarget.getBoundingClientRect()
      const [x, y] = [event.clientX - left, event.clientY - top]
      setCorners([x, y, x, y])
      return
    }
    drag.current = { x: event.clientX, y: event.clientY, view: seen, moved: false }
  }
  const move = (event: PointerEvent<HTMLDivElement>) => {
    if (pressed.current) {
      draw('move', event)
      return
    }
    const begun = drawn.current
    if (begun) {
      const { left, top } = event.currentTarget.getBoundingClientRect()
      setCorners([begun[0], begun[1], event.clientX - left, event.clientY - top])
      return
    }
    const from = drag.current
    if (!from) return
    const next = dragged(from.view, event.clientX - from.x, event.clientY - from.y, width)
    const [dx, dy] = draggedPixels(from.view, next, event.clientX - from.x, width)
    from.moved = true
    if (Math.abs(dx) < width * BESIDE && Math.abs(dy) < height * BESIDE) {
      if (picture.current) picture.current.style.transform = `translate(${dx}px, ${dy}px)`
      return
    }
    drag.current = { x: event.clientX, y: event.clientY, view: next, moved: true }
    look(next)
  }
  const up = (event: PointerEvent<HTMLDivElement>) => {
    if (pressed.current) {
      pressed.current = false
      draw('up', event)
      return
    }
    const from = drag.current
    drag.current = null
    // Also when it was drawn for this view already: nobody was told of it.
    if (from?.moved) look(dragged(from.view, event.clientX - from.x, event.clientY - from.y, width))
    const ended = drawn.current
    if (!ended) return
    setCorners(null)
    const [x, y, x2, y2] = ended
    if (Math.abs(x2 - x) >= LEAST_BOX && Math.abs(y2 - y) >= LEAST_BOX)
      onBox?.(boxToWgs(boxBetween(ended, seen, width, height), datum))
  }
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    const by = { ArrowLeft: [STEP, 0], ArrowRight: [-STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] }[event.key]
    const known = (['Enter', 'Escape', 'Backspace'] as const).find(key => key === event.key)
    if (drawing && known && event.target === event.currentTarget) onDrawKey?.(known)
    else if (by) look(dragged(seen, by[0]!, by[1]!, width))
    else if (event.key === '+' || event.key === '=') setView(zoomedView(view, CLOSER))
    else if (event.key === '-') setView(zoomedView(view, 1 / CLOSER))
    else if (event.key === 'Escape' && drawn.current) setCorners(null)
    else if (event.key === 'Escape' && boxing) onBoxingEnd?.()
    else if (event.key === 'Enter' && boxing && event.target === event.currentTarget)
      onBox?.(boxToWgs(partOf(seen, width, height), datum))
    else return
    event.preventDefault()
  }
  return (
    <div
      ref={frame}
      className={`${css.map} ${boxing || drawing ? css.boxing : ''}`}
      style={{ height }}
      role="application"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move the map
      tabIndex={0}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={() => {
        pressed.current = false
        if (drag.current?.moved) look(drag.current.view)
        drag.current = null
        setCorners(null)
      }}
      onKeyDown={press}
    >
      {width > 0 && (
        <>
          <div ref={picture} className={css.picture}>
            {outlines && outlines !== 'failed' && (
              <Land outlines={outlines} view={seen} named={!tiles} width={width} height={height} />
            )}
            {tiles && <Tiles tiles={tiles} view={seen} width={width} height={height} onFailed={onFailed} />}
            {overlay && (
              <Picture width={width} height={height}>
                {overlay(pixel)}
              </Picture>
            )}
            <Marks markers={markers} datum={datum} seen={seen} width={width} height={height} />
          </div>
          {corners && (
            <span
              className={css.box}
              style={{
                left: Math.min(corners[0], corners[2]),
                top: Math.min(corners[1], corners[3]),
                width: Math.abs(corners[2] - corners[0]),
                height: Math.abs(corners[3] - corners[1]),
              }}
            />
          )}
          <ScaleBar view={view} width={width} over={tiles !== null} />
        </>
      )}
      <span className={css.tools}>
        <Tool label={t('zoomIn')} d="M8 3v10M3 8h10" onPress={() => setView(zoomedView(view, CLOSER))} />
        <Tool label={t('zoomOut')} d="M3 8h10" onPress={() => setView(zoomedView(view, 1 / CLOSER))} />
        <Tool
          label={t('home')}
          d="M8 1v3M8 12v3M1 8h3M12 8h3M8 5a3 3 0 1 0 0 6a3 3 0 0 0 0-6"
          onPress={() => setView(home)}
        />
      </span>
      <small className={`${css.note} ${tiles ? css.over : ''}`}>
        {failed && (
          <span role="status">
            {t('tilesFailed', { name: t(`sources.${failed.source}`) })}{' '}
            <button type="button" className={css.retry} onClick={retry}>
              {t('retry')}
            </button>
            <br />
          </span>
        )}
        {tiles
          ? [t(`sources.${tiles.source}`), tiles.note].filter(Boolean).join(' · ')
          : t(outlines === 'failed' ? 'failed' : 'note')}
      </small>
    </div>
  )
}

/** What the caller marks, at its places. */
const Marks = memo(function Marks({
  markers,
  datum,
  seen,
  width,
  height,
}: {
  markers: readonly MapMarker[]
  datum: Datum
  /** In the coordinates of the map. */
  seen: MapView
  width: number
  height: number
}) {
  return markers.map(({ key, place, content }) => {
    const [x, y] = pixelOf(datum.toMap(place), seen, width, height)
    return (
      <span key={key} className={css.marker} style={{ transform: `translate(${x}px, ${y}px)` }}>
        {content}
      </span>
    )
  })
})

function Tool({ label, d, onPress }: { label: string; d: string; onPress: () => void }) {
  return (
    <button type="button" aria-label={label} title={label} onClick={onPress}>
      <svg
        width="16"
        height="16"
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        aria-hidden="true"
      >
        <path d={d} />
      </svg>
    </button>
  )
}

function ScaleBar({ view, width, over }: { view: MapView; width: number; over: boolean }) {
  const { t } = useTranslation('map')
  const { km, px } = scaleBar(view, width, 72)
  return (
    <span className={`${css.scale} ${over ? css.over : ''}`} style={{ width: px }}>
      {t('km', { count: km })}
    </span>
  )
}

/** A drop that points at its place. */
export function MapPin({ colour = 'var(--tw-primary)' }: { colour?: string }) {
  return (
    <svg className={css.pin} width="22" height="28" viewBox="0 0 22 28" aria-hidden="true">
      <path d="M11 27C11 27 21 17.6 21 10.6A10 10 0 0 0 1 10.6C1 17.6 11 27 11 27Z" fill={colour} stroke="#fff" />
      <circle cx="11" cy="10.6" r="3.6" fill="#fff" />
    </svg>
  )
}
