import { text } from 'node:stream/consumers'
import { beforeAll, expect, it } from 'vitest'
import { company, type Management, management } from '../../db/testing/management.ts'
import type { Ctx } from '../../lib/context.ts'
import { newId } from '../../lib/ids.ts'
import { createContactExports } from './contact-export.ts'
import { createContactsService } from './contacts.service.ts'

let m: Management
beforeAll(async () => {
  m = await management()
})

async function record(ctx: Ctx, over: { state?: string; reason?: string | null; content?: string } = {}) {
  const { state = 'sent', reason = null, content = '=1+1' } = over
  await m.db.superuser.query(
    `insert into notification_records (id, tenant_id, contact_name, channel, recipient, kind, address, locale, content, due_at,
       created_at, state, reason, receipt, receipt_reason, cost, simulated)
     values ($1, $2, 'Duty', 'sms', $1, 'raised', '+8613800000000', 'en', $3, now(), now(), $4, $5, 'failed', 'MOBILE_OFF', 2, true)`,
    [newId(), ctx.tenantId, content, state, reason],
  )
}

it('messages leave as a file with state, reason, receipt and cost, and the export is in the operation log', async () => {
  const [own, other] = [await company(m.db), await company(m.db)]
  await record(own.ctx)
  await record(own.ctx, { state: 'failed', reason: 'no_units' })
  await record(other.ctx)
  const ctx: Ctx = { ...own.ctx, locale: 'en' }
  const exports = createContactExports(m.database)
  const all = await text((await exports.records(ctx, { format: 'csv' })).body)
  expect(all.trim().split('\n')).toHaveLength(3)
  expect(all).toContain('MOBILE_OFF')
  // A text that begins like a formula is none in a table.
  expect(all).not.toMatch(/,=1\+1/)
  const failed = await text((await exports.records(ctx, { format: 'csv', state: 'failed' })).body)
  expect(failed).toContain('no_units')
  expect(failed.trim().split('\n')).toHaveLength(2)
  const { rows } = await m.db.superuser.query(
    "select after ->> 'rows' as rows from audit_logs where tenant_id = $1 and action = 'notification_record.export' order by at",
    [own.ctx.tenantId],
  )
  expect(rows.map(row => row.rows)).toEqual(['2', '1'])
})

it('contacts leave as a file of the search alone', async () => {
  const { ctx } = await company(m.db)
  const service = createContactsService({ database: m.database })
  for (const name of ['North', 'South']) await service.create(ctx, { name, email: `${name}@example.com` })
  const csv = await text((await createContactExports(m.database).contacts(ctx, { format: 'csv', q: 'north' })).body)
  expect(csv).toContain('North')
  expect(csv).not.toContain('South')
})
