import { emptyScene, NOBODY, newNode, type Scene } from '@thingwright/scene'
import { expect, it } from 'vitest'
import {
  type BindingStore,
  type FileCamera,
  findBindings,
  type OwnDevice,
  packBindings,
  rebound,
} from './page-bindings.ts'

const id = (n: number) => `0192f0c0-0000-7000-8000-0000000000${String(n).padStart(2, '0')}`
const device = (n: number, deviceNo: string, product: number, over: Partial<OwnDevice> = {}): OwnDevice => ({
  ...{ id: id(n), name: `Device ${deviceNo}`, deviceNo, productId: id(product), productKey: `key${product}` },
  productName: 'Pump controller',
  ...over,
})
const camera = (n: number, over: Partial<FileCamera> = {}): FileCamera => ({
  ...{ id: id(n), name: 'Gate', serial: 'C12345678', channelNo: 1 },
  ...over,
})

function company(
  devices: OwnDevice[],
  cameras: FileCamera[] = [],
  roles: { id: string; name: string }[] = [],
): BindingStore {
  return {
    device: async wanted => devices.find(each => each.id === wanted),
    devicesNumbered: async part => devices.filter(({ deviceNo }) => deviceNo.includes(part)),
    camera: async wanted => cameras.find(each => each.id === wanted),
    camerasOf: async serial => cameras.filter(each => each.serial === serial),
    roles: async () => roles,
  }
}

/** Pump 1 with a choice of 1 and 2, tank 3, camera 5, an element for role 7 alone. */
const scene: Scene = {
  ...emptyScene('canvas'),
  roles: [
    { key: 'pump', name: 'Pump', productId: id(90), deviceId: id(1), choices: [id(1), id(2)] },
    { key: 'tank', name: '', productId: id(91), deviceId: id(3), choices: [] },
    { key: 'free', name: 'Free', productId: null, deviceId: null, choices: [] },
  ],
  nodes: [newNode('c', 'camera', { props: { channel: id(5) }, show: [id(7)], operate: [id(7)] })],
}
const giver = company(
  [device(1, 'P-1', 90), device(2, 'P-2', 90), device(3, 'T-1', 91, { productName: 'Tank' })],
  [camera(5)],
  [
    { id: id(7), name: 'Shift leaders' },
    { id: id(8), name: 'Unused' },
  ],
)
const NONE = { devices: new Map(), cameras: new Map() }
const idsIn = (made: Scene) => [...new Set(JSON.stringify(made).match(/0192f0c0-[0-9a-f-]*/g) ?? [])].sort()

it('names what the page is bound to in its file', async () => {
  const file = await packBindings(scene, giver)
  expect(file.devices.map(({ deviceNo, productKey }) => [deviceNo, productKey])).toEqual([
    ['P-1', 'key90'],
    ['P-2', 'key90'],
    ['T-1', 'key91'],
  ])
  expect(Object.keys(file.devices[0]!)).not.toContain('productId')
  expect(file.cameras).toEqual([camera(5)])
  expect(file.roles).toEqual([{ id: id(7), name: 'Shift leaders' }])
})

it('keeps everything in the company that exported it', async () => {
  const here = await findBindings(scene, await packBindings(scene, giver), giver)
  expect([here.unboundRoles, here.unboundCameras, here.missingChoices, here.missingRoles]).toEqual([[], [], [], []])
  expect(rebound(scene, here, NONE)).toEqual(scene)
})

it('leaves nothing of another company in the page, and names what is missing', async () => {
  const file = await packBindings(scene, giver)
  const here = await findBindings(scene, file, company([]))
  expect(here.unboundRoles).toEqual([
    { key: 'pump', name: 'Pump', was: 'Device P-1 (P-1)', suggested: null },
    { key: 'tank', name: 'tank', was: 'Device T-1 (T-1)', suggested: null },
  ])
  expect(here.unboundCameras).toEqual([{ key: id(5), name: 'Gate', was: 'C12345678/1', suggested: null }])
  expect(here.missingChoices).toEqual(['Device P-1 (P-1)', 'Device P-2 (P-2)'])
  expect(here.missingRoles).toEqual(['Shift leaders'])
  const made = rebound(scene, here, NONE)
  expect(idsIn(made)).toEqual([])
  expect(made.roles.map(({ key }) => key)).toEqual(['pump', 'tank', 'free'])
  // What was for some people alone is not for everybody now.
  expect(made.nodes[0]).toMatchObject({ props: { channel: '' }, show: [NOBODY], operate: [NOBODY] })
})

it('suggests what is called the same, and takes what is chosen', async () => {
  const file = await packBindings(scene, giver)
  const taker = company(
    [
      device(11, 'P-1', 95),
      device(12, 'P-2', 95),
      device(13, 'T-1', 96),
      device(14, 'P-11', 95),
      device(15, 'other', 97),
    ],
    [camera(16), camera(17, { channelNo: 2 })],
    [{ id: id(18), name: 'Shift leaders' }],
  )
  const here = await findBindings(scene, file, taker)
  expect(here.unboundRoles.map(({ suggested }) => suggested)).toEqual([id(11), null])
  expect(here.unboundCameras[0]!.suggested).toBe(id(16))
  const made = rebound(scene, here, {
    devices: new Map([
      ['pump', { id: id(11), productId: id(95) }],
      ['tank', { id: id(15), productId: id(97) }],
    ]),
    cameras: new Map([[id(5), id(16)]]),
  })
  expect(made.roles.map(({ deviceId, productId, choices }) => [deviceId, productId, choices])).toEqual([
    [id(11), id(95), [id(11), id(12)]],
    [id(15), id(97), []],
    [null, null, []],
  ])
  expect(made.nodes[0]).toMatchObject({ props: { channel: id(16) }, show: [id(18)], operate: [id(18)] })
  // Devices to choose from are of the product of the device that plays the role.
  const other = rebound(scene, here, {
    devices: new Map([['pump', { id: id(15), productId: id(97) }]]),
    cameras: new Map(),
  })
  expect(other.roles[0]).toMatchObject({ deviceId: id(15), choices: [] })
})

it('reads a file of an older version, which names nothing', async () => {
  const here = await findBindings(scene, { devices: [], cameras: [], roles: [] }, company([]))
  expect(here.unboundRoles.map(({ name, was }) => [name, was])).toEqual([
    ['Pump', ''],
    ['tank', ''],
  ])
  expect(idsIn(rebound(scene, here, NONE))).toEqual([])
})
