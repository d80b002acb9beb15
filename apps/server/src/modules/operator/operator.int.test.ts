import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { PERMISSIONS } from '@thingwright/contracts/permissions'
import { beforeAll, describe, expect, it } from 'vitest'
import { insertTenant } from '../../db/fixtures.ts'
import { seedCompany } from '../../db/seeds/minimal/minimal.seed.ts'
import { type Company, company, type Management, management, refusal } from '../../db/testing/management.ts'
import type { Ctx } from '../../lib/context.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import { raw } from '../../lib/testing/raw.ts'
import { createTasksModule, type TasksModule } from '../tasks/index.ts'
import { createOperatorModule, type OperatorModule } from './index.ts'

let m: Management
let tasks: TasksModule
let desk: OperatorModule
let platformId: string
const loginId = newId()
const DAY = 86_400_000

beforeAll(async () => {
  m = await management()
  platformId = (await insertTenant(m.db.superuser, { kind: 'platform', name: 'Platform' })).id
  tasks = createTasksModule({
    database: m.database,
    files: m.store,
    logger: silentLogger,
    now: () => Date.now(),
  })
  tasks.register('thing.make', { run: async () => ({}), needs: () => [] })
  desk = createOperatorModule({
    database: m.database,
    inbox: { notify: async (scope, notice) => scope.afterCommit(() => m.notices.push(notice)) },
    quotas: m.tenants.quotas,
    support: m.tenants.support,
    verification: m.tenants.verification,
    tasks: tasks.service,
    makeCompany: seedCompany,
    hashPassword: async () => 'hashed',
    supportToken: async (_ctx, access) => ({
      access_token: `for ${access.grantId}`,
      token_type: 'bearer',
      expires_in: 900,
      id: loginId,
      username: 'operator',
      thingwrightAppId: access.appId,
    }),
    health: () => Promise.reject(new Error('not asked')),
  })
})

/** The operator asks now; a new request each time it is read. */
const op = (): Ctx => ({
  tenantId: platformId,
  actor: { kind: 'operator', loginId, username: 'operator', displayName: '值班', permissions: new Set(PERMISSIONS) },
  locale: 'zh',
  requestId: newId(),
  now: Date.now(),
})
const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString()
const linesOf = async (ctx: Ctx, action: string, objectId: string) =>
  (await m.audit.service.list(ctx, { action, objectId })).items.map(({ before, after, actorName }) => ({
    before,
    after,
    actorName,
  }))
const toldOf = (own: { id: string }) =>
  m.notices.filter(notice => notice.tenantId === own.id).map(notice => notice.kind)

