import { describe, expect, it } from 'vitest'
import { mapDevices, placeOf } from './map-devices.ts'
import { readScene } from './read-scene.ts'
import { emptyScene, newNode } from './scene.ts'
import { sceneSignals } from './values.ts'

const roles = ['pump', 'tank'].map(key => ({ key, name: key, productId: null, deviceId: null, choices: [] }))
const map = (devices: string) => newNode('m', 'map', { props: { devices } })

describe('devices of a map', () => {
  it('are those of its lines, each with three values at most', () => {
    const node = map('pump: Speed = rpm, current, flow, heat\ngone: a\n\ntank：level\npump: again')
    expect(mapDevices({ roles }, node)).toEqual([
      {
        role: 'pump',
        values: [
          { label: 'Speed', point: 'rpm' },
          { label: 'current', point: 'current' },
          { label: 'flow', point: 'flow' },
        ],
      },
      { role: 'tank', values: [{ label: 'level', point: 'level' }] },
    ])
  })

  it('are those of every role where none is named', () => {
    expect(mapDevices({ roles }, map(' \n')).map(({ role }) => role)).toEqual(['pump', 'tank'])
  })

  it('ask for their places, states and values', () => {
    const scene = { ...emptyScene('canvas'), roles, nodes: [map('pump: rpm')] }
    expect([...sceneSignals(scene).keys()].sort()).toEqual(['pump!alarm', 'pump!online', 'pump!place', 'pump.rpm'])
  })

  it('have places that are read back, and none from what is no place', () => {
    expect(placeOf('114.06,22.54')).toEqual({ lng: 114.06, lat: 22.54 })
    for (const value of [undefined, null, 3, '', 'a,b', '114']) expect(placeOf(value)).toBeNull()
  })
})

it('a new page with a map has one below everything, which can be read', () => {
  const scene = emptyScene('map')
  expect(scene.nodes).toMatchObject([{ kind: 'map', w: scene.width, h: scene.height, locked: true }])
  expect(readScene(scene)).toEqual({ scene, problems: [] })
})
