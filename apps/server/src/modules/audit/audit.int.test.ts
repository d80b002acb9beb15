import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management, refusal } from '../../db/testing/management.ts'
import { recordAudit } from '../../lib/audit.ts'
import { newId } from '../../lib/ids.ts'

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
      await expect(m.database.withTenant(mine.ctx, scope => scope.query(sql))).rejects.toThrow('permission denied')
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
})