describe('companies', () => {
  it('are made with an owner whose password is in the answer only', async () => {
    const username = `o${newId().slice(-8)}`
    const made = await desk.companies.create(op(), { name: ' 新企业 ', username, status: 'inactive', expiresAt: null })
    expect(made.password).toMatch(/^.{14}$/)
    const detail = await desk.companies.get(op(), made.id)
    expect(detail).toMatchObject({
      company: { name: '新企业', status: 'inactive' },
      owners: [{ username }],
      support: null,
    })
    expect(detail.usage.find(item => item.kind === 'members')!.used).toBe(1)
    expect(JSON.stringify(await linesOf(op(), 'operator.create', made.id))).not.toContain(made.password)
    const taken = desk.companies.create(op(), {
      name: 'x',
      username: username.toUpperCase(),
      status: 'trial',
      expiresAt: inDays(3),
    })
    expect((await refusal(taken)).code).toBe('auth.username_taken')
  })

  it('are activated, extended, frozen and unfrozen, in both logs and in the company’s inbox', async () => {
    const own = await company(m.db)
    await m.db.superuser.query(`update tenants set status = 'inactive' where id = $1`, [own.id])
    const end = inDays(30)
    expect((await desk.companies.setTerm(op(), own.id, { status: 'active', expiresAt: end })).company).toMatchObject({
      status: 'active',
      expiresAt: end,
    })
    await desk.companies.setTerm(op(), own.id, { status: 'active', expiresAt: null, graceDays: 14 })
    const frozen = await desk.companies.freeze(op(), own.id, ' 欠费 ')
    expect(frozen.company).toMatchObject({ status: 'frozen', frozenReason: '欠费' })
    expect(await m.tenants.company.state(own.ctx)).toMatchObject({
      accountState: 0,
      frozenReason: '欠费',
      takesData: false,
    })
    expect((await refusal(desk.companies.freeze(op(), own.id, 'x'))).code).toBe('operator.company_state')
    expect((await refusal(desk.companies.setTerm(op(), own.id, { status: 'active', expiresAt: end }))).code).toBe(
      'operator.company_state',
    )
    expect((await desk.companies.unfreeze(op(), own.id)).company).toMatchObject({
      status: 'active',
      expiresAt: null,
      graceDays: 14,
      frozenReason: null,
    })
    expect(toldOf(own)).toEqual(['company.activated', 'company.extended', 'company.frozen', 'company.unfrozen'])
    for (const ctx of [own.ctx, op()]) {
      expect(await linesOf(ctx, 'operator.freeze', own.id)).toMatchObject([
        { before: { status: 'active' }, after: { status: 'frozen', reason: '欠费' }, actorName: 'operator' },
      ])
      expect(await linesOf(ctx, 'operator.term', own.id)).toHaveLength(2)
    }
    expect(m.changedCompanies.filter(id => id === own.id)).toHaveLength(4)
  })

  // Tried: an end in the past, the platform's own company, a company that does not exist.
  it('refuse what makes no sense', async () => {
    const own = await company(m.db)
    const term = (id: string, expiresAt: string) => desk.companies.setTerm(op(), id, { status: 'active', expiresAt })
    expect((await refusal(term(own.id, inDays(-1)))).code).toBe('operator.term_invalid')
    expect((await refusal(term(platformId, inDays(1)))).code).toBe('operator.platform_company')
    expect((await refusal(desk.companies.freeze(op(), platformId, 'x'))).code).toBe('operator.platform_company')
    expect((await refusal(term(newId(), inDays(1)))).code).toBe('operator.company_not_found')
  })

  it('get quotas that count at once', async () => {
    const own = await company(m.db)
    await desk.companies.setQuotas(op(), own.id, { products: 1 })
    await m.products.service.create(own.ctx, { name: 'P', linkType: 'mqtt' })
    expect((await refusal(m.products.service.create(own.ctx, { name: 'Q', linkType: 'mqtt' }))).code).toBe(
      'quota.exceeded',
    )
    expect((await desk.companies.get(op(), own.id)).usage.find(item => item.kind === 'products')).toMatchObject({
      used: 1,
      limit: 1,
      level: 'full',
    })
    expect((await refusal(desk.companies.setQuotas(op(), own.id, { devices: -1 }))).code).toBe('request.validation')
  })

  it('are found by name, app id and user name, filtered and walked page by page without loss', async () => {
    const username = `walker-${newId().slice(-6)}`
    const made = await desk.companies.create(op(), {
      name: '翻页测试 ＡＢ',
      username,
      status: 'trial',
      expiresAt: inDays(5),
    })
    // The letters alone would find other companies by their app ids, which are hexadecimal.
    for (const q of ['翻页', '测试 ab', username.toUpperCase()])
      expect(
        (await desk.companies.list(op(), { q })).items.map(item => item.id),
        q,
      ).toEqual([made.id])
    expect((await desk.companies.list(op(), { q: '%' })).items).toEqual([])
    const all = await desk.companies.list(op(), { limit: 100, total: '1' })
    for (const sort of ['-createdAt', 'name', '-expiresAt', 'expiresAt']) {
      const walked: string[] = []
      let cursor: string | undefined
      do {
        const page = await desk.companies.list(op(), { sort, limit: 3, ...(cursor ? { cursor } : {}) })
        walked.push(...page.items.map(item => item.id))
        cursor = page.nextCursor ?? undefined
      } while (cursor)
      expect(walked.toSorted(), sort).toEqual(all.items.map(item => item.id).toSorted())
    }
    expect(all.total).toBe(all.items.length)
    expect(all.items.every(item => item.kind === 'company')).toBe(true)
    const trials = await desk.companies.list(op(), { status: 'trial', verification: 'unverified' })
    expect(trials.items.map(item => item.id)).toContain(made.id)
    const csv = await text((await desk.companies.export(op(), { q: '翻页', format: 'csv' })).body)
    expect(csv.trim().split('\n')).toHaveLength(2)
    expect((await refusal(desk.companies.list(op(), { cursor: 'eA' }))).code).toBe('request.cursor_invalid')
  })

  it('are entered with their consent only; the company is told and both logs say so', async () => {
    const own = await company(m.db)
    expect((await refusal(desk.companies.enter(op(), own.id))).code).toBe('support.no_consent')
    const grant = await m.tenants.support.grant(own.ctx, { hours: 1, mayWrite: false })
    expect((await desk.companies.enter(op(), own.id)).access_token).toBe(`for ${grant.id}`)
    expect((await desk.companies.get(op(), own.id)).support).toMatchObject({ mayWrite: false })
    expect(await linesOf(own.ctx, 'operator.enter', own.id)).toMatchObject([
      { after: { mayWrite: false }, actorName: 'operator' },
    ])
    expect(await linesOf(op(), 'operator.enter', own.id)).toHaveLength(1)
    expect(toldOf(own)).toEqual(['company.entered'])
    await m.tenants.support.end(own.ctx, grant.id)
    expect((await refusal(desk.companies.enter(op(), own.id))).code).toBe('support.no_consent')
  })
})

