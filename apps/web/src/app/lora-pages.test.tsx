// @vitest-environment happy-dom
import { LORA_PROFILE_DEFAULTS } from '@thingwright/contracts/lora.words'
import { describe, expect, it } from 'vitest'
import { company, device, page } from './testing/company.ts'
import { openConsole } from './testing/open-console.tsx'

/** Types into a field as a person does: React hears of it. */
function type(field: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')!
  set!.call(field, text)
  field.dispatchEvent(new Event('input', { bubbles: true }))
  field.dispatchEvent(new FocusEvent('focusout', { bubbles: true }))
}

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
  mqtt: null,
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

  it('begin a device profile with a device of the library', async () => {
    const entry = {
      key: 'dragino-lht65',
      name: { zh: '温湿度', en: 'Temperature and humidity' },
      description: { zh: '', en: '' },
      category: { zh: '', en: '' },
      vendor: 'Dragino',
      model: 'LHT65',
      keywords: [],
      linkType: 'lorawan',
      nodeType: 'device',
      format: 'script',
      properties: 1,
      samples: 1,
    }
    const opened = await openConsole('/ChirpStack/DeviceProfiles/add', {
      ...routes,
      'GET /api/v1/product-library': () => ({ items: [entry] }),
      'GET /api/v1/product-library/dragino-lht65': () => ({
        ...entry,
        format: { kind: 'script', source: 'function decodeUplink() {}' },
        samples: [],
        thingModel: {},
        offlineDelaySeconds: 60,
      }),
    })
    await expect.poll(opened.text).toContain('Begin with a device')
    const box = document.querySelector<HTMLElement>('[aria-label="Begin with a device"]')!
    box.dispatchEvent(new MouseEvent('mousedown', { bubbles: true }))
    const option = () =>
      [...document.querySelectorAll<HTMLElement>('.ant-select-item-option')].find(item =>
        item.textContent?.includes('LHT65'),
      )
    await expect.poll(option).toBeTruthy()
    option()!.click()
    const names = () => [...document.querySelectorAll('input')].map(({ value }) => value)
    await expect.poll(names).toContain('Dragino LHT65')
  })
})

describe('the codec tester', () => {
  it('leads from a decoded field into the thing model of a product', async () => {
    const known = { identifier: 'level', name: 'Level', dataType: { type: 'double' }, access: 'r' }
    let product = { id: 'prod', name: 'Meters', version: 3, thingModel: { properties: [known] } }
    const sent: unknown[] = []
    const opened = await openConsole('/ChirpStack/DeviceProfiles/edit?id=p1', {
      ...routes,
      'GET /api/v1/lora/profiles/p1': () => ({
        ...PROFILE,
        codecRuntime: 'js',
        codecScript: 'function decodeUplink() {}',
      }),
      'POST /api/v1/lora/codec/try': () => ({
        ok: true,
        data: { level: 5, door: true, 'bad key': 1 },
        hex: null,
        port: null,
        error: null,
        reason: null,
        line: null,
        logs: [],
        tookMs: 1,
      }),
      'GET /api/v1/products': url => {
        expect(url.searchParams.get('linkType')).toBe('lorawan')
        return page([product])
      },
      'GET /api/v1/products/prod': () => product,
      'PUT /api/v1/products/prod/thing-model': (_, body) => {
        sent.push(body)
        product = { ...product, version: 4, thingModel: body as typeof product.thingModel }
        return product
      },
    })
    await expect.poll(() => document.querySelector('[data-tab="codec"]')).toBeTruthy()
    document.querySelector<HTMLElement>('[data-tab="codec"]')!.click()
    const button = (text: string) => [...document.querySelectorAll('button')].find(each => each.textContent === text)
    await expect.poll(() => button('Run')).toBeTruthy()
    button('Run')!.click()
    await expect.poll(opened.text).toContain('Decoded fields')
    expect(opened.text()).toContain('Cannot be the name of a property')
    // Of no product yet it is not known which fields are there.
    expect(button('Add as property')).toBeUndefined()
    const box = document.querySelector<HTMLElement>('[aria-label="Choose a product"]')!
    box.dispatchEvent(new MouseEvent('mousedown', { bubbles: true }))
    const option = () => document.querySelector<HTMLElement>('.ant-select-item-option')
    await expect.poll(option).toBeTruthy()
    option()!.click()
    await expect.poll(opened.text).toContain('In the thing model')
    button('Add as property')!.click()
    await expect
      .poll(() => sent)
      .toEqual([
        {
          version: 3,
          properties: [known, { identifier: 'door', name: 'door', dataType: { type: 'bool' }, access: 'r' }],
          events: [],
          services: [],
        },
      ])
    await expect.poll(() => button('Add as property')).toBeUndefined()
  })
})

