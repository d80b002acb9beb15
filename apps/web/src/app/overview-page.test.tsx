// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { arranged } from '../features/statistics/use-arrangement.ts'
import './home-cards.ts'
import { company, page } from './testing/company.ts'
import { openConsole } from './testing/open-console.tsx'

const columns = {
  at: [1_000],
  devices: [3],
  online: [2],
  messages: [9],
  refused: [0],
  created: [0],
  lost: [0],
  commandsOk: [0],
  commandsFailed: [0],
}
const still = { value: 0, before: null }
const facts = {
  takenAt: 1_000,
  devices: { value: 1234, before: 1200 },
  online: still,
  messages: still,
  created: still,
  lost: still,
  commandsOk: still,
  commandsFailed: still,
  recent: columns,
}
const answers = {
  ...company,
  'GET /api/v1/statistics/facts': () => facts,
  'GET /api/v1/statistics/trends': () => ({ from: 0, to: 1, stepMs: 300_000, now: columns, before: null }),
  'GET /api/v1/statistics/distribution': () => ({ takenAt: 1, items: [] }),
  'GET /api/v1/statistics/talkers': () => ({ items: [] }),
  'GET /api/v1/statistics/layout': () => ({ layout: { order: [], hidden: ['changes', 'quotas', 'firmware'] } }),
  'GET /api/v1/statistics/attention': () => ({
    items: [
      { kind: 'devices_lost', level: 'warning', params: {}, count: 14, at: null, link: '/manage/device?link=lost' },
    ],
  }),
  'GET /api/v1/audit-logs': () => page([]),
  'GET /api/v1/pages': () => page([{ id: 'p1', name: 'East station', suffix: 'east', cover: null, views: 1234 }]),
}

