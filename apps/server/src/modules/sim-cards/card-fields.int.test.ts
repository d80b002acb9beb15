import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { madeCards } from '../../../../../tools/simulators/cards/made-cards.ts'
import { type CmccCarrier, startCmcc } from '../../../../../tools/simulators/carrier-cmcc/carrier-cmcc.ts'
import { createOneLink } from '../../adapters/carrier/cmcc-onelink/cmcc-onelink.ts'
import { insertDevice, insertProduct } from '../../db/fixtures.ts'
import { type Company, company, type Management, management } from '../../db/testing/management.ts'
import { memoryStore } from '../../db/testing/memory-store.ts'
import type { Ctx } from '../../lib/context.ts'
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import { silentLogger } from '../../lib/log.ts'
import { createOutbound } from '../../lib/outbound/outbound.ts'
import type { Notice } from '../notifications/index.ts'
import { createTasksModule, type TasksModule } from '../tasks/index.ts'
import { exportCards } from './export.ts'
import { createSimCardsModule, type SimCardsModule } from './sim-cards.module.ts'

const ALLOW = ['127.0.0.1/32']
const DAY_MS = 86_400_000
let m: Management
let carrier: CmccCarrier
let tasks: TasksModule
let sims: SimCardsModule
const notices: Notice[] = []

beforeAll(async () => {
  m = await management()
  carrier = await startCmcc({ count: 12 })
  tasks = createTasksModule({
    database: m.database,
    files: memoryStore(),
    logger: silentLogger,
    now: () => Date.now(),
    timing: { lease: 60_000, heartbeat: 100, poll: 50, progress: 20 },
  })
  const outbound = createOutbound({ allow: ALLOW, timeoutMs: 2_000 })
  sims = createSimCardsModule({
    database: m.database,
    inbox: { notify: async (_, notice) => void notices.push(notice) },
    tasks,
    carriers: (_, access) => createOneLink(access, { outbound, now: Date.now }),
    outboundAllow: ALLOW,
    seal: purpose => createCryptoBox('a secret of the installation, long enough', purpose),
    triggers: { offer: () => undefined, objects: () => undefined },
    logger: silentLogger,
    now: Date.now,
  })
  tasks.runner.start()
})
afterAll(async () => {
  await tasks.runner.stop()
  await carrier.close()
})
beforeEach(async () => {
  // A card belongs to one company: those of the test before are given back.
  await m.db.superuser.query('delete from sim_cards')
  notices.length = 0
  carrier.asked.length = 0
  carrier.cards.splice(0, 12, ...madeCards('cmcc', 12).map((card, n) => Object.assign(carrier.cards[n]!, card)))
})

async function imported(own: Company, content: string, existing: 'update' | 'skip' = 'skip') {
  const known = (await sims.accounts.list(own.ctx)).items[0]
  const account =
    known ??
    (await sims.accounts.create(own.ctx, {
      name: 'North',
      kind: 'onelink',
      baseUrl: carrier.url,
      account: '100002000000',
      password: 'simulated',
      perSecond: 100,
    }))
  const result = (await sims.routes
    .find(({ contract }) => contract.path === '/api/v1/sim-cards/import')!
    .handler(
      own.ctx as never,
      { body: { connectionId: account.id, existing } } as never,
      { file: { fileName: 'cards.csv', contentType: 'text/csv', body: Readable.from([content]) } } as never,
    )) as unknown as { created: number; updated: number; problems: { line: number; field: string; code: string }[] }
  return { account, result, items: (await sims.cards.list(own.ctx, { sort: 'iccid', limit: 100 })).items }
}

const one = async (own: Company) =>
  (await imported(own, `ICCID,MSISDN\n${carrier.cards[0]!.iccid},${carrier.cards[0]!.msisdn}`)).items[0]!

