import { createHmac } from 'node:crypto'
import pg from 'pg'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { insertTenant } from '../../db/fixtures.ts'
import { TEST_AUDIT_KEY, type TestDatabase, testDatabase } from '../../db/testing.ts'
import { recordAudit, recordAudits } from '../../lib/audit.ts'
import { type Ctx, systemContext } from '../../lib/context.ts'
import { createLineSeal } from '../../lib/crypto/audit-line.ts'
import { silentLogger } from '../../lib/log.ts'
import { part, runner, Statement } from '../../lib/sql/statement.ts'
import { raw } from '../../lib/testing/raw.ts'
import { createAuditChain } from './audit.chain.ts'
import { createSeal, linkHash } from './audit.hash.ts'
import { type Read, verifyCompany } from './audit.verify.ts'

const DAY_MS = 86_400_000
const seal = createSeal(Buffer.alloc(32, 7), TEST_AUDIT_KEY)
let db: TestDatabase
let tenantId: string
let now = Date.now()

const chain = (over: { days?: number } = {}) =>
  createAuditChain({
    database: db.database,
    seal,
    retentionDays: async () => over.days ?? 200,
    logger: silentLogger,
    now: () => now,
  })

beforeEach(async () => {
  db = await testDatabase()
  tenantId = (await insertTenant(db.superuser)).id
  now = Date.now()
  return () => db.drop()
})

const ctxOf = (tenant: string = tenantId): Ctx => ({
  ...systemContext(tenant, 'test'),
  ip: '192.0.2.7',
  userAgent: 'curl/8',
})
const write = (count = 1, ctx: Ctx = ctxOf()) =>
  db.database.withTenant(ctx, async scope => {
    for (let i = 0; i < count; i++)
      await recordAudit(scope, ctx, {
        action: 'thing.change',
        objectType: 'thing',
        objectId: String(i),
        objectName: `水泵 ${i}`,
        before: { n: 1.5, name: 'a' },
        after: { n: 2, name: 'b' },
      })
  })
const read =
  (tenant: string = tenantId): Read =>
  async (statement, params) =>
    (await db.database.withTenant({ tenantId: tenant }, scope => scope.run(statement, params))).rows
const verify = (tenant: string = tenantId) => verifyCompany(read(tenant), seal, tenant, {}, now)
const sql = (text: string, params: unknown[] = []) => db.superuser.query(text, params)
const idAt = async (seq: number) =>
  (await sql('select audit_id as id from audit_chain where tenant_id = $1 and seq = $2', [tenantId, seq])).rows[0]
    .id as string

/**
 * Links until so many more lines are linked. A transaction that is open anywhere on the server holds the horizon back,
 * and other tests have some.
 */
const linked = async (lines: number, done = 0) => {
  let count = done
  await expect.poll(async () => (count += await chain().link())).toBe(lines)
}
/** Links until nothing waits. */
const linkAll = () =>
  expect
    .poll(async () => {
      await chain().link()
      return (await sql('select 1 from audit_pending')).rowCount
    })
    .toBe(0)

