import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { company, type Management, management } from '../../db/testing/management.ts'
import type { Ctx } from '../../lib/context.ts'
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import { createAlarmsModule } from '../alarms/index.ts'
import type { MailMessage } from '../notifications/mail.port.ts'
import { ChannelError, NO_SIMULATORS, type PushMessage } from './channel.port.ts'
import { type ContactsModule, createContactsModule } from './contacts.module.ts'
import { listRecords } from './records.service.ts'

/** A company, its customer, a customer of that customer, and one beside them; each of the customers has one device. */
let m: Management
let ctx: Ctx
let contacts: ContactsModule
let sent: MailMessage[] = []
let pushed: (PushMessage & { endpoint: string })[] = []
const pushFaults = new Map<string, ChannelError['kind']>()
let clock = Date.now()
const users = {} as Record<'north' | 'below' | 'south', { id: string; ctx: Ctx; device: string }>

beforeAll(async () => {
  m = await management()
  ctx = (await company(m.db)).ctx
  const inbox = { notify: async () => undefined }
  contacts = createContactsModule({
    database: m.database,
    mail: { send: async message => void sent.push(message), outbox: () => null },
    sms: { send: async () => undefined, outbox: () => null },
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
    messageChannels: {},
    webPush: {
      publicKey: 'a key',
      async send({ endpoint }, message) {
        const fault = pushFaults.get(endpoint)
        if (fault) throw new ChannelError(fault, 'HTTP 410')
        pushed.push({ endpoint, ...message })
      },
    },
    appletMessages: { send: async () => ({ simulated: true }) },
    units: { reserve: async () => true, settle: async () => undefined, release: async () => undefined },
    simulators: NO_SIMULATORS,
    timeZone: async () => 'UTC',
    seal: purpose => createCryptoBox('a secret of the installation, long enough', purpose),
    logger: silentLogger,
    addresses: () => ({ httpUrl: 'https://console.example' }),
    now: () => clock,
  })
  const product = await m.products.service.create(ctx, { name: 'Pump', linkType: 'mqtt' })
  await addUser('north', null)
  await addUser('below', 'north')
  await addUser('south', null)
  for (const name of ['north', 'below', 'south'] as const) {
    const device = await m.devices.service.create(ctx, { productId: product.id, name })
    await m.db.superuser.query('update devices set owner_id = $2 where id = $1', [device.id, users[name].id])
    users[name].device = device.id
  }
})
beforeEach(async () => {
  await m.db.superuser.query('truncate contacts, notification_records, notification_policies, alarms cascade')
  await m.db.superuser.query(`update logins set state = 'active' where kind = 'end_user'`)
  // What the last test left is not looked for again within half a minute.
  clock += 60_000
  sent = []
  pushed = []
  pushFaults.clear()
})

async function addUser(name: 'north' | 'below' | 'south', parent: 'north' | null): Promise<void> {
  const id = newId()
  const path = parent ? [users[parent].id, id] : [id]
  await m.db.superuser.query(
    `insert into logins (id, tenant_id, kind, username, display_name, password_hash) values ($1, $2, 'end_user', $3, $3, 'x')`,
    [id, ctx.tenantId, name],
  )
  await m.db.superuser.query(
    `insert into end_users (id, tenant_id, parent_id, path, rights) values ($1, $2, $3, $4, '{view,control}')`,
    [id, ctx.tenantId, parent ? users[parent].id : null, path],
  )
  const actor = {
    kind: 'end_user' as const,
    loginId: id,
    username: name,
    displayName: name,
    permissions: new Set(['contact:read', 'contact:write'] as const),
    dataScope: { kind: 'limited' as const, groupIds: [], productIds: [], own: false, userId: id },
    rights: ['view', 'control'],
    deviceLimit: null,
  }
  users[name] = { id, ctx: { ...ctx, actor }, device: '' }
}

/** A contact whose address counts as verified. */
async function contact(of: Ctx, name: string, over: object = {}): Promise<string> {
  const { id } = await contacts.service.create(of, { name, email: `${name}@example.com`, locale: 'en', ...over })
  await m.db.superuser.query(
    `update contacts set verified_at = $2::timestamptz, since = $2::timestamptz - interval '1 s' where id = $1`,
    [id, new Date(clock)],
  )
  return id
}