describe('a card', () => {
  it('gets from a table until when its data can be used, what its user is shown, and whether it can be asked about', async () => {
    const own = await company(m.db)
    await m.db.superuser.query(`update tenants set time_zone = 'Asia/Shanghai' where id = $1`, [own.ctx.tenantId])
    const numbers = [0, 1, 2, 3, 4, 5, 6].map(n => carrier.cards[n]!.iccid)
    const head = 'ICCID,流量到期时间,客户套餐流量（MB）,客户用量比例（%）,接口可查'
    const { result, items } = await imported(
      own,
      [
        head,
        `${numbers[0]},2027-06-30,30,110%,否`,
        `${numbers[1]},2027/6/30 18:05,,,`,
        `${numbers[2]},2027-02-30,,,`,
        `${numbers[3]},,many,,`,
        `${numbers[4]},,,1001,`,
        `${numbers[5]},,,,perhaps`,
        `${numbers[6]},2027-06-30T18:05:00+02:00,0.5,90,yes`,
      ].join('\n'),
    )
    expect(result.problems.map(({ line, field, code }) => [line, field, code])).toEqual([
      [4, 'dataUntil', 'sim_card.time_invalid'],
      [5, 'shownPlanMb', 'sim_card.plan_invalid'],
      [6, 'shownPercent', 'sim_card.percent_invalid'],
      [7, 'searchable', 'sim_card.searchable_invalid'],
    ])
    const of = (n: number, all: typeof items) => all.find(({ iccid }) => iccid === numbers[n])!
    expect(items).toHaveLength(3)
    const first = { dataUntil: '2027-06-29T16:00:00.000Z', shownPlanKb: 30_720, shownPercent: 110, searchable: false }
    expect(of(0, items)).toMatchObject(first)
    expect(of(1, items)).toMatchObject({
      dataUntil: '2027-06-30T10:05:00.000Z',
      shownPlanKb: null,
      shownPercent: null,
      searchable: true,
    })
    expect(of(6, items)).toMatchObject({ dataUntil: '2027-06-30T16:05:00.000Z', shownPlanKb: 512, shownPercent: 90 })
    // Empty cells leave alone what is there.
    const { items: after } = await imported(own, `${head}\n${numbers[0]},,,120,\n${numbers[1]},,,,no`, 'update')
    expect(of(0, after)).toMatchObject({ ...first, shownPercent: 120 })
    expect(of(1, after)).toMatchObject({ dataUntil: '2027-06-30T10:05:00.000Z', searchable: false })
  })

  it('is set together with others, in one line of the operation log; one of another company is not', async () => {
    const own = await company(m.db)
    const content = `ICCID\n${[0, 1, 2].map(n => carrier.cards[n]!.iccid).join('\n')}`
    const { items } = await imported(own, content)
    const other = await company(m.db)
    const foreign = (await imported(other, `ICCID\n${carrier.cards[5]!.iccid}`)).items[0]!
    const ids = [items[0]!.id, items[1]!.id, foreign.id]
    const until = new Date(Date.now() + 90 * DAY_MS).toISOString()
    const set = { dataUntil: until, shownPercent: 120, searchable: false }
    expect(await sims.cards.updateMany(own.ctx, { ids, set })).toEqual({ changed: 2, missing: 1 })
    const { items: after } = await sims.cards.list(own.ctx, { sort: 'iccid' })
    expect(after.slice(0, 2)).toMatchObject([set, set])
    expect(after.slice(0, 2).map(({ version }) => version)).toEqual([items[0]!.version + 1, items[1]!.version + 1])
    expect(after[2]).toMatchObject({ dataUntil: null, shownPercent: null, searchable: true })
    expect(await sims.cards.get(other.ctx, foreign.id)).toEqual(foreign)
    const { rows } = await m.db.superuser.query(
      `select after from audit_logs where tenant_id = $1 and action = 'sim_card.update_many'`,
      [own.ctx.tenantId],
    )
    expect(rows).toMatchObject([
      { after: { ...set, changed: 2, cards: expect.arrayContaining([items[0]!.iccid, items[1]!.iccid]) } },
    ])
    await sims.cards.updateMany(own.ctx, { ids: [items[0]!.id], set: { dataUntil: null } })
    expect(await sims.cards.get(own.ctx, items[0]!.id)).toMatchObject({ dataUntil: null, shownPercent: 120 })
    await expect(sims.cards.updateMany(own.ctx, { ids, set: {} })).rejects.toMatchObject({
      code: 'sim_card.nothing_set',
    })
  })

  it('shows its user the plan and the share that the company chose, and the carrier’s own without them', async () => {
    const own = await company(m.db)
    const card = await one(own)
    const source = carrier.cards[0]!
    source.monthKb = 10_000
    const synced = await sims.cards.sync(own.ctx, card.id)
    expect(synced.shown).toEqual({ usedKb: 10_000, planKb: source.planKb, restKb: source.planKb - 10_000 })
    const set = { shownPlanKb: 12_000, shownPercent: 110 }
    const changed = await sims.cards.update(own.ctx, card.id, { version: synced.version, ...set })
    expect(changed).toMatchObject({ ...set, monthKb: 10_000, planKb: source.planKb })
    expect(changed.shown).toEqual({ usedKb: 11_000, planKb: 12_000, restKb: 1_000 })
    source.monthKb = 11_000
    // More than the plan leaves nothing, never less than nothing.
    expect((await sims.cards.sync(own.ctx, card.id)).shown).toEqual({ usedKb: 12_100, planKb: 12_000, restKb: 0 })
    const now = await sims.cards.get(own.ctx, card.id)
    const back = await sims.cards.update(own.ctx, card.id, {
      version: now.version,
      shownPlanKb: null,
      shownPercent: null,
    })
    expect(back.shown).toEqual({ usedKb: 11_000, planKb: source.planKb, restKb: source.planKb - 11_000 })
  })

  it('tells the user of its device what is shown, and nothing of the carrier’s count', async () => {
    const own = await company(m.db)
    const card = await one(own)
    const device = await insertDevice(m.db.superuser, await insertProduct(m.db.superuser, own))
    await sims.cards.bind(own.ctx, card.id, device.id)
    carrier.cards[0]!.monthKb = 10_007
    const { version } = await sims.cards.sync(own.ctx, card.id)
    await sims.cards.update(own.ctx, card.id, { version, shownPercent: 200 })
    const narrow: Ctx = {
      ...own.ctx,
      actor: {
        ...own.ctx.actor,
        dataScope: { kind: 'limited', groupIds: [], productIds: [device.product.id], own: false },
      } as Ctx['actor'],
    }
    const reply = await sims.cards.trafficOf(narrow, device.id)
    expect(reply.card).toMatchObject({ iccid: card.iccid, state: 'active', usedKb: 20_014 })
    expect(JSON.stringify(reply)).not.toContain('10007')
    const other = await insertDevice(m.db.superuser, await insertProduct(m.db.superuser, own))
    await expect(sims.cards.trafficOf(narrow, other.id)).rejects.toMatchObject({ code: 'device.not_found' })
    expect(await sims.cards.trafficOf(own.ctx, other.id)).toEqual({ card: null })
  })

  it('keeps how many text messages the carrier counted this month', async () => {
    const own = await company(m.db)
    const card = await one(own)
    carrier.cards[0]!.monthSms = 9
    expect(await sims.cards.sync(own.ctx, card.id)).toMatchObject({ smsOn: true, monthSms: 9 })
    const nextMonth = { ...own.ctx, now: own.ctx.now + 32 * DAY_MS }
    expect(await sims.cards.get(nextMonth, card.id)).toMatchObject({ smsOn: true, monthSms: 0, monthKb: 0 })
    carrier.cards[0]!.smsOn = false
    expect(await sims.cards.sync(own.ctx, card.id)).toMatchObject({ smsOn: false })
  })

  it('whose data ends soon is told, once, and not where the card ends with it', async () => {
    const own = await company(m.db)
    const card = await one(own)
    const until = new Date(Date.now() + 6.5 * DAY_MS).toISOString()
    const first = await sims.cards.update(own.ctx, card.id, { version: card.version, dataUntil: until })
    expect(first.dataUntil).toBe(until)
    await sims.cards.sync(own.ctx, card.id)
    await sims.cards.sync(own.ctx, card.id)
    expect(notices.map(({ kind, text }) => [kind, text.en.includes('7 days')])).toEqual([
      ['sim_card.data_ending', true],
    ])
    notices.length = 0
    const both = new Date(Date.now() + 5.5 * DAY_MS).toISOString()
    await sims.cards.update(own.ctx, card.id, { version: first.version, dataUntil: both, expiresAt: both })
    await sims.cards.sync(own.ctx, card.id)
    expect(notices.map(({ kind }) => kind)).toEqual(['sim_card.expiring'])
  })

  it('that the interface does not answer about is neither asked for nor changed until it is switched on again', async () => {
    const own = await company(m.db)
    const { account, items } = await imported(
      own,
      `ICCID,MSISDN\n${[0, 1].map(n => `${carrier.cards[n]!.iccid},${carrier.cards[n]!.msisdn}`).join('\n')}`,
    )
    const [left, asked] = [items[0]!, items[1]!]
    await sims.cards.sync(own.ctx, left.id)
    const { version } = await sims.cards.get(own.ctx, left.id)
    const off = await sims.cards.update(own.ctx, left.id, { version, searchable: false })
    expect(off).toMatchObject({ searchable: false, allowed: [] })
    const gone = { code: 'sim_card.not_searchable' }
    await expect(sims.cards.sync(own.ctx, left.id)).rejects.toMatchObject(gone)
    await expect(sims.cards.diagnose(own.ctx, left.id)).rejects.toMatchObject(gone)
    await expect(sims.operations.operate(own.ctx, left.id, { action: 'stop' })).rejects.toMatchObject(gone)
    carrier.statesAsked.clear()
    const actor = { ...own.ctx.actor, permissions: new Set(['sim-card:write']) } as Ctx['actor']
    const { taskId } = await sims.accounts.sync({ ...own.ctx, actor }, account.id)
    await expect
      .poll(async () => (await tasks.service.get(own.ctx, taskId)).state, { timeout: 10_000 })
      .toBe('succeeded')
    expect([...carrier.statesAsked.keys()]).toEqual([asked.iccid])
    expect(await tasks.service.get(own.ctx, taskId)).toMatchObject({ done: 1, total: 1 })
    const found = async (searchable: 'yes' | 'no') =>
      (await sims.cards.list(own.ctx, { searchable })).items.map(({ id }) => id)
    expect([await found('yes'), await found('no')]).toEqual([[asked.id], [left.id]])
    await sims.cards.update(own.ctx, left.id, { version: off.version, searchable: true })
    expect(await sims.cards.sync(own.ctx, left.id)).toMatchObject({ state: 'active', syncFault: null })
  })

  it('has a type that comes from a table, is filtered by and stands in the file', async () => {
    const own = await company(m.db)
    const numbers = [0, 1, 2, 3, 4].map(n => carrier.cards[n]!.iccid)
    const { result, items } = await imported(
      own,
      `ICCID,卡类型\n${numbers[0]},年卡\n${numbers[1]},Quarterly\n${numbers[2]},\n${numbers[3]},周卡\n${numbers[4]},其它`,
    )
    expect(result.problems.map(({ line, field, code }) => [line, field, code])).toEqual([
      [5, 'term', 'sim_card.term_invalid'],
    ])
    expect(items.map(({ term }) => term)).toEqual(['year', 'quarter', null, 'other'])
    // A table without the column leaves the type alone.
    await imported(own, `ICCID,备注\n${numbers[0]},again`, 'update')
    await imported(own, `ICCID,type\n${numbers[2]},month`, 'update')
    const { items: after } = await sims.cards.list(own.ctx, { sort: 'iccid' })
    expect(after.map(({ term, remark }) => [term, remark])).toEqual([
      ['year', 'again'],
      ['quarter', ''],
      ['month', ''],
      ['other', ''],
    ])
    expect((await sims.cards.list(own.ctx, { term: 'month' })).items.map(({ iccid }) => iccid)).toEqual([numbers[2]])
    const reply = await exportCards({ database: m.database, cards: sims.cards }, own.ctx, {
      format: 'csv',
      term: 'year',
    })
    const [head, line, ...more] = (await text(reply.body)).trim().split(/\r?\n/)
    expect(more).toEqual([])
    const cells = line!.split(',')
    const of = (title: string) => cells[head!.split(',').indexOf(title)]
    const isZh = own.ctx.locale === 'zh'
    expect(of(isZh ? '卡类型' : 'Type')).toBe(isZh ? '年卡' : 'year')
    expect(of(isZh ? '接口可查' : 'Interface answers')).toBe(isZh ? '是' : 'yes')
  })
})