const LINK = {
  connectionId: 'c1',
  connectionName: 'North',
  connectionState: 'ok',
  simulated: true,
  applicationId: 'a1',
  applicationName: 'Meters',
  profileId: 'p1',
  profileName: 'Water meter',
  macVersion: '1.0.3',
  devices: { registered: 2, failed: 1 },
  version: 1,
}
const RADIO = {
  connectionId: 'c1',
  connectionName: 'North',
  simulated: true,
  devEui: '0102030405060708',
  name: 'Meter',
  deviceId: 'd1',
  deviceName: 'Meter',
  applicationId: 'a1',
  profileName: 'Water meter',
  class: 'A',
  devAddr: '01020304',
  lastSeenAt: AT,
  joinedAt: AT,
  gatewayId: '0016c001f1500812',
  gatewayName: 'Roof',
  rssi: -57,
  snr: 9.5,
  dr: 5,
  frequency: 486_300_000,
  fCnt: 3,
  fPort: 2,
  battery: 92.5,
  externalPower: false,
  margin: 12,
  uplinks: 3,
  problem: { level: 'error', code: 'UPLINK_CODEC', text: 'unexpected token' },
  problemAt: AT,
}
const DEVICE_LINK = {
  devEui: '0102030405060708',
  devEuiValid: true,
  product: LINK,
  joinEui: '0000000000000000',
  activation: 'otaa',
  keys: ['appKey'],
  skipFcntCheck: false,
  disabled: false,
  variables: {},
  tags: {},
  state: 'failed',
  fault: 'INTERNAL out of space',
  connectionName: 'North',
  registeredAt: AT,
  radio: RADIO,
  version: 1,
}
const ofDevice = {
  ...routes,
  'GET /api/v1/devices/d1': () => device({ linkType: 'lorawan' }),
  'GET /api/v1/devices/d1/lora': () => DEVICE_LINK,
  'GET /api/v1/devices/d1/lora/session': () => ({
    session: { devAddr: '26011bda', fCntUp: 42, nFCntDown: 1, aFCntDown: 0 },
    queue: [{ id: 'q', port: 3, confirmed: true, hex: '0aff', pending: false, fCntDown: 0, expiresAt: null }],
  }),
}

describe('a LoRaWAN device', () => {
  it('shows its radio link, its session and its queue in the device centre', async () => {
    const opened = await openConsole('/manage/device/DeviceSet/DeviceCenter?id=d1&tab=lora', ofDevice)
    for (const text of ['-57 dBm', 'Roof', 'DR5', '486.3 MHz', '26011bda', '0aff', 'AppKey', 'INTERNAL out of space'])
      await expect.poll(opened.text).toContain(text)
    expect(opened.text()).toContain('The codec of the device profile failed for an uplink')
  })

  it('is sent a command on another port, without acknowledgement', async () => {
    const sent: unknown[] = []
    const opened = await openConsole('/manage/device/DeviceSet/DeviceCenter?id=d1&tab=commands', {
      ...ofDevice,
      'GET /api/v1/products/p1': () => ({
        id: 'p1',
        name: 'Meters',
        version: 1,
        thingModel: null,
        publishedModel: null,
      }),
      'GET /api/v1/devices/d1/thing-model': () => ({ model: { properties: [], events: [], services: [] } }),
      'GET /api/v1/devices/d1/command-templates': () => ({ items: [] }),
      'GET /api/v1/devices/d1/commands': () => ({ items: [], nextCursor: null }),
      'POST /api/v1/devices/d1/commands': (_, body) => {
        sent.push(body)
        return Response.json({ code: 'device.disabled', message: 'not now', requestId: 'r' }, { status: 409 })
      },
    })
    const named = <E extends HTMLElement>(label: string) => document.querySelector<E>(`[aria-label="${label}"]`)
    const title = () => [...document.querySelectorAll<HTMLElement>('.ant-collapse-header')].find(Boolean)
    await expect.poll(title).toBeTruthy()
    expect(opened.text()).toContain('LoRaWAN downlink')
    title()!.click()
    await expect.poll(() => named('Port')).toBeTruthy()
    type(named<HTMLInputElement>('Port')!, '10')
    named('Acknowledged by the device')!.click()
    await expect.poll(opened.text).toContain('when a gateway has sent it')
    type(document.querySelector('textarea')!, '01 ff')
    const button = [...document.querySelectorAll('button')].find(each => each.type === 'submit')!
    button.click()
    await expect
      .poll(() => sent)
      .toEqual([{ kind: 'raw', payload: { hex: '01 ff' }, lora: { port: 10, confirmed: false } }])
  })

  it('without a product that is connected says what is missing', async () => {
    const opened = await openConsole('/manage/device/DeviceSet/DeviceSetLink?id=d1', {
      ...ofDevice,
      'GET /api/v1/devices/d1/lora': () => ({ ...DEVICE_LINK, product: null, state: 'none', fault: null, keys: [] }),
    })
    await expect.poll(opened.text).toContain('have to be chosen on the product')
  })
})
