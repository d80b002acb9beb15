import { Readable } from 'node:stream'
import { beforeAll, describe, expect, it } from 'vitest'
import { insertDevice, insertProduct } from '../../db/fixtures.ts'
import { type Company, company, type Management, management, refusal } from '../../db/testing/management.ts'
import { systemContext } from '../../lib/context.ts'
import { raw } from '../../lib/testing/raw.ts'

let m: Management
beforeAll(async () => {
  m = await management()
})

const DAY = 86_400_000
const END = Date.UTC(2030, 5, 1)
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const CODE = '91440300708461136T'

const setTerm = (of: Company, status: string, over: { expiresAt?: number; graceDays?: number } = {}) =>
  m.db.superuser.query('update tenants set status = $2, expires_at = $3, grace_days = $4 where id = $1', [
    of.id,
    status,
    new Date(over.expiresAt ?? END),
    over.graceDays ?? null,
  ])
const statusOf = async (of: Company) => (await m.tenants.service.get(of.id)).status
const noticesOf = (of: Company) =>
  m.notices.filter(notice => notice.tenantId === of.id).map(({ kind, level }) => `${kind} ${level}`)

describe('the profile', () => {
  it('is changed with the version that was seen, and logged with before and after', async () => {
    const own = await company(m.db)
    const before = await m.tenants.company.get(own.ctx)
    const after = await m.tenants.company.update(own.ctx, {
      version: before.version,
      name: ' 北海仪表 ',
      contactPhone: '0755-1234',
      timeZone: 'Europe/Berlin',
    })
    expect(after).toMatchObject({
      name: '北海仪表',
      contactPhone: '0755-1234',
      timeZone: 'Europe/Berlin',
      version: before.version + 1,
    })
    const conflict = await refusal(m.tenants.company.update(own.ctx, { version: before.version, industry: 'x' }))
    expect([conflict.code, (conflict.params.current as { name: string }).name]).toEqual([
      'version.conflict',
      '北海仪表',
    ])
    const { items } = await m.audit.service.list(own.ctx, { action: 'company.update' })
    expect(items).toMatchObject([
      { before: { name: before.name }, after: { name: '北海仪表', timeZone: 'Europe/Berlin' } },
    ])
    expect((await refusal(m.tenants.company.update(own.ctx, { version: 2, timeZone: 'Mars/Olympus' }))).code).toBe(
      'company.time_zone_unknown',
    )
  })
})

describe('branding', () => {
  const brand = (own: Company, over: object) =>
    m.tenants.company.setBranding(own.ctx, {
      version: 1,
      title: '北海',
      titleEn: 'Beihai',
      logo: '',
      colour: null,
      ...over,
    })
  const data = (type: string, bytes: Buffer) => `data:image/${type};base64,${bytes.toString('base64')}`

  it('is found by the app id, also by strangers; an unknown id is like no branding', async () => {
    const own = await company(m.db)
    await brand(own, { colour: '#0b5d3b', logo: data('png', PNG) })
    expect(await m.tenants.company.branding(own.appId)).toEqual({
      title: '北海',
      titleEn: 'Beihai',
      colour: '#0b5d3b',
      logo: data('png', PNG),
    })
    expect(await m.tenants.company.branding('nobody')).toEqual({ title: '', titleEn: '', logo: '', colour: null })
  })

  it('refuses a colour on which white text cannot be read', async () => {
    const own = await company(m.db)
    expect((await refusal(brand(own, { colour: '#ffd54f' }))).code).toBe('company.colour_unreadable')
    expect((await brand(own, { colour: '#767676' })).branding.colour).toBe('#767676')
  })

  // Tried: another type than the bytes, not an image, no data reference, an address, too big, a drawing with a script.
  it('refuses a logo that is no image, and cleans drawings', async () => {
    const own = await company(m.db)
    for (const logo of [
      data('jpeg', PNG),
      data('png', Buffer.from('<script>')),
      data('gif', PNG),
      'https://elsewhere.example/logo.png',
      data('png', Buffer.concat([PNG, Buffer.alloc(110_000)])),
      data('svg+xml', Buffer.from('not a drawing')),
    ])
      expect((await refusal(brand(own, { logo }))).code, logo.slice(0, 40)).toBe('company.logo_invalid')
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><script>alert(1)</script><path onclick="x()" d="M0 0h8"/></svg>'
    const { branding } = await brand(own, { logo: data('svg+xml', Buffer.from(svg)) })
    const stored = Buffer.from(branding.logo.split(',')[1]!, 'base64').toString()
    expect(stored).toContain('M0 0h8')
    expect(stored).not.toMatch(/script|onclick/)
    // The log says that there was a logo, not the whole of it.
    const { items } = await m.audit.service.list(own.ctx, { action: 'company.branding' })
    expect(JSON.stringify(items[0]!.after).length).toBeLessThan(300)
  })
})

