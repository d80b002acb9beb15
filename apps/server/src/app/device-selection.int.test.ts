// "All that match" is the same rows wherever somebody asks for them.
import type { QueryOf } from '@thingwright/contracts'
import type { devicesContract } from '@thingwright/contracts/devices.contract'
import type { CampaignScope } from '@thingwright/contracts/firmware-schemas'
import type { SubscriptionFilter } from '@thingwright/contracts/subscriptions.contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management } from '../db/testing/management.ts'
import { type Ctx, dataScopeOf } from '../lib/context.ts'
import { newId } from '../lib/ids.ts'
import { silentLogger } from '../lib/log.ts'
import { type CommandsModule, createCommandsModule } from '../modules/commands/index.ts'
import { exportDevices } from '../modules/devices/device-export.ts'
import { deviceNums } from '../modules/devices/device-list.repo.ts'
import { filterOf } from '../modules/devices/devices.service.ts'
import { describeDevices } from '../modules/devices/index.ts'
import { nextTargets, targetVersions } from '../modules/ota/targets.repo.ts'
import { readDevices } from '../modules/subscriptions/catalogue.repo.ts'
import { Matcher } from '../modules/subscriptions/matcher.ts'

type Filter = Omit<QueryOf<(typeof devicesContract)['list']>, 'limit' | 'cursor' | 'sort' | 'total'>

const MODEL = {
  properties: [],
  events: [],
  services: [{ identifier: 'restart', name: 'restart', input: [], output: [] }],
}

let m: Management
let own: Company
let limited: Ctx
let commands: CommandsModule
/** By the name of the test's own. */
let ids: Record<'pumps' | 'valves' | 'hall' | 'line' | 'yard', string>

beforeAll(async () => {
  m = await management()
  own = await company(m.db)
  const other = await company(m.db)
  commands = createCommandsModule({
    database: m.database,
    gateway: m.gateway,
    requireFreshProof: async () => undefined,
    currentActor: async (_, actor) => actor,
    now: Date.now,
    logger: silentLogger,
  })
  const group = async (name: string, parentId?: string) =>
    (await m.groups.service.create(own.ctx, { kind: 'device', name, ...(parentId ? { parentId } : {}) })).id
  const product = async (of: Company, name: string) => {
    const { id } = await m.products.service.create(of.ctx, { name, linkType: 'mqtt' })
    await m.db.superuser.query(
      `update products set status = 'published', draft_model = $2, published_model = $2, model_version = 1 where id = $1`,
      [id, JSON.stringify(MODEL)],
    )
    return id
  }
  const hall = await group('hall')
  ids = {
    hall,
    line: await group('line', hall),
    yard: await group('yard'),
    pumps: await product(own, 'pumps'),
    valves: await product(own, 'valves'),
  }
  const foreign = await product(other, 'pumps')
  await m.devices.service.create(other.ctx, { name: '1号 Pump_A', productId: foreign, tags: ['odd'] })
  const names = ['1号 Pump_A', '2号 Pump-B 100%', 'ＰＵＭＰ wide', 'ΣΊΣΥΦΟΣ', 'plain', '阀 a\\b']
  const groups = [ids.hall, ids.line, ids.yard, undefined]
  for (let n = 0; n < 24; n++) {
    const groupId = groups[n % groups.length]
    const { id } = await m.devices.service.create(own.ctx, {
      name: `${names[n % names.length]!} ${n}`,
      deviceNo: `NO_${n}-x`,
      productId: n % 3 ? ids.pumps : ids.valves,
      tags: n % 5 ? [] : ['odd'],
      ...(groupId ? { groupId } : {}),
    })
    await m.db.superuser.query(
      `update devices set lifecycle = $2, recycled_at = case when $2 = 'recycled' then now() end where id = $1`,
      [id, ['active', 'inactive', 'active', 'disabled', 'active', 'active', 'recycled'][n % 7]],
    )
    if (n % 4 !== 1)
      await m.db.superuser.query(
        `insert into device_presence (device, tenant_id, link, first_seen_at, last_seen_at)
         select num, tenant_id, $2, now(), now() from devices where id = $1`,
        [id, n % 4 === 2 ? 'offline' : 'online'],
      )
  }
  const dataScope = { kind: 'limited', groupIds: [ids.hall], productIds: [], own: false } as const
  limited = { ...own.ctx, actor: { ...own.ctx.actor, dataScope } as unknown as Ctx['actor'] }
})

const listed = async (ctx: Ctx, filter: Filter) =>
  (await m.devices.service.list(ctx, { ...filter, limit: 100 })).items.map(({ id }) => id).sort()

async function exported(ctx: Ctx, filter: Filter): Promise<string[]> {
  const reply = await exportDevices(m.database, m.devices.service, ctx, { ...filter, format: 'csv' })
  const chunks: Buffer[] = []
  for await (const chunk of reply.body) chunks.push(Buffer.from(chunk))
  return [
    ...Buffer.concat(chunks)
      .toString()
      .matchAll(/[0-9a-f]{8}-[0-9a-f-]{27}(?=\s*$)/gm),
  ]
    .map(([id]) => id)
    .sort()
}

const inBulk = (ctx: Ctx, filter: Filter) =>
  m.database.withTenant(ctx, async scope => {
    const found = await describeDevices(scope, await deviceNums(scope, await filterOf(scope, filter), 1000))
    return [...found.values()].map(({ id }) => id).sort()
  })

async function commanded(ctx: Ctx, { lifecycle, ...filter }: Filter): Promise<string[]> {
  const target = { ...filter, ...(lifecycle && lifecycle !== 'recycled' ? { lifecycle } : {}), all: true }
  const batch = await commands.batches.create(ctx, {
    target,
    command: { kind: 'service', identifier: 'restart' } as never,
  })
  const { rows } = await m.db.superuser.query<{ id: string }>(
    'select device_id as id from command_batch_items where batch_id = $1',
    [batch.id],
  )
  return rows.map(({ id }) => id).sort()
}

