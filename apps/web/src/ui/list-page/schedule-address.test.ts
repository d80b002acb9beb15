import { describe, expect, it } from 'vitest'
import { scheduleAddress } from './schedule-address.ts'

const asked = (address: string | null) =>
  address === null ? null : JSON.parse(new URL(address, 'http://x').searchParams.get('new')!)

describe('a list that becomes a report', () => {
  it('takes its search, order, filters and what is fixed along', () => {
    const input = { q: 'pump', sort: '-name', filters: { link: 'online', tag: '' } }
    expect(asked(scheduleAddress('/api/v1/devices/export?lifecycle=recycled', input as never, 'Devices'))).toEqual({
      list: 'devices.export',
      query: { q: 'pump', sort: '-name', link: 'online', lifecycle: 'recycled' },
      name: 'Devices',
    })
  })

  it('names the thing whose list it is', () => {
    const path = '/api/v1/wechat-accounts/a-1/followers/export'
    expect(asked(scheduleAddress(path, { filters: {} } as never, 'F'))).toMatchObject({
      list: 'wechatFollowers.export',
      params: { id: 'a-1' },
    })
  })

  it('is none of the lists that can be reported', () => {
    expect(scheduleAddress('/api/v1/operator/companies/export', { filters: {} } as never, 'C')).toBeNull()
  })
})