describe('the term of a company', () => {
  it('goes from paid to grace to ended by time, with notices and log lines', async () => {
    const own = await company(m.db)
    await setTerm(own, 'active')
    await m.tenants.states.run(END - 8 * DAY)
    expect(noticesOf(own)).toEqual([])
    for (const days of [7, 6.5, 3, 2.9, 1, 0.5]) await m.tenants.states.run(END - days * DAY)
    expect(noticesOf(own)).toEqual(['company.term warning', 'company.term warning', 'company.term error'])
    await m.tenants.states.run(END)
    expect(await statusOf(own)).toBe('grace')
    expect(await m.tenants.company.state(own.ctx)).toMatchObject({
      accountState: 2,
      takesData: true,
      graceEndsAt: new Date(END + 7 * DAY).toISOString(),
    })
    expect(m.changedCompanies).toContain(own.id)
    await m.tenants.states.run(END + 7 * DAY)
    expect(await m.tenants.company.state(own.ctx)).toMatchObject({
      status: 'expired',
      accountState: 1,
      takesData: false,
    })
    expect(noticesOf(own).slice(3)).toEqual(['company.state warning', 'company.term warning', 'company.state error'])
    const { items } = await m.audit.service.list(own.ctx, { action: 'company.state' })
    expect(items.map(item => [item.actorName, item.before?.status, item.after?.status])).toEqual([
      ['system:company-term', 'grace', 'expired'],
      ['system:company-term', 'active', 'grace'],
    ])
  })

  it('ends a trial without grace unless the operator gave some', async () => {
    const [plain, graced] = [await company(m.db), await company(m.db)]
    await setTerm(plain, 'trial')
    await setTerm(graced, 'trial', { graceDays: 3 })
    await m.tenants.states.run(END)
    expect([await statusOf(plain), await statusOf(graced)]).toEqual(['expired', 'grace'])
  })

  it('is changed once when two processes look at the same moment', async () => {
    const own = await company(m.db)
    await setTerm(own, 'trial')
    await Promise.all([m.tenants.states.run(END), m.tenants.states.run(END), m.tenants.states.run(END)])
    expect(await statusOf(own)).toBe('expired')
    expect(noticesOf(own)).toEqual(['company.state error'])
  })
})

