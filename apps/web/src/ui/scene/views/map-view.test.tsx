// @vitest-environment happy-dom
import { emptyScene, newNode } from '@thingwright/scene'
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, expect, it, vi } from 'vitest'
import { NodeView } from '../node-view.tsx'
import { SceneProvider, type SceneSurroundings } from '../scene-context.ts'
import { ValueStore } from '../value-store.ts'

vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
// The outlines of a small world: one square of land, one province.
const ring = [0, 0, 1000, 0, 0, 1000]
vi.stubGlobal('fetch', async () =>
  Response.json({ parts: 100, land: [ring], provinces: [{ name: ['甲', 'First'], at: [10400, 3600], rings: [ring] }] }),
)
afterEach(() => document.body.replaceChildren())

const role = (key: string) => ({ key, name: `Name of ${key}`, productId: null, deviceId: null, choices: [] })
const good = (v: unknown) => ({ v, ts: Date.now(), q: 'good' as const })

it('marks devices at their places by their state, and shows the values of one that is pressed', async () => {
  const node = newNode('m', 'map', { w: 800, h: 400, props: { devices: 'pump: Level=level, heat\ntank\nlost' } })
  const scene = { ...emptyScene('canvas'), roles: ['pump', 'tank', 'lost'].map(role), nodes: [node] }
  const store = new ValueStore()
  store.replace({
    'pump!place': good('104,36'),
    'pump!online': good(true),
    'pump!alarm': good(0),
    'pump.level': good(4.256),
    'tank!place': good('106,36'),
    'tank!online': good(true),
    'tank!alarm': good(3),
    'lost!online': good(true),
  })
  const around: SceneSurroundings = {
    scene,
    store,
    language: 'en',
    at: null,
    crowded: false,
    editing: false,
    happen: () => undefined,
    busy: () => false,
    givenUp: () => 0,
    series: async () => [],
    alarms: async () => [],
    choices: [],
    chooseDevice: () => undefined,
    person: null,
  }
  const root = document.body.appendChild(document.createElement('div'))
  await act(async () => {
    createRoot(root).render(
      <SceneProvider value={around}>
        <NodeView node={node} />
      </SceneProvider>,
    )
  })
  // The view is a program of its own.
  await act(() => vi.dynamicImportSettled())
  const marks = () => [...root.querySelectorAll('button[title]')].map(mark => mark.getAttribute('aria-label'))
  expect(marks()).toEqual(['Name of pump, Online', 'Name of tank, In alarm'])
  await vi.waitFor(() => expect(root.querySelectorAll('path')).toHaveLength(2))
  // Both lie beside the middle of the window, as far from it.
  const left = [...root.querySelectorAll<HTMLElement>('span[style]')].map(mark => mark.style.transform)
  expect(left[0]).toMatch(/^translate\(200px, 200px\)/)
  act(() => root.querySelector<HTMLElement>('button[title]')!.click())
  expect(root.querySelector('[role="dialog"]')!.textContent).toBe('Name of pumpOnlineLevel4.26heat–×')
})

it('is dragged by the pointer, zoomed by the wheel at the pointer, and moved by keys', async () => {
  const node = newNode('m', 'map', { w: 800, h: 400, props: { lon: 104, lat: 36, label: 'Here' } })
  const around: SceneSurroundings = {
    ...{ scene: emptyScene('canvas'), store: new ValueStore(), language: 'en', at: null },
    ...{
      crowded: false,
      editing: false,
      happen: () => undefined,
      busy: () => false,
      givenUp: () => 0,
      choices: [],
      chooseDevice: () => undefined,
      person: null,
    },
    ...{ series: async () => [], alarms: async () => [] },
  }
  const root = document.body.appendChild(document.createElement('div'))
  await act(async () => {
    createRoot(root).render(
      <SceneProvider value={around}>
        <NodeView node={node} />
      </SceneProvider>,
    )
  })
  // The view is a program of its own.
  await act(() => vi.dynamicImportSettled())
  const map = root.querySelector<HTMLElement>('[role="application"]')!
  // The page is shown at half its size.
  map.getBoundingClientRect = () => ({ left: 10, top: 20, width: 400, height: 200 }) as DOMRect
  const mark = () =>
    /translate\((-?[\d.]+)px, (-?[\d.]+)px\)/
      .exec(root.querySelector<HTMLElement>('span[style]')!.style.transform)!
      .slice(1)
      .map(Number)
  const pointer = (type: string, x: number, y: number) =>
    act(() => {
      map.dispatchEvent(
        new PointerEvent(type, { bubbles: true, button: 0, pointerId: 1, clientX: x, clientY: y } as PointerEventInit),
      )
    })
  expect(mark()).toEqual([400, 200])
  pointer('pointerdown', 100, 100)
  pointer('pointermove', 130, 110)
  pointer('pointerup', 130, 110)
  expect(mark()[0]).toBeCloseTo(460, 3)
  expect(mark()[1]).toBeCloseTo(220, 3)
  pointer('pointermove', 300, 300)
  expect(mark()[0]).toBeCloseTo(460, 3)

  // The place under the pointer stays where it is: here that of the mark.
  const wheel = (deltaY: number, [x, y]: number[]) =>
    act(() => {
      const event = new WheelEvent('wheel', { deltaY, cancelable: true, bubbles: true })
      Object.defineProperties(event, { clientX: { value: 10 + x! / 2 }, clientY: { value: 20 + y! / 2 } })
      map.dispatchEvent(event)
      expect(event.defaultPrevented).toBe(true)
    })
  wheel(-100, mark())
  expect(mark()[0]).toBeCloseTo(460, 3)
  expect(mark()[1]).toBeCloseTo(220, 3)
  wheel(-100, [0, 0])
  expect(mark()[0]).toBeCloseTo(575, 3)

  const key = (name: string) =>
    act(() => {
      map.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true }))
    })
  key('ArrowLeft')
  expect(mark()[0]).toBeCloseTo(623, 3)
  key('-')
  expect(mark()[0]).toBeCloseTo(400 + (623 - 400) / 2, 3)
})
