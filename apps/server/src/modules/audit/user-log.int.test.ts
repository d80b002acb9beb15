import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management, refusal } from '../../db/testing/management.ts'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import { newId } from '../../lib/ids.ts'

let m: Management
beforeAll(async () => {
  m = await management()
})

const operation = (of: Company, action: string, over: object = {}) =>
  m.database.withTenant(of.ctx, scope => recordAudit(scope, of.ctx, { action, objectType: 'device', ...over }))

async function signIn(of: Company, over: { result?: string; reason?: string; username?: string; at?: Date } = {}) {
  await m.db.superuser.query(
    `insert into sign_in_events (id, tenant_id, username, at, method, result, reason, ip, place, client, user_agent)
     values ($1, $2, $3, $4, 'password', $5, $6, '198.51.100.9', 'unknown', 'Chrome', 'Mozilla/5.0')`,
    [newId(), of.id, over.username ?? 'wang.wei', over.at ?? new Date(), over.result ?? 'ok', over.reason ?? null],
  )
}
const kinds = async (ctx: Ctx, query: object = {}) =>
  (await m.audit.userLog.list(ctx, query as never)).items.map(({ kind, result }) => `${kind} ${result}`)

describe('the user log', () => {
  it('tells sign-ins, lock-outs, commands, exports and sign-outs together, newest first, and no changes of objects', async () => {
    const own = await company(m.db)
    const ago = (ms: number) => ({ at: new Date(Date.now() - ms) })
    await signIn(own, ago(4000))
    await signIn(own, { ...ago(3000), result: 'second_factor' })
    await signIn(own, { ...ago(2000), result: 'refused', reason: 'auth.wrong_credentials' })
    await signIn(own, { ...ago(1000), result: 'refused', reason: 'auth.locked' })
    await operation(own, 'command.create', { objectName: '泵' })
    await operation(own, 'device.update')
    await operation(own, 'device.export')
    await operation(own, 'task.download')
    await operation(own, 'session.sign_out')
    const all = [
      'sign_out ok',
      'export ok',
      'export ok',
      'command ok',
      'lock_out refused',
      'sign_in refused',
      'sign_in half',
      'sign_in ok',
    ]
    expect(await kinds(own.ctx)).toEqual(all)
    expect(await kinds(own.ctx, { kind: 'lock_out' })).toEqual(['lock_out refused'])
    expect(await kinds(own.ctx, { kind: 'command' })).toEqual(['command ok'])
    expect(await kinds(own.ctx, { result: 'refused' })).toEqual(['lock_out refused', 'sign_in refused'])
    expect(await kinds(own.ctx, { ip: '198.51.100.9', kind: 'sign_in', result: 'ok' })).toEqual(['sign_in ok'])
    expect(await kinds(own.ctx, { q: 'WANG' })).toHaveLength(4)
    expect(await kinds(own.ctx, { q: '泵' })).toEqual(['command ok'])
    expect(await kinds(own.ctx, { to: new Date(0).toISOString() })).toEqual([])
    expect(await m.audit.userLog.list(own.ctx, { total: '1', limit: 2 })).toMatchObject({ total: 8 })
    const { items } = await m.audit.userLog.list(own.ctx, { kind: 'lock_out' })
    expect(items[0]).toMatchObject({ username: 'wang.wei', action: 'password', client: 'Mozilla', place: 'unknown' })
    expect(items[0]!.reason).toMatchObject({ code: 'auth.locked' })
  })

  it('shows each of its entries once on its pages, also those of one instant', async () => {
    const own = await company(m.db)
    const at = new Date()
    for (let i = 0; i < 5; i++) await signIn(own, { at, username: `u${i}` })
    for (let i = 0; i < 4; i++) await operation(own, 'command.create', { objectId: String(i) })
    const seen = new Set<string>()
    let cursor: string | undefined
    do {
      const page = await m.audit.userLog.list(own.ctx, { limit: 2, ...(cursor ? { cursor } : {}) })
      for (const { id } of page.items) expect(seen.has(id) || !seen.add(id)).toBe(false)
      cursor = page.nextCursor ?? undefined
    } while (cursor)
    expect(seen.size).toBe(9)
    for (const values of [['x', newId()], [1, 2], []]) {
      const forged = Buffer.from(JSON.stringify(values)).toString('base64url')
      expect((await refusal(m.audit.userLog.list(own.ctx, { cursor: forged }))).code).toBe('request.cursor_invalid')
    }
  })

  it('is each company’s own, and one’s own part needs no right', async () => {
    const [mine, theirs] = [await company(m.db), await company(m.db)]
    await signIn(theirs)
    await operation(theirs, 'command.create')
    expect(await kinds(mine.ctx)).toEqual([])
    await operation(mine, 'command.create')
    await signIn(mine)
    expect((await m.audit.userLog.own(mine.ctx, {})).items.map(({ kind }) => kind)).toEqual(['command'])
  })

  it('is exported in the zone of the company, without formulas, and the export is an entry itself', async () => {
    const own = await company(m.db)
    await signIn(own, { username: '=1+1', at: new Date('2026-11-20T06:03:05.000Z') })
    await m.db.superuser.query("update tenants set time_zone = 'Asia/Shanghai' where id = $1", [own.id])
    const reply = await m.audit.userLog.export({ ...own.ctx, locale: 'en' }, { format: 'csv' })
    expect(reply.fileName).toMatch(/^user-log-\d{4}-\d\d-\d\d\.csv$/)
    const [head, first] = (await text(reply.body)).trimEnd().split('\r\n')
    expect(head).toBe('Time,User,Kind,Action,Result,Reason,Object,IP address,Place,Client')
    expect(first).toBe("2026-11-20T14:03:05.000+08:00,'=1+1,Sign-in,password,Done,,,198.51.100.9,Unknown,Mozilla")
    expect(await kinds(own.ctx)).toEqual(['export ok', 'sign_in ok'])
  })
})
