// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from 'vitest'
import { usePortal } from '../lib/portal.ts'
import { session } from '../lib/storage.ts'
import { company } from './testing/company.ts'
import { named, press } from './testing/hands.ts'
import { openConsole, refusal } from './testing/open-console.tsx'

const AT = '2026-01-01T00:00:00.000Z'
const facts = {
  suffix: 'pumps',
  name: 'Pumps portal',
  nameEn: '',
  colour: '#0b5fff',
  copyright: '2026 Pumps Ltd',
  icp: 'ICP 1',
  language: 'auto',
  menus: [{ section: 'devices' }, { section: 'account' }],
  home: 'devices',
  images: [],
}
const app = {
  ...facts,
  id: '1',
  host: 'portal.pumps.example',
  enabled: true,
  certificate: {
    subject: 'portal.pumps.example',
    issuer: 'Test CA',
    names: ['portal.pumps.example'],
    from: AT,
    to: AT,
    fingerprint: 'AA',
    selfSigned: false,
    state: 'expired',
  },
  path: '/w/pumps',
  url: 'https://portal.pumps.example',
  version: 3,
  createdAt: AT,
  updatedAt: AT,
}
const account = {
  id: '1',
  name: 'Pumps',
  appId: 'wx0123456789abcdef',
  mode: 'encrypted',
  hasAesKey: true,
  baseUrl: 'https://api.weixin.qq.com',
  simulated: false,
  callbackUrl: 'https://cloud.example/callbacks/wechat/1',
  steps: [
    { step: 'credentials', state: 'failed', said: '40125 invalid appsecret', at: AT },
    { step: 'callback', state: 'failed', said: 'decrypt', at: AT },
    { step: 'template', state: 'ok', said: '2', at: AT },
    { step: 'menu', state: 'open', said: '', at: null },
  ],
  lastMessageAt: null,
  version: 1,
  createdAt: AT,
}

beforeEach(() => {
  session.remove('portal')
  usePortal.setState({ portal: null })
})

describe('the page of the web app', () => {
  it('shows the brand beside a preview of the sign-in page', async () => {
    const opened = await openConsole('/apply/WebApp', { ...company, 'GET /api/v1/web-apps': () => ({ items: [app] }) })
    await expect.poll(opened.text).toContain('Live preview')
    expect(document.querySelector('[data-testid="portal-preview"]')?.textContent).toContain('Pumps portal')
    expect(document.querySelector('[data-testid="portal-preview"]')?.textContent).toContain('2026 Pumps Ltd')
  })

  it('says that the certificate of the host has expired', async () => {
    const opened = await openConsole('/apply/WebApp?tab=domain', {
      ...company,
      'GET /api/v1/web-apps': () => ({ items: [app] }),
    })
    await expect.poll(opened.text).toContain('Expired')
    expect(opened.text()).toContain('Test CA')
  })

  it('begins with an offer to create one', async () => {
    const opened = await openConsole('/apply/WebApp', { ...company, 'GET /api/v1/web-apps': () => ({ items: [] }) })
    await expect.poll(opened.text).toContain('Create web app')
  })
})

describe('the menus of the web app', () => {
  it('make the first entry the home page when the one that was leaves', async () => {
    const sent: unknown[] = []
    await openConsole('/apply/WebApp?tab=menus', {
      ...company,
      'GET /api/v1/web-apps': () => ({ items: [app] }),
      'PATCH /api/v1/web-apps/1': (_, body) => {
        sent.push(body)
        return app
      },
    })
    await expect.poll(() => named('Remove item 1')).not.toBeNull()
    press(named('Remove item 1'))
    await expect.poll(() => (named('Save', 'button') as HTMLButtonElement).disabled).toBe(false)
    press(named('Save', 'button'))
    await expect.poll(() => sent).toMatchObject([{ menus: [{ section: 'account' }], home: 'account' }])
  })
})

describe('the page of the official account', () => {
  it('shows each step with what WeChat said', async () => {
    const opened = await openConsole('/apply/WechatApp', {
      ...company,
      'GET /api/v1/wechat-accounts': () => ({ items: [account], address: null }),
    })
    await expect.poll(opened.text).toContain('40125 invalid appsecret')
    expect(opened.text()).toContain('cannot be decrypted')
    expect(opened.text()).toContain('2 templates')
    expect(opened.text()).toContain('https://cloud.example/callbacks/wechat/1')
  })
})

describe('the menu of the official account', () => {
  const button = { name: 'Portal', type: 'view', value: 'https://portal.pumps.example', entries: [] }
  const opened = (published: boolean, sent: unknown[] = []) =>
    openConsole('/apply/WechatApp?tab=menu', {
      ...company,
      'GET /api/v1/wechat-accounts': () => ({ items: [account], address: null }),
      'GET /api/v1/wechat-accounts/1/menu': () => ({ buttons: [button], published }),
      'PUT /api/v1/wechat-accounts/1/menu': (_, body) => {
        sent.push(body)
        return { buttons: [button], published: true }
      },
    })
  const publish = () => named('Save and publish') as HTMLButtonElement | null

  it('is published as it came with the file of a company, without a change', async () => {
    const sent: unknown[] = []
    const page = await opened(false, sent)
    await expect.poll(page.text).toContain('not at WeChat yet')
    expect(publish()?.disabled).toBe(false)
    press(publish())
    await expect.poll(() => sent).toEqual([{ buttons: [button] }])
  })

  it('is left alone where WeChat has it', async () => {
    const page = await opened(true)
    await expect.poll(publish).not.toBeNull()
    expect(page.text()).not.toContain('not at WeChat yet')
    expect(publish()?.disabled).toBe(true)
  })
})

describe('a portal', () => {
  it('shows its sign-in in its own looks', async () => {
    const opened = await openConsole('/w/pumps', {
      'GET /api/v1/public/portals/pumps': () => ({ ...facts, appId: 'app1', stamp: '3' }),
    })
    await expect.poll(opened.text).toContain('Pumps portal')
    expect(opened.text()).toContain('2026 Pumps Ltd')
    expect(opened.text()).not.toContain('Thingwright')
  })

  it('says nothing of anybody where there is none', async () => {
    const opened = await openConsole('/w/nobody', {
      'GET /api/v1/public/portals/nobody': () => refusal(404, 'portal.not_found'),
    })
    await expect.poll(opened.text).toContain('This portal is not available')
  })
})
