import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { company, type Management, management } from '../../db/testing/management.ts'
import type { Ctx } from '../../lib/context.ts'
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import { createAlarmsModule } from '../alarms/index.ts'
import type { Inbox, Notice, SmsMessage } from '../notifications/index.ts'
import { MailError, type MailMessage } from '../notifications/mail.port.ts'
import {
  type ChannelAccount,
  type ChannelAdapter,
  ChannelError,
  type ChannelMessage,
  NO_SIMULATORS,
} from './channel.port.ts'
import { type ContactsModule, contactsModule, createContactsModule } from './contacts.module.ts'
import { takeReceipts } from './receipts.service.ts'
import { listRecords } from './records.service.ts'

const seal = (purpose: string) => createCryptoBox('a secret of the installation, long enough', purpose)
let m: Management
let clock = Date.now()
let sent: MailMessage[] = []
let refusal: MailError | null = null
let contacts: ContactsModule
let texts: SmsMessage[] = []
let carrierFails = false
let notices: Notice[] = []
let handed: { account: ChannelAccount; message: ChannelMessage }[] = []
let answer: ChannelError | null = null
/** Text messages that the company may still send by the operator's carrier. */
let unitsLeft = 0
const reserved = new Map<string, number>()
const adapter: ChannelAdapter = {
  async send(account, message) {
    if (answer) throw answer
    handed.push({ account, message })
    return { ref: `ref-${handed.length}`, cost: 2 }
  },
}
const inbox: Inbox = { notify: async (scope, notice) => scope.afterCommit(() => notices.push(notice)) }
/** A variable of a template. */
const hole = (name: string) => `\${${name}}`
const again = () =>
  createContactsModule({
    database: m.database,
    mail: {
      async send(message) {
        if (refusal) throw refusal
        sent.push(message)
      },
      outbox: () => null,
    },
    sms: {
      async send(message) {
        if (carrierFails) throw new Error('the carrier is away')
        texts.push(message)
      },
      outbox: () => null,
    },
    inbox,
    alarms: {
      service: createAlarmsModule({
        database: m.database,
        inbox,
        timeZone: async () => 'UTC',
        logger: silentLogger,
        now: () => clock,
      }).service,
    },
    webPush: { publicKey: 'a key', send: async () => undefined },
    messageChannels: { 'sms.aliyun': adapter, 'dingtalk.robot': adapter, 'voice.tencent': adapter },
    appletMessages: { send: async () => ({ simulated: true }) },
    units: {
      async reserve(_, __, count, ref) {
        if (unitsLeft < count) return false
        unitsLeft -= count
        reserved.set(ref, count)
        return true
      },
      async settle(_, __, ref) {
        reserved.delete(ref)
      },
      async release(_, ref) {
        unitsLeft += reserved.get(ref) ?? 0
        reserved.delete(ref)
      },
    },
    simulators: NO_SIMULATORS,
    timeZone: async () => 'UTC',
    seal: purpose => createCryptoBox('a secret of the installation, long enough', purpose),
    logger: silentLogger,
    addresses: () => ({ httpUrl: 'https://console.example' }),
    now: () => clock,
  })
beforeAll(async () => {
  m = await management()
})
beforeEach(async () => {
  await m.db.superuser.query(
    'truncate contacts, contact_groups, notification_records, notification_channels, notification_policies, alarms cascade',
  )
  clock = Date.now()
  sent = []
  refusal = null
  texts = []
  notices = []
  handed = []
  answer = null
  unitsLeft = 0
  reserved.clear()
  carrierFails = false
  contacts = again()
})

async function verified(ctx: Ctx, over: { name?: string; email?: string; minLevel?: number } = {}) {
  const made = await contacts.service.create(ctx, { name: 'Duty', email: 'duty@example.com', locale: 'en', ...over })
  await contacts.codes.send(ctx, made.id)
  const code = /\d{6}/.exec(sent.pop()!.text)![0]
  return await contacts.codes.verify(ctx, made.id, code)
}

async function raise(ctx: Ctx, over: { level?: number; suppressed?: boolean } = {}): Promise<string> {
  const id = newId()
  await m.db.superuser.query(
    `insert into alarms (id, tenant_id, trigger_name, origin, target_kind, target_id, level, raised_at, last_at, raise_values, suppressed)
     values ($1::uuid, $2, 'Too hot', $1::text, 'scope', $1::text, $3, $4, $4, $5, $6)`,
    [
      id,
      ctx.tenantId,
      over.level ?? 4,
      new Date(clock),
      JSON.stringify([{ property: 'temperature', value: 41 }]),
      over.suppressed ?? false,
    ],
  )
  return id
}

