import { text } from 'node:stream/consumers'
import type { RouteContract } from '@thingwright/contracts/route'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management, refusal } from '../../db/testing/management.ts'
import { recordAudit } from '../../lib/audit.ts'
import { newId } from '../../lib/ids.ts'
import { raw } from '../../lib/testing/raw.ts'
import { auditFixture } from './audit.fixtures.ts'

let m: Management
let mine: Company
beforeAll(async () => {
  m = await management()
  mine = await company(m.db)
})

const write = (of: Company, record: Partial<Parameters<typeof recordAudit>[2]> = {}) =>
  m.database.withTenant(of.ctx, scope =>
    recordAudit(scope, of.ctx, { action: 'thing.change', objectType: 'thing', ...record }),
  )

describe('the operation log', () => {
  it('tells who did what to which object, from where, newest first', async () => {
    const objectId = newId()
    await write(mine, { action: 'thing.create', objectId, objectName: '水泵', after: { name: '水泵' } })
    await write(mine, { action: 'thing.remove', objectId, before: { name: '水泵' }, result: 'refused' })
    const { items } = await m.audit.service.list(mine.ctx, { objectId })
    expect(items).toMatchObject([
      { action: 'thing.remove', before: { name: '水泵' }, after: null, result: 'refused', objectName: null },
      { action: 'thing.create', before: null, after: { name: '水泵' }, result: 'ok', objectName: '水泵' },
    ])
    expect(items[0]).toMatchObject({ actorKind: 'member', actorName: 'li.na', ip: '192.0.2.7', objectType: 'thing' })
    expect(items[0]!.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(items[0]).not.toHaveProperty('position')
  })

  it('keeps what the database cannot hold as the sign for what cannot be shown', async () => {
    const own = await company(m.db)
    const after = { 'a\0': 'b\0c', path: 'C:\\u0000', lone: ['\ud800', '🚰'] }
    await write(own, { objectId: 'x\0', objectName: '\udc00', after })
    const [item] = (await m.audit.service.list(own.ctx, {})).items
    expect(item).toMatchObject({ objectId: 'x\ufffd', objectName: '\ufffd' })
    expect(item?.after).toEqual({ 'a\ufffd': 'b\ufffdc', path: 'C:\\u0000', lone: ['\ufffd', '🚰'] })
  })

  it('is filtered by action, object and a part of a name', async () => {
    const own = await company(m.db)
    await write(own, { action: 'a.one', objectType: 'a', objectId: '1', objectName: 'Boiler Ｘ' })
    await write(own, { action: 'b.one', objectType: 'b', objectId: '2', objectName: '锅炉' })
    const actions = async (query: object) =>
      (await m.audit.service.list(own.ctx, query as never)).items.map(({ action }) => action)
    expect(await actions({ action: 'a.one' })).toEqual(['a.one'])
    expect(await actions({ objectType: 'b' })).toEqual(['b.one'])
    expect(await actions({ objectId: '2' })).toEqual(['b.one'])
    expect(await actions({ q: 'boiler x' })).toEqual(['a.one'])
    expect(await actions({ q: '炉' })).toEqual(['b.one'])
    expect(await actions({ q: 'LI.NA' })).toEqual(['b.one', 'a.one'])
    expect(await actions({ q: '%' })).toEqual([])
    expect(await actions({ sort: 'at' })).toEqual(['a.one', 'b.one'])
    expect((await refusal(m.audit.service.list(own.ctx, { sort: 'ip' }))).code).toBe('request.sort_invalid')
    expect((await m.audit.service.list(own.ctx, { objectType: 'b', total: '1' })).total).toBe(1)
  })

  it('gives every line once on its pages while new ones are written, also those of one instant', async () => {
    const own = await company(m.db)
    await m.database.withTenant(own.ctx, async scope => {
      for (let i = 0; i < 9; i++) {
        await recordAudit(scope, own.ctx, { action: 'x.y', objectType: 'x', objectId: String(i) })
      }
    })
    for (const sort of ['-at', 'at']) {
      const walked: string[] = []
      let cursor: string | undefined
      do {
        const page = await m.audit.service.list(own.ctx, { sort, limit: 2, ...(cursor ? { cursor } : {}) })
        walked.push(...page.items.map(({ objectId }) => objectId!))
        cursor = page.nextCursor ?? undefined
        if (sort === '-at') await write(own, { objectId: 'new' })
      } while (cursor)
      expect(walked.filter(id => id !== 'new').toSorted()).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8'])
    }
  })

  it('is each company’s own, and nobody’s to change', async () => {
    const theirs = await company(m.db)
    await write(theirs, { objectName: 'their secret plan' })
    expect((await m.audit.service.list(mine.ctx, { q: 'secret plan' })).items).toEqual([])
    for (const sql of ["update audit_logs set action = 'x'", 'delete from audit_logs']) {
      await expect(m.database.withTenant(mine.ctx, scope => raw(scope, sql))).rejects.toThrow('permission denied')
    }
  })

  it('holds no secret, however deep it stands', async () => {
    const objectId = newId()
    await write(mine, { objectId, after: { deep: [{ deviceSecret: 'hunter2', passwordHash: 'hunter2' }], name: 'ok' } })
    const { items } = await m.audit.service.list(mine.ctx, { objectId })
    expect(items[0]!.after).toEqual({ deep: [{ deviceSecret: '[secret]', passwordHash: '[secret]' }], name: 'ok' })
  })

  it('refuses positions that are made up', async () => {
    for (const values of [['x', newId()], ['2026-01-01', 'x'], [1, 2], []]) {
      const cursor = Buffer.from(JSON.stringify(values)).toString('base64url')
      expect((await refusal(m.audit.service.list(mine.ctx, { cursor }))).code).toBe('request.cursor_invalid')
    }
  })

  it('is narrowed by person, result, address and time, and says what it can be narrowed to', async () => {
    const own = await company(m.db)
    await write(own, { action: 'a.one', objectType: 'a', result: 'refused' })
    await write(own, { action: 'b.two', objectType: 'b' })
    await write(own, { action: 'a.one', objectType: 'b', result: 'failed' })
    const actor = own.ctx.actor as { loginId: string }
    const count = async (query: object) => (await m.audit.service.list(own.ctx, query as never)).items.length
    expect(await count({ actorId: actor.loginId })).toBe(3)
    expect(await count({ actorId: newId() })).toBe(0)
    expect(await count({ result: 'refused' })).toBe(1)
    expect(await count({ ip: '192.0.2.7' })).toBe(3)
    expect(await count({ ip: '192.0.2.8' })).toBe(0)
    expect(await count({ from: new Date(Date.now() - 60_000).toISOString() })).toBe(3)
    expect(await count({ to: new Date(Date.now() - 60_000).toISOString() })).toBe(0)
    expect(await m.audit.service.filters(own.ctx)).toEqual({
      actions: ['a.one', 'b.two'],
      objectTypes: ['a', 'b'],
      actors: [{ id: actor.loginId, name: 'li.na' }],
    })
    expect(await m.audit.service.filters((await company(m.db)).ctx)).toEqual({
      actions: [],
      objectTypes: [],
      actors: [],
    })
  })

  it('shows one line with its client and its place in the chain, which waits a moment', async () => {
    const own = await company(m.db)
    const ctx = { ...own.ctx, userAgent: 'curl/8.5.0' }
    await m.database.withTenant(ctx, scope => recordAudit(scope, ctx, { action: 'a.one', objectType: 'a' }))
    const { items } = await m.audit.service.list(own.ctx, {})
    const { id } = items[0]!
    expect(await m.audit.service.get(own.ctx, id)).toMatchObject({
      client: 'curl',
      userAgent: 'curl/8.5.0',
      link: null,
    })
    expect(await m.audit.service.chain(own.ctx)).toMatchObject({ seq: 0, head: null, pending: 1, checkpoints: [] })
    // A transaction of another test, in another database of the same server, may still be open: the line waits for it.
    const linked = async () => {
      await m.audit.chain.link()
      return (await m.audit.service.get(own.ctx, id)).link
    }
    await expect.poll(linked).toMatchObject({ seq: 1 })
    const { link } = await m.audit.service.get(own.ctx, id)
    expect(await m.audit.service.chain(own.ctx)).toMatchObject({
      seq: 1,
      head: link!.hash,
      pending: 0,
      retentionDays: 200,
      checkpoints: [{ seq: 1, hash: link!.hash }],
    })
    expect((await refusal(m.audit.service.get(mine.ctx, id))).code).toBe('audit.not_found')
  })

  it('is exported under its filters, and the export is a line of it', async () => {
    const own = await company(m.db)
    await write(own, { action: 'a.one', objectName: '=HYPERLINK("http://x")', before: { a: 1 }, after: { a: 2 } })
    await write(own, { action: 'b.two' })
    const reply = await m.audit.service.export({ ...own.ctx, locale: 'en' }, { format: 'csv', action: 'a.one' })
    const lines = (await text(reply.body)).trimEnd().split('\r\n')
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain(`"'=HYPERLINK(""http://x"")"`)
    expect(lines[1]).toContain('"{""a"":1}","{""a"":2}"')
    const { items } = await m.audit.service.list(own.ctx, { action: 'audit.export' })
    expect(items).toMatchObject([{ after: { format: 'csv', rows: 1, filters: { action: 'a.one' } } }])
  })

  it('notes who was refused what, once a minute for a person and a route, and never more than 60 for a company', async () => {
    const own = await company(m.db)
    let now = Date.now()
    const { refusals } = auditFixture(m.database, { now: () => now })
    const route = (path: `/${string}`) =>
      ({ method: 'POST', path, permission: 'device:write', audit: 'device.create' }) as RouteContract
    const outcome = { result: 'refused', code: 'permission.denied', params: { permission: 'device:write' } } as const
    const { ctx } = own
    const noted = async () => (await m.audit.service.list(own.ctx, { result: 'refused', limit: 100, total: '1' })).total
    for (let i = 0; i < 5; i++) refusals.note(ctx, route('/api/v1/devices'), outcome)
    await expect.poll(noted).toBe(1)
    const { items } = await m.audit.service.list(own.ctx, {})
    expect(items[0]).toMatchObject({
      action: 'device.create',
      objectType: 'route',
      objectId: 'POST /api/v1/devices',
      after: { error: 'permission.denied', permission: 'device:write' },
      result: 'refused',
    })
    now += 61_000
    for (let i = 0; i < 100; i++) refusals.note(ctx, route(`/api/v1/x${i}`), outcome)
    await expect.poll(noted).toBe(61)
  })
})
