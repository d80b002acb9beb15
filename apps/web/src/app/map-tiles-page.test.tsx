// @vitest-environment happy-dom
import { beforeAll, describe, expect, it } from 'vitest'
import { loadGcj02 } from '../ui/map/datum.ts'
import { OUTLINES_ADDRESS } from '../ui/map/outlines.ts'
import { pixelOf } from '../ui/map/projection.ts'
import { company } from './testing/company.ts'
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

/** From the public vectors of eviltransform: Shanghai. */
const WGS = { lng: 121.5272106, lat: 31.1774276 }
const GCJ = { lng: 121.531541859215, lat: 31.17530398364597 }
const boiler = {
  ...WGS,
  count: 1,
  online: 1,
  alarms: 0,
  alarmLevel: 0,
  west: WGS.lng,
  south: WGS.lat,
  east: WGS.lng,
  north: WGS.lat,
  device: { id: 'd1', name: 'Boiler', deviceNo: 'HEAT-1', productName: 'Heating', link: 'online' },
}
const tiled = (tiles: object | null): Answers => ({
  ...company,
  'GET /api/v1/device-map': () => ({ items: [boiler], count: 1, located: 1, unlocated: 0, truncated: false }),
  'GET /api/v1/device-map/tiles': () => ({ tiles }),
  [`GET ${OUTLINES_ADDRESS}`]: () => ({ parts: 100, land: [], provinces: [] }),
})
const service = {
  source: 'amap',
  datum: 'gcj02',
  layers: ['https://tiles.test/{z}/{x}/{y}.png'],
  servers: [''],
  levels: 18,
  note: 'GS 42',
}
const images = () => [...document.querySelectorAll<HTMLImageElement>('img')].filter(i => i.src.includes('tiles.test'))
const mark = () => named(/^Boiler, /)!.parentElement!.style.transform
const at = (transform: string) => transform.match(/-?[\d.]+/g)!.map(Number)

describe('maps with tiles', () => {
  it('are outlines where none are named', async () => {
    const opened = await openConsole('/stat/DeviceMap', tiled(null))
    await expect.poll(() => named(/^Boiler, /)).not.toBeNull()
    await expect.poll(opened.text).toContain('Outlines for orientation only')
    expect(images()).toEqual([])
  })

  it('draw the land below the marks and name the service', async () => {
    const opened = await openConsole('/stat/DeviceMap', tiled({ ...service, source: 'tianditu', datum: 'wgs84' }))
    await expect.poll(() => images().length).toBeGreaterThan(8)
    await expect.poll(opened.text).toContain('Tianditu · GS 42')
    expect(images()[0]!.referrerPolicy).toBe('origin')
    await expect.poll(() => named(/^Boiler, /)).not.toBeNull()
    expect(images()[0]!.compareDocumentPosition(named(/^Boiler, /)!) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy()
  })

  it('of GCJ-02 put a mark where the service has its place, and bring back what is drawn', async () => {
    const asked: URL[] = []
    await openConsole('/stat/DeviceMap', {
      ...tiled(service),
      'GET /api/v1/devices': url => {
        asked.push(url)
        return { items: [], nextCursor: null, total: 0 }
      },
    })
    await expect.poll(() => images().length).toBeGreaterThan(8)
    await expect.poll(() => named(/^Boiler, /)).not.toBeNull()
    const gcj02 = await loadGcj02()
    const view = { lng: 104, lat: 36, span: 70 }
    const seen = { ...gcj02.toMap(view), span: 70 }
    const [x, y] = pixelOf(GCJ, seen, 900, shownHeight())
    const shown = at(mark())
    expect(shown[0]).toBeCloseTo(x, 3)
    expect(shown[1]).toBeCloseTo(y, 3)
    // A box whose corner is drawn where the service has Shanghai begins at the place in WGS 84.
    const window = named(/^Map of devices/, '[role=application]')!
    window.setPointerCapture = () => undefined
    for (const [type, dx, dy] of [
      ['pointerdown', 0, 0],
      ['pointermove', 100, -100],
      ['pointerup', 100, -100],
    ] as const)
      window.dispatchEvent(
        new PointerEvent(type, {
          bubbles: true,
          button: 0,
          pointerId: 1,
          clientX: shown[0]! + dx,
          clientY: shown[1]! + dy,
          shiftKey: true,
        }),
      )
    await expect.poll(() => asked.length).toBeGreaterThan(0)
    const [west, south] = asked[0]!.searchParams.get('within')!.split(',').map(Number) as [number, number]
    expect(Math.abs(west - WGS.lng)).toBeLessThan(0.000_01)
    expect(Math.abs(south - WGS.lat)).toBeLessThan(0.000_01)
  })

  it('go back to outlines when tiles do not load, say so, and try again on request', async () => {
    const opened = await openConsole('/stat/DeviceMap', tiled(service))
    await expect.poll(() => images().length).toBeGreaterThan(8)
    const fail = (count: number) => {
      for (const image of images().slice(0, count)) image.dispatchEvent(new Event('error'))
    }
    // One that is missing at the edge of the service is no failure of all.
    fail(5)
    images()[7]!.dispatchEvent(new Event('load'))
    fail(5)
    expect(images().length).toBeGreaterThan(8)
    fail(1)
    await expect.poll(images).toEqual([])
    expect(opened.text()).toContain('AMap did not load, so the map shows outlines.')
    expect(opened.text()).toContain('Outlines for orientation only')
    expect(named(/^Boiler, /)).not.toBeNull()
    press(named('Try again', 'button'))
    await expect.poll(() => images().length).toBeGreaterThan(8)
    expect(opened.text()).not.toContain('did not load')
  })
})

/** The page gives the map what the window leaves. */
const shownHeight = () => Number.parseFloat(named(/^Map of devices/, '[role=application]')!.style.height)
