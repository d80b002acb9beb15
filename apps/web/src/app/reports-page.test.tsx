// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { company, page } from './testing/company.ts'
import { openConsole, refusal } from './testing/open-console.tsx'

const LIST = 'GET /api/v1/reports'
const report = {
  id: '0190a0a0-0000-7000-8000-000000000001',
  name: 'Alarms every morning',
  description: '',
  state: 'enabled',
  fault: null,
  source: { kind: 'list', list: 'alarms.export', query: {}, columns: [] },
  format: 'xlsx',
  schedule: { kind: 'monthly', days: ['last'], times: ['18:00'], zone: 'Asia/Shanghai' },
  locale: 'zh',
  period: 'yesterday',
  recipients: [{ kind: 'member', id: 'm1', label: 'Li <li@acme.example>' }],
  misfire: 'once',
  misfireMinutes: 720,
  nextRunAt: '2027-01-01T22:00:00.000Z',
  lastRunAt: null,
  lastState: 'failed',
  ownerId: null,
  ownerName: 'li',
  version: 3,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}
const run = {
  id: 'r1',
  reportId: report.id,
  name: report.name,
  cause: 'schedule',
  byName: '',
  dueAt: '2026-12-31T10:00:00.000Z',
  startedAt: null,
  finishedAt: '2026-12-31T10:00:05.000Z',
  missed: 2,
  state: 'partial',
  fault: null,
  fileName: 'alarms.xlsx',
  size: 2048,
  rows: 17,
  taskId: 't1',
  mails: [
    { name: 'Li', address: 'li@acme.example', state: 'sent', reason: null, asLink: false, sentAt: null },
    { name: 'Wu', address: 'wu@acme.example', state: 'failed', reason: 'mailbox full', asLink: false, sentAt: null },
  ],
}
const editor = {
  'POST /api/v1/reports/columns': () => ({ columns: [{ key: 'name', title: 'Name' }], hasPeriod: false }),
  'POST /api/v1/reports/preview': () => ({ items: [{ at: '2027-01-01T00:00:00.000Z', edge: null }], zone: 'UTC' }),
  'GET /api/v1/reports/recipients': () => ({ items: [] }),
}

const button = (name: string) =>
  [...document.querySelectorAll('button')].find(each => each.textContent?.trim() === name)!

describe('the page of reports', () => {
  it('says what each is made of, when it runs and who gets it', async () => {
    const opened = await openConsole('/stat/reports', { ...company, [LIST]: () => page([report]) })
    await expect.poll(opened.text).toContain('Alarms every morning')
    expect(opened.text()).toContain('Alarms · XLSX')
    expect(opened.text()).toContain('Last day · 18:00')
    expect(opened.text()).toContain('Li <li@acme.example>')
  })

  it('says that there is nothing, and asks nothing of who may not read', async () => {
    const empty = await openConsole('/stat/reports', { ...company, [LIST]: () => page([]) })
    await expect.poll(empty.text).toContain('No reports yet')
    const forbidden = await openConsole('/stat/reports', { ...company, [LIST]: () => page([report]) }, ['product:read'])
    await expect.poll(forbidden.text).toContain('report:read')
    expect(forbidden.requests.filter(request => request.includes('/reports'))).toEqual([])
  })

  it('shows what came of each run, with whom no mail reached', async () => {
    const opened = await openConsole('/stat/reports?tab=runs', {
      ...company,
      'GET /api/v1/reports/runs': () => page([run]),
    })
    await expect.poll(opened.text).toContain('1 of 2 sent')
    expect(opened.text()).toContain('wu@acme.example: mailbox full')
    expect(opened.text()).toContain('2 runs missed before')
  })

  it('begins with the filters of the list that it was asked from, and shows what the server says of a field', async () => {
    let sent: unknown
    const asked = { list: 'devices.export', query: { link: 'online' }, name: 'Devices online' }
    const opened = await openConsole(`/stat/reports?new=${encodeURIComponent(JSON.stringify(asked))}`, {
      ...company,
      ...editor,
      [LIST]: () => page([]),
      'POST /api/v1/reports': (_, body) => {
        sent = body
        return refusal(422, 'report.invalid', {
          fields: { 'recipients.0': { code: 'report.address_unverified', message: 'was not verified' } },
        })
      },
    })
    await expect.poll(opened.text).toContain('link: online')
    button('Save').click()
    await expect.poll(opened.text).toContain('was not verified')
    expect(sent).toMatchObject({
      name: 'Devices online',
      source: { kind: 'list', list: 'devices.export', query: { link: 'online' } },
      schedule: { kind: 'daily', times: ['08:00'] },
    })
  })

  it('is reached from the tools of a list', async () => {
    const opened = await openConsole('/manage/device?link=online', { ...company, ...editor, [LIST]: () => page([]) })
    await expect.poll(() => document.querySelector('[aria-label="Schedule by mail"]')).not.toBeNull()
    document.querySelector<HTMLButtonElement>('[aria-label="Schedule by mail"]')!.click()
    await expect.poll(opened.text).toContain('link: online')
  })
})
