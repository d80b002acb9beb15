// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { company, page } from './testing/company.ts'
import { openConsole } from './testing/open-console.tsx'

const LIST = 'GET /api/v1/reports'
const row = { id: '1', name: 'North', version: 1, createdAt: '2026-01-01T00:00:00.000Z' }

describe('the page of reports', () => {
  it('shows what there is', async () => {
    const opened = await openConsole('/stat/reports', { ...company, [LIST]: () => page([row]) })
    await expect.poll(opened.text).toContain('North')
  })

  it('says that there is nothing, and asks nothing of who may not read', async () => {
    const empty = await openConsole('/stat/reports', { ...company, [LIST]: () => page([]) })
    await expect.poll(empty.text).toContain('No reports yet')
    const forbidden = await openConsole('/stat/reports', { ...company, [LIST]: () => page([row]) }, ['product:read'])
    await expect.poll(forbidden.text).toContain('report:read')
    expect(forbidden.requests.filter(request => request.includes('/reports'))).toEqual([])
  })
})
