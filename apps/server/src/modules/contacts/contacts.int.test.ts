import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { company, type Management, management } from '../../db/testing/management.ts'
import type { Ctx } from '../../lib/context.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import { MailError, type MailMessage } from '../notifications/mail.port.ts'
import { type ContactsModule, contactsModule, createContactsModule } from './contacts.module.ts'
import { listRecords } from './records.service.ts'

let m: Management
let clock = Date.now()
let sent: MailMessage[] = []
let refusal: MailError | null = null
let contacts: ContactsModule
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
    logger: silentLogger,
    addresses: () => ({ httpUrl: 'https://console.example' }),
    now: () => clock,
  })
beforeAll(async () => {
  m = await management()
})
beforeEach(async () => {
  await m.db.superuser.query('truncate contacts, notification_records, alarms cascade')
  clock = Date.now()
  sent = []
  refusal = null
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
    for (const _ of [1, 2]) await contactsModule.seedDemo?.(m.database, ctx.tenantId)
    const { items } = await contacts.service.list(ctx, {})
    expect(items.map(item => item.verifiedAt)).toEqual([null, null])
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
    await contacts.mails.run()
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
    await contacts.mails.run()
    await again().mails.run()
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
    await contacts.mails.run()
    expect(await records(ctx)).toMatchObject([{ state: 'pending', reason: 'not reached', attempts: 1 }])
    await contacts.mails.run()
    expect(await records(ctx)).toMatchObject([{ attempts: 1 }])
    later(6)
    refusal = new MailError(true, '550 no mailbox')
    await contacts.mails.run()
    expect(await records(ctx)).toMatchObject([{ state: 'failed', reason: '550 no mailbox', attempts: 2 }])
    later(3_600)
    refusal = null
    await contacts.mails.run()
    expect(sent).toEqual([])
  })

  it('come in at most three messages a minute, the last of which holds the rest', async () => {
    const { ctx } = await company(m.db)
    await verified(ctx)
    later(1)
    for (let i = 0; i < 25; i++) await raise(ctx)
    await contacts.mails.run()
    expect(sent.map(mail => mail.subject)).toEqual([
      'Alarm: Too hot (–)',
      'Alarm: Too hot (–)',
      '23 messages about alarms',
    ])
    await raise(ctx)
    later(31)
    await contacts.mails.run()
    expect(sent).toHaveLength(3)
    later(61)
    await contacts.mails.run()
    expect(sent).toHaveLength(4)
  })

  it('that were being sent when the server was killed are sent again, and marked', async () => {
    const { ctx } = await company(m.db)
    await verified(ctx)
    later(1)
    await raise(ctx)
    // What a killed server leaves behind: planned and taken, never settled.
    refusal = new MailError(false, 'x')
    await contacts.mails.run()
    await m.db.superuser.query("update notification_records set state = 'sending', reason = null, due_at = $1", [
      new Date(clock + 60_000),
    ])
    refusal = null
    await again().mails.run()
    expect(sent).toEqual([])
    later(61)
    await again().mails.run()
    expect(sent).toHaveLength(1)
    expect(await records(ctx)).toMatchObject([{ state: 'sent', maybeTwice: true, attempts: 2 }])
  })
})
