// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { useSession } from '../lib/session.ts'
import { company, page } from './testing/company.ts'
import { openConsole } from './testing/open-console.tsx'

const LIST = 'GET /api/v1/end-users'
const row = {
  id: '1',
  username: 'north',
  name: 'North',
  phone: null,
  email: null,
  company: '',
  contactName: '',
  address: '',
  remark: '',
  logoId: null,
  locale: 'en',
  groupId: null,
  groupName: null,
  state: 'active',
  parent: null,
  level: 1,
  package: null,
  ownRights: ['view'],
  rights: ['view'],
  deviceQuota: null,
  deviceLimit: null,
  mediaQuota: null,
  mediaLimit: 104857600,
  expiresAt: null,
  devices: { total: 2, online: 1 },
  openAlarms: 0,
  smsLeft: null,
  subUsers: 0,
  lastSignInAt: null,
  version: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
}

describe('the page of end users', () => {
  it('shows what there is', async () => {
    const opened = await openConsole('/manage/user', { ...company, [LIST]: () => page([row]) })
    await expect.poll(opened.text).toContain('North')
  })

  it('says that there is nothing, and asks nothing of who may not read', async () => {
    const empty = await openConsole('/manage/user', { ...company, [LIST]: () => page([]) })
    await expect.poll(empty.text).toContain('No end users yet')
    const forbidden = await openConsole('/manage/user', { ...company, [LIST]: () => page([row]) }, ['product:read'])
    await expect.poll(forbidden.text).toContain('end-user:read')
    expect(forbidden.requests.filter(request => request.includes('/end-users'))).toEqual([])
  })

  it('shows one of them', async () => {
    const opened = await openConsole('/manage/user/center/info?id=1', {
      ...company,
      'GET /api/v1/end-users/1': () => row,
    })
    await expect.poll(opened.text).toContain('North')
  })

  it('shows the keys of one of them, without a button that makes one', async () => {
    const opened = await openConsole('/manage/user/center/info?id=1&tab=keys', {
      ...company,
      'GET /api/v1/end-users/1': () => row,
      'GET /api/v1/api-keys': () => ({ ...page([]), limit: 10, grantable: [] }),
    })
    await expect.poll(opened.text).toContain('Keys with which programs of this end user call the interfaces.')
    await expect.poll(() => opened.requests.join()).toContain('userId=1')
    expect(opened.text()).not.toContain('Create key')
  })

  it('shows the contacts of one of them', async () => {
    const asked: string[] = []
    const opened = await openConsole('/manage/user/center/info?id=1&tab=contacts', {
      ...company,
      'GET /api/v1/end-users/1': () => row,
      'GET /api/v1/contacts': url => {
        asked.push(url.searchParams.get('userId') ?? '')
        return page([])
      },
    })
    await expect.poll(opened.text).toContain('Alarms of these devices go to the contacts below.')
    await expect.poll(() => asked).toContain('1')
  })

  it('lets an end user open the looks of the own console where they were granted', async () => {
    const looks = { title: 'North Water', titleEn: '', logo: '', colour: null }
    await openConsole('/manage/user/center/info', {
      ...company,
      'GET /api/v1/me/branding': () => ({ own: looks, shown: looks, mayChange: true }),
    })
    const endUser = { rights: ['view', 'branding'], deviceLimit: 5, enteredBy: null }
    useSession.setState({
      me: {
        id: 'me',
        kind: 'end_user',
        username: 'north',
        displayName: 'North',
        phone: null,
        email: null,
        locale: 'en',
        permissions: ['device:read'],
        menuPermissions: [],
        company: { name: 'The company', appId: 'app' },
        endUser,
      } as never,
    })
    const button = () => [...document.querySelectorAll('button')].find(each => each.textContent === 'Branding')
    await expect.poll(button).toBeTruthy()
    button()!.click()
    await expect.poll(() => [...document.querySelectorAll('input')].map(input => input.value)).toContain('North Water')
  })
})
