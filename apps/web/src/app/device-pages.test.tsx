// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { company, device, page } from './testing/company.ts'
import { openConsole } from './testing/open-console.tsx'

describe('the device list', () => {
  it('asks for what lies in the recycle bin there, and for nothing of it elsewhere', async () => {
    const bin = await openConsole('/manage/device?tab=recycled', company)
    await expect.poll(bin.text).toContain('Old pump')
    expect(bin.text()).not.toContain('Boiler')
    const asked = bin.requests.filter(request => request.startsWith('GET /api/v1/devices?'))
    expect(asked.map(request => new URL(request.slice(4), 'http://x').searchParams.get('lifecycle'))).toEqual(
      asked.map(() => 'recycled'),
    )
  })

  it('is narrowed by what a device runs and what its product is, and shows both', async () => {
    const list = await openConsole('/manage/device?firmware=2.1.0&linkType=mqtt&nodeType=device&category=water', {
      ...company,
      'GET /api/v1/devices': () => page([device({ firmware: '2.1.0' })]),
    })
    await expect.poll(list.text).toContain('Boiler')
    const asked = new URL(
      list.requests.find(request => request.startsWith('GET /api/v1/devices?'))!.slice(4),
      'http://x',
    )
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      firmware: '2.1.0',
      linkType: 'mqtt',
      nodeType: 'device',
      category: 'water',
    })
    expect(document.querySelector('[data-testid="list"]')?.textContent).toContain('2.1.0')
  })

  it('shows devices at work, and their states as they change', async () => {
    const list = await openConsole('/manage/device', company)
    await expect.poll(list.text).toContain('Boiler')
    expect(list.text()).not.toContain('Old pump')
    expect(list.requests.filter(request => request.includes('lifecycle=recycled'))).toEqual([])
    await expect.poll(() => list.followed.has('devices/state')).toBe(true)
    const row = () => document.querySelector('[data-testid="list"]')?.textContent
    expect(row()).not.toContain('Online')
    list.patch('devices/state', 'd1', { link: 'online' })
    await expect.poll(row).toContain('Online')
  })
})

describe('the page of a device', () => {
  it('shows its states as they change, of this device and no other', async () => {
    const detail = await openConsole('/manage/device/DeviceSet/DeviceSetLink?id=d1', company)
    await expect.poll(detail.text).toContain('HEAT-1')
    await expect.poll(() => detail.followed.has('device/d1/state')).toBe(true)
    expect(detail.text()).not.toContain('Online')
    detail.patch('device/d1/state', 'd1', { link: 'online' })
    await expect.poll(detail.text).toContain('Online')
    detail.patch('device/d1/state', 'd1', { link: 'offline', lifecycle: 'disabled' })
    await expect.poll(detail.text).toContain('Offline')
    expect(detail.text()).toContain('Disabled')
    expect(detail.text()).not.toContain('Online')
  })
})