const records = async (ctx: Ctx) => (await listRecords(m.database, ctx, {})).items

/** Pauses between tries and looks go by. */
const later = (seconds: number) => {
  clock += seconds * 1_000
}

describe('contacts', () => {
  it('come page by page, the newest first, and are found by name and address', async () => {
    const { ctx } = await company(m.db)
    for (const name of ['first', 'second', 'third'])
      await contacts.service.create(ctx, { name, email: `${name}@example.com` })
    const page = await contacts.service.list(ctx, { limit: 2 })
    expect(page.items.map(item => item.name)).toEqual(['third', 'second'])
    const rest = await contacts.service.list(ctx, { limit: 2, cursor: page.nextCursor! })
    expect(rest).toMatchObject({ items: [{ name: 'first' }], nextCursor: null })
    expect((await contacts.service.list(ctx, { q: 'SECOND@' })).items.map(item => item.name)).toEqual(['second'])
    await expect(contacts.service.create(ctx, { name: 'x', email: 'FIRST@example.com' })).rejects.toMatchObject({
      code: 'contact.email_taken',
    })
  })

  it('belong to one company, and leave lines in its operation log', async () => {
    const [own, other] = [await company(m.db), await company(m.db)]
    const made = await verified(own.ctx)
    const strange = { code: 'contact.not_found' }
    await expect(contacts.service.get(other.ctx, made.id)).rejects.toMatchObject(strange)
    await expect(contacts.codes.send(other.ctx, made.id)).rejects.toMatchObject(strange)
    await expect(contacts.codes.verify(other.ctx, made.id, '000000')).rejects.toMatchObject(strange)
    await expect(contacts.service.remove(other.ctx, made.id)).rejects.toMatchObject(strange)
    await expect(contacts.service.update(own.ctx, made.id, { version: 1, name: 'late' })).rejects.toMatchObject({
      code: 'version.conflict',
    })
    const moved = await contacts.service.update(own.ctx, made.id, { version: made.version, email: 'new@example.com' })
    expect(moved.verifiedAt).toBeNull()
    await contacts.service.remove(own.ctx, made.id)
    const { rows } = await m.db.superuser.query('select action from audit_logs where object_id = $1 order by at, id', [
      made.id,
    ])
    expect(rows.map(row => row.action)).toEqual([
      'contact.create',
      'contact.send_code',
      'contact.verify',
      'contact.update',
      'contact.remove',
    ])
  })

  it('are verified by a code that is valid for ten minutes and five tries, and sent once a minute', async () => {
    const { ctx } = await company(m.db)
    const { id } = await contacts.service.create(ctx, { name: 'Duty', email: 'duty@example.com' })
    const wrong = { code: 'contact.code_wrong' }
    await expect(contacts.codes.verify(ctx, id, '123456')).rejects.toMatchObject(wrong)
    await contacts.codes.send(ctx, id)
    await expect(contacts.codes.send(ctx, id)).rejects.toMatchObject({ code: 'contact.code_too_soon' })
    const code = /\d{6}/.exec(sent[0]!.text)![0]
    const other = code === '111111' ? '222222' : '111111'
    for (let i = 0; i < 5; i++) await expect(contacts.codes.verify(ctx, id, other)).rejects.toMatchObject(wrong)
    await expect(contacts.codes.verify(ctx, id, code)).rejects.toMatchObject(wrong)
    later(61)
    await contacts.codes.send(ctx, id)
    const second = /\d{6}/.exec(sent[1]!.text)![0]
    later(601)
    await expect(contacts.codes.verify(ctx, id, second)).rejects.toMatchObject(wrong)
    await contacts.codes.send(ctx, id)
    const third = /\d{6}/.exec(sent[2]!.text)![0]
    expect((await contacts.codes.verify(ctx, id, third)).verifiedAt).not.toBeNull()
    refusal = new MailError(true, 'mailbox unavailable')
    later(61)
    await expect(contacts.codes.send(ctx, id)).rejects.toMatchObject({ code: 'contact.mail_failed' })
  })

  it('are there in the demo company, once, and unverified', async () => {
    const { ctx } = await company(m.db)
    for (const _ of [1, 2]) await contactsModule.seedDemo?.(m.database, ctx.tenantId, seal)
    const { items } = await contacts.service.list(ctx, {})
    expect(items.map(item => item.verifiedAt)).toEqual([null, null])
    const channels = (await contacts.channels.list(ctx, {})).items
    expect(channels).toHaveLength(8)
    expect(channels.every(channel => channel.simulated && channel.fault === null)).toBe(true)
    const robots = channels.filter(channel => channel.provider === 'robot').map(({ id }) => id)
    const { levels, version } = await contacts.policy.get(ctx)
    expect(levels.find(({ level }) => level === 5)!.channels).toEqual(expect.arrayContaining(['inbox', ...robots]))
    expect(levels.find(({ level }) => level === 3)!.channels).toEqual(['email', 'push', 'applet'])
    // What somebody changed since stays.
    await contacts.channels.remove(ctx, channels[0]!.id)
    await contactsModule.seedDemo?.(m.database, ctx.tenantId, seal)
    expect((await contacts.channels.list(ctx, {})).items).toHaveLength(7)
    expect((await contacts.policy.get(ctx)).version).toBe(version)
  })

  it('are found by the search', async () => {
    const { ctx } = await company(m.db)
    await contacts.service.create(ctx, { name: 'a needle', email: 'n@example.com' })
    const [source] = contacts.search!
    expect((await source!.find(ctx, 'needle', 5)).map(hit => hit.title)).toEqual(['a needle'])
  })
})

