// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { company, page } from './testing/company.ts'
import { openConsole } from './testing/open-console.tsx'

const LIST = 'GET /api/v1/sim-cards'
const COUNTS = 'GET /api/v1/sim-cards/counts'
const CARRIERS = 'GET /api/v1/carriers'
const CARD = {
  id: '1',
  connectionId: '2',
  connectionName: 'North',
  carrier: 'cmcc',
  kind: 'onelink',
  simulated: true,
  iccid: '89860412102000000010',
  msisdn: '1440120000001',
  imsi: null,
  imei: null,
  boundImei: null,
  state: 'stopped',
  rawState: '4',
  rawStateText: null,
  stopReason: 'manual',
  stateSince: null,
  online: false,
  ip: null,
  apn: null,
  dataOff: null,
  realName: null,
  speedKbps: null,
  form: null,
  term: 'year',
  use: 'single',
  pool: '',
  planName: null,
  planKb: 1024,
  monthKb: 512,
  forecastKb: null,
  countedKb: null,
  shownPlanKb: 2048,
  shownPercent: 150,
  shown: { usedKb: 768, planKb: 2048, restKb: 1280 },
  smsOn: true,
  monthSms: 3,
  monthFen: null,
  openedAt: null,
  activatedAt: null,
  activateBy: null,
  dataUntil: null,
  expiresAt: null,
  searchable: true,
  tags: [],
  remark: '',
  deviceId: null,
  deviceName: null,
  deviceNo: null,
  syncedAt: null,
  syncFault: null,
  allowed: ['resume'],
  nextOperationAt: null,
  version: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
}
const NONE = { total: 0, states: {}, online: 0, bound: 0, over80: 0, monthKb: 0, planKb: 0, pools: [] }
const routes = (cards: object[]) => ({
  ...company,
  [LIST]: () => page(cards),
  [COUNTS]: () => NONE,
  [CARRIERS]: () => ({ items: [] }),
})

describe('the page of SIM cards', () => {
  it('shows a card with its state, why it is stopped, its usage, and that its carrier is simulated', async () => {
    const opened = await openConsole('/flowCard/CmccFlowCard', routes([CARD]))
    for (const text of [CARD.iccid, 'Stopped', 'By hand', 'Offline', '50%', 'simulated'])
      await expect.poll(opened.text).toContain(text)
  })

  it('shows of one card what its user sees of the traffic, its type and its text messages', async () => {
    const opened = await openConsole('/flowCard/CmccFlowCard?card=1', {
      ...routes([CARD]),
      'GET /api/v1/sim-cards/1': () => CARD,
    })
    const shown = () => opened.text().replaceAll(/\s/g, ' ')
    for (const text of ['768 KB used of 2 MB, 1.25 MB left', 'Year card', '3 sent this month', 'Interface answers'])
      await expect.poll(shown).toContain(text)
  })

  it('of the other carrier asks for its own cards', async () => {
    const opened = await openConsole('/flowCard/CtccFlowCard', routes([]))
    await expect.poll(opened.text).toContain('No SIM cards yet')
    expect(opened.requests.some(request => request.includes('carrier=ctcc'))).toBe(true)
  })

  it('asks nothing of who may not read', async () => {
    const forbidden = await openConsole('/flowCard/CmccFlowCard', routes([CARD]), ['product:read'])
    await expect.poll(forbidden.text).toContain('sim-card:read')
    expect(forbidden.requests.filter(request => request.includes('/api/v1/sim-cards?'))).toEqual([])
  })

  it('is the card of a device with the traffic that its user is shown, for who may see no more', async () => {
    const { shown } = CARD
    const card = { iccid: CARD.iccid, msisdn: null, carrier: 'cmcc', state: 'active', online: true, ...shown }
    const opened = await openConsole(
      '/manage/device/DeviceSet/DeviceCenter?id=d1&tab=sim-card',
      {
        ...company,
        'GET /api/v1/devices/d1/sim-traffic': () => ({
          card: { ...card, monthSms: null, dataUntil: null, expiresAt: null, syncedAt: null },
        }),
      },
      ['device:read', 'sim-traffic:read'],
    )
    const text = () => opened.text().replaceAll(/\s/g, ' ')
    for (const part of [CARD.iccid, '38% used', '768 KB', '1.25 MB', 'Active', 'Online'])
      await expect.poll(text).toContain(part)
    expect(opened.requests.filter(request => request.includes('/api/v1/sim-cards'))).toEqual([])
  })
})
