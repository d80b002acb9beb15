import type { ViewSettings } from '@thingwright/contracts/saved-views.contract'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertTenant, type TenantFixture } from '../../db/fixtures.ts'
import { refusal } from '../../db/testing/management.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { type Ctx, WHOLE_COMPANY } from '../../lib/context.ts'
import { newId } from '../../lib/ids.ts'
import { personId } from '../../lib/person.ts'
import { createSavedViewsModule, type SavedViewsModule } from './index.ts'
import { ownedSavedViews } from './saved-views.repo.ts'

let db: TestDatabase
let views: SavedViewsModule['service']
beforeAll(async () => {
  db = await testDatabase()
  views = createSavedViewsModule({ database: db.database }).service
})

const SETTINGS: ViewSettings = {
  query: 'q=pump&sort=-name',
  columns: ['name'],
  widths: { name: 300 },
  density: 'dense',
}
const loginOf = (ctx: Ctx) => personId(ctx.actor)

async function member(tenant: TenantFixture): Promise<Ctx> {
  const loginId = newId()
  await db.superuser.query(
    "insert into logins (id, tenant_id, kind, username) values ($1::uuid, $2, 'member', $1::text)",
    [loginId, tenant.id],
  )
  return {
    tenantId: tenant.id,
    actor: {
      kind: 'member',
      loginId,
      username: loginId,
      displayName: '',
      permissions: new Set(),
      dataScope: WHOLE_COMPANY,
    },
    locale: 'zh',
    requestId: newId(),
    now: Date.now(),
  }
}

describe('saved views', () => {
  let ann: Ctx
  let bob: Ctx
  let stranger: Ctx
  beforeEach(async () => {
    const company = await insertTenant(db.superuser)
    ann = await member(company)
    bob = await member(company)
    stranger = await member(await insertTenant(db.superuser))
  })
  const keep = (ctx: Ctx, name: string, shared = false, list = 'devices') =>
    views.create(ctx, { list, name, shared, settings: SETTINGS })
  const names = async (ctx: Ctx, list = 'devices') => (await views.list(ctx, { list })).items.map(v => v.name)

  it('are one’s own until they are shared with the company, and stay inside it', async () => {
    const view = await keep(ann, 'Pumps 泵')
    expect(view).toMatchObject({ name: 'Pumps 泵', mine: true, shared: false, isDefault: false, settings: SETTINGS })
    expect(await names(bob)).toEqual([])
    await views.update(ann, view.id, { version: 1, shared: true })
    expect((await views.list(bob, { list: 'devices' })).items).toMatchObject([{ mine: false, ownerName: loginOf(ann) }])
    expect(await names(bob, 'products')).toEqual([])
    expect(await names(stranger)).toEqual([])
  })

  it('are changed and removed by those who made them only', async () => {
    const view = await keep(ann, 'shared', true)
    for (const who of [bob, stranger]) {
      expect((await refusal(views.update(who, view.id, { version: 1, name: 'mine now' }))).code).toBe(
        'saved_view.not_found',
      )
      expect((await refusal(views.remove(who, view.id))).code).toBe('saved_view.not_found')
    }
    await views.remove(ann, view.id)
    expect(await names(ann)).toEqual([])
    const { rows } = await db.superuser.query(
      'select action, after is null as gone from audit_logs where object_id = $1 order by action',
      [view.id],
    )
    expect(rows).toEqual([
      { action: 'saved_view.create', gone: false },
      { action: 'saved_view.remove', gone: true },
    ])
  })

  it('have different names per list, and a version', async () => {
    const view = await keep(ann, 'same')
    expect(await refusal(keep(ann, 'same'))).toMatchObject({ code: 'saved_view.name_taken', params: { name: 'same' } })
    await keep(ann, 'same', false, 'products')
    await keep(bob, 'same')
    await views.update(ann, view.id, { version: 1, name: 'other' })
    const stale = await refusal(views.update(ann, view.id, { version: 1, name: 'lost' }))
    expect(stale).toMatchObject({ code: 'version.conflict', params: { current: { name: 'other', version: 2 } } })
  })

  it('open a list for whoever chose so, as long as he may use them', async () => {
    const view = await keep(ann, 'start', true)
    await views.setDefault(bob, { list: 'devices', viewId: view.id })
    expect((await views.list(bob, { list: 'devices' })).items[0]?.isDefault).toBe(true)
    expect((await views.list(ann, { list: 'devices' })).items[0]?.isDefault).toBe(false)
    for (const attempt of [
      () => views.setDefault(stranger, { list: 'devices', viewId: view.id }),
      () => views.setDefault(bob, { list: 'products', viewId: view.id }),
      () => views.setDefault(bob, { list: 'devices', viewId: newId() }),
    ])
      expect((await refusal(attempt())).code).toBe('saved_view.not_found')
    await views.update(ann, view.id, { version: 1, shared: false })
    await views.update(ann, view.id, { version: 2, shared: true })
    expect((await views.list(bob, { list: 'devices' })).items[0]?.isDefault).toBe(false)
  })

  it('are at most 50 of a list, also when two arrive at once', async () => {
    for (let i = 0; i < 49; i++) await keep(ann, `v${i}`)
    const both = await Promise.allSettled([keep(ann, 'x'), keep(ann, 'y')])
    expect(both.map(r => r.status).sort()).toEqual(['fulfilled', 'rejected'])
    expect((await refusal(keep(ann, 'z'))).code).toBe('saved_view.too_many')
  })

  it('go to somebody else with what a member leaves behind', async () => {
    await keep(ann, 'same')
    await keep(ann, 'only ann')
    await keep(bob, 'same')
    await db.database.withTenant(ann, async scope => {
      expect(await ownedSavedViews.count(scope, loginOf(ann))).toBe(2)
      expect(await ownedSavedViews.handOver(scope, loginOf(ann), loginOf(bob))).toBe(2)
    })
    expect(await names(ann)).toEqual([])
    expect(await names(bob)).toMatchObject(['only ann', 'same', expect.stringMatching(/^same · [0-9a-f]{8}$/)])
  })
})
