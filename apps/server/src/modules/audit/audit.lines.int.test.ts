import { beforeEach, describe, expect, it } from 'vitest'
import { insertTenant } from '../../db/fixtures.ts'
import { TEST_AUDIT_KEY, type TestDatabase, testDatabase } from '../../db/testing.ts'
import { type AuditRecord, recordAudit, recordAudits } from '../../lib/audit.ts'
import { systemContext } from '../../lib/context.ts'
import { silentLogger } from '../../lib/log.ts'
import { createAuditChain } from './audit.chain.ts'
import { markEarlierLines } from './audit.epoch.ts'
import { createSeal } from './audit.hash.ts'
import { auditSeal, readAsCompany } from './audit.module.ts'
import { isOfAnotherKey, verifyCompany } from './audit.verify.ts'

const seal = createSeal(Buffer.alloc(32, 7), TEST_AUDIT_KEY)

describe('lines of the operation log are as the application wrote them', () => {
  let db: TestDatabase
  let tenantId: string
  beforeEach(async () => {
    db = await testDatabase()
    tenantId = (await insertTenant(db.superuser)).id
    return () => db.drop()
  })

  const sql = (text: string, params: unknown[] = []) => db.superuser.query(text, params)
  const write = async (over: Partial<AuditRecord> = {}) => {
    const ctx = { ...systemContext(tenantId, 'test'), userAgent: 'Ünï \ud800 中文', ip: '192.0.2.7' }
    await db.database.withTenant(ctx, scope =>
      recordAudit(scope, ctx, { action: 'thing.change', objectType: 'thing', objectId: '1', ...over }),
    )
    return (await sql('select id from audit_logs order by id desc limit 1')).rows[0].id as string
  }
  const linkAll = () =>
    expect
      .poll(async () => {
        await createAuditChain({
          database: db.database,
          seal,
          retentionDays: async () => 200,
          logger: silentLogger,
          now: Date.now,
        }).link()
        return (await sql('select 1 from audit_pending')).rowCount
      })
      .toBe(0)
  const verify = () => verifyCompany(readAsCompany(db.database, tenantId), seal, tenantId)
  const foreign = (auditId: string, seq: number | null) => ({ code: 'audit.line_unauthenticated', auditId, seq })
  /** What somebody does who can write the database. */
  const insert = async (at = 'now()') =>
    (
      await sql(
        `insert into audit_logs (id, tenant_id, at, actor_kind, actor_name, action, object_type)
         values (gen_random_uuid(), $1, ${at}, 'member', 'li.na', 'device.delete', 'device') returning id`,
        [tenantId],
      )
    ).rows[0].id as string

  it('whatever they hold: numbers, nested keys in any order, texts of all kinds', async () => {
    await write({
      objectName: '水泵 "1" \\ é 🚰',
      before: { z: 1e21, a: [1.1, -0, 0.1 + 0.2, 2 ** 53, { b: null, a: true }], 10: 'x', 9: 'y', ä: 'ö' },
      after: { text: 'a\nb\u2028', empty: {}, none: [], password: 'x', deep: { 2: { 1: [[]] } } },
    })
    expect(await verify()).toMatchObject({ ok: true, checked: 0 })
    await linkAll()
    expect(await verify()).toMatchObject({ ok: true, checked: 1, earlier: 0 })
  })

  it('one that was put in is found, before it is linked and after, also with an earlier time', async () => {
    await write()
    const [now, past] = [await insert(), await insert(`now() - interval '40 days'`)]
    expect((await verify()).problems).toEqual(expect.arrayContaining([foreign(now, null), foreign(past, null)]))
    await linkAll()
    const { ok, problems } = await verify()
    expect(ok).toBe(false)
    expect(problems.map(({ auditId }) => auditId).sort()).toEqual([now, past].sort())
  })

  it('a copy of a true line under another number or time is none', async () => {
    const id = await write()
    for (const [newId, at] of [
      ['gen_random_uuid()', 'at'],
      ['gen_random_uuid()', `at - interval '1 day'`],
    ])
      await sql(
        `insert into audit_logs select ${newId}, tenant_id, ${at}, actor_kind, actor_id, actor_name, action, object_type,
           object_id, object_name, before, after, result, ip, request_id, user_agent, mac from audit_logs where id = $1`,
        [id],
      )
    expect((await verify()).problems).toHaveLength(2)
  })

  it.each([
    ['its time', `at = at - interval '1 hour'`],
    ['by a microsecond', `at = at + interval '1 microsecond'`],
    ['its actor', `actor_name = 'somebody else'`],
    ['what was done', `action = 'thing.look'`],
    ['its result', `result = 'refused'`],
    ['what it says', `after = '{"n":3}'`],
    ['its seal', 'mac = null'],
  ])('one that was changed before it was linked is found: %s', async (_, change) => {
    const id = await write({ after: { n: 2 } })
    await sql(`update audit_logs set ${change} where id = $1`, [id])
    expect((await verify()).problems).toEqual([foreign(id, null)])
    await linkAll()
    expect((await verify()).problems).toEqual([foreign(id, 1)])
  })

  it('earlier ones are taken as such up to the place that was marked, and no later', async () => {
    const old = [await insert(`now() - interval '2 days'`), await insert(`now() - interval '1 day'`)]
    await markEarlierLines(db.database, seal)
    await write()
    await linkAll()
    expect(await verify()).toMatchObject({ ok: true, checked: 3, earlier: 2 })
    // A line put in later is not an old one, whatever its time.
    const late = await insert(`now() - interval '3 days'`)
    await linkAll()
    expect((await verify()).problems).toEqual([foreign(late, 4)])
    // Nor does it help to take the mark away and let it be made again.
    await sql('delete from audit_epochs')
    await markEarlierLines(db.database, seal)
    expect((await sql('select 1 from audit_epochs')).rowCount).toBe(0)
    expect((await verify()).problems.map(({ auditId }) => auditId).sort()).toEqual([...old, late].sort())
    // Or to move it.
    await sql(`insert into audit_epochs (tenant_id, seq, hash, seal) select tenant_id, 4, hash, seal from audit_heads`)
    expect((await verify()).problems).toContainEqual({ code: 'audit.checkpoint_broken', seq: 4, auditId: null })
  })

  it('all that wait are looked at, however many', async () => {
    await markEarlierLines(db.database, seal)
    const ctx = systemContext(tenantId, 'test')
    const line = { action: 'thing.change', objectType: 'thing' }
    await db.database.withTenant(ctx, scope => recordAudits(scope, ctx, Array(2500).fill(line)))
    expect(await verify()).toMatchObject({ ok: true, checked: 0 })
    const last = (await sql('select id from audit_logs order by id desc limit 1')).rows[0].id as string
    await sql(`update audit_logs set at = at - interval '1 minute' where id = $1`, [last])
    expect((await verify()).problems).toEqual([foreign(last, null)])
  })

  it('with another SECRET_KEY it is said that it is another one, and nothing else is blamed on anybody', async () => {
    await markEarlierLines(db.database, seal)
    await write()
    await linkAll()
    await write()
    const other = auditSeal('another secret, set by somebody who changed it')
    const found = () => verifyCompany(readAsCompany(db.database, tenantId), other, tenantId)
    expect(await isOfAnotherKey(readAsCompany(db.database, tenantId), other)).toBe(true)
    expect((await found()).problems).toEqual([{ code: 'audit.key_changed', seq: null, auditId: null }])
    // What hashes alone show is still shown.
    await sql(`update audit_logs set actor_name = 'x' where id = (select audit_id from audit_chain)`)
    expect((await found()).problems.map(({ code }) => code)).toEqual(['audit.key_changed', 'audit.line_changed'])
    expect(await isOfAnotherKey(readAsCompany(db.database, tenantId), seal)).toBe(false)
  })
})
