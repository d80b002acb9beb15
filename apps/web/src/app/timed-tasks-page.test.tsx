// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { company, page } from './testing/company.ts'
import { openConsole } from './testing/open-console.tsx'

const LIST = 'GET /api/v1/timed-tasks'
const task = {
  id: '0190a0a0-0000-7000-8000-000000000001',
  name: 'Night pumps',
  description: '',
  state: 'enabled',
  fault: null,
  kind: 'pair',
  schedule: { kind: 'pair', zone: 'UTC', on: '22:00', off: { sun: 'sunrise', offsetMinutes: -30 }, days: [1, 5] },
  calendarId: null,
  actions: [
    { kind: 'command', scope: { deviceIds: ['d1'] }, command: { kind: 'property_set', params: { pump: true } } },
    { kind: 'delay', seconds: 120 },
  ],
  offActions: [
    { kind: 'command', scope: { deviceIds: ['d1'] }, command: { kind: 'property_set', params: { pump: false } } },
  ],
  names: { d1: 'Pump 1' },
  misfire: 'skip',
  misfireMinutes: 30,
  nextRunAt: '2027-01-01T22:00:00.000Z',
  lastRunAt: null,
  lastState: null,
  ownerId: null,
  ownerName: 'li',
  version: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}

describe('the page of timed tasks', () => {
  it('says when each runs and what it does', async () => {
    const opened = await openConsole('/manage/user/center/timedTasks', { ...company, [LIST]: () => page([task]) })
    await expect.poll(opened.text).toContain('Night pumps')
    expect(opened.text()).toContain('Mon, Fri · 22:00 → 30 minutes before Sunrise')
    expect(opened.text()).toContain('Pump 1: pump = true; Wait 2 minutes; Pump 1: pump = false')
  })

  it('says that there is nothing, and asks nothing of who may not read', async () => {
    const empty = await openConsole('/manage/user/center/timedTasks', { ...company, [LIST]: () => page([]) })
    await expect.poll(empty.text).toContain('No timed tasks yet')
    const forbidden = await openConsole('/manage/user/center/timedTasks', { ...company, [LIST]: () => page([task]) }, [
      'product:read',
    ])
    await expect.poll(forbidden.text).toContain('timed-task:read')
    expect(forbidden.requests.filter(request => request.includes('/timed-tasks'))).toEqual([])
  })
})