describe('the overview of a company', () => {
  it('shows what needs somebody with the way there, figures, and no card that was put away', async () => {
    const opened = await openConsole('/stat/EnterpriseOverview', answers)
    await expect.poll(opened.text).toContain('14 devices offline for more than 24 hours')
    await expect.poll(opened.text).toContain('▲ 34 vs yesterday')
    expect(opened.text()).not.toContain('Quotas')
  })

  it('shows where devices are, what they run and whose SIM cards they have', async () => {
    const shares: Record<string, object> = {
      province: { name: '\u798f\u5efa', ename: 'Fujian', devices: 31, online: 30 },
      firmware: { name: 'v2.4.1', ename: null, devices: 22, online: 21 },
      carrier: { name: 'cmcc', ename: null, devices: 13, online: 12 },
    }
    const opened = await openConsole('/stat/EnterpriseOverview', {
      ...answers,
      'GET /api/v1/statistics/distribution': url => {
        const share = shares[url.searchParams.get('by') ?? '']
        const elsewhere = { id: null, name: '', ename: null, linkType: null, devices: 1, online: 0 }
        return { takenAt: 1, items: share ? [{ id: null, linkType: null, ...share }, elsewhere] : [] }
      },
    })
    await expect.poll(opened.text).toMatch(/By province.*Fujian30 \/ 31Elsewhere0 \/ 1/s)
    await expect.poll(opened.text).toMatch(/By firmware version.*v2\.4\.121 \/ 22/s)
    await expect.poll(opened.text).toMatch(/By carrier.*China Mobile12 \/ 13/s)
    expect(document.querySelector('[data-card=carriers] a')?.getAttribute('href')).toBe('/flowCard/CmccFlowCard')
  })

  it('shows the pages that customers look at most', async () => {
    const opened = await openConsole('/stat/EnterpriseOverview', answers)
    await expect.poll(opened.text).toContain('East station')
    expect(opened.text()).toMatch(/1.234 views/)
    expect(document.querySelector('a[href="/page/east"]')?.getAttribute('aria-label')).toBe('Look at “East station”')
  })

  it('shows alarms, customers, SIM cards and money, each with the way to its page', async () => {
    const opened = await openConsole('/stat/EnterpriseOverview', {
      ...answers,
      'GET /api/v1/alarms': () => page([]),
      'GET /api/v1/end-users/counts': () => ({
        total: 17,
        active7d: 5,
        invited: 1,
        frozen: 0,
        expired: 2,
        expiring30d: 3,
      }),
      'GET /api/v1/sim-cards/counts': url => ({
        total: url.searchParams.has('carrier') ? 3 : 4,
        states: { active: 4 },
        online: 2,
        over80: 1,
        monthKb: 2_048,
      }),
      'GET /api/v1/assets': () => ({
        wallet: { availableFen: 12_345 },
        plan: null,
        term: { status: 'none', expiresAt: null },
        units: [{ kind: 'sms', left: 88 }],
      }),
    })
    await expect.poll(opened.text).toContain('123.45')
    const links = () => [...document.querySelectorAll('a')].map(link => link.getAttribute('href') ?? '')
    await expect
      .poll(links)
      .toEqual(
        expect.arrayContaining([
          '/manage/user/center/alarm',
          '/manage/user?state=expired',
          '/flowCard/CmccFlowCard?usage=over80',
          '/cost/account/AccountAssets',
        ]),
      )
  })

  it('leaves sign-ins out of what was changed, and says when its figures are of', async () => {
    const line = {
      id: '1',
      at: '2026-11-23T10:00:00Z',
      actorName: 'ada',
      actorId: null,
      objectType: 'device',
      objectId: null,
      result: 'ok',
    }
    const opened = await openConsole('/stat/EnterpriseOverview', {
      ...answers,
      'GET /api/v1/statistics/layout': () => ({ layout: null }),
      'GET /api/v1/statistics/facts': () => ({ ...facts, takenAt: new Date(2026, 4, 6, 7, 8, 9).getTime() }),
      'GET /api/v1/audit-logs': () =>
        page([
          { ...line, action: 'session.sign_in', objectName: 'ada-came-in' },
          { ...line, id: '2', action: 'device.create', objectName: 'pump-seven' },
        ]),
    })
    await expect.poll(opened.text).toContain('pump-seven')
    expect(opened.text()).not.toContain('ada-came-in')
    await expect.poll(opened.text).toContain('Updated 07:08:09')
  })

  it('does not call zero what was not looked at yet', async () => {
    const unknown = () => ({ ...facts, takenAt: null, devices: still })
    const opened = await openConsole('/stat/EnterpriseOverview', {
      ...answers,
      'GET /api/v1/statistics/facts': unknown,
    })
    await expect.poll(opened.text).toMatch(/Devices–.*Online–.*Messages today–.*Lost today–/s)
  })

  it('asks nothing of who may not read devices, and says so in each card', async () => {
    const opened = await openConsole('/stat/EnterpriseOverview', answers, ['company:read'])
    await expect.poll(opened.text).toContain('device:read')
    expect(opened.requests.filter(request => /statistics\/(facts|trends|talkers|distribution)/.test(request))).toEqual(
      [],
    )
  })
})

describe('the arrangement of cards', () => {
  const cards = ['a', 'b', 'c'].map(key => ({ key }))
  const keys = (some: { key: string }[]) => some.map(({ key }) => key)

  it('is the one everybody meets, or the person’s own, in which new cards have a place', () => {
    expect(keys(arranged(cards, null).shown)).toEqual(['a', 'b', 'c'])
    expect(keys(arranged(cards, { order: ['c', 'a', 'b'], hidden: [] }).shown)).toEqual(['c', 'a', 'b'])
    expect(keys(arranged(cards, { order: ['c', 'a'], hidden: [] }).shown)).toEqual(['c', 'b', 'a'])
  })

  it('leaves out what was hidden, and forgets cards that are no more', () => {
    const { shown, hidden } = arranged(cards, { order: ['gone', 'b', 'a', 'c'], hidden: ['a', 'gone'] })
    expect([keys(shown), keys(hidden)]).toEqual([['b', 'c'], ['a']])
  })
})
