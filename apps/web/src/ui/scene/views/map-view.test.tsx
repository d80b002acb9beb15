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
    editing: false,
    happen: () => undefined,
    busy: () => false,
    series: async () => [],
    alarms: async () => [],
    choices: [],
    chooseDevice: () => undefined,
  }
  const root = document.body.appendChild(document.createElement('div'))
  await act(async () => {
    createRoot(root).render(
      <SceneProvider value={around}>
        <NodeView node={node} />
      </SceneProvider>,
    )
  })
  const marks = () => [...root.querySelectorAll('button[title]')].map(mark => mark.getAttribute('aria-label'))
  expect(marks()).toEqual(['Name of pump, Online', 'Name of tank, In alarm'])
  await vi.waitFor(() => expect(root.querySelectorAll('path')).toHaveLength(2))
  // Both lie beside the middle of the window, as far from it.
  const left = [...root.querySelectorAll<HTMLElement>('span[style]')].map(mark => mark.style.transform)
  expect(left[0]).toMatch(/^translate\(200px, 200px\)/)
  act(() => root.querySelector<HTMLElement>('button[title]')!.click())
  expect(root.querySelector('[role="dialog"]')!.textContent).toBe('Name of pumpOnlineLevel4.26heat–×')
})
