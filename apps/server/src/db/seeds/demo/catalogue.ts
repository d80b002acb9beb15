import type { FormatBody } from '@thingwright/contracts/format-schemas'
import type { FenceShape } from '@thingwright/contracts/geofences.contract'
import type { LinkSettingsInput } from '@thingwright/contracts/links.contract'
import type { TriggerInput } from '@thingwright/contracts/triggers.contract'
import geofences from './geofences.json' with { type: 'json' }
import coldRoom from './products/cold-room.json' with { type: 'json' }
import energyMeter from './products/energy-meter.json' with { type: 'json' }
import factoryLine from './products/factory-line.json' with { type: 'json' }
import flowMeter from './products/flow-meter.json' with { type: 'json' }
import greenhouse from './products/greenhouse.json' with { type: 'json' }
import pumpDrive from './products/pump-drive.json' with { type: 'json' }
import tank from './products/tank.json' with { type: 'json' }
import truck from './products/truck.json' with { type: 'json' }
import subscriptions from './subscriptions.json' with { type: 'json' }
import triggers from './triggers.json' with { type: 'json' }

/**
 * What the demo company owns. Plain data: the seed makes rows of it, and `npm run simulate` reads the same product
 * files. How the devices behave is not known here; `kind` names the behaviour for the device fleet.
 */
export interface DemoProduct {
  /** Behaviour of the simulated devices; also a stable key of the product within the demo. */
  kind: string
  name: string
  ename: string
  category: string
  ecategory: string
  description: string
  edescription: string
  /** SVG in the colour of the text around it. */
  icon: string
  /** Key of a product group in {@link DEMO_GROUPS}. */
  group: string
  /** How its devices connect: mqtt when absent. */
  linkType?: 'mqtt' | 'modbus_rtu' | 'tcp'
  /** Register packet, heartbeat, polling; the defaults when absent. */
  link?: LinkSettingsInput
  /** How payloads become values: the JSON of the device protocol when absent. */
  format?: FormatBody
  /** For parseModel of the thing-model package. */
  thingModel: { properties: unknown[]; events: unknown[]; services: unknown[] }
  devices: DemoDevice[]
}

export interface DemoDevice {
  deviceNo: string
  name: string
  ename: string
  /** Key of a device group in {@link DEMO_GROUPS}. */
  group: string
  lng: number
  lat: number
  /** Facts of this one device for its simulation, handed on as they are. */
  traits?: Record<string, unknown>
}

export interface DemoGroup {
  key: string
  kind: 'device' | 'product'
  parent: string | null
  name: string
  ename: string
}

export const DEMO_PRODUCTS: readonly DemoProduct[] = [
  tank,
  greenhouse,
  energyMeter,
  truck,
  coldRoom,
  factoryLine,
  // JSON knows no literals: what these say of their link and format is checked by tests, and when it is seeded.
  pumpDrive as DemoProduct,
  flowMeter as DemoProduct,
]

/** Parents before their children. */
export const DEMO_GROUPS: readonly DemoGroup[] = [
  { key: 'hangzhou', kind: 'device', parent: null, name: '杭州', ename: 'Hangzhou' },
  { key: 'waterworks', kind: 'device', parent: 'hangzhou', name: '水务公司', ename: 'Waterworks' },
  { key: 'waterworks-east', kind: 'device', parent: 'waterworks', name: '东区水厂', ename: 'East plant' },
  { key: 'waterworks-west', kind: 'device', parent: 'waterworks', name: '西区水厂', ename: 'West plant' },
  { key: 'science-park', kind: 'device', parent: 'hangzhou', name: '科创园区', ename: 'Science park' },
  { key: 'factory', kind: 'device', parent: 'hangzhou', name: '萧山工厂', ename: 'Xiaoshan factory' },
  { key: 'farm', kind: 'device', parent: 'hangzhou', name: '余杭农业基地', ename: 'Yuhang farm' },
  { key: 'farm-north', kind: 'device', parent: 'farm', name: '北区大棚', ename: 'Northern houses' },
  { key: 'farm-south', kind: 'device', parent: 'farm', name: '南区大棚', ename: 'Southern houses' },
  { key: 'logistics-centre', kind: 'device', parent: 'hangzhou', name: '临平物流中心', ename: 'Linping logistics' },
  { key: 'cold-chain', kind: 'device', parent: 'logistics-centre', name: '冷库区', ename: 'Cold store' },
  { key: 'fleet', kind: 'device', parent: 'logistics-centre', name: '配送车队', ename: 'Truck fleet' },
  { key: 'water', kind: 'product', parent: null, name: '水务', ename: 'Water' },
  { key: 'agriculture', kind: 'product', parent: null, name: '农业', ename: 'Agriculture' },
  { key: 'energy', kind: 'product', parent: null, name: '能源', ename: 'Energy' },
  { key: 'logistics', kind: 'product', parent: null, name: '物流与冷链', ename: 'Logistics' },
  { key: 'manufacturing', kind: 'product', parent: null, name: '制造', ename: 'Manufacturing' },
]

export interface DemoSubscription {
  name: string
  kinds: ('property' | 'event' | 'state' | 'command' | 'lifecycle')[]
  filter: { everySeconds?: number }
  target: { kind: 'pull' } | { kind: 'mqtt' }
  /** Kinds of the products it is about; none: all. */
  products: string[]
}

/** What other systems get of the demo: one that asks, one that is connected now and then. */
export const DEMO_SUBSCRIPTIONS = subscriptions as unknown as readonly DemoSubscription[]

export interface DemoFence {
  name: string
  shape: FenceShape
  colour: string
  remark: string
  /** Kind of the product that it is for. */
  product: string
}

/** Where the trucks of the demo belong. */
export const DEMO_FENCES = geofences as unknown as readonly DemoFence[]

export interface DemoTrigger {
  name: string
  description: string
  /** Kind of the product whose devices it watches; absent: it watches cards, gateways or cameras. */
  product?: string
  /** A geofence in it is named by its name. */
  rule: Omit<TriggerInput, 'name' | 'description' | 'scope'>
}

/** What the platform watches in the demo: doors that people open, tanks that run low, devices that fall silent,
 * cards, a gateway and cameras. */
export const DEMO_TRIGGERS = triggers as unknown as readonly DemoTrigger[]