describe('alarms', () => {
  it('are mailed to verified contacts from their level on, once, and again when they are cleared', async () => {
    const { ctx } = await company(m.db)
    await verified(ctx)
    await contacts.service.create(ctx, { name: 'unverified', email: 'u@example.com' })
    await verified(ctx, { name: 'grave ones', email: 'grave@example.com', minLevel: 5 })
    later(1)
    const id = await raise(ctx)
    await raise(ctx, { level: 2 })
    await raise(ctx, { suppressed: true })
    await contacts.messages.run()
    expect(sent).toEqual([
      {
        to: 'duty@example.com',
        subject: 'Alarm: Too hot (–)',
        text: expect.stringContaining(`https://console.example/manage/user/center/alarm?alarm=${id}`),
      },
    ])
    expect(sent[0]!.text).toContain('temperature = 41')
    later(60)
    await m.db.superuser.query('update alarms set active = false, cleared_at = $2 where id = $1', [id, new Date(clock)])
    await contacts.messages.run()
    await again().messages.run()
    expect(sent.map(mail => mail.subject)).toEqual(['Alarm: Too hot (–)', 'Alarm cleared: Too hot (–)'])
    expect(await records(ctx)).toMatchObject([
      { kind: 'cleared', state: 'sent', maybeTwice: false },
      { kind: 'raised', state: 'sent', contactName: 'Duty', triggerName: 'Too hot', level: 4, attempts: 1 },
    ])
    expect(await records((await company(m.db)).ctx)).toEqual([])
  })

  it('stay in the records with the reason, and are tried again unless the address is refused', async () => {
    const { ctx } = await company(m.db)
    await verified(ctx)
    later(1)
    await raise(ctx)
    refusal = new MailError(false, 'not reached')
    await contacts.messages.run()
    expect(await records(ctx)).toMatchObject([{ state: 'pending', reason: 'not reached', attempts: 1 }])
    await contacts.messages.run()
    expect(await records(ctx)).toMatchObject([{ attempts: 1 }])
    later(6)
    refusal = new MailError(true, '550 no mailbox')
    await contacts.messages.run()
    expect(await records(ctx)).toMatchObject([{ state: 'failed', reason: '550 no mailbox', attempts: 2 }])
    later(3_600)
    refusal = null
    await contacts.messages.run()
    expect(sent).toEqual([])
  })

  it('come in at most three messages a minute, the last of which holds the rest', async () => {
    const { ctx } = await company(m.db)
    await verified(ctx)
    later(1)
    for (let i = 0; i < 25; i++) await raise(ctx)
    await contacts.messages.run()
    expect(sent.map(mail => mail.subject)).toEqual([
      'Alarm: Too hot (–)',
      'Alarm: Too hot (–)',
      '23 messages about alarms',
    ])
    await raise(ctx)
    later(31)
    await contacts.messages.run()
    expect(sent).toHaveLength(3)
    later(61)
    await contacts.messages.run()
    expect(sent).toHaveLength(4)
  })

  it('that were being sent when the server was killed are sent again, and marked', async () => {
    const { ctx } = await company(m.db)
    await verified(ctx)
    later(1)
    await raise(ctx)
    // What a killed server leaves behind: planned and taken, never settled.
    refusal = new MailError(false, 'x')
    await contacts.messages.run()
    await m.db.superuser.query("update notification_records set state = 'sending', reason = null, due_at = $1", [
      new Date(clock + 60_000),
    ])
    refusal = null
    await again().messages.run()
    expect(sent).toEqual([])
    later(61)
    await again().messages.run()
    expect(sent).toHaveLength(1)
    expect(await records(ctx)).toMatchObject([{ state: 'sent', maybeTwice: true, attempts: 2 }])
  })
})

