import { allContracts } from '@thingwright/contracts/all-contracts'
import { PERMISSIONS, type Permission } from '@thingwright/contracts/permissions'
import type { RouteContract } from '@thingwright/contracts/route'
import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../lib/ids.ts'
import fc from '../lib/testing/fast-check.ts'
import { type InputSchema, inputOf } from './testing/fuzz-inputs.ts'
import { type Fleet, type NarrowCompany, type NarrowMember, narrowCompany, PLACES } from './testing/narrow-company.ts'

/**
 * Imports, exports and work behind a request, by members who hold just the rights it takes, in a part of the company:
 * without one of them it is refused, with them it reaches nothing outside, and what is taken away before it runs counts.
 */
const routes = Object.values(allContracts).flatMap(feature => Object.values(feature as Record<string, RouteContract>))
const nameOf = (route: RouteContract) => `${route.method} ${route.path.replace('/api/v1', '')}`
const RIGHTS = PERMISSIONS.filter(right => !/^(operator|menu|announcement):/.test(right))

/** Routes that take a file in, give one out, or begin work that goes on behind them; where each is held to its scope. */
const WORK: Record<string, 'here' | 'no scope' | 'whole company' | `${string}.test.ts`> = {
  'GET /addresses/export': 'no scope',
  'GET /alarms/export': 'app/alarms.int.test.ts',
  'GET /audit-logs/export': 'no scope',
  'GET /balance/entries/export': 'whole company',
  'GET /card-orders/export': 'whole company',
  'GET /consumption/export': 'whole company',
  'GET /meters/export': 'whole company',
  'GET /meter-statements/export': 'whole company',
  'GET /invoices/export': 'whole company',
  'GET /unit-uses/export': 'whole company',
  'GET /orders/export': 'whole company',
  'GET /recharges/export': 'whole company',
  'GET /command-batches/{id}/export': 'here',
  'GET /contacts/export': 'no scope',
  'GET /notification-records/export': 'modules/contacts/contacts.int.test.ts',
  'GET /devices/export': 'here',
  'GET /devices/{id}/messages/export': 'here',
  'GET /devices/{id}/telemetry/export': 'here',
  'GET /media/export': 'no scope',
  'GET /end-users/export': 'app/access-end-users.int.test.ts',
  'GET /geofences/export': 'app/access-end-users.int.test.ts',
  'GET /members/export': 'no scope',
  'GET /operator/companies/export': 'no scope',
  'GET /ota-jobs/export': 'here',
  'GET /products/export': 'here',
  'GET /products/{id}/thing-model/export': 'here',
  'GET /roles/export': 'no scope',
  'GET /security/company/sign-ins/export': 'no scope',
  'GET /telecom-keys/export': 'whole company',
  'POST /telecom-keys/{id}/verify': 'whole company',
  'GET /sim-cards/export': 'modules/sim-cards/sim-cards.int.test.ts',
  'GET /video/channels/export': 'modules/video/video.int.test.ts',
  'GET /lora/profiles/export': 'whole company',
  'GET /lora/gateways/export': 'whole company',
  'POST /lora/devices/import': 'whole company',
  'GET /tasks/{id}/failures/export': 'here',
  'GET /pages/export': 'app/cloud-pages.int.test.ts',
  'GET /timed-tasks/export': 'modules/timed-tasks/timed-tasks.int.test.ts',
  'GET /timed-tasks/runs/export': 'modules/timed-tasks/timed-tasks.int.test.ts',
  'GET /user-logs/export': 'no scope',
  'GET /wechat-accounts/{id}/followers/export': 'whole company',
  'POST /alarms/batch': 'app/alarms.int.test.ts',
  'POST /audit-logs/verify': 'no scope',
  'POST /command-batches': 'here',
  'POST /command-batches/{id}/retry': 'here',
  'POST /company/export': 'whole company',
  'POST /company/files': 'whole company',
  'POST /company/import': 'here',
  'POST /company/import-files': 'here',
  'POST /contacts/{id}/verify': 'no scope',
  'POST /device-batches': 'here',
  'POST /device-batches/{id}/retry': 'here',
  'POST /device-imports': 'here',
  'POST /device-imports/files': 'here',
  'POST /device-imports/{id}/secrets': 'here',
  'POST /firmware-packages': 'here',
  'POST /invoices/files': 'whole company',
  'POST /orders/voucher-files': 'whole company',
  'POST /media': 'no scope',
  'POST /media/batch': 'no scope',
  'POST /media/batch-remove': 'no scope',
  'POST /operator/invoices/{id}/files': 'no scope',
  'POST /operator/orders/{id}/retry': 'no scope',
  'POST /operator/tasks/{id}/retry': 'no scope',
  'POST /ota-campaigns': 'modules/ota/ota.int.test.ts',
  'POST /ota-campaigns/{id}/retry': 'modules/ota/ota.int.test.ts',
  'POST /ota-jobs/batch': 'modules/ota/ota.int.test.ts',
  'POST /products/import': 'here',
  'POST /products/{id}/thing-model/import': 'here',
  'POST /sim-cards/import': 'whole company',
  'POST /tasks/{id}/retry': 'here',
  'POST /pages/batch': 'app/cloud-pages.int.test.ts',
  'POST /timed-tasks/batch': 'modules/timed-tasks/timed-tasks.int.test.ts',
  'POST /triggers/batch': 'app/alarms.int.test.ts',
  'PUT /media/{id}/content': 'no scope',
}
/** Rights of the kinds of tasks; a kind that is new is written down here, and run below. */
const KINDS: Record<string, readonly Permission[]> = {
  'audit.verify': ['audit:read'],
  'company.export': ['company:export'],
  'company.import': ['company:write', 'device:write'],
  'device.batch': ['device:write', 'device:delete'],
  'device.import': ['device:write', 'group:write'],
}

