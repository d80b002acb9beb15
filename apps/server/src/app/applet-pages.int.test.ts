import { unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Seen } from '../../../../tools/simulators/applet/applet.main.ts'
import { type RunningApplet, startApplet } from '../../../../tools/simulators/applet/applet.ts'
import { startWechat, type Wechat } from '../../../../tools/simulators/wechat/wechat.ts'
import { ADDRESSES } from './testing/test-app.ts'
import { type TriggerHouse, triggerHouse } from './testing/trigger-house.ts'

const PASSWORD = 'A password 4 tests'
const OWN = { appId: 'wx00000000000000b1', appSecret: 'a0123456789abcdef0123456789abcde' }
const PLATFORM = {
  appId: 'wxb11529c136998cb6',
  secret: 'a0123456789abcdef0123456789abcde',
  token: 'pamtest',
  aesKey: 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG',
}

let house: TriggerHouse
let wechat: Wechat
let url = ''
let device: string
let running: RunningApplet | null = null

beforeAll(async () => {
  wechat = await startWechat()
  house = await triggerHouse({
    outboundAllow: ['127.0.0.1/32'],
    addresses: () => ({ ...ADDRESSES, httpUrl: url || ADDRESSES.httpUrl }),
    wechatPlatform: { ...PLATFORM, baseUrl: wechat.url, pageUrl: wechat.url },
  })
  url = await house.app.listen({ port: 0, host: '127.0.0.1' })
  wechat.platform.platform = {
    ...PLATFORM,
    eventUrl: `${url}/callbacks/wechat-platform/events`,
    messageUrl: `${url}/callbacks/wechat-platform/$APPID$/messages`,
  }
  wechat.account(OWN.appId, OWN.appSecret)
  const portal = await ask<{ id: string; version: number }>('POST', '/web-apps', {
    name: 'Pumps portal',
    suffix: 'pumps',
  })
  await ask('PATCH', `/web-apps/${portal.id}`, { version: portal.version, enabled: true, colour: '#0b5fff' })
  device = await house.device('Pump 7')
  const { id } = await ask<{ id: string }>('POST', '/end-users', {
    name: 'Anna',
    username: 'anna',
    password: PASSWORD,
    rights: ['view', 'control'],
  })
  await ask('POST', `/end-users/${id}/devices`, { deviceIds: [device] })
}, 120_000)
afterAll(async () => {
  running?.close()
  await wechat.close()
  await house.end()
})

async function ask<T = Record<string, unknown>>(method: string, path: string, body?: object): Promise<T> {
  const reply = await house.call<T>(method, path, house.owner, body)
  expect(reply.status, `${path}: ${reply.text}`).toBeLessThan(300)
  return reply.body
}

/** The package of the company, as WeChat's tools would open it. */
async function packed(id: string): Promise<Record<string, string>> {
  const reply = await house.call('GET', `/wechat-applets/${id}/package`, house.owner)
  expect(reply.status, reply.text).toBe(200)
  const files = unzipSync(reply.bytes)
  return Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes).toString('utf8')]))
}

/** Waits until the person sees this. */
async function until(fits: (seen: Seen) => boolean): Promise<Seen> {
  let seen = await running!.look()
  await vi
    .waitUntil(
      async () => {
        seen = await running!.look()
        return fits(seen)
      },
      { timeout: 20_000, interval: 30 },
    )
    .catch(() => {
      throw new Error(`the mini-program shows ${JSON.stringify(seen)}`)
    })
  return seen
}
const of = (seen: Seen, name: string) => seen.elements.filter(each => each.classes.includes(name))

async function signIn(password = PASSWORD): Promise<void> {
  await until(({ page, text }) => page.endsWith('sign-in') && text.includes('Pumps portal'))
  await running!.type('.username', 'anna')
  await running!.type('.password', password)
  await running!.tap('.sign-in')
}