/** A campaign has a product, and devices that may be updated. */
function campaign(ctx: Ctx, productId: string, scope: CampaignScope): Promise<string[]> {
  const query = { productId, module: 'main', seed: 's', scope, madeBefore: null }
  return m.database.withTenant(ctx, async of => {
    const take = { campaignId: newId(), versions: [], unknown: true, supersede: false }
    const found = (await nextTargets(of, query, take, 1000)).map(({ id }) => id).sort()
    const counted = (await targetVersions(of, query)).reduce((sum, { devices }) => sum + devices, 0)
    expect(counted).toBe(found.length)
    return found
  })
}

/** What a subscription hears, of devices that are not in the recycle bin. */
async function subscribed(ctx: Ctx, filter: SubscriptionFilter): Promise<string[]> {
  const { rows } = await m.db.superuser.query<{ num: number }>('select num from devices where recycled_at is null')
  const matcher = new Matcher({
    id: newId(),
    tenantId: ctx.tenantId,
    kinds: ['property'],
    filter,
    dataScope: dataScopeOf(ctx.actor),
    createdBy: null,
    since: 0,
  })
  const facts = await readDevices(
    m.db.superuser,
    rows.map(({ num }) => num),
  )
  return facts
    .filter(fact => matcher.takesDevice(fact))
    .map(({ id }) => id)
    .sort()
}

const FILTERS: [string, () => Filter][] = [
  ['everything', () => ({})],
  ['a product', () => ({ productId: ids.pumps })],
  ['a group with what is below', () => ({ groupId: ids.hall })],
  ['a tag', () => ({ tag: 'odd' })],
  ['a lifecycle', () => ({ lifecycle: 'active' })],
  ['disabled ones', () => ({ lifecycle: 'disabled' })],
  ['online', () => ({ link: 'online' })],
  ['offline', () => ({ link: 'offline' })],
  ['never seen', () => ({ link: 'never' })],
  ['a text in other case', () => ({ q: 'PUMP' })],
  ['a text in other width', () => ({ q: 'ｐｕｍｐ' })],
  ['a text with blanks around it', () => ({ q: ' pump ' })],
  ['a sigma at the end of a word', () => ({ q: 'ΣΊΣΥΦΟΣ' })],
  ['one Chinese character', () => ({ q: '号' })],
  ['a percent sign', () => ({ q: '0%' })],
  ['an underscore', () => ({ q: 'p_a' })],
  ['a backslash', () => ({ q: 'a\\b' })],
  ['part of a number', () => ({ q: 'no_1' })],
  ['a text that crosses name and number', () => ({ q: '0no' })],
  [
    'everything at once',
    () => ({ productId: ids.pumps, groupId: ids.hall, link: 'online', lifecycle: 'active', q: 'NO_' }),
  ],
]

describe('all that match', () => {
  const callers: [string, () => Ctx][] = [
    ['the whole company', () => own.ctx],
    ['a group of it', () => limited],
  ]
  for (const [who, ctx] of callers) {
    it.each(FILTERS)(`is the same for %s, of who sees ${who}`, async (_, filterOfTest) => {
      const filter = filterOfTest()
      const shown = await listed(ctx(), filter)
      expect(await exported(ctx(), filter), 'export').toEqual(shown)
      expect(await inBulk(ctx(), filter), 'bulk').toEqual(shown)
      if (shown.length > 0) expect(await commanded(ctx(), filter), 'commands').toEqual(shown)
      else await expect(commanded(ctx(), filter)).rejects.toMatchObject({ code: 'command_batch.empty' })
      const { productId, groupId, tag, ...rest } = filter
      if (Object.keys(rest).length > 0) return
      expect(
        await subscribed(ctx(), {
          ...(productId ? { productIds: [productId] } : {}),
          ...(groupId ? { groupIds: [groupId] } : {}),
          ...(tag ? { tags: [tag] } : {}),
        }),
        'subscription',
      ).toEqual(shown)
      const narrowed = { ...(groupId ? { groupIds: [groupId] } : {}), ...(tag ? { tag } : {}) }
      const kind = groupId ? ('group' as const) : ('all' as const)
      const ofProduct = { ...filter, productId: ids.pumps }
      const may = [
        ...(await listed(ctx(), { ...ofProduct, lifecycle: 'active' })),
        ...(await listed(ctx(), { ...ofProduct, lifecycle: 'inactive' })),
      ].sort()
      expect(await campaign(ctx(), ids.pumps, { kind, ...narrowed }), 'campaign').toEqual(may)
      expect(await campaign(ctx(), ids.pumps, { kind: 'gray', percent: 100, ...narrowed }), 'gray').toEqual(may)
      expect(await campaign(ctx(), ids.pumps, { kind: 'chosen', deviceIds: may.length ? may : [newId()] })).toEqual(may)
    })
  }

  it('finds something for every filter, and never everything but for none', async () => {
    const all = (await listed(own.ctx, {})).length
    for (const [name, filter] of FILTERS.slice(1)) {
      const found = (await listed(own.ctx, filter())).length
      if (name.includes('crosses')) expect(found).toBe(0)
      else expect(found, name).toSatisfy((n: number) => n > 0 && n < all)
    }
  })

  it('is nobody when a batch of commands is given a blank search alone', async () => {
    const command = { kind: 'service', identifier: 'restart' } as never
    await expect(commands.batches.create(own.ctx, { target: { q: ' ' }, command })).rejects.toMatchObject({
      code: 'command_batch.empty',
    })
  })
})
