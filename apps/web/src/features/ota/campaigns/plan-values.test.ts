import type { OtaCampaignView } from '@thingwright/contracts/ota.contract'
import { describe, expect, it } from 'vitest'
import { campaignOf, FRESH, rateOf, scopeIsWhole, scopeOf, valuesOf, windowOf } from './plan-values.ts'

const filled = { ...FRESH, name: ' Pump 1.1 ', packageId: 'p1' }

describe('a campaign from its form', () => {
  it('begins careful: five in a hundred, and it stops itself', () => {
    expect(campaignOf(filled)).toEqual({
      name: 'Pump 1.1',
      packageId: 'p1',
      scope: { kind: 'gray', percent: 5 },
      method: 'static',
      delivery: 'push',
      confirm: false,
      rate: { kind: 'constant', perMinute: 600 },
      timeouts: { respondSeconds: 120, downloadSeconds: 600, installSeconds: 900 },
      retries: { max: 2, backoffSeconds: 60 },
      autoStop: { failurePercent: 10, afterDevices: 10 },
      supersede: true,
      allowDowngrade: false,
    })
  })

  it('names only what its kind of scope knows', () => {
    const all = {
      deviceIds: ['d'],
      percent: 7,
      groupIds: ['g'],
      region: ' 江苏 ',
      tag: ' cold ',
      fromVersions: ['1.0'],
    }
    expect(scopeOf({ ...all, scopeKind: 'all' })).toEqual({ kind: 'all', tag: 'cold', fromVersions: ['1.0'] })
    expect(scopeOf({ ...all, scopeKind: 'chosen' })).toEqual({
      kind: 'chosen',
      deviceIds: ['d'],
      fromVersions: ['1.0'],
    })
    expect(scopeOf({ ...all, scopeKind: 'gray' })).toMatchObject({ percent: 7, groupIds: ['g'] })
    expect(scopeOf({ ...all, scopeKind: 'region' })).toMatchObject({ region: '江苏' })
    expect(['chosen', 'group', 'region'].map(scopeKind => scopeIsWhole({ scopeKind }))).toEqual([false, false, false])
    expect(scopeIsWhole({ scopeKind: 'gray', percent: 0 })).toBe(false)
    expect(scopeIsWhole({ scopeKind: 'all' })).toBe(true)
  })

  it('takes conditions as what they say, and times as ISO', () => {
    const made = campaignOf({
      ...filled,
      startMode: 'at',
      startAt: Date.UTC(2026, 10, 22, 1),
      preconditions: [
        { identifier: 'battery', operator: 'gt', value: '50', maxAgeSeconds: 3600 },
        { identifier: 'state', operator: 'eq', value: 'idle' },
        { identifier: 'docked', operator: 'eq', value: 'true' },
      ],
    })
    expect(made.startAt).toBe('2026-11-22T01:00:00.000Z')
    expect(made.preconditions).toEqual([
      { identifier: 'battery', operator: 'gt', value: 50, maxAgeSeconds: 3600 },
      { identifier: 'state', operator: 'eq', value: 'idle' },
      { identifier: 'docked', operator: 'eq', value: true },
    ])
    expect(campaignOf({ ...filled, startMode: 'now', startAt: 1 })).not.toHaveProperty('startAt')
  })

  it('has a window on chosen days in one zone, or in each device’s own', () => {
    const night = { windowOn: true, windowFrom: '22:00', windowUntil: '05:00' }
    expect(windowOf({ ...night, zone: 'fixed', timeZone: 'Asia/Tokyo', days: [7, 6] })).toEqual({
      from: '22:00',
      until: '05:00',
      days: [6, 7],
      timeZone: 'Asia/Tokyo',
    })
    expect(windowOf({ ...night, zone: 'device', timeZone: 'Asia/Tokyo', timeZoneProperty: 'tz', days: [] })).toEqual({
      from: '22:00',
      until: '05:00',
      timeZoneProperty: 'tz',
    })
    expect(windowOf({ ...night, windowOn: false })).toBeNull()
  })

  it('comes back from a stored campaign as it was', () => {
    const stored = {
      name: 'A',
      rate: { kind: 'exponential', perMinute: 5, factor: 3, everySucceeded: 20, maxPerMinute: 900, maxActive: 50 },
      window: { from: '01:00', until: '02:00', days: [1], timeZone: 'UTC' },
      timeouts: { respondSeconds: 1, downloadSeconds: 2, installSeconds: 3 },
      retries: { max: 4, backoffSeconds: 5 },
      autoStop: null,
      startAt: null,
      endAt: '2026-11-22T01:00:00.000Z',
    } as unknown as OtaCampaignView
    const values = valuesOf(stored)
    expect(rateOf(values)).toEqual(stored.rate)
    expect(windowOf(values)).toEqual(stored.window)
    expect(values).toMatchObject({ autoStopOn: false, retries: 4, endAt: Date.UTC(2026, 10, 22, 1) })
  })
})