describe('linking', () => {
  it('gives every line of 200 parallel writers one place without gaps, each company a chain of its own', async () => {
    const other = (await insertTenant(db.superuser)).id
    const writers = Array.from({ length: 200 }, (_, i) => write(1 + (i % 3), ctxOf(i % 4 === 0 ? other : tenantId)))
    const linking = (async () => {
      const links = chain()
      for (let i = 0; i < 20; i++) await links.link()
    })()
    await Promise.all([...writers, linking])
    await linkAll()
    const { rows } = await sql(
      `select tenant_id, count(*)::int as n, max(seq)::int as last, min(seq)::int as first from audit_chain group by 1`,
    )
    expect(rows).toHaveLength(2)
    for (const row of rows) expect(row).toMatchObject({ n: row.last, first: 1 })
    const { rows: lines } = await sql('select count(*)::int as n from audit_logs')
    expect(rows.reduce((sum, row) => sum + row.n, 0)).toBe(lines[0].n)
    for (const id of [tenantId, other]) expect(await verify(id)).toMatchObject({ ok: true, problems: [] })
  })

  it('waits for a transaction that began earlier, and takes its line when it is committed late', async () => {
    const late = new pg.Client(db.access.app)
    await late.connect()
    await late.query('begin')
    await late.query(`select set_config('app.tenant_id', $1, true)`, [tenantId])
    await recordAudit({ ...runner(late), sealLine: createLineSeal(TEST_AUDIT_KEY) }, systemContext(tenantId, 'late'), {
      action: 'late.one',
      objectType: 'thing',
    })
    await write(3)
    expect(await chain().link()).toBe(0)
    expect(await verify()).toMatchObject({ ok: true, checked: 0 })
    await late.query('commit')
    await late.end()
    await linked(4)
    expect(await verify()).toMatchObject({ ok: true, checked: 4, from: 1, to: 4 })
  })

  it('may begin while the lines are verified', async () => {
    await write(3)
    let begun = false
    const meanwhile: Read = async (statement, params) => {
      const rows = await read()(statement, params)
      if (!begun && statement.text.includes('from audit_heads')) {
        begun = true
        await linkAll()
      }
      return rows as never
    }
    expect(await verifyCompany(meanwhile, seal, tenantId, {}, now)).toMatchObject({ ok: true, checked: 3, from: 1 })
  })

  it('is not held up by a line that was rolled back', async () => {
    await write(1)
    await expect(
      db.database.withTenant(ctxOf(), async scope => {
        await recordAudit(scope, ctxOf(), { action: 'x.y', objectType: 'x' })
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    await write(1)
    await linked(2)
    expect(await verify()).toMatchObject({ ok: true, checked: 2 })
  })

  it('is done by one worker at a time', async () => {
    await write(50)
    const counts = await Promise.all([chain().link(), chain().link(), chain().link()])
    await linked(
      50,
      counts.reduce((a, b) => a + b),
    )
    expect(await verify()).toMatchObject({ ok: true, checked: 50 })
  })

  it('takes the lines of a database that was moved to another server, whose count of transactions began anew', async () => {
    await write(2)
    await sql("update audit_pending set xid = '99999999999'")
    await linked(2)
  })
})

describe('tampering', () => {
  beforeEach(async () => {
    await write(5)
    await linkAll()
    await write(5)
    await linkAll()
  })

  it('with any column of any line is found, and where', async () => {
    const { rows: columns } = await sql(
      `select column_name as name, data_type as type from information_schema.columns where table_name = 'audit_logs'`,
    )
    expect(columns.length).toBeGreaterThanOrEqual(16)
    const change: Record<string, string> = {
      uuid: 'gen_random_uuid()',
      text: "coalesce(%, '') || 'x'",
      'timestamp with time zone': "% + interval '1 microsecond'",
      jsonb: `coalesce(%, '{}') || '{"forged": 1}'`,
      bytea: 'sha256(%)',
    }
    for (const { name, type } of columns) {
      // The key itself is a removal and an insertion; see below.
      if (name === 'id') continue
      const id = await idAt(4)
      await sql('create table kept as select * from audit_logs where id = $1'.replace('$1', `'${id}'`))
      await sql(`update audit_logs set ${name} = ${change[type]!.replaceAll('%', name)} where id = $1`, [id])
      const found = await verify()
      expect(found.ok, name).toBe(false)
      expect(found.problems[0], name).toMatchObject(
        name === 'tenant_id'
          ? { code: 'audit.line_missing', seq: 4, auditId: id }
          : { code: name === 'mac' ? 'audit.line_unauthenticated' : 'audit.line_changed', seq: 4, auditId: id },
      )
      await sql(`update audit_logs l set ${name} = k.${name} from kept k where k.id = l.id`)
      await sql('drop table kept')
    }
    expect(await verify()).toMatchObject({ ok: true, checked: 10 })
  })

  it('with the last digit of a number beyond 2^53 is found', async () => {
    await db.database.withTenant(ctxOf(), scope =>
      recordAudit(scope, ctxOf(), { action: 'thing.change', objectType: 'thing', after: { n: 2 ** 53 } }),
    )
    await linkAll()
    expect(await verify()).toMatchObject({ ok: true })
    // The same number to JavaScript, and so to the line's MAC; not to the chain.
    await sql(`update audit_logs set after = '{"n": 9007199254740993}' where after->>'n' = '9007199254740992'`)
    expect((await verify()).problems).toMatchObject([{ code: 'audit.line_changed', seq: 11 }])
  })

  it('by removing a line is found: alone, with its link, or the last ones of the chain', async () => {
    const id = await idAt(3)
    await sql('delete from audit_logs where id = $1', [id])
    expect((await verify()).problems).toMatchObject([{ code: 'audit.line_missing', seq: 3, auditId: id }])
    await sql('delete from audit_chain where audit_id = $1', [id])
    expect((await verify()).problems).toMatchObject([{ code: 'audit.link_missing', seq: 3 }])
    await sql('delete from audit_logs using audit_chain c where c.audit_id = id and c.seq > 8')
    await sql('delete from audit_chain where seq > 8')
    expect((await verify()).problems.at(-1)).toMatchObject({ code: 'audit.link_missing', seq: 9 })
  })

  it('by removing a line before it is linked is found', async () => {
    await write(1)
    await sql('delete from audit_logs where id = (select audit_id from audit_pending)')
    // It stays in the queue for good: that is how it is missed.
    await chain().link()
    expect((await verify()).problems).toMatchObject([{ code: 'audit.line_missing', seq: null }])
  })

  it('by putting a line in past the trigger is found', async () => {
    await sql('alter table audit_logs disable trigger audit_written')
    await write(1)
    expect((await verify()).problems).toMatchObject([{ code: 'audit.line_inserted', seq: null }])
  })

  it('by swapping two lines or their links is found', async () => {
    const [a, b] = [await idAt(6), await idAt(7)]
    await sql('update audit_chain set audit_id = gen_random_uuid() where audit_id = $1', [a])
    await sql('update audit_chain set audit_id = $1 where audit_id = $2', [a, b])
    await sql('update audit_chain set audit_id = $1 where seq = 6', [b])
    expect((await verify()).problems.map(({ code, seq }) => [code, seq])).toEqual([
      ['audit.line_changed', 6],
      ['audit.line_changed', 7],
    ])
  })

  it('followed by making all hashes anew is found by the seals', async () => {
    await sql(`update audit_logs set actor_name = 'somebody.else' where id = $1`, [await idAt(2)])
    const content = (await import('./audit.hash.ts')).contentSql(part`l`)
    const lines = await read()(
      new Statement<{ seq: number; content: string }>(
        `select c.seq, ${content} as content
         from audit_chain c join audit_logs l on l.id = c.audit_id where c.tenant_id = $1 order by c.seq`,
      ),
      [tenantId],
    )
    let hash: Buffer = Buffer.alloc(32)
    for (const line of lines) {
      hash = linkHash(hash, line.seq, line.content)
      await sql('update audit_chain set hash = $1 where seq = $2', [hash, line.seq])
      await sql('update audit_checkpoints set hash = $1 where seq = $2', [hash, line.seq])
    }
    // Without the installation's key the best he can do is a seal of another one.
    const forged = createHmac('sha256', 'guess').update(hash).digest()
    await sql('update audit_heads set hash = $1, seal = $2', [hash, forged])
    const codes = (await verify()).problems.map(({ code }) => code)
    expect(codes).toContain('audit.head_broken')
    expect(codes).toContain('audit.checkpoint_broken')
    await sql('delete from audit_heads')
    await sql('delete from audit_checkpoints')
    expect((await verify()).problems).toMatchObject([
      { code: 'audit.line_unauthenticated', seq: 2 },
      { code: 'audit.head_broken' },
    ])
  })

  it('is what no role of the server may do', async () => {
    for (const statement of [
      "update audit_logs set action = 'x'",
      'delete from audit_logs',
      "update audit_chain set hash = sha256('x')",
      'delete from audit_chain',
      'delete from audit_checkpoints',
      'update audit_checkpoints set cut_at = now()',
      'delete from audit_heads',
      'delete from audit_epochs',
      'update audit_epochs set seq = seq + 1',
    ]) {
      await expect(db.database.withTenant({ tenantId }, scope => raw(scope, statement))).rejects.toThrow('denied')
      await expect(db.database.withSystemScope('audit', scope => raw(scope, statement))).rejects.toThrow('denied')
    }
    await expect(
      db.database.withTenant({ tenantId }, scope => raw(scope, 'select prune_audit($1, 1, 1)', [tenantId])),
    ).rejects.toThrow('denied')
    const other = (await insertTenant(db.superuser)).id
    await sql(
      'insert into audit_epochs (tenant_id, seq, hash, seal) select tenant_id, seq, hash, seal from audit_heads',
    )
    const tables = ['audit_chain', 'audit_heads', 'audit_checkpoints', 'audit_pending', 'audit_logs', 'audit_epochs']
    for (const table of tables) {
      const { rows } = await db.database.withTenant({ tenantId: other }, scope => raw(scope, `select 1 from ${table}`))
      expect(rows, table).toEqual([])
    }
  })
})

describe('a checkpoint', () => {
  it('is made once a day, of the last place', async () => {
    await write(3)
    await linkAll()
    await write(2)
    await linkAll()
    now += DAY_MS
    await write(2)
    await linkAll()
    const { rows } = await sql(
      'select c.seq::int, m.hash = c.hash as same from audit_checkpoints m join audit_chain c using (tenant_id, seq) order by 1',
    )
    expect(rows).toEqual([
      { seq: 3, same: true },
      { seq: 7, same: true },
    ])
  })
})

describe('retention', () => {
  /** Lines that were written and linked on a day of the past. */
  async function past(daysAgo: number, count: number): Promise<void> {
    const real = now
    now -= daysAgo * DAY_MS
    vi.useFakeTimers({ toFake: ['Date'], now })
    await write(count)
    vi.useRealTimers()
    await linkAll()
    now = real
  }

  it('removes old lines up to a checkpoint, and what remains is verified from there', async () => {
    await past(300, 4)
    await past(250, 3)
    await past(190, 2)
    await write(2)
    await linkAll()
    expect(await chain({ days: 200 }).prune()).toBe(7)
    expect(await verify()).toMatchObject({ ok: true, checked: 4, from: 8, to: 11 })
    const { rows } = await sql('select count(*)::int as n from audit_logs')
    expect(rows).toEqual([{ n: 4 }])
    // Tried after it: taking away one more line at the new beginning.
    await sql('delete from audit_logs where id = $1', [await idAt(8)])
    await sql('delete from audit_chain where seq = 8')
    expect((await verify()).problems[0]).toMatchObject({ code: 'audit.link_missing', seq: 8 })
  })

  it('keeps 180 days whatever a company sets, and the database itself refuses less', async () => {
    await past(185, 2)
    await past(170, 2)
    expect(await chain({ days: 1 }).prune()).toBe(2)
    const prune = (seq: number) =>
      db.database.withSystemScope('audit', scope => raw(scope, 'select prune_audit($1, $2, 10)', [tenantId, seq]))
    await expect(prune(4)).rejects.toThrow('no checkpoint older than 180 days')
    await expect(prune(3)).rejects.toThrow('no checkpoint')
    await sql("update audit_checkpoints set upto = now() - interval '1 year' where seq = 4")
    await expect(prune(4)).rejects.toThrow('younger than 180 days')
    expect((await verify()).problems).toMatchObject([{ code: 'audit.checkpoint_broken', seq: 4 }])
  })

  it('cannot be used to hide lines: a cut at a young checkpoint is found', async () => {
    await write(4)
    await linkAll()
    await write(1)
    await linkAll()
    await sql('update audit_checkpoints set cut_at = now()')
    await sql('delete from audit_logs using audit_chain c where c.audit_id = id and c.seq <= 4')
    await sql('delete from audit_chain where seq <= 4')
    expect((await verify()).problems[0]).toMatchObject({ code: 'audit.checkpoint_broken', seq: 4 })
  })
})

describe('speed', () => {
  it('is told: 20,000 lines linked and verified', async () => {
    const ctx = ctxOf()
    const line = {
      action: 'device.update',
      objectType: 'device',
      objectId: tenantId,
      before: { name: 'a', groupId: null, tags: ['x', 'y'] },
      after: { name: 'b', groupId: null, tags: ['x', 'z'] },
    }
    for (let i = 0; i < 10; i++)
      await db.database.withTenant(ctx, scope => recordAudits(scope, ctx, Array(2000).fill(line)))
    const begun = performance.now()
    await linked(20_000)
    const allLinked = performance.now()
    expect(await verify()).toMatchObject({ ok: true, checked: 20_000 })
    const rate = (ms: number) => `${Math.round(20_000 / (ms / 1000))} lines/s`
    process.stdout.write(`linking ${rate(allLinked - begun)}, verifying ${rate(performance.now() - allLinked)}\n`)
  })
})
