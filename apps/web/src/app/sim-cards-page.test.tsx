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
  use: 'single',
  pool: '',
  planName: null,
  planKb: 1024,
  monthKb: 512,
  forecastKb: null,
  countedKb: null,
  monthFen: null,
  openedAt: null,
  activatedAt: null,
  activateBy: null,
  expiresAt: null,
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
})
