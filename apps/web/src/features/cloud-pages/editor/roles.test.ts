import { emptyScene, newNode, readScene, type Scene, type SceneNode } from '@thingwright/scene'
import { expect, it } from 'vitest'
import { freeKey, renamedRole, usersOf, withoutRole, withRoleKeys } from './roles.ts'

const role = (key: string) => ({ key, name: '', productId: null, deviceId: null, choices: [] })
const NODES: SceneNode[] = [
  newNode('n', 'number', {
    bind: [
      { prop: 'value', source: { from: 'property', role: 'pump', point: 'level' } },
      { prop: 'label', source: { from: 'constant', value: 'pump' } },
    ],
    effects: [{ effect: 'blink', when: 'true', source: { from: 'expression', text: 'pump.level > tank.level' } }],
    events: [{ on: 'click', do: 'toggle', role: 'pump', point: 'on' }],
  }),
  newNode('s', 'device-switch', { props: { role: 'pump' } }),
  newNode('m', 'map', { props: { devices: 'pump: level\ntank\npump2: level' } }),
  newNode('t', 'number', { bind: [{ prop: 'value', source: { from: 'online', role: 'tank' } }] }),
]
const scene: Scene = { ...emptyScene('canvas'), roles: [role('pump'), role('tank'), role('pump2')], nodes: NODES }

it('renames a role in everything that names it', () => {
  const made = renamedRole(scene, 'pump', 'station')
  expect(readScene(made).problems).toEqual([])
  expect(usersOf(made, 'pump')).toBe(0)
  expect(usersOf(made, 'station')).toBe(3)
  expect(made.nodes[0]!.effects[0]!.source).toEqual({ from: 'expression', text: 'station.level > tank.level' })
  expect(made.nodes[0]!.bind[1]).toEqual(NODES[0]!.bind[1])
  expect(made.nodes.map(({ props }) => props)).toMatchObject([
    {},
    { role: 'station' },
    { devices: 'station: level\ntank\npump2: level' },
    {},
  ])
})

it('lets two roles change places', () => {
  const [first] = withRoleKeys(
    NODES,
    new Map([
      ['pump', 'tank'],
      ['tank', 'pump'],
    ]),
  )
  expect(first!.effects[0]!.source).toEqual({ from: 'expression', text: 'tank.level > pump.level' })
})

it('takes a role away with what is bound to it, so that the page can be stored', () => {
  expect([usersOf(scene, 'pump'), usersOf(scene, 'tank'), usersOf(scene, 'pump2')]).toEqual([3, 3, 1])
  const made = withoutRole(scene, 'pump')
  expect(readScene(made).problems).toEqual([])
  expect(made.roles.map(({ key }) => key)).toEqual(['tank', 'pump2'])
  expect(made.nodes[0]).toMatchObject({ bind: [NODES[0]!.bind[1]], effects: [], events: [] })
  expect(made.nodes.slice(1).map(({ props }) => props)).toEqual([{ role: '' }, { devices: 'tank\npump2: level' }, {}])
  expect(made.nodes[3]).toBe(NODES[3])
})

it('finds a key that is free', () => {
  expect(freeKey([], 'device1')).toBe('device1')
  expect(freeKey([role('device1'), role('device2')], 'device1')).toBe('device3')
})