describe('approvals', () => {
  const handIn = async (own: Company) => {
    const body = Readable.from([Buffer.from('%PDF-1.7 licence')])
    const file = await m.tenants.verification.addFile(own.ctx, { fileName: 'l.pdf', contentType: 'text/plain', body })
    return m.tenants.verification.submit(own.ctx, {
      legalName: '北海仪表',
      creditCode: '91440300708461136T',
      legalPerson: '',
      note: '',
      fileIds: [file.id],
    })
  }

  it('show licences with their documents, and are decided once', async () => {
    const own = await company(m.db)
    const { id, files } = await handIn(own)
    const open = (await desk.approvals.list(op(), { state: 'open' })).items.find(item => item.id === id)!
    expect(open).toMatchObject({ kind: 'licence', title: '北海仪表', tenantId: own.id, state: 'open' })
    expect(await text((await desk.approvals.file(op(), 'licence', id, files[0]!.id)).body)).toBe('%PDF-1.7 licence')
    // A document of another case is not shown through this one.
    const other = await handIn(await company(m.db))
    expect((await refusal(desk.approvals.file(op(), 'licence', id, other.files[0]!.id))).code).toBe(
      'company.file_not_found',
    )
    const tries = await Promise.allSettled(
      [true, false].map(accept => desk.approvals.decide(op(), 'licence', id, { accept, reason: 'r' })),
    )
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await desk.approvals.list(op(), { state: 'decided' })).items[0]).toMatchObject({
      id,
      decidedBy: 'operator',
    })
    expect((await refusal(desk.approvals.decide(op(), 'nothing', id, { accept: true, reason: '' }))).code).toBe(
      'approval.not_found',
    )
  })

  it('are brought by any module that registers them', async () => {
    desk.approvals.register({
      kind: 'template',
      title: { zh: '模板', en: 'Template' },
      list: async () => [],
      decide: async () => Promise.reject(new Error('none')),
    })
    expect(
      (await desk.approvals.list(op(), { state: 'open', kind: 'template' })).kinds.map(({ kind }) => kind),
    ).toContain('template')
    expect(() =>
      desk.approvals.register({
        kind: 'template',
        title: { zh: '', en: '' },
        list: async () => [],
        decide: async () => Promise.reject(),
      }),
    ).toThrow('two sources')
  })
})