/** Kinds that take more than this company has: held to their rights in tests of their modules. */
const KINDS_ELSEWHERE = [
  'device.company_transfer',
  'device.handover',
  'lora.import',
  'meter.bill',
  'report.run',
  'sim_card.sync',
]

let c: NarrowCompany
let scopes: Record<'groups' | 'products', object>
/** Nothing of the company is in it. */
let nothing: object

beforeAll(async () => {
  c = await narrowCompany()
  c.container.tasks.runner.start()
  scopes = {
    groups: { kind: 'groups', groupIds: [c.groups.inside] },
    products: { kind: 'products', productIds: [c.products.inside] },
  }
  const empty = await c.call<{ id: string }>('POST', '/groups', c.owner, { kind: 'device', name: 'empty' })
  nothing = { kind: 'groups', groupIds: [empty.body.id] }
  return () => c.stop()
})

const seenIn = (scope: keyof typeof scopes) => (place: string) =>
  place.split('/')[scope === 'groups' ? 1 : 0] === 'inside'
const over = async (id: string) => {
  const task = async () =>
    (
      await c.db.superuser.query(
        'select state, error_code as code, summary, failed_count as failed from tasks where id = $1',
        [id],
      )
    ).rows[0] as { state: string; code: string | null; summary: Record<string, unknown>; failed: number }
  await expect.poll(async () => (await task()).state).toMatch(/succeeded|partial|failed|cancelled/)
  return task()
}
/** Devices as rows, by number; what only says when is left out. */
const rowsOf = async (fleet: Fleet) => {
  const { rows } = await c.db.superuser.query(
    `select id, to_jsonb(d)::text as row from devices d where id = any ($1)`,
    [PLACES.map(place => fleet[place].id)],
  )
  const found = new Map(rows.map(({ id, row }) => [id, row as string]))
  return Object.fromEntries(PLACES.map(place => [place, found.get(fleet[place].id) ?? 'gone']))
}
/** What the company has, outside the four devices. */
const everything = async () =>
  (
    await c.db.superuser.query(
      `select (select jsonb_agg(d order by id) from devices d) as devices, (select jsonb_agg(g order by id) from groups g) as groups,
         (select jsonb_agg(p order by id) from products p) as products, (select jsonb_agg(r order by id) from roles r where key not like 'r-%') as roles,
         (select count(*) from commands) as commands, (select count(*) from media) as media`,
    )
  ).rows[0]

/** Tasks of the company wait until the work is done: it has its share running. */
async function whileTasksWait<T>(work: () => Promise<T>): Promise<T> {
  const ids = [newId(), newId()]
  for (const id of ids)
    await c.db.superuser.query(
      `insert into tasks (id, tenant_id, kind, title_zh, title_en, input, owner_name, actor, locale, state, worker, lease_until)
       values ($1, $2, 'test.holds', '', '', '{}', '', '{"kind":"system"}', 'en', 'running', $3, now() + interval '1 hour')`,
      [id, c.tenantId, newId()],
    )
  try {
    return await work()
  } finally {
    await c.db.superuser.query('delete from tasks where id = any ($1)', [ids])
  }
}

