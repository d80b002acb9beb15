// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { company } from './testing/company.ts'
import { openConsole } from './testing/open-console.tsx'

describe('the map of devices', () => {
  it('says that nobody may see it who may read no devices', async () => {
    const opened = await openConsole('/stat/DeviceMap', { ...company }, ['product:read'])
    await expect.poll(opened.text).toContain('device:read')
    expect(opened.requests.filter(request => request.includes('/device-map'))).toEqual([])
  })

  it('has its filters in the address', async () => {
    const opened = await openConsole('/stat/DeviceMap?link=online', { ...company })
    await expect.poll(opened.text).toContain('Device map')
    expect(opened.text()).toContain('Online')
  })
})
