import { drawn, kindOf, lookOf, nodeSignals, type SceneNode, STALE_MS, shownNode } from '@thingwright/scene'
import { type ComponentType, lazy, memo, Suspense, useCallback, useMemo, useRef, useSyncExternalStore } from 'react'
import css from './scene.module.css'
import { useScene } from './scene-context.ts'
import { Shapes } from './shapes.tsx'
import { ChartView, ColumnsView, PieView, SparklineView } from './views/chart-view.tsx'
import {
  ButtonView,
  ChoicesView,
  DeviceSwitchView,
  FullScreenView,
  HotAreaView,
  InputView,
  SelectView,
  SliderView,
  StepperView,
  SwitchView,
} from './views/control-views.tsx'
import { AlarmsView, TableView } from './views/list-views.tsx'
import {
  DrawingView,
  FrameView,
  ImageView,
  NestedPageView,
  QrView,
  VideoView,
  WeatherView,
} from './views/media-views.tsx'
import { ClockView, MarqueeView, TextView } from './views/text-views.tsx'
import type { ViewProps } from './views/view-props.ts'
import words from './words.json' with { type: 'json' }

// Few pages have these elements, so their code is loaded only by pages that do.
const MapView = lazy(async () => ({ default: (await import('./views/map-view.tsx')).MapView }))
const CameraView = lazy(async () => ({ default: (await import('./views/person-views.tsx')).CameraView }))
const TasksView = lazy(async () => ({ default: (await import('./views/person-views.tsx')).TasksView }))

const VIEWS: Record<string, ComponentType<ViewProps>> = {
  text: TextView,
  clock: ClockView,
  marquee: MarqueeView,
  chart: ChartView,
  sparkline: SparklineView,
  pie: PieView,
  columns: ColumnsView,
  table: TableView,
  alarms: AlarmsView,
  button: ButtonView,
  switch: SwitchView,
  slider: SliderView,
  stepper: StepperView,
  input: InputView,
  select: SelectView,
  choices: ChoicesView,
  'timed-tasks': TasksView,
  'device-switch': DeviceSwitchView,
  'hot-area': HotAreaView,
  'full-screen': FullScreenView,
  image: ImageView,
  qr: QrView,
  drawing: DrawingView,
  video: VideoView,
  camera: CameraView,
  frame: FrameView,
  'nested-page': NestedPageView,
  weather: WeatherView,
  map: MapView,
}

/** Elements that bring their own controls: a press on them is theirs. */
const OWN_CONTROLS = new Set([
  'button',
  'switch',
  'slider',
  'stepper',
  'input',
  'select',
  'choices',
  'hot-area',
  'device-switch',
  'timed-tasks',
  'full-screen',
])

/** The element as it was, when only its place is another one: its picture stays the same then. */
function useButForPlace(node: SceneNode): SceneNode {
  const kept = useRef(node)
  if (kept.current !== node) {
    const { x, y, r } = node
    const before = Object.entries({ ...kept.current, x, y, r })
    if (before.length !== Object.keys(node).length || before.some(([key, value]) => node[key as 'x'] !== value))
      kept.current = node
  }
  return kept.current
}

/** One element, shown with its values; it is drawn anew only when one of its own is different. */
export const NodeView = memo(function NodeView({
  node: placed,
  dx = 0,
  dy = 0,
}: {
  node: SceneNode
  dx?: number
  dy?: number
}) {
  const { crowded: still, store, editing, happen, busy, language, at } = useScene()
  const node = useButForPlace(placed)
  const keys = useMemo(() => [...nodeSignals(node).keys()], [node])
  const version = useSyncExternalStore(
    useCallback(listener => store.subscribe(keys, listener), [store, keys]),
    () => store.version(keys),
  )
  const kind = kindOf(node.kind)
  // The version stands for the values: they are looked up anew when one of them is different.
  const shown = useMemo(() => shownNode(node, store.look), [node, store, version])
  const look = useMemo(() => kind && lookOf(kind, shown.props, node.w, node.h), [kind, shown, node])
  const picture = useMemo(() => {
    if (!kind || !look) return null
    const View = kind.view ? VIEWS[kind.view] : undefined
    return View ? (
      <Suspense>
        <View node={node} kind={kind} shown={shown.props} look={look} />
      </Suspense>
    ) : (
      <Shapes shapes={drawn(node.kind, shown.props, node.w, node.h)} w={node.w} h={node.h} title={node.name} />
    )
  }, [kind, node, shown, look])
  if (!kind || !look) {
    return (
      <div className={css.node} style={placeOf(placed, dx, dy)}>
        <div className={css.blocked}>{words[language].unknown}</div>
      </div>
    )
  }
  if (!shown.visible && !editing) return null
  const oldest = Math.min(...keys.map(key => store.look(key)?.ts ?? Number.POSITIVE_INFINITY))
  const isOld = !editing && Number.isFinite(oldest) && (at ?? Date.now()) - oldest > STALE_MS * 10
  const pressable = !editing && !OWN_CONTROLS.has(node.kind) && node.events.some(({ on }) => on !== 'load')
  const moving =
    shown.spin === 1 || (shown.spin === 0 && look.is('on') && node.effects.every(({ effect }) => effect !== 'spin'))
  const flowing = shown.flow || (node.kind.startsWith('pipe-') && look.is('on'))
  const classes = [
    css.node,
    pressable && css.pressable,
    shown.blink && !still && css.blinking,
    (shown.grey || isOld) && css.grey,
    !still && (shown.spin === -1 ? css.movingBack : moving && css.moving),
    flowing && !still && css.flowing,
    busy(node.id) && css.busy,
    editing && css.editing,
    // What is only drawn lets presses through to what lies below it.
    !editing && !pressable && node.kind === 'drawing' && css.still,
  ]
  const press = pressable
    ? {
        role: 'button',
        tabIndex: 0,
        'aria-label': node.name || node.id,
        onClick: () => happen(node, 'click'),
        onDoubleClick: () => happen(node, 'dblclick'),
        onPointerDown: () => happen(node, 'down'),
        onPointerUp: () => happen(node, 'up'),
        onPointerEnter: () => happen(node, 'enter'),
        onPointerLeave: () => happen(node, 'leave'),
        onKeyDown: (event: { key: string; preventDefault(): void }) => {
          if (event.key !== 'Enter' && event.key !== ' ') return
          event.preventDefault()
          happen(node, 'click')
        },
      }
    : {}
  return (
    <div
      className={classes.filter(Boolean).join(' ')}
      style={{
        ...placeOf(placed, dx + shown.dx, dy + shown.dy),
        ...(editing && !shown.visible ? { opacity: 0.25 } : {}),
        ...(shown.colour ? { outline: `3px solid ${shown.colour}`, outlineOffset: 4, borderRadius: 4 } : {}),
      }}
      data-node={node.id}
      {...press}
    >
      {picture}
    </div>
  )
})

function placeOf(node: SceneNode, dx: number, dy: number) {
  return {
    width: node.w,
    height: node.h,
    transform: `translate(${node.x + dx}px, ${node.y + dy}px)${node.r ? ` rotate(${node.r}deg)` : ''}`,
  }
}
