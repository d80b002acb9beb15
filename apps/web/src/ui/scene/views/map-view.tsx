import { mapDevices, placeOf, shownNumber, signalKey } from '@thingwright/scene'
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { loadOutlines, type Outlines } from '../../map/outlines.ts'
import {
  dragged,
  type Place,
  pixelOf,
  project,
  scaleOf,
  type MapView as Window,
  WORLD,
  zoomedView,
} from '../../map/projection.ts'
import { useScene } from '../scene-context.ts'
import words from '../words.json' with { type: 'json' }
import css from './map-view.module.css'
import { useMapGestures } from './use-map-gestures.ts'
import type { ViewProps } from './view-props.ts'

/** China, which is seen where nothing is marked. */
const HOME: Window = { lng: 104, lat: 36, span: 70 }
/** One place is seen with so many degrees around it. */
const AROUND = 4
const CLOSER = 0.5
const STEP = 48
/** Names of provinces are written where the window shows at most so many degrees. */
const NAMES_BELOW = 60
/** Texts of buttons, which are signs in every language. */
const SIGN = { closer: '+', wider: '−', home: '⌂', close: '×', alarm: '!', offline: '–' }
const POPUP = { w: 220, h: 150 }

interface Mark {
  key: string
  name: string
  place: Place
  state: 'online' | 'offline' | 'alarm' | 'place'
  values: { label: string; shown: string }[]
}

