// @vitest-environment happy-dom
import { emptyScene, newNode } from '@thingwright/scene'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SceneProvider, type SceneSurroundings } from '../../../ui/scene/scene-context.ts'
import { ValueStore } from '../../../ui/scene/value-store.ts'
import { Stage } from './stage.tsx'
import { createEditorStore, type EditorStore } from './store.ts'

vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
vi.mock('react-i18next', () => ({ useTranslation: () => ({ t: (key: string) => key }) }))

const group = newNode('g', 'group', { w: 100, h: 10 })
const scene = {
  ...emptyScene('canvas'),
  nodes: [
    group,
    ...['a', 'b'].map((id, i) => newNode(id, 'rect', { x: i * 90, w: 10, h: 10, group: 'g' })),
    newNode('c', 'rect', { x: 300, w: 10, h: 10 }),
  ],
}
let root: Root
let store: EditorStore
let stage: HTMLElement
beforeEach(() => {
  store = createEditorStore(scene)
  root = createRoot(document.body.appendChild(document.createElement('div')))
  const surroundings: SceneSurroundings = {
    ...{ scene, crowded: false, store: new ValueStore(), language: 'en', at: null, editing: true },
    ...{ happen: () => undefined, busy: () => false, givenUp: () => 0, series: async () => [] },
    ...{ alarms: async () => [], choices: [], chooseDevice: () => undefined, person: null },
  }
  act(() =>
    root.render(
      <SceneProvider value={surroundings}>
        <Stage store={store} mayWrite onDropKind={() => undefined} />
      </SceneProvider>,
    ),
  )
  stage = document.querySelector('[data-testid="stage"]')!
  stage.setPointerCapture = () => undefined
})
afterEach(() => {
  act(() => root.unmount())
  document.body.replaceChildren()
})

const node = (id: string) => stage.querySelector(`[data-node="${id}"]`)!
const chosen = () => [...store.getState().selected]
/** A press that is held by the stage from then on, as browsers do it. */
const click = (id: string, over: PointerEventInit = {}) => {
  act(() => void node(id).dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, button: 0, ...over })))
  act(() => void stage.dispatchEvent(new PointerEvent('pointerup', { bubbles: true, ...over })))
}

it('enters a group with a double click, which browsers tell the stage that holds the pointer', () => {
  document.elementFromPoint = () => node('b')
  click('b')
  expect(chosen()).toEqual(['g'])
  act(() => void stage.dispatchEvent(new MouseEvent('dblclick', { bubbles: true })))
  expect([store.getState().entered, chosen()]).toEqual(['g', ['b']])
  click('a')
  expect(chosen()).toEqual(['a'])
})

it('chooses one of several that is clicked, and adds and takes away with Shift', () => {
  click('c')
  click('a', { shiftKey: true })
  expect(chosen()).toEqual(['c', 'g'])
  click('c')
  expect(chosen()).toEqual(['c'])
  click('a', { shiftKey: true })
  click('c', { shiftKey: true })
  expect(chosen()).toEqual(['g'])
})

const drag = (to: number, over: PointerEventInit = {}) =>
  act(
    () =>
      void stage.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, clientX: to, clientY: 0, ...over })),
  )
const press = (id: string) =>
  act(
    () =>
      void node(id).dispatchEvent(
        new PointerEvent('pointerdown', { bubbles: true, button: 0, clientX: 0, clientY: 0 }),
      ),
  )
const release = (over: PointerEventInit = {}) =>
  act(() => void stage.dispatchEvent(new PointerEvent('pointerup', { bubbles: true, ...over })))
const styleOf = (id: string) => (node(id) as HTMLElement).style
const frame = () => stage.querySelector('[data-handle]')!.parentElement!.style

it('shows what is dragged elsewhere until it is let go, and puts it back with Escape', () => {
  const zoom = () => store.getState().zoom
  press('a')
  drag(50 * zoom())
  drag(60 * zoom())
  for (const id of ['a', 'b']) expect(styleOf(id).translate, id).toBe('60px 0px')
  expect([styleOf('c').translate, styleOf('a').transform]).toEqual(['', 'translate(0px, 0px)'])
  expect(frame().left).toBe('60px')
  act(() => store.getState().show(null))
  for (const id of ['a', 'b']) expect(styleOf(id).translate, id).toBe('')
  drag(70 * zoom())
  release()
  expect([styleOf('a').translate, styleOf('a').transform]).toEqual(['', 'translate(70px, 0px)'])
  expect(store.getState().scene.nodes.map(({ x }) => x)).toEqual([70, 70, 160, 300])
})

it('has the frame round the copies that are dragged with Alt, and what they are copies of stays', () => {
  press('c')
  const alt = { altKey: true }
  drag(40 * store.getState().zoom, alt)
  expect([frame().left, styleOf('c').translate, styleOf('c').transform]).toEqual(['340px', '', 'translate(300px, 0px)'])
  release(alt)
  expect(store.getState().scene.nodes.map(({ x }) => x)).toEqual([0, 0, 90, 300, 340])
})
