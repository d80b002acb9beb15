import type { NotificationRecordView } from '@thingwright/contracts/contacts.contract'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Seen } from '../../../../tools/simulators/applet/applet.main.ts'
import { type RunningApplet, startApplet } from '../../../../tools/simulators/applet/applet.ts'
import { startWechat, type Wechat } from '../../../../tools/simulators/wechat/wechat.ts'
import { ADDRESSES } from './testing/test-app.ts'
import { type TriggerHouse, triggerHouse } from './testing/trigger-house.ts'

// Subscribe messages of a mini-program: asked for in the program, sent by the server, checked by WeChat's simulator.

const PASSWORD = 'A password 4 tests'
const APP = 'wx00000000000000b7'
const ACCOUNT = 'wx00000000000000b8'
const SECRET = 'a0123456789abcdef0123456789abcde'
// Also an own app id is asked about at the platform's address.
const PLATFORM = {
  appId: 'wxb11529c136998cb6',
  secret: SECRET,
  token: 'pamtest',
  aesKey: 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG',
}
const KEYS = ['thing1', 'thing2', 'time3']
const OPENID = 'openid-anna-0001'

let house: TriggerHouse
let wechat: Wechat
let url = ''
let device: string
let running: RunningApplet
let anna: string
let messages: { start(): void; stop(): Promise<void>; tell(ids: string[]): void }
let alarms = 0

beforeAll(async () => {
  wechat = await startWechat()
  house = await triggerHouse({
    outboundAllow: ['127.0.0.1/32'],
    addresses: () => ({ ...ADDRESSES, httpUrl: url || ADDRESSES.httpUrl }),
    wechatPlatform: { ...PLATFORM, baseUrl: wechat.url, pageUrl: wechat.url },
  })
  url = await house.app.listen({ port: 0, host: '127.0.0.1' })
  wechat.account(APP, SECRET)
  messages = (house.container.modules.find(each => 'messages' in each) as unknown as { messages: typeof messages })
    .messages
  messages.start()
  const portal = await ask<{ id: string; version: number }>('POST', '/web-apps', { name: 'Pumps', suffix: 'pumps' })
  await ask('PATCH', `/web-apps/${portal.id}`, { version: portal.version, enabled: true })
  device = await house.device('Pump 7')
  anna = (
    await ask<{ id: string }>('POST', '/end-users', {
      name: 'Anna',
      username: 'anna',
      password: PASSWORD,
      rights: ['view', 'control'],
    })
  ).id
  await ask('POST', `/end-users/${anna}/devices`, { deviceIds: [device] })
  const { id } = await ask<{ id: string }>('PUT', '/wechat-applets/own', { appId: APP, appSecret: SECRET })
  const files = unzipSync((await house.call('GET', `/wechat-applets/${id}/package`, house.owner)).bytes)
  running = await startApplet({
    files: Object.fromEntries(
      Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes).toString('utf8')]),
    ),
    domains: [url],
  })
}, 120_000)
afterAll(async () => {
  running?.close()
  await messages?.stop()
  await wechat.close()
  await house.end()
})

async function ask<T = Record<string, unknown>>(method: string, path: string, body?: object): Promise<T> {
  const reply = await house.call<T>(method, path, house.owner, body)
  expect(reply.status, `${path}: ${reply.text}`).toBeLessThan(300)
  return reply.body
}

async function template(channel: 'applet' | 'wechat', code: string, body?: string): Promise<void> {
  type Own = { channel: string; event: string; locale: string; body: string; version: number }
  const { items } = await ask<{ items: Own[] }>('GET', '/notification-templates')
  for (const locale of ['zh', 'en']) {
    const own = items.find(each => each.channel === channel && each.event === 'raised' && each.locale === locale)!
    const words = { version: own.version, body: body ?? own.body, code, approval: 'approved' }
    await ask('PUT', `/notification-templates/${channel}/raised/${locale}`, words)
  }
}

