// @vitest-environment happy-dom
import { LORA_PROFILE_DEFAULTS } from '@thingwright/contracts/lora.words'
import { describe, expect, it } from 'vitest'
import { company, page } from './testing/company.ts'
import { openConsole } from './testing/open-console.tsx'

const AT = '2026-01-01T00:00:00.000Z'
const CONNECTION = {
  id: 'c1',
  name: 'North',
  url: 'https://lora.example:8080',
  remoteTenantId: '52f14cd4-c6f1-4fbd-8f87-4025e1d49242',
  remoteTenantName: 'Tenant',
  email: '',
  regions: [],
  simulated: true,
  state: 'failed',
  fault: { kind: 'credentials', code: 'UNAUTHENTICATED', text: 'invalid token' },
  testedAt: AT,
  syncedAt: AT,
  profiles: 1,
  gateways: 1,
  version: 1,
  createdAt: AT,
}
const OWN = {
  connectionId: 'c1',
  connectionName: 'North',
  simulated: true,
  version: 1,
  createdAt: AT,
  updatedAt: AT,
  syncedAt: AT,
}
const PROFILE = {
  ...LORA_PROFILE_DEFAULTS,
  ...OWN,
  id: 'p1',
  remoteId: 'r1',
  name: 'Water meter',
  region: 'CN470',
  shared: false,
  stale: null,
}
const GATEWAY = {
  ...OWN,
  id: 'g1',
  gatewayId: '0016c001f1500812',
  name: 'Roof',
  description: '',
  location: null,
  locationSource: 'unknown',
  statsInterval: 30,
  downlinkPriority: 10,
  tags: {},
  metadata: {},
  regionConfigId: 'cn470_10',
  state: 'never_seen',
  lastSeenAt: null,
  stateSince: null,
  stale: null,
}
const REGION = {
  id: 'cn470_10',
  description: 'CN470 (channels 80-87)',
  region: 'CN470',
  source: 'shipped',
  channels: [{ frequency: 486_300_000, dataRates: [0, 5] }],
  dataRates: [
    {
      dr: 0,
      uplink: true,
      downlink: true,
      modulation: 'LORA',
      spreadingFactor: 12,
      bandwidth: 125_000,
      bitrate: null,
      codingRate: null,
    },
  ],
  maxEirp: 19.15,
  rx1Delay: 1,
  rx1DrOffset: 0,
  rx2Dr: 0,
  rx2Frequency: 505_300_000,
  pingSlotDr: 2,
  pingSlotFrequency: 0,
  userInfo: '',
}
const routes = {
  ...company,
  'GET /api/v1/lora/connections': () => ({ items: [CONNECTION] }),
  'GET /api/v1/lora/regions': () => ({ items: [REGION], source: 'shipped', reason: null }),
  'GET /api/v1/lora/regions/cn470_10': () => REGION,
  'GET /api/v1/lora/profiles': () => page([PROFILE]),
  'GET /api/v1/lora/profiles/p1': () => PROFILE,
  'GET /api/v1/lora/gateways': () => page([GATEWAY]),
  'GET /api/v1/lora/gateways/counts': () => ({ total: 1, neverSeen: 1, online: 0, offline: 0 }),
  'GET /api/v1/lora/gateways/g1': () => GATEWAY,
  'GET /api/v1/lora/gateways/g1/metrics': () => ({ metrics: [] }),
}

describe('the pages of LoRa', () => {
  it('list device profiles, and say what to do where nothing is connected', async () => {
    const opened = await openConsole('/ChirpStack/DeviceProfiles', routes)
    await expect.poll(opened.text).toContain('Water meter')
    expect(opened.text()).toContain('OTAA')
    const empty = await openConsole('/ChirpStack/DeviceProfiles', {
      ...routes,
      'GET /api/v1/lora/connections': () => ({ items: [] }),
      'GET /api/v1/lora/profiles': () => page([]),
    })
    await expect.poll(empty.text).toContain('ChirpStack is not connected yet')
  })

  it('show a device profile in its tabs', async () => {
    const opened = await openConsole('/ChirpStack/DeviceProfiles/edit?id=p1', routes)
    await expect.poll(opened.text).toContain('Regional parameters')
    for (const tab of ['Join (OTAA / ABP)', 'Class B', 'Class C', 'Codec', 'Tags', 'Measurements'])
      expect(opened.text()).toContain(tab)
  })

  it('show what ChirpStack kept to itself: a profile that was read last', async () => {
    const opened = await openConsole('/ChirpStack/DeviceProfiles/edit?id=p1', {
      ...routes,
      'GET /api/v1/lora/profiles/p1': () => ({ ...PROFILE, stale: 'UNAVAILABLE no connection' }),
    })
    await expect.poll(opened.text).toContain('UNAVAILABLE no connection')
  })

  it('list gateways with their states, and help with one that never came', async () => {
    const opened = await openConsole('/ChirpStack/Gateways', routes)
    await expect.poll(opened.text).toContain('0016c001f1500812')
    expect(opened.text()).toContain('Never seen')
    const one = await openConsole('/ChirpStack/Gateways/edit?id=g1', routes)
    await expect.poll(one.text).toContain('Waiting for the gateway')
    await expect.poll(one.text).toContain('No packets in this time')
  })

  it('show the channels, data rates and power of a region', async () => {
    const opened = await openConsole('/ChirpStack/Gateways/regionInfo', routes)
    await expect.poll(opened.text).toContain('486.3 MHz')
    for (const text of ['19.15 dBm', 'SF12 / 125 kHz', 'hopping', '505.3 MHz']) expect(opened.text()).toContain(text)
  })
})
