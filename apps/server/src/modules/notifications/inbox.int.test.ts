import type { Permission } from '@thingwright/contracts/permissions'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertTenant, type TenantFixture } from '../../db/fixtures.ts'
import { refusal } from '../../db/testing/management.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import type { Ctx } from '../../lib/context.ts'
import { newId } from '../../lib/ids.ts'
import { personId } from '../../lib/person.ts'
import type { Notice } from './inbox.service.ts'
import { createNotificationsModule } from './notifications.module.ts'

let db: TestDatabase
const changed: string[] = []
beforeAll(async () => {
  db = await testDatabase()
  db.database.news.hear({ 'inbox.changed': ({ tenantId }) => void changed.push(tenantId) })
})
const inbox = () => createNotificationsModule({ database: db.database }).inbox

async function member(tenant: TenantFixture, permissions: Permission[] = []): Promise<Ctx> {
  const loginId = newId()
  await db.superuser.query("insert into logins (id, tenant_id, kind, username) values ($1, $2, 'member', $3)", [
    loginId,
    tenant.id,
    loginId,
  ])
  return {
    tenantId: tenant.id,
    actor: {
      kind: 'member',
      loginId,
      username: loginId,
      displayName: '',
      permissions: new Set(permissions),
      dataScope: { kind: 'all' },
    },
    locale: 'zh',
    requestId: newId(),
    now: Date.now(),
  }
}

const loginOf = (ctx: Ctx) => personId(ctx.actor)
const notice = (ctx: Ctx, over: Partial<Notice> = {}): Notice => ({
  tenantId: ctx.tenantId,
  to: { everyone: true },
  kind: 'test.told',
  title: { zh: '标题', en: 'Title' },
  text: { zh: '正文', en: 'Text' },
  level: 'info',
  ...over,
})
const tell = (ctx: Ctx, over: Partial<Notice> = {}) =>
  db.database.withTenant(ctx, scope => inbox().notify(scope, notice(ctx, over)))
const kinds = async (ctx: Ctx) => (await inbox().list(ctx, {})).items.map(item => item.kind)