async function until(fits: (seen: Seen) => boolean): Promise<Seen> {
  let seen = await running.look()
  await vi
    .waitUntil(
      async () => {
        seen = await running.look()
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

/** An alarm of a new trigger is raised. @returns its messages once none of them waits any more */
async function raised(name: string): Promise<NotificationRecordView[]> {
  const trigger = await house.trigger({
    name,
    scope: { deviceIds: [device] },
    kind: 'general',
    condition: { type: 'compare', property: 'temperature', op: 'gt', value: 30 },
  })
  return sentOf(trigger.id)
}

async function sentOf(triggerId: string): Promise<NotificationRecordView[]> {
  await house.say(device, { temperature: 44 + ++alarms })
  const [alarm] = await house.until(`triggerId=${triggerId}`, ([one]) => one?.active === true)
  messages.tell([alarm!.id])
  let items: NotificationRecordView[] = []
  await vi.waitUntil(
    async () => {
      items = (
        await ask<{ items: NotificationRecordView[] }>('GET', `/notification-records?alarmId=${alarm!.id}`)
      ).items.filter(each => each.channel !== 'inbox')
      return items.length > 0 && items.every(each => each.state !== 'pending' && each.state !== 'sending')
    },
    { timeout: 50_000, interval: 50 },
  )
  await house.tidy()
  await ask('PUT', `/notification-policy`, await policyLater())
  return items
}

/** More than three messages a minute would wait: the records of this test are older than that. */
async function policyLater() {
  await house.db.superuser.query("update notification_records set claimed_at = claimed_at - interval '2 minutes'")
  const policy = await ask<Record<string, unknown> & { version: number }>('GET', '/notification-policy')
  const levels = [1, 2, 3, 4, 5].map(level => ({ level, channels: ['applet'] }))
  return { levels, escalation: [], recovery: false, quiet: null, version: policy.version }
}

async function remaining(): Promise<Record<string, number>> {
  const { rows } = await house.db.superuser.query('select template_id, remaining from applet_permissions')
  return Object.fromEntries(rows.map(row => [row.template_id, row.remaining]))
}

describe('messages of the mini-program', () => {
  it('are offered to a person who is bound to WeChat, and counted as he allows them', async () => {
    wechat.subscribe.addTemplate(APP, 'SUB-alarm', KEYS)
    await template('applet', 'SUB-alarm')
    await ask('PUT', '/notification-policy', await policyLater())
    await until(({ page, text }) => page.endsWith('sign-in') && text.includes('Pumps'))
    await running.type('.username', 'anna')
    await running.type('.password', PASSWORD)
    await running.tap('.sign-in')
    await until(seen => seen.page.endsWith('devices') && of(seen, 'device').length > 0)
    await running.open('/pages/alarms/alarms')
    await until(seen => of(seen, 'note').length === 1)
    expect(of(await running.look(), 'messages')).toEqual([])
    await running.open('/pages/account/account')
    await until(seen => of(seen, 'bind').length === 1)
    await running.code(wechat.loginCode(APP, OPENID))
    await running.tap('.bind')
    await until(seen => of(seen, 'unbind').length === 1)

    await running.open('/pages/alarms/alarms')
    await until(seen => of(seen, 'messages').some(each => each.text === '允许后，报警会发到微信'))
    await running.tap('.allow')
    await until(({ asked }) => asked.length === 1)
    expect(await remaining()).toEqual({})
    await allow()
    await until(seen => of(seen, 'messages').some(each => each.text === '还可接收 1 条报警消息'))
    expect(await remaining()).toEqual({ 'SUB-alarm': 1 })
    const { items } = await ask<{ items: object[] }>('GET', '/contacts')
    expect(items).toMatchObject([{ name: 'anna', hasApplet: true, owner: { id: anna } }])
    const lines = await ask('GET', '/audit-logs?action=end_user.accept_messages&limit=1')
    expect(JSON.stringify(lines)).toContain('SUB-alarm')
  })

  it('arrive once for each permission, and say where nothing is left', async () => {
    const [record, ...others] = await raised('Too hot in the northern pumping station')
    expect(record).toMatchObject({ channel: 'applet', state: 'sent', address: OPENID, cost: 0, contactName: 'anna' })
    expect(others).toEqual([])
    expect(wechat.subscribe.sent).toEqual([
      {
        appId: APP,
        touser: OPENID,
        templateId: 'SUB-alarm',
        page: 'pages/alarms/alarms',
        lang: 'zh_CN',
        data: {
          thing1: 'Too hot in the nort…',
          thing2: 'Pump 7',
          time3: expect.stringMatching(/^\d{4}-\d\d-\d\d [\d:]+$/),
        },
      },
    ])
    expect(await remaining()).toEqual({ 'SUB-alarm': 0 })
    expect(await raised('Again')).toMatchObject([{ channel: 'applet', state: 'failed', reason: 'no_permission' }])
    expect(wechat.subscribe.sent).toHaveLength(1)
  })

  it('go to the next way of the contact when no permission is left', async () => {
    await house.db.superuser.query("update contacts set email = 'anna@example.com', verified_at = now()")
    const records = await raised('Third')
    expect(records.map(({ channel, state }) => `${channel} ${state}`).sort()).toEqual(['applet failed', 'email sent'])
  })

  it('are asked for again when a person opens an alarm', async () => {
    // They are over by now.
    await running.tap('.kind')
    await until(seen => of(seen, 'open').length > 0)
    await allow('.open')
    await until(seen => of(seen, 'messages').some(each => each.text === '还可接收 1 条报警消息'))
    await until(seen => of(seen, 'details').length === 1)
  })

  it('say why WeChat did not take them, and keep the permission but where WeChat knows of none', async () => {
    wechat.subscribe.decide(APP, OPENID, ['SUB-alarm'], 'reject')
    expect(await raised('Taken back')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ channel: 'applet', state: 'failed', reason: 'refused_by_person' }),
      ]),
    )
    expect(await remaining()).toEqual({ 'SUB-alarm': 0 })

    await running.tap('.allow')
    wechat.subscribe.decide(APP, OPENID, ['SUB-alarm'], 'accept')
    await vi.waitUntil(async () => (await remaining())['SUB-alarm'] === 1, { timeout: 10_000 })
    const told = async (name: string) => (await raised(name)).find(each => each.channel === 'applet')
    // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of the message
    await template('applet', 'SUB-alarm', 'thing1=${trigger}\nthing2=${device}\nphrase3=${time}')
    const argument = await told('Fields')
    expect(argument).toMatchObject({ state: 'failed', reason: expect.stringMatching(/^47003 .*(time3|phrase3)/) })
    await house.db.superuser.query("update applet_permissions set template_id = 'SUB-gone'")
    await template('applet', 'SUB-gone')
    expect(await told('Template')).toMatchObject({ state: 'failed', reason: expect.stringMatching(/^40037 /) })
    wechat.subscribe.addTemplate(APP, 'SUB-gone', KEYS)
    await house.db.superuser.query("update applet_permissions set openid = 'openid-of-nobody'")
    expect(await told('Nobody')).toMatchObject({ state: 'failed', reason: expect.stringMatching(/^40003 /) })
    expect(await remaining()).toEqual({ 'SUB-gone': 1 })
    expect(wechat.faults).toEqual([])
  })
})