describe('quotas', () => {
  const limit = (own: Company, quotas: object) =>
    m.tenants.service.updateSettings(systemContext(own.id, 'test'), 'quotas', quotas, 'operator.quotas')
  const usageOf = async (own: Company, kind: string) =>
    (await m.tenants.quotas.usage(own.ctx)).find(item => item.kind === kind)

  it('give the last place to one of two that ask at once', async () => {
    const own = await company(m.db)
    const product = await m.products.service.create(own.ctx, { name: 'P', linkType: 'mqtt' })
    await limit(own, { devices: 3 })
    const create = (name: string) => m.devices.service.create(own.ctx, { name, productId: product.id })
    await create('a')
    await create('b')
    const tries = await Promise.allSettled(['c', 'd', 'e', 'f'].map(create))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const { reason } of tries.filter(t => t.status === 'rejected'))
      expect(reason).toMatchObject({ code: 'quota.exceeded', params: { kind: 'devices', used: 3, limit: 3, more: 1 } })
    expect(await usageOf(own, 'devices')).toEqual({ kind: 'devices', used: 3, limit: 3, level: 'full' })
  })

  it('count what is in use: the bin frees a place, and coming back from it needs one', async () => {
    const own = await company(m.db)
    const product = await m.products.service.create(own.ctx, { name: 'P', linkType: 'mqtt' })
    await limit(own, { devices: 1 })
    const first = await m.devices.service.create(own.ctx, { name: 'a', productId: product.id })
    await m.devices.lifecycle.remove(own.ctx, first.id)
    const second = await m.devices.service.create(own.ctx, { name: 'b', productId: product.id })
    expect((await refusal(m.devices.lifecycle.restore(own.ctx, first.id))).code).toBe('quota.exceeded')
    await m.devices.lifecycle.remove(own.ctx, second.id)
    await m.devices.lifecycle.remove(own.ctx, second.id)
    await m.devices.lifecycle.restore(own.ctx, first.id)
    expect((await usageOf(own, 'devices'))!.used).toBe(1)
  })

  it('see what comes in by any way: many in one statement, products, members', async () => {
    const own = await company(m.db)
    const product = await insertProduct(m.db.superuser, own)
    for (let i = 0; i < 3; i++) await insertDevice(m.db.superuser, product)
    await insertDevice(m.db.superuser, product, { lifecycle: 'recycled' })
    await m.db.superuser.query(
      `insert into logins (id, tenant_id, kind, username) select gen_random_uuid(), $1, k, $2 || n from unnest(array['member', 'member', 'end_user']) with ordinality as x (k, n)`,
      [own.id, `u-${own.appId}-`],
    )
    const used = Object.fromEntries((await m.tenants.quotas.usage(own.ctx)).map(item => [item.kind, item.used]))
    expect(used).toMatchObject({ devices: 3, products: 1, members: 2 })
    await m.db.superuser.query('delete from devices where tenant_id = $1', [own.id])
    expect((await usageOf(own, 'devices'))!.used).toBe(0)
  })

  it('warn once at 80 and once at 100 per cent, and again after there was room', async () => {
    const own = await company(m.db)
    await limit(own, { products: 5 })
    const add = () => m.products.service.create(own.ctx, { name: 'P', linkType: 'mqtt' })
    const made = []
    for (let i = 0; i < 5; i++) made.push(await add())
    expect(noticesOf(own)).toEqual(['company.quota warning', 'company.quota error'])
    expect((await refusal(add())).params).toEqual({ kind: 'products', used: 5, limit: 5, more: 1 })
    for (const { id } of made.slice(0, 3)) await m.products.service.remove(own.ctx, id)
    await m.tenants.quotas.watch(own.id, Date.now())
    await add()
    await add()
    expect(noticesOf(own)).toHaveLength(3)
  })

  it('are open where no limit is set, and warn of what fills by itself', async () => {
    const own = await company(m.db)
    m.tenants.quotas.countedBy('messagesPerDay', async () => 950)
    await limit(own, { devices: null, messagesPerDay: 1000 })
    await m.tenants.quotas.watch(own.id, Date.now())
    await m.tenants.quotas.watch(own.id, Date.now())
    expect(noticesOf(own)).toEqual(['company.quota warning'])
    expect(await usageOf(own, 'devices')).toEqual({ kind: 'devices', used: 0, limit: null, level: 'ok' })
  })
})

