import { emptyScene, NOBODY, newNode, readScene, type Scene, type SceneRole } from '@thingwright/scene'
import { expect, it } from 'vitest'
import { copied, pasted } from './clipboard-content.ts'

const uuid = (n: number) => `0192f0c0-0000-7000-8000-00000000000${n}`
const role = (key: string, device: number | null, product: number | null = 9): SceneRole => ({
  ...{ key, name: key, choices: [] },
  deviceId: device === null ? null : uuid(device),
  productId: product === null ? null : uuid(product),
})
const bound = (id: string, key: string, over = {}) =>
  newNode(id, 'number', {
    bind: [{ prop: 'value', source: { from: 'property', role: key, point: 'level' } }],
    effects: [{ effect: 'blink', when: 'true', source: { from: 'expression', text: `${key}.level > 80` } }],
    ...over,
  })
const page = (roles: SceneRole[], nodes: Scene['nodes'] = [], hosts: string[] = []): Scene => ({
  ...{ ...emptyScene('canvas'), roles, nodes, hosts },
})
const all = (scene: Scene) => new Set(scene.nodes.map(({ id }) => id))
/** Copies everything of a page into another; the page can be stored afterwards. */
function across(from: Scene, to: Scene, company = 'own'): Scene {
  const { scene } = pasted(to, copied(from, all(from), 'own'), company)!
  expect(readScene(scene).problems).toEqual([])
  return scene
}
const sources = (scene: Scene) =>
  scene.nodes.flatMap(({ bind, effects }) => [...bind, ...effects].map(each => each.source))

it('brings the roles along that another page does not have', () => {
  const made = across(page([role('pump', 1), role('other', 2)], [bound('a', 'pump')]), page([]))
  expect(made.roles).toEqual([role('pump', 1)])
  expect(sources(made)).toEqual([
    { from: 'property', role: 'pump', point: 'level' },
    { from: 'expression', text: 'pump.level > 80' },
  ])
})

it('uses the role of the page that has the same device, and keeps apart what is called the same', () => {
  const from = page([role('pump', 1), role('tank', 2, 7)], [bound('a', 'pump'), bound('b', 'tank')])
  const made = across(from, page([role('tank', 1, 9), role('pump', 3, 8)]))
  expect(made.roles.map(({ key, deviceId }) => [key, deviceId])).toEqual([
    ['tank', uuid(1)],
    ['pump', uuid(3)],
    ['tank2', uuid(2)],
  ])
  expect(sources(made)).toMatchObject([
    { role: 'tank' },
    { text: 'tank.level > 80' },
    { role: 'tank2' },
    { text: 'tank2.level > 80' },
  ])
})

it('shows the device of the page where both are templates for the same product', () => {
  const made = across(page([role('pump', 1)], [bound('a', 'pump')]), page([role('pump', 2)]))
  expect(made.roles).toEqual([role('pump', 2)])
})

it('brings hosts that the elements need, and what a map and a device switch name', () => {
  const from = page(
    [role('pump', 1)],
    [
      newNode('i', 'image', { props: { src: 'https://pictures.example/a.png' } }),
      newNode('m', 'map', { props: { devices: 'pump: level\npump2: level' } }),
      newNode('s', 'device-switch', { props: { role: 'pump' } }),
    ],
    ['pictures.example', 'unused.example'],
  )
  const made = across(from, page([role('pump', 3, 8)]))
  expect(made.hosts).toEqual(['pictures.example'])
  expect(made.nodes.map(({ props }) => props)).toEqual([
    { src: 'https://pictures.example/a.png' },
    { devices: 'pump2: level\npump2: level' },
    { role: 'pump2' },
  ])
})

it('leaves ids of another company behind', () => {
  const from = page(
    [{ ...role('pump', 1), choices: [uuid(1), uuid(2)] }],
    [
      bound('a', 'pump', { show: [uuid(5)], operate: [uuid(5)] }),
      newNode('c', 'camera', { props: { channel: uuid(6) } }),
      newNode('i', 'image', { props: { src: `/media/${uuid(7)}` } }),
    ],
  )
  const made = across(from, page([]), 'another')
  expect(JSON.stringify(made)).not.toMatch(/0192f0c0/)
  expect(made.roles).toEqual([role('pump', null, null)])
  expect(made.nodes[0]).toMatchObject({ show: [NOBODY], operate: [NOBODY] })
})

it('takes nothing from a text that holds no elements, or broken ones', () => {
  for (const text of ['', 'abc', '7', 'null', '{"thingwright-elements":7}', '{"thingwright-elements":[{"id":"x"}]}'])
    expect(pasted(page([]), text, 'own')).toBeNull()
})
