// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { company, page } from './testing/company.ts'
import { openConsole } from './testing/open-console.tsx'

const LIST = 'GET /api/v1/telecom-keys'
const KEY = {
  id: '1',
  name: 'Meters of the north',
  platform: 'ctwing',
  remark: 'Yard',
  baseUrl: 'https://ag-api.ctwing.cn',
  account: 'an-app-key',
  auth: 'user',
  secretHint: 'sim****ret',
  hasToken: false,
  hasAesKey: false,
  verifyProduct: null,
  allow: [],
  simulated: true,
  state: 'failed',
  fault: { kind: 'credentials', code: '1401', text: 'signature is invalid' },
  verifiedAt: null,
  callbackUrl: 'https://iot.example/callbacks/ctwing/0123456789ab-secret',
  lastCallbackAt: null,
  products: [{ id: '2', name: 'Water meter', platformProduct: '10000001' }],
  devices: 3,
  refused: 1,
  version: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
}
const REFUSED = {
  id: '5',
  reason: 'source',
  detail: '',
  source: '198.51.100.1',
  excerpt: '{"messageType":"dataReport"}',
  count: 4,
  firstAt: '2026-01-01T00:00:00.000Z',
  lastAt: '2026-01-01T00:00:00.000Z',
}
const routes = (keys: object[]) => ({
  ...company,
  [LIST]: () => page(keys),
  'GET /api/v1/telecom-keys/1': () => KEY,
  'GET /api/v1/telecom-keys/1/refused-callbacks': () => page([REFUSED]),
})

describe('the page of telecom keys', () => {
  it('shows a key with what its platform said, what uses it, and that it is simulated', async () => {
    const opened = await openConsole('/manage/tel', routes([KEY]))
    for (const text of ['Meters of the north', 'Failed', '1401 signature is invalid', 'Water meter', 'Simulated'])
      await expect.poll(opened.text).toContain(text)
  })

  it('says how to begin while there is none', async () => {
    const opened = await openConsole('/manage/tel', routes([]))
    await expect.poll(opened.text).toContain('No telecom keys yet')
  })

  it('asks nothing of who may not read', async () => {
    const forbidden = await openConsole('/manage/tel', routes([KEY]), ['product:read'])
    await expect.poll(forbidden.text).toContain('telecom-key:read')
    expect(forbidden.requests.filter(request => request.includes('/api/v1/telecom-keys'))).toEqual([])
  })
})