describe('the inbox', () => {
  let ann: Ctx
  let bob: Ctx
  let stranger: Ctx
  beforeEach(async () => {
    const company = await insertTenant(db.superuser)
    ann = await member(company, ['device:read'])
    bob = await member(company)
    stranger = await member(await insertTenant(db.superuser), ['device:read'])
    changed.length = 0
  })

  it('holds what was sent to oneself, to a right one has, and to everybody; newest first', async () => {
    await tell(ann, { kind: 'to.ann', to: { loginIds: [loginOf(ann), loginOf(ann)] } })
    await tell(ann, { kind: 'to.right', to: { permission: 'device:read' } })
    await tell(ann, { kind: 'to.all', link: '/manage/device', level: 'error' })
    expect(await kinds(ann)).toEqual(['to.all', 'to.right', 'to.ann'])
    expect(await kinds(bob)).toEqual(['to.all'])
    expect(await kinds(stranger)).toEqual([])
    expect(changed).toEqual([ann.tenantId, ann.tenantId, ann.tenantId])
    expect((await inbox().list(ann, { limit: 1 })).items[0]).toMatchObject({
      level: 'error',
      title: { zh: '标题', en: 'Title' },
      text: { zh: '正文', en: 'Text' },
      link: '/manage/device',
      readAt: null,
    })
  })

  it('counts the unread ones, says how grave they are, and reading is one’s own', async () => {
    await tell(ann)
    await tell(ann, { level: 'warning' })
    expect(await inbox().unread(ann)).toEqual({ count: 2, level: 'warning' })
    const [newest] = (await inbox().list(ann, {})).items
    await inbox().read(ann, newest!.id)
    await inbox().read(ann, newest!.id)
    expect(await inbox().unread(ann)).toEqual({ count: 1, level: 'info' })
    expect((await inbox().list(ann, { unread: '1' })).items).toHaveLength(1)
    await inbox().readAll(ann)
    expect(await inbox().unread(ann)).toEqual({ count: 0, level: null })
    expect(await inbox().unread(bob)).toEqual({ count: 2, level: 'warning' })
  })

  it('loses only for the reader what he removes', async () => {
    await tell(ann)
    const [item] = (await inbox().list(ann, {})).items
    await inbox().remove(ann, item!.id)
    expect(await kinds(ann)).toEqual([])
    expect(await inbox().unread(ann)).toEqual({ count: 0, level: null })
    expect(await kinds(bob)).toHaveLength(1)
    expect((await refusal(inbox().remove(ann, item!.id))).code).toBe('notice.not_found')
  })

  it('does not let others mark or remove what is not theirs', async () => {
    await tell(ann, { to: { loginIds: [loginOf(ann)] } })
    const [item] = (await inbox().list(ann, {})).items
    for (const attempt of [
      () => inbox().read(bob, item!.id),
      () => inbox().remove(bob, item!.id),
      () => inbox().read(stranger, item!.id),
      () => inbox().read(ann, newId()),
    ])
      expect((await refusal(attempt())).code).toBe('notice.not_found')
    expect(await inbox().unread(ann)).toMatchObject({ count: 1 })
  })

  it('tells nobody of a change that is rolled back', async () => {
    const rolledBack = db.database.withTenant(ann, async scope => {
      await inbox().notify(scope, notice(ann))
      throw new Error('the change failed')
    })
    await expect(rolledBack).rejects.toThrow('the change failed')
    expect(changed).toEqual([])
    expect(await kinds(ann)).toEqual([])
  })

  it('shows a newcomer nothing from before, and nobody what is older than 180 days', async () => {
    await tell(ann, { kind: 'old.news' })
    await db.superuser.query("update notices set created_at = now() - interval '181 days' where tenant_id = $1", [
      ann.tenantId,
    ])
    expect(await kinds(ann)).toEqual([])
    await tell(ann, { kind: 'fresh.news' })
    await db.superuser.query("update logins set created_at = now() + interval '1 minute' where id = $1", [loginOf(bob)])
    expect(await kinds(ann)).toEqual(['fresh.news'])
    expect(await kinds(bob)).toEqual([])
    const { rows } = await db.superuser.query('select 1 from notices where tenant_id = $1', [ann.tenantId])
    expect(rows).toHaveLength(1)
  })

  it('is paged without loss, and refuses a made-up position', async () => {
    for (const n of [1, 2, 3]) await tell(ann, { kind: `n.${n}` })
    const first = await inbox().list(ann, { limit: 2 })
    const second = await inbox().list(ann, { limit: 2, cursor: first.nextCursor! })
    expect([...first.items, ...second.items].map(i => i.kind)).toEqual(['n.3', 'n.2', 'n.1'])
    expect(second.nextCursor).toBeNull()
    const madeUp = Buffer.from('["yesterday","x"]').toString('base64url')
    for (const cursor of ['%%%', madeUp, Buffer.from('[1,2]').toString('base64url')])
      expect((await refusal(inbox().list(ann, { cursor }))).code).toBe('request.cursor_invalid')
  })

  it('takes no link that leaves the console, and writes nothing for an empty list of people', async () => {
    for (const link of ['https://evil.example', '//evil.example', 'javascript:alert(1)', 'manage/device', ''])
      await expect(tell(ann, { link })).rejects.toThrow('an address of the console')
    await tell(ann, { to: { loginIds: [] } })
    expect(await kinds(ann)).toEqual([])
  })

  it('of one company cannot be written from another one’s transaction', async () => {
    await expect(db.database.withTenant(stranger, scope => inbox().notify(scope, notice(ann)))).rejects.toThrow(
      /row-level security/,
    )
  })

  it('is written by the platform for any company', async () => {
    await db.database.withSystemScope('operator', scope =>
      inbox().notify(scope, notice(ann, { kind: 'platform.news' })),
    )
    expect(await kinds(bob)).toEqual(['platform.news'])
  })
})
