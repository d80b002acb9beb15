// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { company } from './testing/company.ts'
import { named, press } from './testing/hands.ts'
import { type Answers, openConsole, refusal } from './testing/open-console.tsx'

const AT = '2026-01-01T00:00:00.000Z'
const platform = {
  configured: true,
  simulated: false,
  appId: 'wx0000000000000000',
  eventUrl: 'https://cloud.example/callbacks/wechat-platform',
  ticketAt: AT,
  ready: true,
}
const info = {
  name: 'Pumps mini',
  avatar: '',
  principal: 'Pumps Ltd',
  userName: 'gh_1',
  verified: true,
  status: '',
  categories: [],
  requestDomains: [],
  socketDomains: [],
  uploadDomains: [],
  downloadDomains: [],
  privacy: true,
}
const applet = {
  id: 'a1',
  mode: 'platform',
  state: 'authorized',
  appId: 'wx0123456789abcdef',
  permissions: [17, 18, 19, 99],
  info,
  infoAt: AT,
  fault: null,
  authorizedAt: AT,
  version: 1,
}
const version = {
  id: 'v1',
  templateId: '1',
  userVersion: '1.0.0',
  userDesc: 'First',
  state: 'uploaded',
  reason: null,
  submittedAt: null,
  decidedAt: null,
  releasedAt: null,
  byName: 'Ann',
  createdAt: AT,
}
const answers = (applets: object[], with_: object = {}): Answers => ({
  ...company,
  'GET /api/v1/wechat-applets': () => ({ items: applets, platform: { ...platform, ...with_ } }),
  'GET /api/v1/wechat-applets/a1/versions': () => ({ items: [version] }),
  'GET /api/v1/wechat-applets/a1/testers': () => ({ items: [] }),
  'GET /api/v1/wechat-applets/a1/trial-qr': () => refusal(502, 'wechat.failed'),
})

describe('the authorisation of a mini-program', () => {
  it.each([
    ['whose ticket expired', { ready: false }, 'Ticket expired', 'valid for 12 hours'],
    [
      'that waits for its first ticket',
      { ready: false, ticketAt: null },
      'Waiting for a ticket',
      'not sent a component',
    ],
    ['that nobody set up', { ready: false, ticketAt: null, configured: false }, 'Not set up', 'AppID of your own'],
  ])('says why it cannot begin at a platform %s', async (_name, with_, state, why) => {
    const opened = await openConsole('/apply/WechatApplet/WechatAppletAuthorize', answers([], with_))
    await expect.poll(opened.text).toContain(state)
    expect(opened.text()).toContain(why)
    expect((named('Authorise', 'button') as HTMLButtonElement).disabled).toBe(true)
  })

  it('names the permission sets that WeChat numbers', async () => {
    const opened = await openConsole('/apply/WechatApplet/WechatAppletAuthorize', answers([applet]))
    await expect.poll(opened.text).toContain('Development and analysis, Customer service messages, 99')
    expect(opened.text()).not.toContain('has expired')
  })
})

describe('the page of a mini-program', () => {
  it('says in words how WeChat has it, and that nobody tests it', async () => {
    const banned = { ...applet, info: { ...info, status: '16' } }
    const opened = await openConsole('/apply/WechatApplet/info', answers([banned]))
    await expect.poll(opened.text).toContain('Banned')
    await expect.poll(opened.text).toContain('No testers yet')
  })

  it('says why WeChat gave no code of the trial version', async () => {
    const opened = await openConsole('/apply/WechatApplet/info', answers([applet]))
    await expect.poll(() => (named('Trial QR code', 'button') as HTMLButtonElement | null)?.disabled).toBe(false)
    press(named('Trial QR code', 'button'))
    await expect.poll(opened.text).toContain('refused: wechat.failed')
    expect(document.querySelector('[role=dialog] .ant-skeleton')).toBeNull()
  })

  it('says what a roll back goes to where nothing earlier was released from here', async () => {
    const of = (state: string, id = 'v1') => ({ ...version, id, userVersion: `1.0.${id}`, state })
    const ask = async (items: object[]) => {
      const opened = await openConsole('/apply/WechatApplet/info', {
        ...answers([applet]),
        'GET /api/v1/wechat-applets/a1/versions': () => ({ items }),
      })
      await expect.poll(() => (named('Roll back', 'button') as HTMLButtonElement | null)?.disabled).toBe(false)
      press(named('Roll back', 'button'))
      return opened
    }
    await expect.poll((await ask([of('released')])).text).toContain('No earlier version was released from here')
    await expect
      .poll((await ask([of('released'), of('replaced', 'v0')])).text)
      .toContain('The version before is released again')
  })
})
