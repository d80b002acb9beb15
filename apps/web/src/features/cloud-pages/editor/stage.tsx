import { isDark, kindOf, type Scene } from '@thingwright/scene'
import { type PointerEvent as ReactPointerEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { SceneElements } from '../../../ui/scene/scene-view.tsx'
import {
  type Box,
  boundsOf,
  drawnOf,
  duplicated,
  moved,
  type SnapLine,
  scaled,
  snapped,
  topOf,
  topsOf,
  unlocked,
  withInner,
} from './document.ts'
import css from './editor.module.css'
import { HANDLES, type Handle, resized } from './resize.ts'
import { Rulers } from './rulers.tsx'
import type { EditorStore } from './store.ts'
import { useShift } from './use-shift.ts'

/** Screen pixels after which a press is a drag. */
const DRAG_PX = 3
const SNAP_PX = 6
const NOTHING: ReadonlySet<string> = new Set()

interface Press {
  kind: 'move' | 'resize' | 'rotate' | 'marquee' | 'pan'
  handle?: Handle
  x: number
  y: number
  /** Where it began, in the page. */
  px: number
  py: number
  before: Scene
  ids: ReadonlySet<string>
  /** These with all that is in them. */
  all: ReadonlySet<string>
  box: Box
  pan: { x: number; y: number }
  moved: boolean
  /** One of several that were chosen: it alone is chosen when it was only clicked. */
  only?: string
}

/** The page on its table: chosen, moved, scaled and turned with the pointer; panned and zoomed. */
export function Stage({
  store,
  mayWrite,
  onDropKind,
}: {
  store: EditorStore
  mayWrite: boolean
  onDropKind(kind: string, x: number, y: number): void
}) {
  const { t } = useTranslation('cloud-pages')
  const scene = store(state => state.preview ?? state.scene)
  const kept = store(state => state.scene)
  const shift = store(state => (state.preview ? state.shift : null))
  const selected = store(state => state.selected)
  const zoom = store(state => state.zoom)
  const pan = store(state => state.pan)
  const viewport = useRef<HTMLDivElement>(null)
  const press = useRef<Press | null>(null)
  const space = useRef(false)
  const [lines, setLines] = useState<readonly SnapLine[]>([])
  const [marquee, setMarquee] = useState<Box | null>(null)
  const [size, setSize] = useState({ width: 0, height: 0 })

  const pageAt = useCallback(
    (clientX: number, clientY: number) => {
      const frame = viewport.current!.getBoundingClientRect()
      const { zoom: z, pan: p } = store.getState()
      return { x: (clientX - frame.left - p.x) / z, y: (clientY - frame.top - p.y) / z }
    },
    [store],
  )

  // The whole page fits when it is opened.
  useEffect(() => {
    const element = viewport.current!
    const fit = () => {
      const { clientWidth: width, clientHeight: height } = element
      setSize({ width, height })
    }
    fit()
    const { scene: now } = store.getState()
    const z = Math.min((element.clientWidth - 60) / now.width, (element.clientHeight - 60) / now.height, 1)
    store.setState({
      zoom: z > 0 ? z : 1,
      pan: { x: (element.clientWidth - now.width * z) / 2, y: (element.clientHeight - now.height * z) / 2 },
    })
    const watch = new ResizeObserver(fit)
    watch.observe(element)
    return () => watch.disconnect()
  }, [store])

  useEffect(() => {
    const element = viewport.current!
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      const { zoom: z, pan: p } = store.getState()
      if (!event.ctrlKey && !event.metaKey) {
        store.setState({
          pan: {
            x: p.x - (event.shiftKey ? event.deltaY : event.deltaX),
            y: p.y - (event.shiftKey ? 0 : event.deltaY),
          },
        })
        return
      }
      const frame = element.getBoundingClientRect()
      const next = Math.min(8, Math.max(0.05, z * Math.exp(-event.deltaY / 400)))
      const [mx, my] = [event.clientX - frame.left, event.clientY - frame.top]
      store.setState({ zoom: next, pan: { x: mx - ((mx - p.x) / z) * next, y: my - ((my - p.y) / z) * next } })
    }
    // React listens passively: the browser would zoom the whole window.
    element.addEventListener('wheel', onWheel, { passive: false })
    const onKey = (event: KeyboardEvent) => {
      if (event.code !== 'Space') return
      // Released wherever the focus is by then.
      if (event.type === 'keyup') space.current = false
      else if (!(event.target as HTMLElement).closest('input, textarea, select, button, [contenteditable]')) {
        space.current = true
        event.preventDefault()
      }
    }
    window.addEventListener('keydown', onKey)
    window.addEventListener('keyup', onKey)
    return () => {
      element.removeEventListener('wheel', onWheel)
      window.removeEventListener('keydown', onKey)
      window.removeEventListener('keyup', onKey)
    }
  }, [store])

  function begin(event: ReactPointerEvent, kind: Press['kind'], ids: ReadonlySet<string>, handle?: Handle): void {
    const { scene: before, pan: at } = store.getState()
    const { x: px, y: py } = pageAt(event.clientX, event.clientY)
    press.current = {
      kind,
      ...(handle ? { handle } : {}),
      x: event.clientX,
      y: event.clientY,
      px,
      py,
      before,
      ids,
      all: withInner(before, ids),
      box: boundsOf(drawnOf(before, ids)),
      pan: at,
      moved: false,
    }
    viewport.current!.setPointerCapture(event.pointerId)
  }

  function onPointerDown(event: ReactPointerEvent): void {
    viewport.current?.focus({ preventScroll: true })
    if (event.button === 1 || space.current) {
      event.preventDefault()
      begin(event, 'pan', NOTHING)
      return
    }
    if (event.button !== 0) return
    const target = event.target as HTMLElement
    const handle = target.dataset.handle as Handle | 'rotate' | undefined
    if (handle && mayWrite) {
      begin(
        event,
        handle === 'rotate' ? 'rotate' : 'resize',
        unlocked(store.getState().scene, store.getState().selected),
        handle === 'rotate' ? undefined : handle,
      )
      return
    }
    const { scene: now, entered, selected: chosen } = store.getState()
    const id = target.closest<HTMLElement>('[data-node]')?.dataset.node
    const node = now.nodes.find(each => each.id === id)
    if (!node || node.locked) {
      if (!event.shiftKey) store.setState({ selected: NOTHING, entered: null })
      begin(event, 'marquee', event.shiftKey ? chosen : NOTHING)
      return
    }
    const top = topOf(now, node.id, entered)
    let ids: ReadonlySet<string> = chosen
    if (event.shiftKey)
      ids = chosen.has(top) ? new Set([...chosen].filter(each => each !== top)) : new Set([...chosen, top])
    else if (!chosen.has(top)) ids = new Set([top])
    store.getState().select(ids)
    if (mayWrite) {
      begin(event, 'move', unlocked(now, ids))
      if (!event.shiftKey && chosen.has(top) && chosen.size > 1) press.current!.only = top
    } else if (!event.shiftKey) store.getState().select([top])
  }

  function onPointerMove(event: ReactPointerEvent): void {
    const now = press.current
    if (!now) return
    if (!now.moved && Math.hypot(event.clientX - now.x, event.clientY - now.y) < DRAG_PX) return
    now.moved = true
    const z = store.getState().zoom
    let dx = (event.clientX - now.x) / z
    let dy = (event.clientY - now.y) / z
    if (now.kind === 'pan') {
      store.setState({ pan: { x: now.pan.x + event.clientX - now.x, y: now.pan.y + event.clientY - now.y } })
    } else if (now.kind === 'marquee') {
      const at = pageAt(event.clientX, event.clientY)
      setMarquee({
        x: Math.min(now.px, at.x),
        y: Math.min(now.py, at.y),
        w: Math.abs(at.x - now.px),
        h: Math.abs(at.y - now.py),
      })
    } else if (now.kind === 'move') {
      if (event.shiftKey) {
        if (Math.abs(dx) > Math.abs(dy)) dy = 0
        else dx = 0
      }
      const snap =
        event.ctrlKey || event.metaKey
          ? { dx: 0, dy: 0, lines: [] }
          : snapped(now.before, now.all, { ...now.box, x: now.box.x + dx, y: now.box.y + dy }, SNAP_PX / z)
      setLines(snap.lines)
      dx = event.shiftKey && dx === 0 ? 0 : dx + snap.dx
      dy = event.shiftKey && dy === 0 ? 0 : dy + snap.dy
      const { show } = store.getState()
      if (event.altKey) show(duplicated(now.before, now.ids, dx, dy).scene)
      else show(moved(now.before, now.ids, dx, dy), { ids: now.all, dx, dy })
    } else if (now.kind === 'resize') {
      const only = now.ids.size === 1 ? now.before.nodes.find(({ id }) => now.ids.has(id)) : undefined
      const keep = event.shiftKey || (only !== undefined && kindOf(only.kind)?.square === true)
      let box = resized(now.box, now.handle!, dx, dy, keep, event.altKey)
      if (now.before.grid.snap && !keep && !event.ctrlKey) {
        const grid = now.before.grid.size
        const to = (n: number) => Math.round(n / grid) * grid
        const handle = now.handle!
        const right = handle.includes('e') ? to(box.x + box.w) : box.x + box.w
        const bottom = handle.includes('s') ? to(box.y + box.h) : box.y + box.h
        const x = handle.includes('w') ? to(box.x) : box.x
        const y = handle.includes('n') ? to(box.y) : box.y
        box = { x, y, w: Math.max(4, right - x), h: Math.max(4, bottom - y) }
      }
      store.getState().show(scaled(now.before, now.ids, now.box, box))
    } else {
      const [cx, cy] = [now.box.x + now.box.w / 2, now.box.y + now.box.h / 2]
      const at = pageAt(event.clientX, event.clientY)
      const turn = (Math.atan2(at.y - cy, at.x - cx) - Math.atan2(now.py - cy, now.px - cx)) * (180 / Math.PI)
      store.getState().show({
        ...now.before,
        nodes: now.before.nodes.map(node => {
          if (!now.all.has(node.id)) return node
          const r = node.r + turn
          const whole = event.shiftKey ? Math.round(r / 15) * 15 : Math.round(r)
          return { ...node, r: ((whole % 360) + 360) % 360 }
        }),
      })
    }
  }

  function onPointerUp(event: ReactPointerEvent): void {
    const now = press.current
    press.current = null
    setLines([])
    if (!now) return
    if (now.kind === 'marquee') {
      const box = marquee
      setMarquee(null)
      if (!box || !now.moved) return
      const { scene: here, entered } = store.getState()
      const inside = here.nodes.filter(
        node =>
          node.kind !== 'group' &&
          !node.locked &&
          !node.hidden &&
          node.x < box.x + box.w &&
          node.x + node.w > box.x &&
          node.y < box.y + box.h &&
          node.y + node.h > box.y,
      )
      const ids = inside.map(({ id }) => id)
      store.getState().select([...now.ids, ...topsOf(here, ids, entered)])
      return
    }
    const { preview, change } = store.getState()
    if (!now.moved && now.only !== undefined) store.getState().select([now.only])
    if (!preview) return
    if (now.kind === 'move' && event.altKey) {
      const old = new Set(now.before.nodes.map(({ id }) => id))
      const fresh = preview.nodes.filter(({ id }) => !old.has(id))
      const inner = new Set(fresh.map(({ id }) => id))
      change(preview, new Set(fresh.filter(({ group }) => group === null || !inner.has(group)).map(({ id }) => id)))
    } else change(preview)
  }

  function onDoubleClick(event: React.MouseEvent): void {
    const { scene: now, entered } = store.getState()
    // The event itself is the stage's, which holds the pointer since it was pressed.
    const id = document.elementFromPoint(event.clientX, event.clientY)?.closest<HTMLElement>('[data-node]')
      ?.dataset.node
    if (!id) {
      store.setState({ entered: null })
      return
    }
    const top = topOf(now, id, entered)
    if (top === id) return
    store.setState({ entered: top, selected: new Set([topOf(now, id, top)]) })
  }

  const drawing = shift ? kept : scene
  const elements = useMemo(() => <SceneElements scene={drawing} opened={NOTHING} editing />, [drawing])
  useShift(viewport, shift)
  // While copies are dragged the frame is round them, not round what they are copies of.
  const copies =
    scene.nodes.length > kept.nodes.length ? new Set(scene.nodes.slice(kept.nodes.length).map(({ id }) => id)) : null
  const chosen = drawnOf(scene, copies ?? selected)
  const frame = boundsOf(chosen)
  const isFree = mayWrite && unlocked(scene, selected).size > 0
  const single = chosen.length === 1 ? chosen[0]! : null
  const px = (n: number) => n / zoom
  return (
    <div className={css.middle}>
      <Rulers
        width={size.width}
        height={size.height}
        zoom={zoom}
        pan={pan}
        frame={selected.size > 0 ? frame : null}
        onGuide={(axis, clientX, clientY) => {
          if (!mayWrite) return
          const at = pageAt(clientX, clientY)
          const { scene: now, change } = store.getState()
          change({ ...now, guides: [...now.guides, { axis, at: Math.round(axis === 'x' ? at.x : at.y) }] })
        }}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: everything in it can be done with keys as well */}
      <div
        ref={viewport}
        className={css.viewport}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys that move elements are heard here
        tabIndex={0}
        data-testid="stage"
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onDoubleClick={onDoubleClick}
        onDragOver={event => event.preventDefault()}
        onDrop={event => {
          const kind = event.dataTransfer.getData('text/x-element')
          if (!kind) return
          event.preventDefault()
          const at = pageAt(event.clientX, event.clientY)
          onDropKind(kind, at.x, at.y)
        }}
      >
        <div
          className={css.page}
          data-ground={isDark(scene.background) ? 'dark' : undefined}
          style={{
            width: scene.width,
            height: scene.height,
            background: scene.background,
            transform: `translate(${pan.x}px, ${pan.y}px) scale(${zoom})`,
          }}
        >
          {scene.grid.shown && zoom * scene.grid.size > 3 && (
            <div className={css.grid} style={{ backgroundSize: `${scene.grid.size}px ${scene.grid.size}px` }} />
          )}
          {elements}
          {scene.guides.map((guide, i) => (
            <button
              type="button"
              aria-label={t('removeGuide')}
              key={`${guide.axis}${guide.at}`}
              className={css.guide}
              style={
                guide.axis === 'x'
                  ? { left: guide.at, top: -5000, height: 20_000, width: px(1) }
                  : { top: guide.at, left: -5000, width: 20_000, height: px(1) }
              }
              onDoubleClick={event => {
                event.stopPropagation()
                const { scene: now, change } = store.getState()
                change({ ...now, guides: now.guides.filter((_, place) => place !== i) })
              }}
            />
          ))}
          {selected.size > 0 && chosen.length > 0 && (
            <div
              className={css.frame}
              style={{
                left: frame.x,
                top: frame.y,
                width: frame.w,
                height: frame.h,
                outlineWidth: px(1.5),
                ...(single ? { transform: `rotate(${single.r}deg)` } : {}),
              }}
            >
              {isFree &&
                HANDLES.map(handle => (
                  <div
                    key={handle}
                    data-handle={handle}
                    className={css.handle}
                    style={{
                      width: px(9),
                      height: px(9),
                      borderWidth: px(1.5),
                      left: handle.includes('w')
                        ? px(-5)
                        : handle.includes('e')
                          ? `calc(100% - ${px(5)}px)`
                          : `calc(50% - ${px(5)}px)`,
                      top: handle.includes('n')
                        ? px(-5)
                        : handle.includes('s')
                          ? `calc(100% - ${px(5)}px)`
                          : `calc(50% - ${px(5)}px)`,
                      cursor: `${handle}-resize`,
                    }}
                  />
                ))}
              {isFree && (
                <div
                  data-handle="rotate"
                  className={css.handle}
                  style={{
                    width: px(11),
                    height: px(11),
                    borderWidth: px(1.5),
                    borderRadius: '50%',
                    left: `calc(50% - ${px(6)}px)`,
                    top: px(-26),
                    cursor: 'grab',
                  }}
                />
              )}
              <span
                className={css.size}
                style={{
                  fontSize: px(12),
                  padding: `${px(2)}px ${px(6)}px`,
                  top: `calc(100% + ${px(8)}px)`,
                  borderRadius: px(3),
                }}
              >
                {`${Math.round(frame.w)}×${Math.round(frame.h)}`}
              </span>
            </div>
          )}
          {lines.map(line => (
            <div
              key={`${line.axis}${line.at}`}
              className={css.snap}
              style={
                line.axis === 'x'
                  ? { left: line.at, top: line.from, width: px(1), height: Math.max(1, line.to - line.from) }
                  : { top: line.at, left: line.from, height: px(1), width: Math.max(1, line.to - line.from) }
              }
            >
              <span className={css.distance} style={{ fontSize: px(11), padding: `${px(1)}px ${px(4)}px` }}>
                {Math.round(line.to - line.from)}
              </span>
            </div>
          ))}
          {marquee && (
            <div
              className={css.marquee}
              style={{ left: marquee.x, top: marquee.y, width: marquee.w, height: marquee.h, borderWidth: px(1) }}
            />
          )}
        </div>
      </div>
    </div>
  )
}
