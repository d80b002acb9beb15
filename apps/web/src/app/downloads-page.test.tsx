// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { company } from './testing/company.ts'
import { openConsole } from './testing/open-console.tsx'

const PATH = '/alonePage/AppDown'
const APPS = 'GET /api/v1/web-apps'
const APPLETS = 'GET /api/v1/wechat-applets'
const platform = { configured: false, appId: null, eventUrl: '', ticketAt: null, ready: false }
const app = { id: 'w1', name: 'Pumps', path: '/w/pumps', url: 'https://pumps.example', enabled: true }

// What own-apps.tsx shows in its boxes is the address alone: nothing to run.
describe('the page of downloads', () => {
  it('shows the address of the company’s portal with its code, and what the mini-program lacks', async () => {
    const opened = await openConsole(PATH, {
      ...company,
      [APPS]: () => ({ items: [app] }),
      [APPLETS]: () => ({ items: [], platform }),
    })
    await expect.poll(opened.text).toContain('https://pumps.example')
    expect(document.querySelector('[aria-label="Open the portal: https://pumps.example"]')).not.toBeNull()
    await expect.poll(opened.text).toContain('has authorised no mini-program yet')
  })

  it('says that a portal is set up but not enabled, and that a mini-program is not published', async () => {
    const applet = { id: 'a1', mode: 'own', state: 'authorized', appId: 'wx1', info: { name: 'Pumps mini' } }
    const opened = await openConsole(PATH, {
      ...company,
      [APPS]: () => ({ items: [{ ...app, enabled: false }] }),
      [APPLETS]: () => ({ items: [applet], platform }),
      'GET /api/v1/wechat-applets/a1/versions': () => ({ items: [] }),
    })
    await expect.poll(opened.text).toContain('set up but not enabled')
    await expect.poll(opened.text).toContain('“Pumps mini” is authorised but not published')
  })

  it('asks nothing of the company’s apps of who may not read them', async () => {
    const opened = await openConsole(PATH, company, ['device:read'])
    await expect.poll(opened.text).toContain('no permission to see the company’s apps')
    // Nor for a portal on the host of the console: the answer could only be that there is none.
    expect(opened.requests.filter(request => /web-apps|public\/portal/.test(request))).toEqual([])
  })
})