/** Devices at their places on outlines that come from this server; a press on one shows its name and values. */
export function MapView({ node, look }: ViewProps) {
  const { editing, language } = useScene()
  const t = words[language]
  const marks = useMarks(node, look)
  const outlines = useOutlines()
  const [open, setOpen] = useState<string | null>(null)
  const places = marks.map(({ place }) => `${place.lng},${place.lat}`).join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: values come each second, places are the same
  const home = useMemo(() => windowOf(marks, node.w / node.h), [places, node.w, node.h])
  const [moved, setMoved] = useState<Window | null>(null)
  const view = moved ?? home
  const map = useRef<HTMLDivElement>(null)
  const gestures = useMapGestures(map, { view, w: node.w, h: node.h, enabled: !editing, onView: setMoved })
  const shown = marks.find(({ key }) => key === open)
  const press = (event: KeyboardEvent) => {
    const by = { ArrowLeft: [STEP, 0], ArrowRight: [-STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] }[event.key]
    if (by) setMoved(dragged(view, by[0]!, by[1]!, node.w))
    else if (event.key === 'Escape' && shown) setOpen(null)
    else if (event.key === '+' || event.key === '=') setMoved(zoomedView(view, CLOSER))
    else if (event.key === '-') setMoved(zoomedView(view, 1 / CLOSER))
    else return
    event.preventDefault()
  }
  const at = (place: Place) => pixelOf(place, view, node.w, node.h)
  return (
    <div
      ref={map}
      className={css.map}
      role="application"
      aria-label={look.text('label') || t.map}
      tabIndex={editing ? -1 : 0}
      onKeyDown={editing ? undefined : press}
      {...gestures}
    >
      {outlines && outlines !== 'failed' && (
        <Land outlines={outlines} view={view} w={node.w} h={node.h} language={language} />
      )}
      {marks.map(mark => {
        const [x, y] = at(mark.place)
        if (x < 0 || y < 0 || x > node.w || y > node.h) return null
        const said = mark.state === 'place' ? mark.name : `${mark.name}, ${t[mark.state]}`
        return (
          <span key={mark.key} className={css.at} style={{ transform: `translate(${x}px, ${y}px)` }}>
            <button
              type="button"
              className={`${css.mark} ${css[mark.state === 'place' ? 'online' : mark.state]}`}
              aria-label={said}
              title={said}
              disabled={editing}
              onClick={() => setOpen(mark.key)}
            >
              {mark.state === 'alarm' ? SIGN.alarm : mark.state === 'offline' ? SIGN.offline : ''}
            </button>
          </span>
        )
      })}
      {shown && <Popup mark={shown} at={at(shown.place)} w={node.w} h={node.h} onClose={() => setOpen(null)} />}
      {!editing && (
        <span className={css.tools}>
          <button type="button" aria-label={t.zoomIn} onClick={() => setMoved(zoomedView(view, CLOSER))}>
            {SIGN.closer}
          </button>
          <button type="button" aria-label={t.zoomOut} onClick={() => setMoved(zoomedView(view, 1 / CLOSER))}>
            {SIGN.wider}
          </button>
          <button type="button" aria-label={t.wholeMap} onClick={() => setMoved(null)}>
            {SIGN.home}
          </button>
        </span>
      )}
      <span className={css.foot}>
        {[look.text('label'), outlines === 'failed' ? t.outlinesFailed : t.outlines, marks.length === 0 && t.noPlaces]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </div>
  )
}

function Popup({
  mark,
  at: [x, y],
  w,
  h,
  onClose,
}: {
  mark: Mark
  at: [number, number]
  w: number
  h: number
  onClose(): void
}) {
  const t = words[useScene().language]
  // Beside the mark, inside the map.
  const left = Math.max(4, Math.min(x + 18, w - POPUP.w - 4))
  const top = Math.max(4, Math.min(y + 18, h - POPUP.h - 4))
  return (
    <div className={css.popup} style={{ left, top }} role="dialog" aria-label={mark.name}>
      <h4>{mark.name}</h4>
      {mark.state !== 'place' && <span>{t[mark.state]}</span>}
      {mark.values.length > 0 && (
        <dl>
          {mark.values.flatMap(({ label, shown }, i) => [
            <dt key={`n${i}`}>{label}</dt>,
            <dd key={`v${i}`}>{shown}</dd>,
          ])}
        </dl>
      )}
      <button type="button" className={css.close} aria-label={t.close} onClick={onClose}>
        {SIGN.close}
      </button>
    </div>
  )
}

/** What is marked now: the devices whose places are known, and the place that the element itself names. */
function useMarks(node: ViewProps['node'], look: ViewProps['look']): Mark[] {
  const { scene, store, choices } = useScene()
  const devices = useMemo(() => mapDevices(scene, node), [scene, node])
  const keys = useMemo(
    () =>
      devices.flatMap(({ role, values }) => [
        ...(['place', 'alarm', 'online'] as const).map(kind => signalKey({ kind, role })),
        ...values.map(({ point }) => signalKey({ kind: 'property', role, point })),
      ]),
    [devices],
  )
  useSyncExternalStore(
    useCallback(listener => store.subscribe(keys, listener), [store, keys]),
    () => store.version(keys),
  )
  const marks = devices.flatMap(({ role, values }): Mark[] => {
    const now = (kind: 'place' | 'alarm' | 'online') => store.look(signalKey({ kind, role }))?.v
    const place = placeOf(now('place'))
    if (!place) return []
    const choice = choices.find(each => each.role === role)
    const device = choice?.devices.find(({ id }) => id === choice.deviceId)
    const name = device?.name || choice?.name || scene.roles.find(({ key }) => key === role)?.name || role
    const state = Number(now('alarm') ?? 0) > 0 ? 'alarm' : now('online') === true ? 'online' : 'offline'
    const shown = values.map(({ label, point }) => ({
      label,
      shown: textOf(store.look(signalKey({ kind: 'property', role, point }))?.v),
    }))
    return [{ key: role, name, place, state, values: shown }]
  })
  const lng = look.value('lon')
  const lat = look.value('lat')
  if (lng === null || lat === null) return marks
  return [...marks, { key: '', name: look.text('label'), place: { lng, lat }, state: 'place', values: [] }]
}

function textOf(value: unknown): string {
  if (typeof value === 'number') return shownNumber(value, Number.isInteger(value) ? 0 : 2)
  return value === undefined || value === null ? '–' : typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The window in which all marks are seen. @param shape width by height */
function windowOf(marks: readonly Mark[], shape: number): Window {
  if (marks.length === 0) return HOME
  const sides = (['lng', 'lat'] as const).map(side => marks.map(({ place }) => place[side]))
  const [west, south] = sides.map(each => Math.min(...each)) as [number, number]
  const [east, north] = sides.map(each => Math.max(...each)) as [number, number]
  const span = Math.max(AROUND, (east - west) * 1.4, (north - south) * 1.6 * Math.max(1, shape))
  return { lng: (west + east) / 2, lat: (south + north) / 2, span: Math.min(180, span) }
}

function useOutlines(): Outlines | 'failed' | null {
  const [outlines, setOutlines] = useState<Outlines | 'failed' | null>(null)
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
  return outlines
}

function Land({
  outlines,
  view,
  w,
  h,
  language,
}: {
  outlines: Outlines
  view: Window
  w: number
  h: number
  language: 'zh' | 'en'
}) {
  const scale = scaleOf(view, w)
  const [cx, cy] = project(view)
  const worlds = [0, ...(cx - w / 2 / scale < 0 ? [-WORLD] : []), ...(cx + w / 2 / scale > WORLD ? [WORLD] : [])]
  return (
    <svg className={css.land} width={w} height={h} aria-hidden="true">
      <g transform={`translate(${w / 2} ${h / 2}) scale(${scale}) translate(${-cx} ${-cy})`}>
        {worlds.map(by => (
          <g key={by} transform={`translate(${by} 0)`}>
            <path className={css.others} d={outlines.land.map(({ d }) => d).join('')} />
            <path className={css.provinces} d={outlines.borders.map(({ d }) => d).join('')} />
          </g>
        ))}
      </g>
      {view.span <= NAMES_BELOW &&
        outlines.provinces.map(province => {
          const [x, y] = pixelOf(province.at, view, w, h)
          if (x < 0 || y < 0 || x > w || y > h) return null
          return (
            <text key={province.en} className={css.name} x={x} y={y}>
              {province[language]}
            </text>
          )
        })}
    </svg>
  )
}