describe('announcements', () => {
  const draft = (over: object = {}) =>
    desk.announcements.create(op(), {
      level: 'info',
      title: { zh: '维护', en: 'Maintenance' },
      text: { zh: '', en: '' },
      statuses: null,
      tenantIds: null,
      expiresAt: null,
      ...over,
    })
  const seenBy = async (own: Company) => (await desk.announcements.current(own.ctx)).items.map(item => item.id)

  it('reach their companies when published, as banner and in the inbox, until they end or are withdrawn', async () => {
    const [own, other] = [await company(m.db), await company(m.db)]
    const made = await draft({ tenantIds: [own.id], expiresAt: inDays(1) })
    expect(await seenBy(own)).toEqual([])
    await desk.announcements.publish(op(), made.id)
    expect([await seenBy(own), await seenBy(other)]).toEqual([[made.id], []])
    expect([toldOf(own), toldOf(other)]).toEqual([['announcement.published'], []])
    expect((await desk.announcements.current({ ...own.ctx, now: Date.now() + 2 * DAY })).items).toEqual([])
    await desk.announcements.withdraw(op(), made.id)
    expect(await seenBy(own)).toEqual([])
    expect((await refusal(desk.announcements.publish(op(), made.id))).code).toBe('announcement.state')
  })

  it('are for companies in some states', async () => {
    const [trial, active] = [await company(m.db), await company(m.db)]
    await m.db.superuser.query(`update tenants set status = 'trial' where id = $1`, [trial.id])
    const { id } = await draft({ statuses: ['trial'] })
    await desk.announcements.publish(op(), id)
    expect([(await seenBy(trial)).includes(id), (await seenBy(active)).includes(id)]).toEqual([true, false])
    await desk.announcements.withdraw(op(), id)
  })

  it('are changed as drafts only, with the version that was seen', async () => {
    const made = await draft()
    const body = {
      level: 'warning' as const,
      title: made.title,
      text: made.text,
      statuses: null,
      tenantIds: null,
      expiresAt: null,
    }
    expect((await desk.announcements.update(op(), made.id, { version: made.version, ...body })).level).toBe('warning')
    expect((await refusal(desk.announcements.update(op(), made.id, { version: made.version, ...body }))).code).toBe(
      'version.conflict',
    )
    await desk.announcements.publish(op(), made.id)
    expect((await refusal(desk.announcements.update(op(), made.id, { version: 3, ...body }))).code).toBe(
      'announcement.state',
    )
    expect((await refusal(desk.announcements.remove(op(), made.id))).code).toBe('announcement.state')
    await desk.announcements.withdraw(op(), made.id)
    await desk.announcements.remove(op(), made.id)
    expect((await refusal(draft({ expiresAt: inDays(-1) }))).code).toBe('announcement.expired')
  })

  it('cannot be read by a company for which they are not, whatever the code does', async () => {
    const [own, other] = [await company(m.db), await company(m.db)]
    const { id } = await draft({ tenantIds: [other.id] })
    await draft()
    await desk.announcements.publish(op(), id)
    const { rows } = await m.database.withTenant(own.ctx, scope =>
      raw(scope, `select id from announcements where status = 'draft' or tenant_ids is not null`),
    )
    expect(rows).toEqual([])
  })
})

describe('tasks of every company', () => {
  it('are listed with their company, cancelled and started again for whoever started them', async () => {
    const own = await company(m.db)
    const { id } = await tasks.service.start(own.ctx, {
      kind: 'thing.make',
      title: { zh: '做', en: 'make' },
      input: {},
    })
    const name = (await m.tenants.service.get(own.id)).name
    expect((await desk.jobs.list(op(), { tenantId: own.id })).items).toMatchObject([
      { id, state: 'queued', companyName: name },
    ])
    expect((await desk.jobs.cancel(op(), id)).state).toBe('cancelled')
    const again = await desk.jobs.retry(op(), id)
    expect(again).toMatchObject({ state: 'queued', retryOf: id, ownerName: 'li.na' })
    expect((await linesOf(own.ctx, 'task.cancel', id))[0]!.actorName).toBe('operator')
    expect(await linesOf(op(), 'task.cancel', id)).toHaveLength(1)
    expect((await refusal(desk.jobs.cancel(own.ctx, id))).code).toBe('permission.denied')
    expect((await refusal(desk.jobs.retry(op(), newId()))).code).toBe('task.not_found')
  })
})

describe('settings of the installation', () => {
  it('are what companies that are not active are shown', async () => {
    const own = await company(m.db)
    const settings = { contact: { name: '客服', phone: '400-1', email: 'help@iot.example' }, trialDays: 14 }
    await desk.settings.set(op(), settings)
    expect(await desk.settings.get()).toEqual(settings)
    expect((await m.tenants.company.state(own.ctx)).contact).toEqual(settings.contact)
  })
})