describe('imports, exports and background work', () => {
  it('are all written down', () => {
    const work = routes.filter(
      route =>
        route.upload ||
        /\/export$/.test(route.path) ||
        (route.method === 'POST' &&
          /\/(import|verify|retry|secrets|[a-z-]*(batch|batches|imports|campaigns|batch-remove))$/.test(route.path)),
    )
    expect(Object.keys(WORK).sort()).toEqual(
      work
        .map(nameOf)
        .filter(
          name => !/subscriptions|operator\/companies\/|assistant|firmware-packages\/\{id\}/.test(name) || name in WORK,
        )
        .sort(),
    )
    expect([...Object.keys(KINDS), ...KINDS_ELSEWHERE].sort()).toEqual(c.container.tasks.kinds().sort())
  })

  it('are refused to who may everything else', async () => {
    await c.fleet()
    const before = await everything()
    for (const route of routes.filter(each => nameOf(each) in WORK && each.permission !== 'signed-in')) {
      const { token } = await c.member(
        RIGHTS.filter(right => right !== route.permission),
        { kind: 'all' },
      )
      const part = (schema: unknown) => (schema ? inputOf(schema as InputSchema, [newId()]) : fc.constant(undefined))
      const [body] = fc.sample(part(route.body), { seed: 7, numRuns: 1 })
      const path = route.path.replaceAll(/\{\w+\}/g, newId())
      const reply = await c.call(route.method, path, token, route.upload ? undefined : body)
      expect([reply.status, reply.body.code], nameOf(route)).toEqual([403, 'permission.denied'])
    }
    expect(await everything()).toEqual(before)
  })

  it('that take a further right by what is in them are refused without it', async () => {
    const fleet = await c.fleet()
    const before = await rowsOf(fleet)
    const writer = await c.member(['device:write'], { kind: 'all' })
    await c.prove(writer.token)
    const target = { ids: [fleet['inside/inside'].id] }
    for (const action of ['recycle', 'restore', 'purge'])
      expect(
        (await c.call('POST', '/device-batches', writer.token, { target, change: { action } })).body,
        action,
      ).toMatchObject({
        code: 'permission.denied',
        params: { permission: 'device:delete' },
      })
    const file = await c.upload<{ id: string }>('/device-imports/files', writer.token, 'd.csv', Buffer.from('sn\nx'))
    const wish = { fileId: file.body.id, columns: ['deviceNo'], existing: 'update', createGroups: true, dryRun: false }
    expect((await c.call('POST', '/device-imports', writer.token, wish)).body).toMatchObject({
      code: 'permission.denied',
      params: { permission: 'group:write' },
    })
    expect(await rowsOf(fleet)).toEqual(before)
  })
})

