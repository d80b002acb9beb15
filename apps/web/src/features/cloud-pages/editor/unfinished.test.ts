import { emptyScene, newNode, readScene, type Scene, type SceneNode } from '@thingwright/scene'
import { expect, it } from 'vitest'
import { storable } from './unfinished.ts'

const scene = (...nodes: SceneNode[]): Scene => ({
  ...emptyScene('canvas'),
  roles: [{ key: 'pump', name: 'Pump', productId: null, deviceId: null, choices: [] }],
  nodes,
})
const property = (point: string) => ({ prop: 'value', source: { from: 'property' as const, role: 'pump', point } })

it('leaves out entries that are not filled in yet, and nothing else', () => {
  const made = scene(
    newNode('a', 'number', { bind: [property('level'), property('')] }),
    newNode('b', 'button', {
      effects: [{ effect: 'blink', when: 'true', source: { from: 'expression', text: 'round(pump.' } }],
      events: [
        { on: 'click', do: 'set', role: 'pump', point: '' },
        { on: 'click', do: 'page', page: 'abc' },
        { on: 'click', do: 'close' },
      ],
    }),
  )
  const { scene: stored, unfinished } = storable(made, new WeakSet())
  expect(readScene(stored).problems).toEqual([])
  expect(stored.nodes.map(({ bind, effects, events }) => [bind.length, effects.length, events.length])).toEqual([
    [1, 0, 0],
    [0, 0, 1],
  ])
  expect([...unfinished]).toEqual([
    ['a', 1],
    ['b', 3],
  ])
})

it('leaves a whole page as it is, and other faults for the server to say', () => {
  const whole = scene(newNode('a', 'number', { bind: [property('level')] }), newNode('b', 'rect'))
  const known = new WeakSet<SceneNode>()
  expect(storable(whole, known).scene).toBe(whole)
  expect(known.has(whole.nodes[0]!)).toBe(true)
  const wrong = scene(newNode('a', 'image', { props: { src: 'javascript:1' }, bind: [property('level')] }))
  expect(storable(wrong, new WeakSet()).scene).toBe(wrong)
})
