// @vitest-environment happy-dom
import { beforeAll, describe, expect, it } from 'vitest'
import { OUTLINES_ADDRESS } from '../ui/map/outlines.ts'
import { company, device, page } from './testing/company.ts'
import { fill, named, press } from './testing/hands.ts'
import { type Answers, openConsole, refusal } from './testing/open-console.tsx'

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

  it('moves what is drawn while it is dragged, and asks when that ends', async () => {
    const opened = await openConsole('/stat/DeviceMap', mapped)
    await expect.poll(() => named(/^Boiler, /)).not.toBeNull()
    const asked = () => new Set(opened.requests.filter(request => request.includes('/device-map?'))).size
    const before = asked()
    const window = map()!
    window.setPointerCapture = () => undefined
    const picture = named(/^Boiler, /)!.parentElement!.parentElement!
    const go = (type: string, x: number) =>
      window.dispatchEvent(new PointerEvent(type, { bubbles: true, button: 0, pointerId: 1, clientX: x, clientY: 100 }))
    const place = () => named(/^Boiler, /)!.parentElement!.style.transform
    const stood = place()
    go('pointerdown', 300)
    go('pointermove', 320)
    go('pointermove', 350)
    expect(picture.style.transform).toBe('translate(50px, 0px)')
    expect([place(), asked()]).toEqual([stood, before])
    go('pointerup', 350)
    await expect.poll(place).not.toBe(stood)
    expect(picture.style.transform).toBe('')
    await expect.poll(asked).toBe(before + 1)
    // Further than what was drawn beside the window: it is drawn again on the way.
    const then = place()
    go('pointerdown', 800)
    go('pointermove', 200)
    await expect.poll(place).not.toBe(then)
    expect([picture.style.transform, asked()]).toEqual(['', before + 1])
    go('pointerup', 200)
    await expect.poll(asked).toBe(before + 2)
  })

  it('goes to a province by its name in either language', async () => {
    const square = [11000, 2500, 200, 0, 0, 200, -200, 0]
    const opened = await openConsole('/stat/DeviceMap', {
      ...mapped,
      [`GET ${OUTLINES_ADDRESS}`]: () => ({
        parts: 100,
        land: [],
        provinces: [{ name: ['福建', 'Fujian'], at: [11100, 2600], rings: [square] }],
      }),
    })
    const field = () => named('Province or coordinates', 'input')
    await expect.poll(() => field() !== null && !(field() as HTMLInputElement).disabled).toBe(true)
    field()!.dispatchEvent(new MouseEvent('mousedown', { bubbles: true }))
    fill(field(), '福建')
    const option = () =>
      [...document.querySelectorAll<HTMLElement>('.ant-select-item-option')].find(item => item.textContent === 'Fujian')
    await expect.poll(option).toBeTruthy()
    option()!.click()
    const asked = () => opened.requests.filter(request => request.includes('/device-map?')).at(-1) ?? ''
    // 110 to 112 degrees with room around them.
    await expect
      .poll(() => Number(new URL(asked().slice(4), 'http://x').searchParams.get('west')))
      .toBeCloseTo(108.2, 1)
  })

  it('goes to coordinates that are typed, and to none that are no place', async () => {
    const opened = await openConsole('/stat/DeviceMap', {
      ...mapped,
      [`GET ${OUTLINES_ADDRESS}`]: () => ({ parts: 100, land: [], provinces: [] }),
    })
    const field = () => named('Province or coordinates', 'input')
    await expect.poll(field).not.toBeNull()
    field()!.dispatchEvent(new MouseEvent('mousedown', { bubbles: true }))
    const options = () =>
      [...document.querySelectorAll<HTMLElement>('.ant-select-item-option')].map(item => item.textContent)
    fill(field(), '218.1, 24.5')
    await expect.poll(() => document.querySelector('.ant-select-item-empty')).not.toBeNull()
    fill(field(), '118.1，24.5')
    await expect.poll(options).toEqual(['118.1, 24.5'])
    document.querySelector<HTMLElement>('.ant-select-item-option')!.click()
    const asked = () => opened.requests.filter(request => request.includes('/device-map?')).at(-1) ?? ''
    await expect
      .poll(() => Number(new URL(asked().slice(4), 'http://x').searchParams.get('west')))
      .toBeCloseTo(117.1, 1)
  })

  it('names the devices that stand at one place', async () => {
    const asked: string[] = []
    const opened = await openConsole('/stat/DeviceMap?link=online', {
      ...mapped,
      'GET /api/v1/device-map': () => ({
        items: [cell({ count: 150, online: 150, device: null })],
        count: 150,
        located: 150,
        unlocated: 0,
        truncated: false,
      }),
      'GET /api/v1/devices': url => {
        asked.push(url.search)
        return page([device(), device({ id: 'd2', name: 'Burner', link: 'online' })])
      },
    })
    await expect.poll(() => named('150 devices, 150 online')).not.toBeNull()
    press(named('150 devices, 150 online'))
    await expect.poll(opened.text).toContain('Burner')
    expect(opened.text()).toContain('The first 2 of 150 are listed.')
    const query = new URLSearchParams(asked.at(-1))
    expect([query.get('link'), query.get('within')]).toEqual(['online', '119.29999,26.07999,119.30001,26.08001'])
  })

  const draw = (map: HTMLElement, shiftKey: boolean) => {
    map.setPointerCapture = () => undefined
    for (const [type, x, y] of [
      ['pointerdown', 300, 100],
      ['pointermove', 700, 400],
      ['pointerup', 700, 400],
    ] as const)
      map.dispatchEvent(
        new PointerEvent(type, { bubbles: true, button: 0, pointerId: 1, clientX: x, clientY: y, shiftKey }),
      )
  }
  const map = () => named(/^Map of devices/, '[role=application]')
  const listing = (opened: { requests: string[] }) =>
    opened.requests.filter(request => request.startsWith('GET /api/v1/devices?'))

  it('selects devices with a box and offers what the list of devices does', async () => {
    const asked: unknown[] = []
    const many: Answers = {
      ...mapped,
      'GET /api/v1/devices': () => ({ ...page([device(), device({ id: 'd2', name: 'Pump' })]), total: 250 }),
      'POST /api/v1/device-batches': (_, body) => {
        asked.push(body)
        return { id: 'b1', taskId: 't1' }
      },
    }
    const opened = await openConsole('/stat/DeviceMap?link=never', many)
    await expect.poll(() => named(/^Boiler, /)).not.toBeNull()
    draw(map()!, true)
    await expect.poll(opened.text).toContain('Actions apply to all 250')
    expect(listing(opened)[0]).toMatch(/link=never/)
    const [west, south, east, north] = new URL(listing(opened)[0]!.slice(4), 'http://c').searchParams
      .get('within')!
      .split(',')
      .map(Number) as [number, number, number, number]
    expect(west).toBeLessThan(east)
    expect(south).toBeLessThan(north)
    press(named('More', 'button'))
    await expect.poll(() => named('Disable', '[role=menuitem]')).not.toBeNull()
    press(named('Disable', '[role=menuitem]'))
    await expect.poll(() => document.querySelector('.ant-modal')).not.toBeNull()
    await expect.poll(() => named('Disable', '.ant-modal button')).not.toBeNull()
    press(named('Disable', '.ant-modal button'))
    await expect.poll(() => asked.length).toBe(1)
    expect(asked[0]).toMatchObject({
      target: { filter: { link: 'never', within: `${west},${south},${east},${north}` } },
      change: { action: 'disable' },
      expected: 250,
    })
  })

  it('selects all in view with the keyboard, and says when nothing is there', async () => {
    const opened = await openConsole('/stat/DeviceMap', { ...mapped, 'GET /api/v1/devices': () => page([]) }, [
      'device:read',
    ])
    await expect.poll(() => named('Box select')).not.toBeNull()
    press(named('Box select'))
    await expect.poll(opened.text).toContain('Escape ends')
    map()!.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
    await expect.poll(opened.text).not.toContain('Escape ends')
    press(named('Box select'))
    await expect.poll(opened.text).toContain('Escape ends')
    map()!.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
    await expect.poll(opened.text).toContain('No devices in the box')
    expect(named('Disable')).toBeNull()
  })

  /** The boiler drives: its model has a position. */
  const drives = (rows: unknown[]): Answers => ({
    ...mapped,
    'GET /api/v1/devices/d1/thing-model': () => ({
      own: false,
      model: { properties: [property('spot', 'Spot', { type: 'geo' })] },
    }),
    'GET /api/v1/devices/d1/telemetry/raw': () => ({ items: rows, nextCursor: null }),
  })
  const opensTrack = async () => {
    await opensBoiler()
    await expect.poll(() => named('Replay track')).not.toBeNull()
    press(named('Replay track'))
  }

  it('replays the track of a device on the map, from history', async () => {
    const rows = [0, 1, 2].map(n => [T0 + n * 60_000, { lng: 119 + n / 10, lat: 26 }])
    const opened = await openConsole('/stat/DeviceMap', drives(rows))
    await opensTrack()
    await expect.poll(opened.text).toContain('3 positions')
    expect(opened.requests.find(request => request.includes('/telemetry/raw'))).toContain('identifier=spot')
    const lines = () => [...document.querySelectorAll('[role=application] path')].map(path => path.getAttribute('d'))
    await expect.poll(() => lines().some(d => d?.split('L').length === 3)).toBe(true)
    const slider = () => document.querySelector('[role=slider]')
    expect(slider()?.getAttribute('aria-valuenow')).toBe(String(T0))
    press(named('Play'))
    // At 60 times the speed two minutes pass in two seconds, and it stops at the end.
    await expect.poll(() => slider()?.getAttribute('aria-valuenow')).toBe(String(T0 + 120_000))
    await expect.poll(() => named('Play')).not.toBeNull()
    press(named('Close track'))
    await expect.poll(() => named(/^Boiler, /)).not.toBeNull()
  })

  it('says when a device has no track', async () => {
    const opened = await openConsole('/stat/DeviceMap', drives([]))
    await opensTrack()
    await expect.poll(opened.text).toContain('reported no position in this time')
    const still = await openConsole('/stat/DeviceMap', mapped)
    await opensTrack()
    await expect.poll(still.text).toContain('has no property of the type position')
  })

  const fence = (over: object = {}) => ({
    id: 'f1',
    name: 'Depot',
    shape: { kind: 'circle', centre: { lng: 119.3, lat: 26 }, radius: 5_000 },
    colour: '#1677ff',
    enabled: true,
    remark: 'where trucks sleep',
    scope: null,
    scopeNames: [],
    inside: 3,
    triggers: 2,
    ownerName: 'Ann',
    version: 4,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    ...over,
  })

  it('draws a geofence with the pointer, and says which field the server refuses', async () => {
    const sent: { shape: { points: object[] } }[] = []
    const opened = await openConsole('/stat/DeviceMap', {
      ...mapped,
      'GET /api/v1/geofences': () => ({ items: [], nextCursor: null, total: 0 }),
      'POST /api/v1/geofences': (_, body) => {
        sent.push(body as (typeof sent)[number])
        if (sent.length === 1)
          return refusal(422, 'geofence.invalid', {
            fields: { 'shape.points': { code: 'geofence.crosses', message: 'Sides 1 and 3 cross' } },
          })
        return fence()
      },
    })
    await expect.poll(() => named('Geofences')).not.toBeNull()
    press(named('Geofences'))
    await expect.poll(opened.text).toContain('No geofences yet')
    press(named('Draw polygon'))
    await expect.poll(() => named('Save', '.ant-drawer button')).not.toBeNull()
    const click = (x: number, y: number) => {
      map()!.setPointerCapture = () => undefined
      for (const type of ['pointerdown', 'pointerup'])
        map()!.dispatchEvent(new PointerEvent(type, { bubbles: true, button: 0, pointerId: 1, clientX: x, clientY: y }))
    }
    for (const [x, y] of [
      [300, 100],
      [600, 100],
      [600, 400],
      [10, 10],
    ] as const)
      click(x, y)
    await expect.poll(opened.text).toContain('Corners (4)')
    map()!.dispatchEvent(new KeyboardEvent('keydown', { key: 'Backspace', bubbles: true }))
    await expect.poll(opened.text).toContain('Corners (3)')
    fill(document.querySelector('.ant-drawer form input'), 'Yard')
    press(named('Save', '.ant-drawer button'))
    await expect.poll(opened.text).toContain('Sides 1 and 3 cross')
    expect(sent[0]).toMatchObject({ name: 'Yard', scope: null, enabled: true, shape: { kind: 'polygon' } })
    expect(sent[0]!.shape.points).toHaveLength(3)
    press(named('Save', '.ant-drawer button'))
    await expect.poll(opened.text).toContain('No geofences yet')
    expect(sent).toHaveLength(2)
  })

  it('lists fences with the devices inside, switches one off and asks before it removes one', async () => {
    const done: unknown[] = []
    const opened = await openConsole('/stat/DeviceMap?fence=f1', {
      ...mapped,
      'GET /api/v1/geofences': () => ({ items: [fence()], nextCursor: null, total: 1 }),
      'PATCH /api/v1/geofences/f1': (_, body) => {
        done.push(body)
        return fence({ enabled: false, version: 5 })
      },
      'DELETE /api/v1/geofences/f1': () => {
        done.push('removed')
        return { ok: true }
      },
    })
    await expect.poll(opened.text).toContain('3 devices inside')
    expect(opened.text()).toMatch(/radius 5\D?000 m/)
    press(named('Enable Depot'))
    await expect.poll(() => done).toEqual([{ version: 4, enabled: false }])
    press(named('Remove Depot'))
    await expect.poll(opened.text).toContain('2 triggers ask for it')
    press(named('Remove', '.ant-modal button'))
    await expect.poll(() => done.at(-1)).toBe('removed')
    const reader = await openConsole(
      '/stat/DeviceMap?fences=1',
      {
        ...mapped,
        'GET /api/v1/geofences': () => ({ items: [fence()], nextCursor: null, total: 1 }),
      },
      ['device:read'],
    )
    await expect.poll(reader.text).toContain('3 devices inside')
    expect(named('Draw circle')).toBeNull()
    expect(named('Remove Depot')).toBeNull()
  })

  const spots = () => document.querySelector('[data-heat]')?.getAttribute('data-heat')
  const three: Answers = {
    ...mapped,
    'GET /api/v1/device-map': () => ({
      items: [1, 2, 3].map(n =>
        cell({
          lng: at.lng + n,
          alarms: n === 1 ? 1 : 0,
          device: { id: `d${n}`, name: `Boiler ${n}`, deviceNo: `${n}`, productName: 'Heating', link: 'online' },
        }),
      ),
      count: 3,
      located: 3,
      unlocated: 0,
      truncated: false,
    }),
    'GET /api/v1/device-values': () => ({
      items: [20, 80].map((value, n) => ({ id: `d${n + 1}`, values: { t: { value, ts: T0, quality: 'good' } } })),
    }),
  }

  it('colours places by devices, by devices in alarm and by a value of the chosen product', async () => {
    await openConsole('/stat/DeviceMap?heat=count', three)
    await expect.poll(spots).toBe('3')
    await openConsole('/stat/DeviceMap?heat=alarms', three)
    await expect.poll(spots).toBe('1')
    const opened = await openConsole('/stat/DeviceMap?heat=p:t&productId=p1', three)
    await expect.poll(spots).toBe('2')
    expect(opened.text()).toMatch(/20.*80/)
    expect(opened.requests.find(request => request.includes('/device-values'))).toContain('identifiers=t')
  })

  it('says what to do where the heat of values is not known', async () => {
    const clusters: Answers = {
      ...three,
      'GET /api/v1/device-map': () => ({
        items: [cell({ count: 500, device: null })],
        count: 500,
        located: 500,
        unlocated: 0,
        truncated: false,
      }),
    }
    const opened = await openConsole('/stat/DeviceMap?heat=p:t&productId=p1', clusters)
    await expect.poll(opened.text).toContain('Zoom in until each device')
    expect(spots()).toBeUndefined()
  })

  it('shows no values to those who may not read them', async () => {
    const opened = await openConsole('/stat/DeviceMap', mapped, ['device:read'])
    await opensBoiler()
    await expect.poll(opened.text).toContain('HEAT-1')
    expect(opened.requests.filter(request => request.includes('/properties'))).toEqual([])
    expect(named('Replay track')).toBeNull()
  })
})