async function raise(device: string): Promise<string> {
  const id = newId()
  await m.db.superuser.query(
    `insert into alarms (id, tenant_id, trigger_name, origin, target_kind, target_id, device_id, level, raised_at, last_at, raise_values)
     values ($1::uuid, $2, 'Too hot', $1::text, 'device', $3::text, $3::uuid, 4, $4, $4, '[]')`,
    [id, ctx.tenantId, device, new Date(clock)],
  )
  return id
}

const names = (items: { name: string }[]) => items.map(item => item.name).sort()
const receivers = () => sent.map(message => message.to.split('@')[0]).sort()

describe('contacts of end users', () => {
  it('are seen by their owner, those above and the company, and by nobody beside them', async () => {
    await contact(ctx, 'company')
    const north = await contact(users.north.ctx, 'north')
    await contact(users.below.ctx, 'below')
    await contact(users.south.ctx, 'south')
    const listed = async (of: Ctx, userId?: string) =>
      names((await contacts.service.list(of, userId ? { userId } : {})).items)
    expect(await listed(ctx)).toEqual(['below', 'company', 'north', 'south'])
    expect(await listed(ctx, 'none')).toEqual(['company'])
    expect(await listed(ctx, users.north.id)).toEqual(['below', 'north'])
    expect(await listed(users.north.ctx)).toEqual(['below', 'north'])
    expect(await listed(users.below.ctx)).toEqual(['below'])
    expect((await contacts.service.get(ctx, north)).owner).toEqual({ id: users.north.id, name: 'north' })
    await expect(contacts.service.get(users.south.ctx, north)).rejects.toMatchObject({ code: 'contact.not_found' })
    await expect(contacts.service.remove(users.below.ctx, north)).rejects.toMatchObject({ code: 'contact.not_found' })
    await expect(
      contacts.service.create(users.south.ctx, { name: 'x', email: 'x@example.com', userId: users.north.id }),
    ).rejects.toMatchObject({ code: 'end_user.not_found' })
  })

  it('can have an address that others have too, once for each owner, and are at most 20', async () => {
    for (const of of [ctx, users.north.ctx, users.south.ctx])
      await contacts.service.create(of, { name: 'same', email: 'same@example.com' })
    await expect(
      contacts.service.create(users.north.ctx, { name: 'again', email: 'SAME@example.com' }),
    ).rejects.toMatchObject({ code: 'contact.email_taken' })
    for (let n = 1; n < 20; n++)
      await contacts.service.create(users.north.ctx, { name: `n${n}`, email: `n${n}@example.com` })
    await expect(
      contacts.service.create(ctx, { name: 'more', email: 'more@example.com', userId: users.north.id }),
    ).rejects.toMatchObject({ code: 'contact.too_many', params: { limit: 20 } })
  })

  it('receive alarms of the devices of their owner and of those below, and of no others', async () => {
    await contact(ctx, 'company')
    await contact(users.north.ctx, 'north')
    await contact(users.below.ctx, 'below')
    await contact(users.south.ctx, 'south')
    await raise(users.below.device)
    await contacts.messages.run()
    expect(receivers()).toEqual(['below', 'company', 'north'])
    const told = async (of: Ctx) => (await listRecords(m.database, of, {})).items.map(item => item.contactName).sort()
    expect(await told(ctx)).toEqual(['below', 'company', 'north'])
    expect(await told(users.below.ctx)).toEqual(['below'])
    expect(await told(users.south.ctx)).toEqual([])
  })

  it('receive nothing while their owner is frozen, or once a device has gone to another owner', async () => {
    await contact(users.north.ctx, 'north')
    await m.db.superuser.query(`update logins set state = 'frozen' where id = $1`, [users.north.id])
    const alarm = await raise(users.north.device)
    await contacts.messages.run()
    expect(receivers()).toEqual([])
    await m.db.superuser.query(`update logins set state = 'active' where id = $1`, [users.north.id])
    clock += 31_000
    await contacts.messages.run()
    expect(receivers()).toEqual(['north'])
    await m.db.superuser.query('update devices set owner_id = $2 where id = $1', [users.north.device, users.south.id])
    await m.db.superuser.query('update alarms set active = false, cleared_at = $2 where id = $1', [
      alarm,
      new Date(clock),
    ])
    clock += 31_000
    await contacts.messages.run()
    await m.db.superuser.query('update devices set owner_id = $2 where id = $1', [users.north.device, users.north.id])
    expect(receivers()).toEqual(['north'])
  })

  it('are reached in the ways that the company offers and the contact takes', async () => {
    const policy = await contacts.policy.get(ctx)
    expect((await contacts.service.ways(users.north.ctx)).ways).toEqual(['email', 'wechat', 'push', 'applet'])
    await contacts.policy.set(ctx, { ...policy, customerWays: ['sms'] })
    expect((await contacts.service.ways(users.north.ctx)).ways).toEqual(['sms'])
    expect((await contacts.service.ways(ctx)).ways).toEqual(['email', 'sms', 'voice', 'wechat', 'push', 'applet'])
    await contact(ctx, 'company')
    await contact(ctx, 'silent', { ways: ['sms'] })
    await contact(users.north.ctx, 'north')
    await raise(users.north.device)
    await contacts.messages.run()
    expect(receivers()).toEqual(['company'])
  })

  it('have no link that acknowledges where their owner may not control', async () => {
    await contact(users.north.ctx, 'north')
    await raise(users.north.device)
    await contacts.messages.run()
    const link = /Acknowledge#(\S+)/.exec(sent[0]!.text)![1]!
    expect((await contacts.links.look(link)).state).toBe('open')
    await m.db.superuser.query(`update end_users set rights = '{view}' where id = $1`, [users.north.id])
    expect((await contacts.links.look(link)).state).toBe('expired')
    clock += 31_000
    await raise(users.north.device)
    await contacts.messages.run()
    await m.db.superuser.query(`update end_users set rights = '{view,control}' where id = $1`, [users.north.id])
    expect(sent[1]!.text).not.toContain('Acknowledge#')
  })
})