const EVERY = [1, 2, 3, 4, 5]
const policyOf = (channels: string[], over = {}) => ({
  levels: EVERY.map(level => ({ level, channels })),
  escalation: [],
  recovery: true,
  quiet: null,
  version: 0,
  ...over,
})
const smsAccount = (ctx: Ctx) =>
  contacts.channels.create(ctx, {
    name: 'Texts',
    kind: 'sms',
    provider: 'aliyun',
    config: { accessKeyId: 'ak', signName: '物匠' },
    secrets: { accessKeySecret: 'very-secret' },
  })
async function withPhone(ctx: Ctx, over = {}) {
  const made = await contacts.service.create(ctx, { name: 'Phone', phone: '138 0000 0000', ...over })
  await contacts.codes.send(ctx, made.id, 'phone')
  return await contacts.codes.verify(ctx, made.id, texts.at(-1)!.params.code!, 'phone')
}
const acknowledge = (id: string) =>
  m.db.superuser.query('update alarms set acknowledged_at = now() where id = $1', [id])

describe('links in messages', () => {
  it('acknowledge their alarm once, in the name of the contact, for whoever holds them', async () => {
    const { ctx } = await company(m.db)
    await verified(ctx)
    later(1)
    const id = await raise(ctx)
    await contacts.messages.run()
    const token = /Acknowledge#([\w-]+)/.exec(sent[0]!.text)![1]!
    expect(await contacts.links.look(token)).toMatchObject({ state: 'open', triggerName: 'Too hot', level: 4 })
    await contacts.links.look(token)
    const [first, second] = await Promise.allSettled([
      contacts.links.acknowledge(token, clock),
      contacts.links.acknowledge(token, clock),
    ])
    expect([first.status, second.status].sort()).toEqual(['fulfilled', 'rejected'])
    expect(await contacts.links.look(token)).toMatchObject({ state: 'used', acknowledgedName: 'Duty' })
    await expect(contacts.links.acknowledge(token, clock)).rejects.toMatchObject({ code: 'alarm_link.used' })
    const { rows } = await m.db.superuser.query('select kind, name from alarm_events where alarm_id = $1', [id])
    expect(rows).toEqual([{ kind: 'acknowledged', name: 'Duty' }])
    // What the records keep acknowledges nothing.
    expect((await records(ctx))[0]!.content).not.toContain(token)
    const changed = `${token.slice(0, -3)}${token.endsWith('AAA') ? 'BBB' : 'AAA'}`
    await expect(contacts.links.look(changed)).rejects.toMatchObject({ code: 'alarm_link.unknown' })
  })

  it('end after a week, and tell when somebody else was quicker', async () => {
    const { ctx } = await company(m.db)
    await verified(ctx)
    later(1)
    const [one, two] = [await raise(ctx), await raise(ctx)]
    await contacts.messages.run()
    const tokens = sent.map(mail => /Acknowledge#([\w-]+)/.exec(mail.text)![1]!)
    await acknowledge(one)
    expect(await contacts.links.acknowledge(tokens[0]!, clock)).toMatchObject({ state: 'acknowledged' })
    later(8 * 86_400)
    await expect(contacts.links.acknowledge(tokens[1]!, clock)).rejects.toMatchObject({ code: 'alarm_link.expired' })
    expect(two).not.toBe(one)
  })
})

describe('channels', () => {
  it('keep their secrets to themselves, name what is missing, and belong to one company', async () => {
    const [own, other] = [await company(m.db), await company(m.db)]
    const made = await smsAccount(own.ctx)
    expect(JSON.stringify(made)).not.toContain('very-secret')
    expect(made).toMatchObject({
      secrets: ['accessKeySecret'],
      callbackPath: expect.stringMatching(/^\/callbacks\/aliyun\//),
    })
    const { rows } = await m.db.superuser.query(
      "select detail::text || secrets::text as kept from (select * from notification_channels) n, lateral (select string_agg(a::text, '') as detail from audit_logs a where a.object_id = n.id::text) l",
    )
    expect(rows[0].kept).not.toContain('very-secret')
    const update = (input: object) => contacts.channels.update(own.ctx, made.id, { version: made.version, ...input })
    await expect(update({ config: { accessKeyId: 'ak' } })).rejects.toMatchObject({
      code: 'channel.setting',
      params: { field: 'signName' },
    })
    await expect(contacts.channels.get(other.ctx, made.id)).rejects.toMatchObject({ code: 'channel.not_found' })
    await expect(
      contacts.channels.create(own.ctx, {
        name: 'r',
        kind: 'dingtalk',
        provider: 'robot',
        secrets: { url: 'https://169.254.169.254/robot/send' },
      }),
    ).rejects.toMatchObject({ code: 'channel.setting', params: { field: 'url' } })
    await expect(
      contacts.channels.create(own.ctx, { name: 's', kind: 'sms', provider: 'aliyun', simulated: true }),
    ).rejects.toMatchObject({ code: 'channel.no_simulator' })
  })

  it('take a test message, and say why it did not go', async () => {
    const { ctx } = await company(m.db)
    const made = await smsAccount(ctx)
    await expect(contacts.channels.test(ctx, made.id, { to: '12345' })).rejects.toMatchObject({
      code: 'contact.phone_wrong',
    })
    expect(await contacts.channels.test(ctx, made.id, { to: '13800000000' })).toMatchObject({
      kind: 'test',
      state: 'sent',
      cost: 2,
      address: '+8613800000000',
    })
    expect(handed[0]!.account.secrets).toEqual({ accessKeySecret: 'very-secret' })
    answer = new ChannelError('account', 'SignatureDoesNotMatch')
    expect(await contacts.channels.test(ctx, made.id, { to: '13800000000' })).toMatchObject({
      state: 'failed',
      reason: 'SignatureDoesNotMatch',
    })
    expect(await contacts.channels.get(ctx, made.id)).toMatchObject({ fault: 'SignatureDoesNotMatch' })
    expect(notices.map(notice => notice.kind)).toEqual(['notification_channel.stopped'])
  })
})

describe('templates', () => {
  const key = { channel: 'sms', event: 'raised', locale: 'zh' } as const

  it('are the built-in words until somebody writes his own, and again when he takes them back', async () => {
    const [own, other] = [await company(m.db), await company(m.db)]
    const before = (await contacts.templates.list(own.ctx)).items
    expect(before).toHaveLength(44)
    expect(before.every(one => one.version === 0 && one.body !== '')).toBe(true)
    const made = await contacts.templates.set(own.ctx, key, {
      body: `${hole('device')}：${hole('trigger')}`,
      code: 'SMS_1',
      version: 0,
    })
    expect(made).toMatchObject({ version: 1, code: 'SMS_1', body: `${hole('device')}：${hole('trigger')}` })
    await expect(contacts.templates.set(own.ctx, key, { body: 'x', version: 0 })).rejects.toMatchObject({
      code: 'version.conflict',
      params: { current: { version: 1 } },
    })
    expect((await contacts.templates.list(other.ctx)).items.filter(one => one.version > 0)).toEqual([])
    expect(await contacts.templates.reset(own.ctx, key)).toMatchObject({ version: 0, code: '' })
    await expect(
      contacts.templates.set(own.ctx, key, { body: `${hole('devise')} is hot`, version: 0 }),
    ).rejects.toMatchObject({
      code: 'template.variable',
      params: { name: 'devise' },
    })
  })

  it('read as they would for the newest alarm, or for a sample where there is none', async () => {
    const { ctx } = await company(m.db)
    const input = { ...key, locale: 'en', body: `${hole('trigger')} at ${hole('device')}: ${hole('value')}` } as const
    expect(await contacts.templates.preview(ctx, input)).toMatchObject({ sample: true, parts: 1 })
    await raise(ctx)
    expect(await contacts.templates.preview(ctx, input)).toMatchObject({
      sample: false,
      text: expect.stringMatching(/^Too hot at .*: temperature = 41$/),
    })
  })

  it('that the carrier has not approved are not sent', async () => {
    const { ctx } = await company(m.db)
    await smsAccount(ctx)
    await contacts.policy.set(ctx, { ...(await contacts.policy.get(ctx)), levels: [{ level: 4, channels: ['sms'] }] })
    await withPhone(ctx)
    await contacts.templates.set(ctx, key, {
      body: `${hole('trigger')}`,
      code: 'SMS_1',
      approval: 'pending',
      version: 0,
    })
    await raise(ctx)
    await contacts.messages.run()
    expect(await records(ctx)).toMatchObject([{ state: 'failed', reason: 'template_not_approved' }])
    expect(handed).toEqual([])
  })
})

describe('texts by the carrier of the operator', () => {
  it('take units of the company, and give them back when the carrier did not take the text', async () => {
    const { ctx } = await company(m.db)
    await contacts.policy.set(ctx, { ...(await contacts.policy.get(ctx)), levels: [{ level: 4, channels: ['sms'] }] })
    await withPhone(ctx)
    unitsLeft = 2
    carrierFails = true
    await raise(ctx)
    await contacts.messages.run()
    expect(await records(ctx)).toMatchObject([{ state: 'pending', cost: 0 }])
    expect(unitsLeft).toBe(2)
    carrierFails = false
    later(10)
    await contacts.messages.run()
    const [first] = await records(ctx)
    expect(first).toMatchObject({ state: 'sent', cost: expect.any(Number) })
    expect(unitsLeft).toBe(2 - first!.cost)
    expect(texts.at(-1)).toMatchObject({ phone: '+8613800000000', kind: 'alarm' })
    unitsLeft = 0
    later(120)
    await raise(ctx)
    await contacts.messages.run()
    expect((await records(ctx))[0]).toMatchObject({ state: 'failed', reason: 'no_units' })
  })

  it('reach the inbox and the mail instead when no units are left and the alarm has level 5, once', async () => {
    const { ctx } = await company(m.db)
    await contacts.policy.set(ctx, {
      ...(await contacts.policy.get(ctx)),
      levels: [
        { level: 4, channels: ['sms'] },
        { level: 5, channels: ['sms'] },
      ],
    })
    const contact = await withPhone(ctx, { email: 'duty@example.com' })
    await m.db.superuser.query('update contacts set verified_at = now() where id = $1', [contact.id])
    unitsLeft = 0
    const grave = await raise(ctx, { level: 4 })
    const urgent = await raise(ctx, { level: 5 })
    for (let i = 0; i < 3; i++) {
      await contacts.messages.run()
      later(10)
    }
    const all = (await records(ctx)).map(({ alarmId, channel, state, reason }) => [alarmId, channel, state, reason])
    expect(all).toHaveLength(4)
    expect(all).toEqual(
      expect.arrayContaining([
        [grave, 'sms', 'failed', 'no_units'],
        [urgent, 'sms', 'failed', 'no_units'],
        [urgent, 'email', 'sent', null],
        [urgent, 'inbox', 'sent', null],
      ]),
    )
  })
})

describe('the policy', () => {
  it('chooses channels by the level, and tells the inbox and a robot once each', async () => {
    const { ctx } = await company(m.db)
    await verified(ctx, { minLevel: 1 })
    await withPhone(ctx)
    await smsAccount(ctx)
    const robot = await contacts.channels.create(ctx, {
      name: 'Robot',
      kind: 'dingtalk',
      provider: 'robot',
      secrets: { url: 'https://oapi.dingtalk.com/robot/send?access_token=x' },
    })
    await contacts.policy.set(
      ctx,
      policyOf([], {
        levels: [
          { level: 4, channels: ['sms', 'inbox', robot.id] },
          { level: 2, channels: ['email'] },
        ],
      }),
    )
    later(1)
    const id = await raise(ctx, { level: 4 })
    await contacts.messages.run()
    await again().messages.run()
    expect(sent).toEqual([])
    expect(handed.map(({ account, message }) => [account.kind, message.to]).sort()).toEqual([
      ['dingtalk', ''],
      ['sms', '+8613800000000'],
    ])
    expect(notices).toMatchObject([{ kind: 'alarm.raised', link: `/manage/user/center/alarm?alarm=${id}` }])
    later(61)
    await raise(ctx, { level: 2 })
    await contacts.messages.run()
    expect(sent).toHaveLength(1)
    await expect(contacts.policy.set(ctx, policyOf([newId()], { version: 1 }))).rejects.toMatchObject({
      code: 'policy.unknown',
    })
  })

  it('tells the next person when nobody acknowledged, until somebody does', async () => {
    const { ctx } = await company(m.db)
    const chief = await verified(ctx, { name: 'Chief', email: 'chief@example.com' })
    await contacts.service.update(ctx, chief.id, { version: chief.version, escalationOnly: true })
    await verified(ctx)
    const step = { afterMinutes: 10, minLevel: 3, contactIds: [chief.id], groupIds: [], channels: ['email'] }
    await contacts.policy.set(ctx, policyOf(['email'], { escalation: [step] }))
    later(1)
    const [first, second] = [await raise(ctx), await raise(ctx)]
    await contacts.messages.run()
    expect(sent.map(mail => mail.to)).toEqual(['duty@example.com', 'duty@example.com'])
    await acknowledge(first)
    later(9 * 60)
    await contacts.messages.run()
    expect(sent).toHaveLength(2)
    later(61)
    await contacts.messages.run()
    await contacts.messages.run()
    expect(sent.slice(2).map(mail => [mail.to, mail.subject])).toEqual([
      ['chief@example.com', 'Not acknowledged: Alarm: Too hot (–)'],
    ])
    // Planned but not sent, it stops when somebody acknowledges.
    await raise(ctx)
    refusal = new MailError(false, 'away')
    later(10 * 60)
    await contacts.messages.run()
    await m.db.superuser.query('update alarms set acknowledged_at = now()')
    refusal = null
    later(10)
    await contacts.messages.run()
    expect((await records(ctx)).filter(row => row.kind === 'escalated').map(row => row.state)).toEqual([
      'cancelled',
      'sent',
    ])
    expect(second).not.toBe(first)
  })

  it('is quiet in the night but for the gravest, and keeps what waits', async () => {
    const { ctx } = await company(m.db)
    clock = Date.parse('2030-05-01T23:30:00Z')
    const made = await verified(ctx)
    const quiet = { from: '22:00', to: '06:00', zone: 'UTC', exceptLevel: 5 }
    await contacts.service.update(ctx, made.id, { version: made.version, quiet })
    later(1)
    await raise(ctx, { level: 4 })
    await raise(ctx, { level: 5 })
    await contacts.messages.run()
    expect(sent).toHaveLength(1)
    expect((await records(ctx)).find(row => row.level === 4)).toMatchObject({ state: 'pending', reason: 'quiet_hours' })
    later(6.5 * 3_600)
    await contacts.messages.run()
    expect(sent).toHaveLength(2)
  })
})

describe('receipts', () => {
  it('come to the address of the channel and change its records alone', async () => {
    const { ctx } = await company(m.db)
    const made = await smsAccount(ctx)
    await contacts.channels.test(ctx, made.id, { to: '13800000000' })
    const deps = { database: m.database, now: () => clock }
    const body = [
      {
        phone_number: '13800000000',
        success: false,
        err_code: 'MOBILE_NOT_ON_SERVICE',
        err_msg: 'off',
        biz_id: 'ref-1',
      },
    ]
    expect(await takeReceipts(deps, 'aliyun', newId(), body)).toEqual({ code: 0, msg: 'OK' })
    expect((await records(ctx))[0]!.receipt).toBeNull()
    const id = made.callbackPath!.split('/').at(-1)!
    for (const odd of [null, 'x', [null, 3, {}], { sid: 5 }]) await takeReceipts(deps, 'aliyun', id, odd)
    await takeReceipts(deps, 'aliyun', id, body)
    await takeReceipts(deps, 'aliyun', id, [{ ...body[0], success: true }])
    expect((await records(ctx))[0]).toMatchObject({ receipt: 'failed', receiptReason: 'MOBILE_NOT_ON_SERVICE off' })
  })
})
