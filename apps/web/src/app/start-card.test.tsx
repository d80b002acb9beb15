// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import './home-cards.ts'
import { company, page } from './testing/company.ts'
import { openConsole } from './testing/open-console.tsx'

const still = { value: 0, before: null }
const columns = {
  at: [],
  devices: [],
  online: [],
  messages: [],
  refused: [],
  created: [],
  lost: [],
  commandsOk: [],
  commandsFailed: [],
}
const counts = (online: number) => ({ total: 1, online, offline: 0, never: 1 - online, disabled: 0, recycled: 0 })
const answers = {
  ...company,
  'GET /api/v1/statistics/facts': () => ({
    takenAt: 1_000,
    devices: still,
    online: still,
    messages: still,
    created: still,
    lost: still,
    commandsOk: still,
    commandsFailed: still,
    recent: columns,
  }),
  'GET /api/v1/statistics/layout': () => ({ layout: null }),
  'GET /api/v1/statistics/attention': () => ({ items: [] }),
  'GET /api/v1/audit-logs': () => page([]),
  'GET /api/v1/products': () => page([{ id: 'p1', name: 'Heating' }]),
  'GET /api/v1/devices/counts': () => counts(0),
  'GET /api/v1/devices/d1/access': () => ({
    ways: [{ snippets: [{ name: 'curl', text: 'curl SECRET' }] }],
    secretPlace: 'SECRET',
  }),
  'GET /api/v1/devices/d1/messages': () => page([]),
  'PUT /api/v1/statistics/layout': () => ({ ok: true }),
}
const ADDRESS = '/stat/EnterpriseOverview'

describe('the three steps of a new company', () => {
  it('tick what is done, and the last one when the message comes; a refused one is told with its reason', async () => {
    const opened = await openConsole(ADDRESS, answers)
    await expect.poll(opened.text).toContain('2 of 3 done')
    expect(opened.text()).toContain('Heating')
    await expect.poll(() => opened.followed.has('device/d1/messages')).toBe(true)
    opened.patch('device/d1/messages', 'd1', { kind: 'online' })
    opened.patch('device/d1/messages', 'd1', { kind: 'refused', refusedReason: 'not.json' })
    await expect.poll(opened.text).toContain('The message was rejected: not.json')
    expect(opened.text()).toContain('2 of 3 done')
    opened.patch('device/d1/messages', 'd1', { kind: 'property', values: { temperature: 4.5 } })
    await expect.poll(opened.text).toContain('{"temperature":4.5}')
    expect(opened.text()).toContain('3 of 3 done')
  })

  it('begin with a product', async () => {
    const opened = await openConsole(ADDRESS, {
      ...answers,
      'GET /api/v1/products': () => page([]),
      'GET /api/v1/devices': () => page([]),
      'GET /api/v1/product-library': () => ({ items: [{ key: 'board', name: { zh: '板', en: 'Board' } }] }),
    })
    await expect.poll(opened.text).toContain('0 of 3 done')
    await expect.poll(opened.text).toContain('Board')
  })

  it('are not there where a device was heard, nor for who may not add devices', async () => {
    const heard = await openConsole(ADDRESS, { ...answers, 'GET /api/v1/devices/counts': () => counts(1) })
    await expect.poll(heard.text).toContain('Messages today')
    expect(heard.text()).not.toContain('Three steps')
    const reader = await openConsole(ADDRESS, answers, ['device:read'])
    await expect.poll(reader.text).toContain('Messages today')
    expect(reader.requests.some(request => request.includes('/devices/counts'))).toBe(false)
    expect(reader.text()).not.toContain('Three steps')
  })

  it('are put away for good', async () => {
    const opened = await openConsole(ADDRESS, answers)
    await expect.poll(opened.text).toContain('Don’t show again')
    const dismiss = [...document.querySelectorAll('button')].find(button => button.textContent === 'Don’t show again')
    dismiss!.click()
    await expect.poll(opened.text).not.toContain('Three steps')
    expect(opened.requests).toContain('PUT /api/v1/statistics/layout')
  })
})
