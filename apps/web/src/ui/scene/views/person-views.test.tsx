// @vitest-environment happy-dom
import { emptyScene, newNode, type SceneNode } from '@thingwright/scene'
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, expect, it, vi } from 'vitest'
import { NodeView } from '../node-view.tsx'
import { type PagePerson, SceneProvider, type SceneSurroundings } from '../scene-context.ts'
import { ValueStore } from '../value-store.ts'

vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
afterEach(() => document.body.replaceChildren())

async function shown(node: SceneNode, person: PagePerson | null): Promise<HTMLElement> {
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
    },
    ...{ series: async () => [], alarms: async () => [], person },
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
  return root
}

const panel = newNode('p', 'timed-tasks', { props: { role: 'pump', label: 'Tasks' } })
const camera = newNode('c', 'camera', { props: { channel: '0190b6c2-7b1e-7aaa-8000-0000000000aa', label: 'Gate' } })

function somebody(mayChange: boolean) {
  const tasks = [
    { id: 't1', name: 'Water at six', state: 'enabled' as const, nextRunAt: '2026-11-29T06:00:00Z' },
    { id: 't2', name: 'Lights', state: 'disabled' as const, nextRunAt: null },
    { id: 't3', name: 'Once', state: 'ended' as const, nextRunAt: null },
  ]
  const set: [string, boolean][] = []
  const person: PagePerson = {
    tasks: async role => ({ items: role === 'pump' ? tasks.map(task => ({ ...task })) : [], mayChange }),
    async setTask(id, on) {
      set.push([id, on])
      Object.assign(tasks.find(task => task.id === id)!, { state: on ? 'enabled' : 'disabled' })
    },
    camera: () => Promise.reject(new Error('You may not see this camera')),
    authorization: () => 'Bearer mine',
  }
  return { person, set }
}

it('lists the tasks of a role and switches them', async () => {
  const { person, set } = somebody(true)
  const root = await shown(panel, person)
  const switches = () =>
    [...root.querySelectorAll<HTMLButtonElement>('[role="switch"]')].map(each => [
      each.getAttribute('aria-label'),
      each.getAttribute('aria-checked'),
      each.disabled,
    ])
  expect(switches()).toEqual([
    ['Water at six', 'true', false],
    ['Lights', 'false', false],
    ['Once', 'false', true],
  ])
  await act(async () => root.querySelector<HTMLButtonElement>('[role="switch"]')!.click())
  expect(set).toEqual([['t1', false]])
  expect(switches()[0]).toEqual(['Water at six', 'false', false])
})

it('is read-only without the permission to change tasks', async () => {
  const root = await shown(panel, somebody(false).person)
  expect([...root.querySelectorAll<HTMLButtonElement>('[role="switch"]')].every(each => each.disabled)).toBe(true)
})

it('shows neither tasks nor a camera without a sign-in, and requests no stream address', async () => {
  for (const node of [panel, camera]) {
    const root = await shown(node, null)
    expect(root.textContent).toContain('Sign in to see this')
    expect(root.querySelector('video')).toBeNull()
  }
})

it('says why a camera is not shown', async () => {
  const root = await shown(camera, somebody(true).person)
  await vi.waitFor(() => expect(root.querySelector('[role="alert"]')!.textContent).toContain('You may not see this'))
  expect((await shown(newNode('c', 'camera'), null)).textContent).toBe('No camera was chosen')
})
