// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { company, page } from './testing/company.ts'
import { openConsole } from './testing/open-console.tsx'

const AT = '2026-05-01T00:00:00.000Z'
const rates = {
  kind: 'time_of_use',
  bands: [
    { name: 'peak', price: '1.2' },
    { name: 'valley', price: '0.3' },
  ],
  spans: [{ weekdays: [1, 2], from: '08:00', to: '12:00', band: 0 }],
  otherwise: 1,
}
const tariff = {
  id: '1',
  name: 'Industry',
  unit: 'kWh',
  remark: '',
  kind: 'time_of_use',
  meters: 2,
  createdAt: AT,
  version: 1,
  versions: [{ id: 'v', validFrom: '2026-01-01', validTo: null, rates, byName: 'Anna', createdAt: AT }],
}
const meter = {
  id: 'm',
  name: 'Main meter',
  deviceId: 'd',
  deviceName: 'Meter 7',
  property: 'energy',
  factor: '1',
  endUserId: 'u',
  endUserName: 'North Water',
  tariffId: '1',
  tariffName: 'Industry',
  unit: 'kWh',
  mode: 'postpaid',
  fromDay: '2026-04-01',
  toDay: null,
  startValue: null,
  rollover: null,
  gapMinutes: 1440,
  gapMode: 'estimate',
  cutProperty: null,
  cutValue: null,
  restoreValue: null,
  drawnFen: 0,
  billedTo: null,
  billedValue: null,
  problem: { code: 'fell', before: '740', after: '3', from: AT, to: AT, message: 'The register fell from 740 to 3' },
  createdAt: AT,
  version: 1,
  resets: [],
}
const statement = {
  id: 's',
  no: '20260400000001',
  month: '2026-04',
  meterId: 'm',
  meterName: 'Main meter',
  deviceName: 'Meter 7',
  endUserId: 'u',
  endUserName: 'North Water',
  mode: 'postpaid',
  tariffName: 'Industry',
  unit: 'kWh',
  fromAt: AT,
  toAt: AT,
  quantity: '720',
  openQuantity: '0',
  estimated: true,
  amountFen: 36_000,
  paidFen: 0,
  state: 'open',
  issuedAt: AT,
}
const account = { endUserId: 'u', name: 'North Water', meters: 1, balanceFen: -36_000, owedFen: 36_000 }

describe('the page of metered billing', () => {
  it('shows a tariff with its bands and times', async () => {
    const opened = await openConsole('/cost/tariffs?id=1', {
      ...company,
      'GET /api/v1/tariffs': () => page([tariff]),
      'GET /api/v1/tariffs/1': () => tariff,
    })
    await expect.poll(opened.text).toContain('Mon Tue 08:00–12:00')
    expect(opened.text()).toContain('¥1.2 per kWh')
    expect(opened.text()).toContain('All other times')
  })

  it('says which meter fell, and why that stops its statement', async () => {
    const opened = await openConsole('/cost/tariffs?tab=meters&id=m', {
      ...company,
      'GET /api/v1/meters': () => page([meter]),
      'GET /api/v1/meters/m': () => meter,
      'GET /api/v1/meters/m/preview': () => ({
        fromAt: AT,
        toAt: AT,
        fromValue: '1',
        toValue: '2',
        quantity: '1',
        openQuantity: '0',
        lines: [],
        marks: [],
        amountFen: 0,
      }),
    })
    await expect.poll(opened.text).toContain('The register fell from 740 to 3')
    expect(opened.text()).toContain('Register fell')
    expect(opened.text()).toContain('Declare a reset')
  })

  it('lists statements and balances', async () => {
    const opened = await openConsole('/cost/tariffs?tab=statements', {
      ...company,
      'GET /api/v1/meter-statements': () => page([statement]),
    })
    await expect.poll(opened.text).toContain('20260400000001')
    expect(opened.text()).toContain('360.00')
    expect(opened.text()).toContain('Owed')
    const balances = await openConsole('/cost/tariffs?tab=accounts', {
      ...company,
      'GET /api/v1/meter-accounts': () => page([account]),
    })
    await expect.poll(balances.text).toContain('North Water')
  })

  it('has the settings of prepaid meters beside the balances', async () => {
    const opened = await openConsole('/cost/tariffs?tab=accounts', {
      ...company,
      'GET /api/v1/meter-accounts': () => page([account]),
      'GET /api/v1/meter-settings': () => ({
        online: 'none',
        drawMinutes: 60,
        lowFen: 2_000,
        waitMinutes: 1_440,
        freshMinutes: 60,
        protected: [{ from: '22:00', to: '08:00' }],
        dueDays: 15,
        version: 0,
      }),
    })
    await expect.poll(opened.text).toContain('Billing settings')
    const buttons = [...document.querySelectorAll('button')]
    buttons.find(({ textContent }) => textContent === 'Billing settings')!.click()
    await expect.poll(opened.text).toContain('Nothing is cut off at these times of the day')
  })

  it('has the merchant accounts of the company, without their keys, and says when they are not chosen', async () => {
    const access = {
      enabled: true,
      hasKeys: true,
      baseUrl: 'https://api.mch.weixin.qq.com',
      appId: 'wx0123456789abcdef',
      merchantId: '1900000001',
      serial: 'AB12',
      platformKeyId: 'PUB_KEY_ID_1',
      privateKey: 'SHA256:0011',
      platformKey: 'SHA256:2233',
      apiKey: '••••abcd',
      callbackUrl: 'https://console.example/callbacks/pay/wechat/c',
      test: { state: 'failed', said: 'SIGN_ERROR', at: AT },
      version: 2,
    }
    const none = { ...access, kind: 'alipay', enabled: false, hasKeys: false, test: null }
    const opened = await openConsole('/cost/tariffs?tab=merchants', {
      ...company,
      'GET /api/v1/merchant-accounts': () => ({ items: [{ ...access, kind: 'wechat' }, none] }),
      'GET /api/v1/meter-settings': () => ({ online: 'none', protected: [], version: 0 }),
    })
    await expect.poll(opened.text).toContain('1900000001')
    expect(opened.text()).toContain('Failed: SIGN_ERROR')
    expect(opened.text()).toContain('callbacks/pay/wechat/c')
    await expect.poll(opened.text).toContain('is not set to the merchant account')
  })

  it('asks nothing of who may not read', async () => {
    const opened = await openConsole('/cost/tariffs', { ...company }, ['product:read'])
    await expect.poll(opened.text).toContain('money:read')
  })
})