describe('a preset with message templates of its own', () => {
  it('sends alarms of its triggers with them, by the mini-program and by the official account', async () => {
    await house.db.superuser.query("update applet_permissions set openid = $1, template_id = 'SUB-preset'", [OPENID])
    // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of the message
    const body = 'thing5=${device}\nthing6=${trigger}'
    wechat.subscribe.addTemplate(APP, 'SUB-preset', ['thing5', 'thing6'])
    wechat.subscribe.decide(APP, OPENID, ['SUB-preset'], 'accept')
    const rule = {
      name: 'Of the preset',
      kind: 'general',
      condition: { type: 'compare', property: 'temperature', op: 'gt', value: 30 },
      alarm: { level: 3 },
    }
    const preset = { name: 'Cold rooms', triggers: [rule], templates: { applet: { code: 'SUB-preset', body } } }
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable that does not exist
    const wrong = { ...preset, templates: { wechat: { code: 'TM1', body: 'thing1=${weather}' } } }
    const refused = await house.call('POST', '/trigger-presets', house.owner, wrong)
    expect(refused.body).toMatchObject({ code: 'template.variable', params: { name: 'weather' } })
    const made = await ask<{ id: string; version: number }>('POST', '/trigger-presets', preset)
    const applied = await ask<{ made: { id: string }[] }>('POST', `/trigger-presets/${made.id}/apply`, {
      productIds: [house.productId],
    })
    const account = await ask<{ id: string }>('POST', '/wechat-accounts', {
      name: 'Pumps',
      appId: ACCOUNT,
      appSecret: SECRET,
      token: 'pamtest',
      aesKey: 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG',
      baseUrl: wechat.url,
    })
    expect(account.id).toBeTruthy()
    const official = wechat.account(ACCOUNT, SECRET)
    official.followers.set('openid-follower', { openid: 'openid-follower', nickname: 'Anna', subscribed: true })
    official.templates.push({ template_id: 'TM-preset', title: 'Cold', content: '{{thing5.DATA}}' })
    const templates = { applet: { code: 'SUB-preset', body }, wechat: { code: 'TM-preset', body } }
    await ask('PATCH', `/trigger-presets/${made.id}`, { version: made.version, templates })
    await ask('POST', '/contacts', { name: 'Bob', wechatOpenid: 'openid-follower', minLevel: 1 })
    const policy = await policyLater()
    const levels = policy.levels.map(each => ({ ...each, channels: ['applet', 'wechat'] }))
    await ask('PUT', '/notification-policy', { ...policy, levels })
    house.look()
    const records = await sentOf(applied.made[0]!.id)
    expect(records.map(({ channel, state, reason }) => [channel, state, reason]).sort()).toEqual([
      ['applet', 'sent', null],
      ['wechat', 'sent', null],
    ])
    expect(wechat.subscribe.sent.at(-1)).toMatchObject({
      templateId: 'SUB-preset',
      data: { thing5: 'Pump 7', thing6: 'Of the preset' },
    })
    expect(official.sent).toMatchObject([{ templateId: 'TM-preset', data: { thing5: { value: 'Pump 7' } } }])
  })
})

async function allow(selector = '.allow'): Promise<void> {
  await running.answer('accept')
  wechat.subscribe.decide(APP, OPENID, ['SUB-alarm'], 'accept')
  await running.tap(selector)
}