describe.each(['groups', 'products'] as const)('with a data scope of one of the %s', scope => {
  const CHANGES: [string, object, Permission[]][] = [
    ['disable', {}, []],
    ['enable', {}, []],
    ['tags', { add: ['mine'], remove: [] }, []],
    ['offlineDelay', { seconds: 4321 }, []],
    ['move', { groupId: null }, []],
    ['product', { productId: 'outside', acceptLoss: true }, []],
    ['recycle', {}, ['device:delete']],
    ['restore', {}, ['device:delete']],
    ['purge', {}, ['device:delete']],
  ]

  it.each(CHANGES)(
    'a batch that does %s changes nothing outside, whether devices are named or filtered',
    async (action, more, rights) => {
      const fleet = await c.fleet()
      const ids = PLACES.map(place => fleet[place].id)
      if (action === 'enable')
        await c.db.superuser
          .query(`update devices set lifecycle = 'disabled', prior_lifecycle = 'inactive' where id = any ($1)`, [ids])
          .catch(() => undefined)
      if (action === 'restore' || action === 'purge') {
        const bin = await c.call<{ taskId: string }>('POST', '/device-batches', c.owner, {
          target: { ids },
          change: { action: 'recycle' },
        })
        expect((await over(bin.body.taskId)).state).toBe('succeeded')
      }
      const before = await rowsOf(fleet)
      const { token } = await c.member(['device:write', ...rights], scopes[scope])
      await c.prove(token)
      const change = { action, ...more, ...('productId' in more ? { productId: c.products.outside } : {}) }
      const seen = PLACES.filter(seenIn(scope))
      const preview = await c.call<{ count: number }>('POST', '/device-batches/preview', token, { target: { ids } })
      expect(preview.body.count).toBe(seen.length)
      const named = await c.call<{ taskId: string; count: number; id: string }>('POST', '/device-batches', token, {
        target: { ids },
        change,
      })
      expect([named.status, named.body.count], named.text).toEqual([202, seen.length])
      await over(named.body.taskId)
      const all = await c.call<{ taskId: string }>('POST', '/device-batches', token, { target: { filter: {} }, change })
      if (all.status < 300) await over(all.body.taskId)
      const again = await c.call<{ taskId: string }>('POST', `/device-batches/${named.body.id}/retry`, token)
      if (again.status < 300) await over(again.body.taskId)
      const after = await rowsOf(fleet)
      for (const place of PLACES.filter(each => !seen.includes(each)))
        expect(after[place], place).toEqual(before[place])
      const changed = seen.filter(place => after[place] !== before[place])
      // What would leave the scope stays where it is.
      if (action === 'move' && scope === 'groups') expect(changed).toEqual([])
      else if (action === 'product') expect(changed.every(place => place.startsWith('inside/'))).toBe(true)
      else if (action !== 'enable') expect(changed).toEqual(seen)
    },
  )

  it('a table of devices changes, makes and dates back nothing outside', async () => {
    const fleet = await c.fleet()
    const before = await rowsOf(fleet)
    const { token } = await c.member(['device:write', 'group:write', 'device:secret'], scopes[scope])
    const tag = newId().slice(-8)
    const productOf = (place: string) => `${place.split('/')[0]} product`
    const lines = [
      ...PLACES.map(place => `${fleet[place].deviceNo},changed,${productOf(place)},,here`),
      ...PLACES.map(
        place => `new-${place.replace('/', '-')}-${tag},made,${productOf(place)},${place.split('/')[1]} group,here`,
      ),
      `new-root-${tag},made,inside product,root ${tag},here`,
      `new-below-${tag},made,inside product,inside group/below ${tag},here`,
      `new-there-${tag},made,inside product,outside group/below ${tag},here`,
      `new-none-${tag},made,outside product,,here`,
      `new-free-${tag},made,inside product,,here`,
    ]
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    const values = PLACES.map(place => `${fleet[place].deviceNo},${day} 08:00:00,21.5`)
    const uploaded = async (text: string) =>
      (await c.upload<{ id: string }>('/device-imports/files', token, 'd.csv', Buffer.from(text))).body.id
    const groupsBefore = (await everything()).groups
    const reply = await c.call<{ id: string; taskId: string }>('POST', '/device-imports', token, {
      fileId: await uploaded(`sn,name,product,group,tags\n${lines.join('\n')}`),
      columns: ['deviceNo', 'name', 'product', 'group', 'tags'],
      existing: 'update',
      createGroups: true,
      dryRun: false,
      history: {
        fileId: await uploaded(`sn,time,temperature\n${values.join('\n')}`),
        table: 0,
        columns: ['deviceNo', 'time', 'property:temperature'],
      },
    })
    expect(reply.status, reply.text).toBeLessThan(300)
    expect((await over(reply.body.taskId)).state).toBe('partial')
    const after = await rowsOf(fleet)
    const seen = PLACES.filter(seenIn(scope))
    expect(PLACES.filter(place => after[place] !== before[place])).toEqual(seen)
    // What was made is all within: in the group or below it, of the product.
    const { rows: made } = await c.db.superuser.query(
      `select d.device_no, d.product_id, g.id as group_id, g.parent_id from devices d left join groups g on g.id = d.group_id where d.device_no like $1`,
      [`new-%-${tag}`],
    )
    expect(made.length).toBeGreaterThan(0)
    for (const row of made)
      if (scope === 'groups') expect([row.group_id, row.parent_id], row.device_no).toContain(c.groups.inside)
      else expect(row.product_id, row.device_no).toBe(c.products.inside)
    if (scope === 'groups') {
      const { rows } = await c.db.superuser.query('select parent_id from groups where id <> all ($1)', [
        groupsBefore.map(({ id }: { id: string }) => id),
      ])
      expect(rows.map(row => row.parent_id)).toEqual([c.groups.inside])
    } else expect((await everything()).groups).toEqual(groupsBefore)
    for (const place of PLACES) {
      const history = await c.call<{ items: unknown[] }>(
        'GET',
        `/devices/${fleet[place].id}/telemetry/raw?identifier=temperature&from=${day}T00:00:00Z&to=${day}T23:59:59Z`,
        c.owner,
      )
      expect(history.body.items?.length, `${place} ${history.text}`).toBe(seen.includes(place) ? 1 : 0)
    }
    const secrets = await c.call('POST', `/device-imports/${reply.body.id}/secrets`, token)
    expect(secrets.text.split('\r\n').filter(line => line.includes('new-'))).toHaveLength(made.length)
  })

  it('a file of the company changes nothing outside', async () => {
    const fleet = await c.fleet()
    await c.prove(c.owner)
    const packed = await c.call<{ taskId: string }>('POST', '/company/export', c.owner, {
      materials: false,
      passphrase: null,
      telemetryDays: 0,
    })
    expect((await over(packed.body.taskId)).state).toBe('succeeded')
    const { bytes } = await c.call('GET', `/tasks/${packed.body.taskId}/file`, c.owner)
    await c.db.superuser.query(`update devices set name = 'now ' || device_no where id = any ($1)`, [
      PLACES.map(place => fleet[place].id),
    ])
    const before = await everything()
    const { token } = await c.member(['company:write', 'device:write', 'group:write', 'product:write'], scopes[scope])
    await c.prove(token)
    const file = await c.upload<{ id: string }>('/company/import-files', token, 'c.zip', bytes)
    expect(file.status, file.text).toBeLessThan(300)
    for (const kinds of [['devices'], ['products'], ['groups', 'products', 'devices']]) {
      const reply = await c.call<{ taskId: string }>('POST', '/company/import', token, {
        fileId: file.body.id,
        kinds,
        existing: 'replace',
        dryRun: false,
        passphrase: null,
      })
      expect(reply.status, reply.text).toBeLessThan(300)
      expect(await over(reply.body.taskId)).toMatchObject({ state: 'failed', code: 'task.all_failed' })
    }
    expect(await everything()).toEqual(before)
  })

  it('a product that is brought in is nothing outside', async () => {
    const before = (await everything()).products as { id: string }[]
    const { token } = await c.member(['product:write', 'product:read'], scopes[scope])
    const files = await c.call<{ items?: unknown[] }>('GET', `/products/export?ids=${c.products.inside}`, c.owner)
    const reply = await c.call('POST', '/products/import', token, files.body)
    expect(reply.body.code).not.toBe('server.error')
    const after = (await everything()).products as { id: string }[]
    expect(after.filter(({ id }) => before.some(old => old.id === id))).toEqual(before)
  })

  it('a batch of commands reaches nothing outside', async () => {
    const fleet = await c.fleet()
    const ids = PLACES.map(place => fleet[place].id)
    const { token } = await c.member(['device:command', 'device:read'], scopes[scope])
    const command = { kind: 'property_set', params: { temperature: 5 } }
    for (const target of [{ all: true }, { deviceIds: ids }]) {
      const batch = await c.call<{ id: string }>('POST', '/command-batches', token, { target, command })
      expect(batch.status, batch.text).toBeLessThan(300)
      while (await c.container.commands.runners.batches.step());
      const { rows } = await c.db.superuser.query(
        'select distinct device_id from commands where device_id = any ($1)',
        [ids],
      )
      const seen = PLACES.filter(seenIn(scope)).map(place => fleet[place].id)
      expect(rows.map(row => row.device_id).sort()).toEqual(seen.sort())
      const table = await c.call('GET', `/command-batches/${batch.body.id}/export?format=csv`, token)
      for (const place of PLACES) expect(table.text.includes(fleet[place].deviceNo), place).toBe(seenIn(scope)(place))
      const again = await c.call('POST', `/command-batches/${batch.body.id}/retry`, token, {})
      expect(again.body.code).not.toBe('server.error')
    }
  })

  it('a table that is taken out names nothing outside', async () => {
    const fleet = await c.fleet()
    for (const route of routes.filter(
      each => /\/export$/.test(each.path) && each.method === 'GET' && WORK[nameOf(each)] === 'here',
    )) {
      if (route.permission === 'signed-in' || route.path.includes('command-batches')) continue
      const { token } = await c.member([route.permission as Permission], scopes[scope])
      const named = route.path.includes('/products/')
        ? [c.products.inside, c.products.outside]
        : route.path.includes('{id}')
          ? PLACES.map(place => fleet[place].id)
          : ['']
      for (const id of named) {
        const query = route.path.includes('telemetry')
          ? '&identifier=temperature&from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z'
          : ''
        const reply = await c.call('GET', `${route.path.replace('{id}', id)}?format=csv${query}`, token)
        const place = PLACES.find(each => fleet[each].id === id)
        if (place) expect(reply.status === 404, `${route.path} ${place}: ${reply.text}`).toBe(!seenIn(scope)(place))
        for (const each of PLACES)
          if (!seenIn(scope)(each)) expect(reply.text, route.path).not.toContain(fleet[each].deviceNo)
      }
    }
    const { token } = await c.member(['device:read'], scopes[scope])
    const list = await c.call('GET', '/devices/export?format=csv', token)
    for (const place of PLACES) expect(list.text.includes(fleet[place].deviceNo), place).toBe(seenIn(scope)(place))
  })
})