describe('a browser that receives messages', () => {
  const KEYS = {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  }
  const at = (name: string) => `https://push.example.com/push/${name}`
  async function register(of: Ctx, name: string, more: object = {}) {
    const made = await contacts.pushDevices.create(of, {
      endpoint: at(name),
      keys: KEYS,
      name: `Phone ${name}`,
      ...more,
    })
    // By the clock of these tests.
    const since = new Date(clock - 1_000)
    await m.db.superuser.query('update contacts set since = $2 where id = $1', [made.contactId, since])
    return made
  }
  const listed = async (of: Ctx) => (await contacts.pushDevices.list(of, {})).items.map(({ name }) => name).sort()
  const say = async (device: string) => {
    const id = await raise(device)
    clock += 60_000
    await contacts.messages.run()
    return id
  }
  /** A member of the company. */
  let member: Ctx
  beforeAll(async () => {
    const loginId = newId()
    await m.db.superuser.query(
      `insert into logins (id, tenant_id, kind, username, password_hash) values ($1, $2, 'member', 'duty', 'x')`,
      [loginId, ctx.tenantId],
    )
    const permissions = new Set(['contact:read', 'contact:write'] as const)
    const names = { username: 'duty', displayName: 'Duty' }
    member = { ...ctx, actor: { kind: 'member', loginId, ...names, permissions, dataScope: { kind: 'all' } } }
  })
  const reached = () => pushed.map(({ endpoint }) => endpoint.split('/').at(-1)).sort()

  it('makes a contact of the person, who hears of the devices that are his', async () => {
    const made = await register(users.north.ctx, 'n1', { portal: 'north-water' })
    expect(made).toMatchObject({ contactName: 'north', isMine: true, sentAt: null })
    const contact = await contacts.service.get(users.north.ctx, made.contactId)
    expect(contact).toMatchObject({ hasPush: true, minLevel: 1, email: null, owner: { id: users.north.id } })
    const alarm = await say(users.below.device)
    await say(users.south.device)
    expect(pushed).toEqual([
      {
        endpoint: at('n1'),
        title: expect.stringContaining('Too hot'),
        text: expect.any(String),
        link: '/w/north-water',
        tag: alarm,
        isUrgent: true,
      },
    ])
    expect((await contacts.pushDevices.list(users.north.ctx, {})).items[0]!.sentAt).not.toBeNull()
  })

  it('is seen with its contact, by nobody beside it', async () => {
    await register(users.north.ctx, 'n1')
    const south = await register(users.south.ctx, 's1')
    await register(member, 'c1')
    expect(await listed(users.north.ctx)).toEqual(['Phone n1'])
    expect(await listed(users.below.ctx)).toEqual([])
    expect(await listed(ctx)).toEqual(['Phone c1', 'Phone n1', 'Phone s1'])
    for (const act of [contacts.pushDevices.remove, contacts.pushDevices.test])
      await expect(act(users.north.ctx, south.id)).rejects.toMatchObject({ code: 'push.not_found' })
    await expect(register(users.north.ctx, 'x', { contactId: south.contactId })).rejects.toMatchObject({
      code: 'contact.not_found',
    })
  })

  it('belongs to who registered it last', async () => {
    await register(users.north.ctx, 'shared')
    await register(users.south.ctx, 'shared')
    expect(await listed(users.north.ctx)).toEqual([])
    expect((await contacts.service.list(users.north.ctx, {})).items).toEqual([])
    await say(users.north.device)
    expect(pushed).toEqual([])
    await say(users.south.device)
    expect(reached()).toEqual(['shared'])
  })

  it('is one of several of a contact, and the contact keeps its name when it registers again', async () => {
    const first = await register(users.north.ctx, 'n1')
    await contacts.service.update(users.north.ctx, first.contactId, { version: 1, name: 'Night' })
    const second = await register(users.north.ctx, 'n2')
    const again = await register(users.north.ctx, 'n1')
    expect([second.contactId, again.contactId]).toEqual([first.contactId, first.contactId])
    expect(again.contactName).toBe('Night')
    await say(users.north.device)
    expect(reached()).toEqual(['n1', 'n2'])
  })

  it('that is subscribed no longer is forgotten; the message went to the other one', async () => {
    await register(users.north.ctx, 'n1')
    await register(users.north.ctx, 'n2')
    pushFaults.set(at('n1'), 'account')
    await say(users.north.device)
    expect(reached()).toEqual(['n2'])
    expect(await listed(users.north.ctx)).toEqual(['Phone n2'])
    const [record] = (await listRecords(m.database, users.north.ctx, {})).items
    expect(record).toMatchObject({ channel: 'push', state: 'sent' })
  })

  it('that was the last one goes with its contact, unless that has another address', async () => {
    const alone = await register(users.north.ctx, 'n1')
    await contacts.pushDevices.remove(users.north.ctx, alone.id)
    expect((await contacts.service.list(users.north.ctx, {})).items).toEqual([])
    const mailed = await contact(users.north.ctx, 'north')
    const added = await register(users.north.ctx, 'n2', { contactId: mailed })
    await contacts.pushDevices.remove(users.north.ctx, added.id)
    expect((await contacts.service.list(users.north.ctx, {})).items).toMatchObject([{ id: mailed, hasPush: false }])
  })

  it('is tried again while its push service is away', async () => {
    await register(users.north.ctx, 'n1')
    pushFaults.set(at('n1'), 'again')
    await say(users.north.device)
    expect((await listRecords(m.database, users.north.ctx, {})).items).toMatchObject([
      { state: 'pending', attempts: 1 },
    ])
    pushFaults.clear()
    clock += 60_000
    await contacts.messages.run()
    expect(reached()).toEqual(['n1'])
  })

  it('says at a test what its push service said', async () => {
    const made = await register(member, 'c1')
    expect(await contacts.pushDevices.test(ctx, made.id)).toEqual({ ok: true })
    expect(pushed).toMatchObject([{ link: '/admin/alarme' }])
    const { rows } = await m.db.superuser.query('select action from audit_logs where object_id = $1 order by at, id', [
      made.id,
    ])
    expect(rows.map(row => row.action)).toEqual(['push_device.create', 'push_device.test'])
    pushFaults.set(at('c1'), 'never')
    await expect(contacts.pushDevices.test(ctx, made.id)).rejects.toMatchObject({
      code: 'push.refused',
      params: { reason: 'HTTP 410' },
    })
  })

  it('is no program, and has a key that is a point of the curve', async () => {
    const program = { ...ctx, actor: { kind: 'system' as const, reason: 'test' } }
    await expect(register(program, 'p1')).rejects.toMatchObject({ code: 'push.person' })
    const keys = { ...KEYS, p256dh: `A${KEYS.p256dh.slice(1)}` }
    await expect(register(member, 'c1', { keys })).rejects.toMatchObject({ code: 'push.key' })
  })
})
