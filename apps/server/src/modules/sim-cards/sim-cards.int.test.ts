import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { parseRule } from '@thingwright/rules'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { madeCards } from '../../../../../tools/simulators/cards/made-cards.ts'
import { type CmccCarrier, startCmcc } from '../../../../../tools/simulators/carrier-cmcc/carrier-cmcc.ts'
import { createOneLink } from '../../adapters/carrier/cmcc-onelink/cmcc-onelink.ts'
import { insertDevice, insertProduct } from '../../db/fixtures.ts'
import { type Company, company, type Management, management } from '../../db/testing/management.ts'
import { memoryStore } from '../../db/testing/memory-store.ts'
import type { Ctx } from '../../lib/context.ts'
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import { createOutbound } from '../../lib/outbound/outbound.ts'
import { createObjectAlarms } from '../alarms/index.ts'
import type { Notice } from '../notifications/index.ts'
import { createTasksModule, type TasksModule } from '../tasks/index.ts'
import type { TriggerActionPort, TriggerTask } from '../triggers/index.ts'
import { exportCards } from './export.ts'
import { createSimCardsModule, type SimCardsModule } from './sim-cards.module.ts'

const ALLOW = ['127.0.0.1/32']
let m: Management
let carrier: CmccCarrier
let tasks: TasksModule
const ports = new Map<string, TriggerActionPort>()
let sims: SimCardsModule
let shift = 0
const now = () => Date.now() + shift
const notices: Notice[] = []
beforeAll(async () => {
  m = await management()
  carrier = await startCmcc({ count: 60, now })
  tasks = createTasksModule({
    database: m.database,
    files: memoryStore(),
    logger: silentLogger,
    now: () => Date.now(),
    timing: { lease: 60_000, heartbeat: 100, poll: 50, progress: 20 },
  })
  const outbound = createOutbound({ allow: ALLOW, timeoutMs: 500 })
  sims = createSimCardsModule({
    database: m.database,
    inbox: { notify: async (_, notice) => void notices.push(notice) },
    tasks,
    carriers: (_, access) => createOneLink(access, { outbound, now }),
    outboundAllow: ALLOW,
    seal: purpose => createCryptoBox('a secret of the installation, long enough', purpose),
    triggers: { offer: port => void ports.set(port.kind, port), objects: () => undefined },
    logger: silentLogger,
    now,
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
  shift = 0
  notices.length = 0
  carrier.behave({ kind: 'well' })
  carrier.cards.splice(0, 60, ...madeCards('cmcc', 60).map((card, n) => Object.assign(carrier.cards[n]!, card)))
})

const deviceOf = async (own: Company) => insertDevice(m.db.superuser, await insertProduct(m.db.superuser, own))

async function connected(own: Company, over: Record<string, unknown> = {}) {
  return sims.accounts.create(own.ctx, {
    name: 'North',
    kind: 'onelink',
    baseUrl: carrier.url,
    account: '100002000000',
    password: 'simulated',
    perSecond: 100,
    ...over,
  })
}

/** A task begins with the rights of whoever started it. */
const mayWrite = ({ ctx }: Company): Ctx => ({
  ...ctx,
  actor: { ...ctx.actor, permissions: new Set(['sim-card:write']) } as Ctx['actor'],
})

const table = (content: string | Buffer) => ({
  fileName: 'cards.csv',
  contentType: 'text/csv',
  body: Readable.from([content]),
})

async function withCards(own: Company, numbers: readonly number[]) {
  const account = await connected(own)
  await sims.routes
    .find(({ contract }) => contract.path === '/api/v1/sim-cards/import')!
    .handler(
      own.ctx as never,
      { body: { connectionId: account.id } } as never,
      {
        file: table(
          `ICCID,MSISDN\n${numbers.map(n => `${carrier.cards[n]!.iccid},${carrier.cards[n]!.msisdn}`).join('\n')}`,
        ),
      } as never,
    )
  const { items } = await sims.cards.list(own.ctx, { sort: 'iccid', limit: 100 })
  return { account, items }
}

/** Everything that is due, also a moment later, until nothing is open any more. */
async function settle(stepMs = 400_000): Promise<void> {
  for (let n = 0; n < 12; n++) {
    while ((await sims.runner.tick()) > 0);
    shift += stepMs
  }
}

/** A trigger about cards as its route would have stored it. */
async function trigger(own: Company, rule: object): Promise<string> {
  const parsed = parseRule({ format: 1, kind: 'object', scope: {}, alarm: { level: 3 }, ...rule })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  const id = newId()
  await m.db.superuser.query(
    `insert into triggers (id, tenant_id, name, document, kind) values ($1, $2, 'Cards', $3, 'object')`,
    [id, own.id, parsed.rule],
  )
  return id
}
const alarmsOf = async (id: string) =>
  (
    await m.db.superuser.query(
      `select target_kind as kind, target_id as id, target_name as name, active, count, raise_values as values from alarms
       where trigger_id = $1 order by raised_at`,
      [id],
    )
  ).rows

describe('triggers about cards', () => {
  it('limit the speed of the card, which a person without that permission cannot', async () => {
    const own = await company(m.db)
    const { items } = await withCards(own, [0])
    const card = items[0]!
    await sims.cards.sync(own.ctx, card.id)
    const task = {
      id: newId(),
      tenantId: own.id,
      action: { kind: 'sim_limit', speedKbps: 128 },
      values: [{ property: 'iccid', value: card.iccid }],
      device: null,
      context: { tenantId: own.id },
    }
    const run = (over: object) => ports.get('sim_limit')!.run({ ...task, ...over } as unknown as TriggerTask)
    const reader = { ...own.ctx.actor, permissions: new Set(['sim-card:read']) }
    expect(await run({ owner: reader })).toEqual({ result: 'skipped', message: 'permission.denied' })
    expect(await run({ values: [{ property: 'iccid', value: '89860000000000000000' }] })).toEqual({
      result: 'failed',
      message: 'sim_card.not_found',
    })
    expect(await run({})).toEqual({ result: 'done' })
    await settle()
    // The number of OneLink for 128 kbit/s.
    expect(carrier.cards[0]!.speed).toBe('94')
    await sims.cards.sync(own.ctx, card.id)
    expect(await sims.cards.get(own.ctx, card.id)).toMatchObject({ speedKbps: 128 })
  })

  it('raise an alarm of the card at their own line and state, clear it, and stop the card', async () => {
    const own = await company(m.db)
    const { items } = await withCards(own, [0])
    const card = items[0]!
    const source = carrier.cards[0]!
    const objects = createObjectAlarms({ database: m.database, logger: silentLogger, now })
    const used = await trigger(own, { source: { type: 'sim.usage', percent: 80 }, actions: [{ kind: 'sim_stop' }] })
    const stopped = await trigger(own, { source: { type: 'sim.status', state: 'stopped' } })
    const swapped = await trigger(own, { source: { type: 'sim.imei_changed' } })
    const synced = async () => {
      await sims.cards.sync(own.ctx, card.id)
      while ((await objects.step()) > 0);
    }
    source.monthKb = source.planKb * 0.79
    source.imei = '860000000000001'
    await synced()
    expect(await alarmsOf(used)).toEqual([])
    source.monthKb = source.planKb * 0.81
    await synced()
    await synced()
    expect(await alarmsOf(used)).toMatchObject([
      { kind: 'sim', id: card.id, name: card.iccid, active: true, count: 1, values: expect.arrayContaining([]) },
    ])
    expect((await alarmsOf(used))[0].values).toContainEqual(expect.objectContaining({ property: 'percent', value: 81 }))
    const { rows } = await m.db.superuser.query(
      `select a.kind, a.result, r.values from trigger_actions a join trigger_runs r on r.id = a.run_id where a.trigger_id = $1`,
      [used],
    )
    expect(rows).toMatchObject([{ kind: 'sim_stop', result: 'pending' }])
    const task = {
      tenantId: own.id,
      action: { kind: 'sim_stop' },
      values: rows[0].values,
      owner: undefined,
      device: null,
    }
    const outcome = await ports
      .get('sim_stop')!
      .run({ ...task, id: newId(), context: { tenantId: own.id } } as unknown as TriggerTask)
    expect(outcome).toEqual({ result: 'done' })
    await settle()
    expect(source.status).toBe('4')
    source.monthKb = 0
    source.imei = '860000000000002'
    await synced()
    expect(await alarmsOf(used)).toMatchObject([{ active: false }])
    expect(await alarmsOf(stopped)).toMatchObject([{ active: true, name: card.iccid }])
    expect(await alarmsOf(swapped)).toMatchObject([{ active: true, count: 1 }])
    // Another company's trigger hears nothing of it.
    const other = await trigger(await company(m.db), { source: { type: 'sim.status', state: 'stopped' } })
    await synced()
    expect(await alarmsOf(other)).toEqual([])
    expect(await alarmsOf(stopped)).toHaveLength(1)
  })
})

describe('an account at a carrier', () => {
  it('keeps its secrets to itself and says in the carrier’s words why it is not let in', async () => {
    const own = await company(m.db)
    const account = await connected(own, { password: 'wrong' })
    expect(JSON.stringify(account)).not.toContain('wrong')
    const { rows } = await m.db.superuser.query('select * from carrier_accounts where id = $1', [account.id])
    expect(JSON.stringify(rows)).not.toContain('wrong')
    expect(await sims.accounts.test(own.ctx, account.id)).toMatchObject({
      state: 'failed',
      fault: { kind: 'credentials', code: '12001', text: 'APPID 或密码错误' },
    })
    carrier.faults.length = 0
    const right = await sims.accounts.update(own.ctx, account.id, { version: account.version, password: 'simulated' })
    expect(right.state).toBe('untested')
    expect(await sims.accounts.test(own.ctx, account.id)).toMatchObject({ state: 'ok', fault: null })
    expect(carrier.faults).toEqual([])
  })

  it('is refused without its secret, with an inner address, and twice under one name', async () => {
    const own = await company(m.db)
    await expect(connected(own, { password: undefined })).rejects.toMatchObject({
      code: 'carrier.secret_missing',
      fields: { password: { code: 'carrier.secret_missing' } },
    })
    await expect(connected(own, { kind: 'cmp', secretKey: 'short' })).rejects.toMatchObject({
      code: 'carrier.secret_key_length',
    })
    await expect(connected(own, { baseUrl: 'http://10.0.0.1/v5' })).rejects.toMatchObject({
      code: 'carrier.address_blocked',
    })
    await connected(own)
    await expect(connected(own, { name: 'NORTH' })).rejects.toMatchObject({ code: 'carrier.name_taken' })
  })
})

describe('an import of cards', () => {
  const imported = async (own: Company, connectionId: string, text: string | Buffer) =>
    (await sims.routes
      .find(({ contract }) => contract.path === '/api/v1/sim-cards/import')!
      .handler(own.ctx as never, { body: { connectionId } } as never, { file: table(text) } as never)) as unknown as {
      created: number
      failed: number
      skipped: number
      problems: { line: number; field: string; code: string }[]
    }

  it('names each line that fails with its field and its reason, and adds the others', async () => {
    const [own, other] = [await company(m.db), await company(m.db)]
    const theirs = await connected(other)
    await sims.cards.create(other.ctx, { connectionId: theirs.id, iccid: '89860499900000000011' })
    const device = await deviceOf(own)
    const account = await connected(own)
    const result = await imported(
      own,
      account.id,
      [
        'ICCID,卡号,设备编号,标签,备注',
        `89860400000000000011,1440000000011,${device.deviceNo},"a,b",first`,
        '8.98604E+19,,,,',
        '89860400000000000000,,,,',
        '89860400000000000011,,,,',
        '89860499900000000011,,,,',
        '12345,,,,',
        '89860400000000000022,12x,,,',
        '89860400000000000033,,no such device,,',
        ',1440000000044,,,',
        '8986040000000000005A,,,,',
      ].join('\r\n'),
    )
    expect(result).toMatchObject({ created: 2, failed: 8 })
    expect(result.problems.map(({ line, field, code }) => [line, field, code])).toEqual([
      [3, 'iccid', 'sim_card.iccid_rounded'],
      [4, 'iccid', 'sim_card.iccid_rounded'],
      [5, 'iccid', 'sim_card.duplicate'],
      [6, 'iccid', 'sim_card.elsewhere'],
      [7, 'iccid', 'sim_card.iccid_invalid'],
      [8, 'msisdn', 'sim_card.msisdn_invalid'],
      [9, 'deviceNo', 'sim_card.device_no_unknown'],
      [10, 'iccid', 'sim_card.iccid_missing'],
    ])
    const [card] = (await sims.cards.list(own.ctx, { q: '1440000000011' })).items
    expect(card).toMatchObject({ deviceNo: device.deviceNo, tags: ['a', 'b'], remark: 'first', state: 'unsynced' })
    expect(await imported(own, account.id, 'ICCID\n89860400000000000011\n')).toMatchObject({ created: 0, skipped: 1 })
    await expect(imported(own, account.id, 'number\n1\n')).rejects.toMatchObject({ code: 'sim_card.columns_missing' })
  })

  it('takes cards of China Mobile, whose ICCID has letters, from a table that Excel saved in GBK', async () => {
    const own = await company(m.db)
    const account = await connected(own)
    // A head with the carrier's words, a number in small letters, and one typed with full-width signs.
    const gbk = [
      'bfa8bac5284943434944292cceefc1aabfa8bac52cb1b8d7a20d0a38393836303462373139323237303237343532352c',
      '313036343837373636353532322cb2d6bfe20d0aa3b8a3b9a3b8a3b6a3b0a3b2a3c2a3b1a3b2a3b6a3b1a3b6a3c3a3b0',
      'a3b6a3b1a3b3a3b8a3b8a3b22ca3b1a3b0a3b6a3b4a3b8a3b7a3b7a3b6a3b6a3b5a3b5a3b2a3b32c0d0a',
    ].join('')
    expect(await imported(own, account.id, Buffer.from(gbk, 'hex'))).toMatchObject({ created: 2, failed: 0 })
    const { items } = await sims.cards.list(own.ctx, {})
    expect(items.map(({ iccid, msisdn, remark }) => [iccid, msisdn, remark]).sort()).toEqual([
      ['898602B12616C0613882', '1064877665523', ''],
      ['898604B7192270274525', '1064877665522', '仓库'],
    ])
    // By hand, in small letters: the same card.
    await expect(
      sims.cards.create(own.ctx, { connectionId: account.id, iccid: '898604b7192270274525' }),
    ).rejects.toMatchObject({ code: 'sim_card.exists' })
  })
})

describe('cards', () => {
  it('belong to one company', async () => {
    const [own, other] = [await company(m.db), await company(m.db)]
    const { items } = await withCards(own, [0])
    const id = items[0]!.id
    const strange = { code: 'sim_card.not_found' }
    await expect(sims.cards.get(other.ctx, id)).rejects.toMatchObject(strange)
    await expect(sims.cards.bind(other.ctx, id, null)).rejects.toMatchObject(strange)
    await expect(sims.operations.operate(other.ctx, id, { action: 'stop' })).rejects.toMatchObject(strange)
    expect((await sims.cards.list(other.ctx, {})).items).toEqual([])
  })

  it('are synced one by one: state beside the code, usage, session; what fails is named and tried again', async () => {
    const own = await company(m.db)
    const { account, items } = await withCards(own, [0, 7, 8])
    const run = async () => {
      const { taskId } = await sims.accounts.sync(mayWrite(own), account.id)
      await expect
        .poll(async () => (await tasks.service.get(own.ctx, taskId)).state, { timeout: 10_000 })
        .toMatch(/succeeded|failed|partial/)
      return tasks.service.get(own.ctx, taskId)
    }
    await run()
    const rows = (await sims.cards.list(own.ctx, { sort: 'iccid' })).items
    expect(rows.map(({ state, rawState, online }) => [state, rawState, online])).toEqual([
      ['active', '2', true],
      ['stopped', '4', false],
      ['pending', '1', false],
    ])
    expect(rows[0]).toMatchObject({ apn: 'CMIOT', ip: carrier.cards[0]!.ip, monthKb: carrier.cards[0]!.monthKb })
    expect((await sims.cards.counts(own.ctx, { carrier: 'cmcc' })).states).toEqual({
      active: 1,
      stopped: 1,
      pending: 1,
    })
    const { items: events } = await sims.cards.events(own.ctx, items[0]!.id, {})
    expect(events[0]).toMatchObject({ kind: 'state', from: 'unsynced', to: 'active' })
    // One card more that the carrier does not know.
    await sims.cards.create(own.ctx, { connectionId: account.id, iccid: '89860400000000000099' })
    await run()
    expect((await sims.cards.list(own.ctx, { q: '0000099' })).items[0]).toMatchObject({
      state: 'unknown',
      syncFault: '11011 卡号不存在',
    })
  })

  it('tell when usage reaches a line, once, and are stopped where their account says so', async () => {
    const own = await company(m.db)
    const { account, items } = await withCards(own, [0])
    const [card] = items
    await sims.accounts.update(own.ctx, account.id, {
      version: account.version,
      alerts: { percents: [50, 80, 100], stopAt: 100, offlineDays: null },
    })
    const source = carrier.cards[0]!
    source.monthKb = source.planKb * 0.85
    await sims.cards.sync(own.ctx, card!.id)
    await sims.cards.sync(own.ctx, card!.id)
    expect(notices.map(({ kind, text }) => [kind, text.en.includes('85%')])).toEqual([['sim_card.usage', true]])
    source.monthKb = source.planKb * 1.2
    await sims.cards.sync(own.ctx, card!.id)
    expect(notices).toHaveLength(2)
    await settle()
    expect(source.status).toBe('4')
    expect(await sims.cards.get(own.ctx, card!.id)).toMatchObject({ state: 'stopped', stopReason: 'quota' })
  })

  it('are seen by who sees a part of the company where the device is his, also in a file', async () => {
    const own = await company(m.db)
    const { items } = await withCards(own, [0, 1])
    const device = await deviceOf(own)
    await sims.cards.bind(own.ctx, items[0]!.id, device.id)
    const { ctx } = own
    const narrow: Ctx = {
      ...ctx,
      actor: {
        ...ctx.actor,
        dataScope: { kind: 'limited', groupIds: [], productIds: [device.product.id], own: false },
      } as Ctx['actor'],
    }
    expect((await sims.cards.list(narrow, { total: '1' })).items.map(({ id }) => id)).toEqual([items[0]!.id])
    await expect(sims.cards.get(narrow, items[1]!.id)).rejects.toMatchObject({ code: 'sim_card.not_found' })
    expect((await sims.cards.counts(narrow, {})).total).toBe(1)
    await expect(sims.operations.operate(narrow, items[1]!.id, { action: 'stop' })).rejects.toMatchObject({
      code: 'sim_card.not_found',
    })
    const reply = await exportCards({ database: m.database, cards: sims.cards }, narrow, { format: 'csv' })
    const file = await text(reply.body)
    expect(file).toContain(items[0]!.iccid)
    expect(file).not.toContain(items[1]!.iccid)
    // Nor is a card his any longer that he takes out of his device.
    expect(await sims.cards.bind(narrow, items[0]!.id, null)).toMatchObject({ deviceId: null })
    await expect(sims.cards.get(narrow, items[0]!.id)).rejects.toMatchObject({ code: 'sim_card.not_found' })
  })

  it('are not synced for who lost the right', async () => {
    const own = await company(m.db)
    const { account } = await withCards(own, [0])
    const { taskId } = await sims.accounts.sync(own.ctx, account.id)
    await expect.poll(async () => (await tasks.service.get(own.ctx, taskId)).state).toBe('failed')
    expect((await sims.cards.list(own.ctx, {})).items[0]).toMatchObject({ state: 'unsynced' })
  })

  it('are bound to one device each', async () => {
    const own = await company(m.db)
    const { items } = await withCards(own, [0, 1])
    const device = await deviceOf(own)
    const [one, two] = items
    expect(await sims.cards.bind(own.ctx, one!.id, device.id)).toMatchObject({ deviceNo: device.deviceNo })
    await expect(sims.cards.bind(own.ctx, two!.id, device.id)).rejects.toMatchObject({
      code: 'sim_card.device_has_card',
      params: { iccid: one!.iccid },
    })
    await sims.cards.bind(own.ctx, one!.id, null)
    expect(await sims.cards.bind(own.ctx, two!.id, device.id)).toMatchObject({ deviceId: device.id })
  })
})

describe('an operation', () => {
  const states = async (own: Company) =>
    (await sims.operations.list(own.ctx, {})).items.map(({ action, state, code }) => [action, state, code])

  async function ready(own: Company) {
    const { items, account } = await withCards(own, [0])
    await sims.cards.sync(own.ctx, items[0]!.id)
    return { id: items[0]!.id, account, source: carrier.cards[0]! }
  }

  it('moves a card between testing, the silent period and the stock, where its carrier knows such a change', async () => {
    const own = await company(m.db)
    const { id, source } = await ready(own)
    const moved = async (from: string, action: 'to_pending' | 'to_inventory') => {
      source.status = from
      // The pause that the carrier wants between two changes of a card is over.
      shift += 181_000
      await m.db.superuser.query('delete from sim_card_operations where card_id = $1', [id])
      await sims.cards.sync(own.ctx, id)
      await sims.operations.operate(own.ctx, id, { action })
      while ((await sims.runner.tick()) > 0);
      return [source.status, (await sims.cards.get(own.ctx, id)).state, (await states(own))[0]]
    }
    // cardStatus: 6 testable, 7 in stock, 1 before its first use.
    for (const [from, action, to, state] of [
      ['6', 'to_pending', '1', 'pending'],
      ['7', 'to_pending', '1', 'pending'],
      ['6', 'to_inventory', '7', 'inventory'],
      ['1', 'to_inventory', '7', 'inventory'],
    ] as const)
      expect(await moved(from, action), `${from} ${action}`).toEqual([to, state, [action, 'succeeded', null]])
    await expect(moved('2', 'to_inventory')).rejects.toMatchObject({ code: 'sim_card.action_not_allowed' })
    expect(source.status).toBe('2')
  })

  it('stops and resumes a card, keeping to the pause that the carrier wants', async () => {
    const own = await company(m.db)
    const { id, source } = await ready(own)
    const queued = await sims.operations.operate(own.ctx, id, { action: 'stop' })
    expect(queued).toMatchObject({ state: 'queued', action: 'stop' })
    await expect(sims.operations.operate(own.ctx, id, { action: 'stop' })).rejects.toMatchObject({
      code: 'sim_card.operation_open',
    })
    while ((await sims.runner.tick()) > 0);
    expect(source.status).toBe('4')
    const stopped = await sims.cards.get({ ...own.ctx, now: now() }, id)
    expect(stopped).toMatchObject({ state: 'stopped', stopReason: 'manual', allowed: ['resume', 'unbind_imei'] })
    expect(Date.parse(stopped.nextOperationAt!)).toBeGreaterThan(now())
    const [done] = (await sims.operations.list(own.ctx, {})).items
    expect(done).toMatchObject({ state: 'succeeded', carrierNo: expect.stringMatching(/^ORD/) })
    await expect(sims.operations.operate(own.ctx, id, { action: 'stop' })).rejects.toMatchObject({
      code: 'sim_card.action_not_allowed',
    })
    await sims.operations.operate({ ...own.ctx, now: now() }, id, { action: 'resume' })
    while ((await sims.runner.tick()) > 0);
    // The pause is not over: nothing was sent.
    expect(source.status).toBe('4')
    shift += 181_000
    while ((await sims.runner.tick()) > 0);
    expect(source.status).toBe('2')
    expect(await states(own)).toEqual([
      ['resume', 'succeeded', null],
      ['stop', 'succeeded', null],
    ])
  })

  it('whose outcome is not known is asked about before it is sent again', async () => {
    const own = await company(m.db)
    const { id, source } = await ready(own)
    await sims.operations.operate(own.ctx, id, { action: 'stop' })
    // It carries the stop out and says nothing.
    carrier.behave({ kind: 'silent' }, 1)
    carrier.asked.length = 0
    while ((await sims.runner.tick()) > 0);
    expect(source.status).toBe('4')
    expect(await states(own)).toEqual([['stop', 'submitted', 'timeout']])
    await settle(5_000)
    expect(carrier.asked.filter(path => path === '/change/sim-status')).toHaveLength(1)
    expect(await states(own)).toEqual([['stop', 'succeeded', null]])
  })

  it('ends with the words of a carrier that says no, and waits for one that is down', async () => {
    const own = await company(m.db)
    const { id, source } = await ready(own)
    await sims.operations.operate(own.ctx, id, { action: 'stop' })
    source.status = '8'
    while ((await sims.runner.tick()) > 0);
    expect((await sims.operations.list(own.ctx, {})).items[0]).toMatchObject({
      state: 'failed',
      code: '12031',
      reason: '当前状态不允许该操作',
    })
    source.status = '2'
    shift += 181_000
    await sims.operations.operate({ ...own.ctx, now: now() }, id, { action: 'stop' })
    carrier.behave({ kind: 'status', status: 503 })
    while ((await sims.runner.tick()) > 0);
    expect((await states(own))[0]).toEqual(['stop', 'submitted', '503'])
    // It had done it before it fell: that is seen, and nothing is sent twice.
    carrier.behave({ kind: 'well' })
    carrier.asked.length = 0
    await settle()
    expect((await states(own))[0]).toEqual(['stop', 'succeeded', null])
    expect(carrier.asked).not.toContain('/change/sim-status')
  })

  it('of many cards names those that it is not for', async () => {
    const own = await company(m.db)
    const { items } = await withCards(own, [0, 7])
    for (const card of items) await sims.cards.sync(own.ctx, card.id)
    const result = await sims.operations.operateMany(own.ctx, { ids: items.map(({ id }) => id), action: 'stop' })
    expect(result).toMatchObject({ queued: 1, rejected: [{ code: 'sim_card.action_not_allowed' }] })
  })
})

describe('the check of a card', () => {
  it('names a stopped card first, and data that was switched off', async () => {
    const own = await company(m.db)
    const { items } = await withCards(own, [7, 0])
    const [active, stopped] = [items[0]!, items[1]!]
    const check = await sims.cards.diagnose(own.ctx, stopped.id)
    expect(check.steps[0]).toMatchObject({ step: 'state', verdict: 'fault', code: 'state_stopped', act: 'resume' })
    carrier.cards[0]!.dataOff = true
    const steps = (await sims.cards.diagnose(own.ctx, active.id)).steps
    expect(steps.map(({ step, verdict }) => [step, verdict])).toEqual([
      ['state', 'ok'],
      ['functions', 'fault'],
      ['session', 'ok'],
      ['apn', 'ok'],
      ['imei', 'ok'],
      ['separation', 'ok'],
      ['position', 'ok'],
    ])
    carrier.behave({ kind: 'status', status: 503 })
    expect((await sims.cards.diagnose(own.ctx, active.id)).steps.every(({ verdict }) => verdict === 'unknown')).toBe(
      true,
    )
  })
})
