// @vitest-environment happy-dom
import { beforeAll, describe, expect, it } from 'vitest'
import { company, device, page } from './testing/company.ts'
import { named, press } from './testing/hands.ts'
import { type Answers, openConsole } from './testing/open-console.tsx'

/** The window that the map draws into: the document of the tests has no layout. */
class Measured {
  constructor(private readonly notice: (entries: object[]) => void) {}
  observe(element: Element): void {
    if (element.getAttribute('role') === 'application')
      this.notice([{ target: element, contentRect: { width: 900, height: 500 } }])
  }
  unobserve(): void {}
  disconnect(): void {}
}
beforeAll(() => {
  globalThis.ResizeObserver = Measured as never
})

const T0 = Date.parse('2026-01-01T00:00:00.000Z')
const at = { lng: 119.3, lat: 26.08 }
const cell = (over: object = {}) => ({
  ...at,
  count: 1,
  online: 1,
  alarms: 0,
  alarmLevel: 0,
  west: at.lng,
  south: at.lat,
  east: at.lng,
  north: at.lat,
  device: { id: 'd1', name: 'Boiler', deviceNo: 'HEAT-1', productName: 'Heating', link: 'online' },
  ...over,
})
const property = (identifier: string, name: string, dataType: object = { type: 'float' }) => ({
  identifier,
  name,
  ename: name,
  access: 'r',
  dataType,
})

/** A company whose boiler is on the map. */
const mapped: Answers = {
  ...company,
  'GET /api/v1/device-map': () => ({ items: [cell()], count: 1, located: 1, unlocated: 0, truncated: false }),
  'GET /api/v1/devices/d1/properties': () => ({
    items: ['a', 'b', 'c', 'd', 'e', 'f'].map((identifier, n) => ({ identifier, value: n, ts: T0, quality: 'good' })),
  }),
  'GET /api/v1/devices/d1/thing-model': () => ({
    own: false,
    model: {
      properties: [
        { ...property('f', 'Flow'), unit: 'm³/h' },
        ...['e', 'd', 'c', 'b', 'a'].map(key => property(key, `Name ${key}`)),
      ],
    },
  }),
}
const opensBoiler = async () => {
  await expect.poll(() => named(/^Boiler, /)).not.toBeNull()
  press(named(/^Boiler, /))
}

describe('the map of devices', () => {
  it('is refused with the name of the right that is missing', async () => {
    const opened = await openConsole('/stat/DeviceMap', { ...company }, ['product:read'])
    await expect.poll(opened.text).toContain('device:read')
    expect(opened.requests.filter(request => request.includes('/device-map'))).toEqual([])
  })

  it('has its filters in the address', async () => {
    const opened = await openConsole('/stat/DeviceMap?link=online', { ...company })
    await expect.poll(opened.text).toContain('Device map')
    expect(opened.text()).toContain('Online')
  })

  it('shows five values of a device in the order of its model, and the live ones as they come', async () => {
    const opened = await openConsole('/stat/DeviceMap', mapped)
    await opensBoiler()
    await expect.poll(opened.text).toContain('Flow')
    expect(opened.text()).toContain('5 m³/h')
    expect(opened.text()).toContain('Name b')
    expect(opened.text()).not.toContain('Name a')
    await expect.poll(() => opened.followed.has('device/d1/properties')).toBe(true)
    opened.patch('device/d1/properties', 'd1', { f: { value: 77, ts: T0 + 1000, quality: 'good' } })
    await expect.poll(opened.text).toContain('77 m³/h')
  })

  it('shows no values to those who may not read them', async () => {
    const opened = await openConsole('/stat/DeviceMap', mapped, ['device:read'])
    await opensBoiler()
    await expect.poll(opened.text).toContain('HEAT-1')
    expect(opened.requests.filter(request => request.includes('/properties'))).toEqual([])
  })
})