describe('licence verification', () => {
  const file = (own: Company, bytes = PNG) =>
    m.tenants.verification.addFile(own.ctx, {
      fileName: '营业执照.png',
      contentType: 'image/png',
      body: Readable.from([bytes]),
    })
  const submit = (own: Company, fileIds: string[], over: object = {}) =>
    m.tenants.verification.submit(own.ctx, {
      legalName: '北海仪表有限公司',
      creditCode: CODE,
      legalPerson: '李娜',
      note: '',
      fileIds,
      ...over,
    })
  const operator = { ...systemContext('01900000-0000-7000-8000-000000000001', 'operator') }
  const stateOf = async (own: Company) => (await m.tenants.verification.get(own.ctx)).status

  it('goes from handed in to refused with a reason, and by another try to verified', async () => {
    await m.db.superuser.query(
      `insert into tenants (id, app_id, name, kind) values ($1, 'platform', 'P', 'platform') on conflict do nothing`,
      [operator.tenantId],
    )
    const own = await company(m.db)
    expect(await stateOf(own)).toBe('unverified')
    const { id } = await file(own)
    const first = await submit(own, [id], { creditCode: CODE.toLowerCase() })
    expect(first).toMatchObject({ status: 'in_review', creditCode: CODE, files: [{ id, contentType: 'image/png' }] })
    expect((await refusal(submit(own, [id]))).code).toBe('company.in_review')
    expect(
      (await refusal(m.tenants.verification.decide(operator, first.id, { accept: false, reason: ' ' }))).code,
    ).toBe('approval.reason_missing')
    await m.tenants.verification.decide(operator, first.id, { accept: false, reason: '照片不清晰' })
    expect((await refusal(m.tenants.verification.decide(operator, first.id, { accept: true, reason: '' }))).code).toBe(
      'approval.decided',
    )
    expect(await stateOf(own)).toBe('rejected')
    const second = await submit(own, [id])
    expect((await m.tenants.verification.cases(true, 50)).map(item => item.id)).toContain(second.id)
    await m.tenants.verification.decide(operator, second.id, { accept: true, reason: '' })
    expect(await stateOf(own)).toBe('verified')
    expect((await m.tenants.company.get(own.ctx)).verification).toBe('verified')
    // In the company's log and in the operator's.
    const lines = async (ctx: typeof own.ctx) =>
      (await m.audit.service.list(ctx, { action: 'operator.decide', objectId: own.id })).items.length
    expect([await lines(own.ctx), await lines(operator)]).toEqual([2, 2])
    expect(noticesOf(own)).toEqual(['company.verification warning', 'company.verification info'])
  })

  // Tried: a program named .png, an empty file, too big, another company's file, a code with a wrong check character.
  it('refuses what is no document and what is not the company’s', async () => {
    const [own, other] = [await company(m.db), await company(m.db)]
    for (const bytes of [
      Buffer.from('MZ\x90\x00'),
      Buffer.from('<html>'),
      Buffer.concat([PNG, Buffer.alloc(10 * 1024 ** 2)]),
    ])
      expect((await refusal(file(own, bytes))).code).toBe('company.file_invalid')
    const theirs = await file(other)
    expect((await refusal(submit(own, [theirs.id]))).code).toBe('company.file_not_found')
    expect((await refusal(m.tenants.verification.file(own.ctx, theirs.id))).code).toBe('company.file_not_found')
    const mine = await file(own)
    expect((await refusal(submit(own, [mine.id], { creditCode: `${CODE.slice(0, 17)}A` }))).code).toBe(
      'company.credit_code_invalid',
    )
    expect(await stateOf(own)).toBe('unverified')
  })

  it('cannot be decided by the company itself, whatever the code does', async () => {
    const own = await company(m.db)
    const { id } = await file(own)
    await submit(own, [id])
    const asOwn = (sql: string) => m.database.withTenant(own.ctx, scope => raw(scope, sql))
    await expect(asOwn("update company_verifications set status = 'verified', decided_at = now()")).rejects.toThrow(
      'permission denied',
    )
    await expect(
      asOwn(`insert into company_verifications (id, tenant_id, status, legal_name, credit_code, file_ids, submitted_by, decided_at)
             values (gen_random_uuid(), '${own.id}', 'verified', 'x', 'x', '{}', 'x', now())`),
    ).rejects.toThrow('row-level security')
  })
})

describe('support access', () => {
  it('is given for some hours, is replaced by the next, and ends when the company says so', async () => {
    const own = await company(m.db)
    expect(await m.tenants.support.running(own.id, Date.now())).toBeNull()
    const first = await m.tenants.support.grant(own.ctx, { hours: 2, mayWrite: true })
    expect(await m.tenants.support.running(own.id, Date.now())).toMatchObject({
      grantId: first.id,
      mayWrite: true,
      tenantId: own.id,
    })
    const second = await m.tenants.support.grant(own.ctx, { hours: 1, mayWrite: false })
    expect(await m.tenants.support.access(first.id, Date.now())).toBeNull()
    expect(await m.tenants.support.access(second.id, Date.now())).toMatchObject({ mayWrite: false })
    expect(await m.tenants.support.access(second.id, Date.now() + 3_600_001)).toBeNull()
    await m.tenants.support.end(own.ctx, second.id)
    expect(await m.tenants.support.running(own.id, Date.now())).toBeNull()
    const other = await company(m.db)
    expect((await refusal(m.tenants.support.end(other.ctx, second.id))).code).toBe('support.not_found')
  })

  it('is not given by an operator who is inside', async () => {
    const own = await company(m.db)
    const { actor } = own.ctx
    const inside = { ...own.ctx, actor: { ...actor, kind: 'operator' as const } } as typeof own.ctx
    expect((await refusal(m.tenants.support.grant(inside, { hours: 1, mayWrite: true }))).code).toBe(
      'support.not_yours',
    )
  })
})