describe('what was taken away between a request and its run', () => {
  const start = async (who: Pick<NarrowMember, 'token'>, fleet: Fleet, change: object) => {
    const ids = PLACES.map(place => fleet[place].id)
    const reply = await c.call<{ taskId: string }>('POST', '/device-batches', who.token, { target: { ids }, change })
    expect(reply.status, reply.text).toBeLessThan(300)
    return reply.body.taskId
  }

  it.each(Object.keys(KINDS))('ends a task of the kind %s before it begins: each of its rights', async kind => {
    await pack()
    for (const right of KINDS[kind]!) {
      const fleet = await c.fleet()
      const before = await everything()
      const who = await c.member(RIGHTS, { kind: 'all' })
      await c.prove(who.token)
      const id = await whileTasksWait(async () => {
        const begun = await BEGIN[kind]!(who, fleet)
        await c.become(
          who,
          RIGHTS.filter(each => each !== right),
          { kind: 'all' },
        )
        return begun
      })
      expect(await over(id), `${kind} without ${right}`).toMatchObject({ state: 'failed', code: 'permission.denied' })
      expect(await everything(), `${kind} without ${right}`).toEqual(before)
      // Nor is he given what a task made for him before.
      expect((await c.call('GET', `/tasks/${id}/file`, who.token)).status).toBeGreaterThanOrEqual(400)
    }
  })
  const BEGIN: Record<string, (who: Pick<NarrowMember, 'token'>, fleet: Fleet) => Promise<string>> = {
    'audit.verify': async ({ token }) =>
      (await c.call<{ taskId: string }>('POST', '/audit-logs/verify', token, {})).body.taskId,
    'company.export': async ({ token }) =>
      (
        await c.call<{ taskId: string }>('POST', '/company/export', token, {
          materials: false,
          passphrase: null,
          telemetryDays: 0,
        })
      ).body.taskId,
    async 'company.import'({ token }) {
      const fileId = await packedFile(token)
      const wish = { fileId, kinds: ['devices'], existing: 'replace', dryRun: false, passphrase: null }
      return (await c.call<{ taskId: string }>('POST', '/company/import', token, wish)).body.taskId
    },
    'device.batch': (who, fleet) => start(who, fleet, { action: 'recycle' }),
    async 'device.import'({ token }) {
      const file = await c.upload<{ id: string }>(
        '/device-imports/files',
        token,
        'd.csv',
        Buffer.from('sn,product,group\nq-1,inside product,fresh'),
      )
      const wish = {
        fileId: file.body.id,
        columns: ['deviceNo', 'product', 'group'],
        existing: 'update',
        createGroups: true,
        dryRun: false,
      }
      return (await c.call<{ taskId: string }>('POST', '/device-imports', token, wish)).body.taskId
    },
  }
  /** A file of this company, made before its tasks have to wait. */
  let packed: Buffer | undefined
  const pack = async () => {
    if (packed) return
    await c.prove(c.owner)
    const made = await BEGIN['company.export']!({ token: c.owner }, {} as Fleet)
    await over(made)
    packed = (await c.call('GET', `/tasks/${made}/file`, c.owner)).bytes
  }
  const packedFile = async (token: string) =>
    (await c.upload<{ id: string }>('/company/import-files', token, 'c.zip', packed!)).body.id

  it('narrows a batch of changes, a table and a company’s file to the scope of now', async () => {
    await pack()
    const fleet = await c.fleet()
    const before = await rowsOf(fleet)
    const who = await c.member(RIGHTS, { kind: 'all' })
    await c.prove(who.token)
    const tasks = await whileTasksWait(async () => {
      const ids = [
        await start(who, fleet, { action: 'tags', add: ['late'], remove: [] }),
        await BEGIN['company.import']!(who, fleet),
      ]
      const file = await c.upload<{ id: string }>(
        '/device-imports/files',
        who.token,
        'd.csv',
        Buffer.from(`sn,name\n${PLACES.map(place => `${fleet[place].deviceNo},late`).join('\n')}`),
      )
      for (const productId of [c.products.inside, c.products.outside]) {
        const wish = {
          fileId: file.body.id,
          productId,
          columns: ['deviceNo', 'name'],
          existing: 'update',
          createGroups: false,
          dryRun: false,
        }
        ids.push((await c.call<{ taskId: string }>('POST', '/device-imports', who.token, wish)).body.taskId)
      }
      await c.become(who, RIGHTS, scopes.groups)
      return ids
    })
    for (const id of tasks) await over(id)
    const after = await rowsOf(fleet)
    expect(PLACES.filter(place => after[place] !== before[place])).toEqual(PLACES.filter(seenIn('groups')))
  })

  it('keeps the file of a whole company from who sees a part of it by then, and from who lost the right to it', async () => {
    const who = await c.member(['company:export'], { kind: 'all' })
    await c.prove(who.token)
    const made = await BEGIN['company.export']!(who, await c.fleet())
    expect((await over(made)).state).toBe('succeeded')
    const fetch = () => c.call('GET', `/tasks/${made}/file`, who.token)
    expect((await fetch()).status).toBe(200)
    await c.become(who, ['company:export'], scopes.groups)
    expect((await fetch()).body.code).toBe('scope.whole_company')
    await c.become(who, ['device:read'], { kind: 'all' })
    expect((await fetch()).body.code).toBe('permission.denied')
    const late = await c.member(['company:export'], { kind: 'all' })
    await c.prove(late.token)
    const id = await whileTasksWait(async () => {
      const begun = await BEGIN['company.export']!(late, {} as Fleet)
      await c.become(late, ['company:export'], scopes.groups)
      return begun
    })
    expect(await over(id)).toMatchObject({ state: 'failed', code: 'scope.whole_company' })
  })

  it('ends a batch of commands, and leaves no device of it waiting', async () => {
    const fleet = await c.fleet()
    const ids = PLACES.map(place => fleet[place].id)
    const command = { kind: 'property_set', params: { temperature: 5 } }
    const left: [readonly Permission[], object, number][] = [
      [['device:read'], { kind: 'all' }, 0],
      [['device:command'], nothing, 0],
      [['device:command'], scopes.groups, 2],
    ]
    for (const [rights, scope, reached] of left) {
      const who = await c.member(['device:command'], { kind: 'all' })
      const batch = await c.call<{ id: string }>('POST', '/command-batches', who.token, {
        target: { deviceIds: ids },
        command,
      })
      expect(batch.status, batch.text).toBeLessThan(300)
      await c.become(who, rights, scope)
      while (await c.container.commands.runners.batches.step());
      const { rows } = await c.db.superuser.query('select count(*)::int as count from commands where batch_id = $1', [
        batch.body.id,
      ])
      expect(rows[0].count, JSON.stringify(scope)).toBe(reached)
      const told = await c.call<{ state: string; counts: Record<string, number> }>(
        'GET',
        `/command-batches/${batch.body.id}`,
        c.owner,
      )
      expect(told.body, JSON.stringify(scope)).toMatchObject({ state: 'done' })
      expect(told.body.counts.pending ?? 0, JSON.stringify([scope, told.body])).toBe(0)
    }
  })
})