describe('the mini-program of a company with its own app id', () => {
  it('is packed with its app id, server, portal and brand', async () => {
    const { id } = await ask<{ id: string }>('PUT', '/wechat-applets/own', OWN)
    expect((await ask<{ items: object[] }>('GET', '/wechat-applets')).items).toMatchObject([{ state: 'authorized' }])
    const files = await packed(id)
    expect(JSON.parse(files['project.config.json']!)).toMatchObject({ appid: OWN.appId, projectname: 'Pumps portal' })
    expect(JSON.parse(files['app.json']!)).toMatchObject({
      window: { navigationBarTitleText: 'Pumps portal', navigationBarBackgroundColor: '#0b5fff' },
      tabBar: { list: [{ text: '设备' }, { text: '报警' }, { text: '我的' }] },
    })
    expect(files['config.js']).toContain(JSON.stringify({ server: url, portal: 'pumps' }))
    for (const page of (JSON.parse(files['app.json']!) as { pages: string[] }).pages)
      expect(Object.keys(files)).toEqual(expect.arrayContaining([`${page}.js`, `${page}.wxml`, `${page}.json`]))
    const stranger = await house.member([])
    expect((await house.call('GET', `/wechat-applets/${id}/package`, stranger.token)).status).toBe(403)
  })

  it('shows the devices of who signs in, sends a command, and acknowledges an alarm', async () => {
    const { items } = await ask<{ items: { id: string }[] }>('GET', '/wechat-applets')
    running = await startApplet({ files: await packed(items[0]!.id), domains: [url] })
    await signIn('wrong')
    expect((await until(seen => of(seen, 'fault').length > 0)).page).toBe('pages/sign-in/sign-in')
    await running.type('.password', PASSWORD)
    await running.tap('.sign-in')
    const list = await until(seen => seen.page.endsWith('devices') && of(seen, 'device').length > 0)
    expect(of(list, 'device').map(each => each.text)).toEqual([expect.stringContaining('Pump 7')])
    expect(list.tabs).toEqual(['设备', '报警', '我的'])

    await house.say(device, { temperature: 21.5, pump: false })
    await running.tap('.device')
    const shown = await until(seen => seen.page.endsWith('device/device') && seen.text.includes('21.5'))
    expect(shown.title).toBe('Pump 7')
    expect(of(shown, 'control-switch')).toMatchObject([{ values: { checked: false } }])
    await running.change('.control-switch', true)
    await until(({ toasts }) => toasts.includes('已下发'))
    const commands = await ask<{ items: object[] }>('GET', `/devices/${device}/commands`)
    expect(commands.items).toMatchObject([{ kind: 'property_set', params: { pump: true }, operatorName: 'anna' }])

    const trigger = await house.trigger({
      name: 'Too hot',
      scope: { deviceIds: [device] },
      kind: 'general',
      condition: { type: 'compare', property: 'temperature', op: 'gt', value: 30 },
    })
    await house.say(device, { temperature: 44 })
    const [alarm] = await house.until(`triggerId=${trigger.id}`, ([one]) => one?.active === true)
    await running.open('/pages/alarms/alarms')
    await until(seen => of(seen, 'alarm').some(each => each.text.includes('Too hot')))
    await running.tap('.ack')
    await until(seen => of(seen, 'acknowledged').length === 1 && of(seen, 'ack').length === 0)
    expect(await ask('GET', `/alarms/${alarm!.id}`)).toMatchObject({ acknowledged: true })
  })

  it('binds WeChat to the person, who signs in by it from then on, and unbinds', async () => {
    await running!.open('/pages/account/account')
    await until(seen => of(seen, 'bind').length === 1)
    await running!.code(wechat.loginCode(OWN.appId, 'openid-anna'))
    await running!.tap('.bind')
    await until(seen => of(seen, 'unbind').length === 1)
    await running!.tap('.sign-out')
    await until(({ page, text }) => page.endsWith('sign-in') && text.includes('Pumps portal'))
    await running!.code(wechat.loginCode(OWN.appId, 'openid-stranger'))
    await running!.tap('.sign-in-wechat')
    await until(seen => of(seen, 'hint').length === 1)
    await running!.code(wechat.loginCode(OWN.appId, 'openid-anna'))
    await running!.tap('.sign-in-wechat')
    await until(seen => seen.page.endsWith('devices') && of(seen, 'device').length > 0)
    await running!.open('/pages/account/account')
    await until(seen => of(seen, 'unbind').length === 1)
    await running!.tap('.unbind')
    await until(seen => of(seen, 'bind').length === 1)
    await running!.tap('.sign-out')
    await until(({ page }) => page.endsWith('sign-in'))
    await running!.code(wechat.loginCode(OWN.appId, 'openid-anna'))
    await running!.tap('.sign-in-wechat')
    await until(seen => of(seen, 'hint').length === 1)
    for (const action of ['end_user.bind_wechat', 'end_user.unbind_wechat']) {
      const lines = await ask('GET', `/audit-logs?action=${action}&limit=1`)
      expect(JSON.stringify(lines), action).toContain('anna')
    }
    // A code that WeChat does not know.
    await running!.code('made-up')
    await running!.tap('.sign-in-wechat')
    expect(of(await until(seen => of(seen, 'fault').length === 1), 'fault')[0]!.text).toContain('40029')
    running!.close()
  })
})

describe('the mini-program of the third-party platform', () => {
  it('is the same program, with the company’s own ext.json', async () => {
    const { items } = await ask<{ items: { id: string }[] }>('GET', '/wechat-applets')
    const files = await packed(items[0]!.id)
    await ask('DELETE', `/wechat-applets/${items[0]!.id}`)
    expect(await wechat.platform.sendTicket()).toBe(200)
    const appId = 'wx00000000000000c1'
    wechat.platform.register(appId, 'Pumps')
    const begun = await ask<{ url: string }>('POST', '/wechat-applets/authorize')
    expect((await fetch(wechat.platform.scanAuthorization(begun.url, appId), { redirect: 'manual' })).status).toBe(303)
    const { items: now } = await ask<{ items: { id: string }[] }>('GET', '/wechat-applets')
    const version = { templateId: '1', userVersion: '1.0.0', userDesc: 'first' }
    await ask('POST', `/wechat-applets/${now[0]!.id}/versions`, version)
    const { ext } = wechat.platform.program(appId).trial!.ext as { ext: object }
    // Of a template nothing is filled in.
    const template = { ...files, 'config.js': "module.exports = { server: '', portal: '' }" }
    running = await startApplet({ files: template, ext, language: 'en', domains: [url] })
    await signIn()
    const list = await until(seen => seen.page.endsWith('devices') && of(seen, 'device').length > 0)
    expect(list.tabs).toEqual(['Devices', 'Alarms', 'Account'])
    await running.open('/pages/account/account')
    await until(seen => of(seen, 'bind').length === 1)
    await running.code(wechat.loginCode(appId, 'openid-anna'))
    await running.tap('.bind')
    await until(({ toasts }) => toasts.includes('WeChat is bound'))
    expect(wechat.asked).toContain('/sns/component/jscode2session')
    expect(wechat.faults).toEqual([])
  })
})
