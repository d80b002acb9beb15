// @vitest-environment happy-dom
import { emptyScene, kindOf, lookOf, newNode } from '@thingwright/scene'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, expect, it, vi } from 'vitest'
import { SceneProvider, type SceneSurroundings } from '../scene-context.ts'
import { ValueStore } from '../value-store.ts'
import { SliderView } from './control-views.tsx'

vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
let root: Root
afterEach(() => {
  act(() => root.unmount())
  document.body.replaceChildren()
})

const happen = vi.fn()
const slider = newNode('s', 'slider', { props: { value: 36, min: 0, max: 50 } })

function show(givenUp: number, value = 36): HTMLInputElement {
  const node = { ...slider, props: { ...slider.props, value } }
  const surroundings: SceneSurroundings = {
    scene: emptyScene('canvas'),
    ...{ crowded: false, store: new ValueStore(), language: 'en', at: null, editing: false, happen },
    ...{ busy: () => false, givenUp: () => givenUp, series: async () => [], alarms: async () => [] },
    ...{ choices: [], chooseDevice: () => undefined, person: null },
  }
  const look = lookOf(kindOf('slider')!, node.props, node.w, node.h)
  act(() =>
    root.render(
      <SceneProvider value={surroundings}>
        <SliderView node={node} kind={kindOf(node.kind)!} look={look} shown={node.props} />
      </SceneProvider>,
    ),
  )
  return document.querySelector('input')!
}
const slide = (input: HTMLInputElement, value: number) =>
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(input, String(value))
    input.dispatchEvent(new Event('input', { bubbles: true }))
  })

it('shows what it was set to until the value of the device comes, or until it was not done', () => {
  root = createRoot(document.body.appendChild(document.createElement('div')))
  slide(show(0), 14)
  expect(show(0).value).toBe('14')
  // The PIN was not entered, or the device said no.
  expect(show(1).value).toBe('36')
  slide(show(1), 20)
  expect(show(1).value).toBe('20')
  expect(show(1, 21).value).toBe('21')
})
