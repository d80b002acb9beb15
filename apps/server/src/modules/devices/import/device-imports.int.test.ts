import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { ImportOptions } from '@thingwright/contracts/device-imports.contract'
import { PERMISSIONS } from '@thingwright/contracts/permissions'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management, refusal } from '../../../db/testing/management.ts'
import type { Ctx } from '../../../lib/context.ts'
import { secretHash } from '../../../lib/crypto/secrets.ts'
import { silentLogger } from '../../../lib/log.ts'
import { createTasksModule, type TasksModule } from '../../tasks/index.ts'
import { createTelemetryModule, type TelemetryModule } from '../../telemetry/index.ts'
import { createDeviceImports } from './device-imports.routes.ts'
import type { DeviceImportsService } from './device-imports.service.ts'
import { HistoryImport } from './import-history.ts'

let m: Management
let tasks: TasksModule
let telemetry: TelemetryModule
let imports: DeviceImportsService

beforeAll(async () => {
  m = await management()
  tasks = createTasksModule({
    database: m.database,
    files: m.store,
    logger: silentLogger,
    now: () => Date.now(),
  })
  telemetry = createTelemetryModule({ database: m.database })
  imports = createDeviceImports({
    database: m.database,
    gateway: m.gateway,
    groups: m.groups.service,
    products: m.products.service,
    quotas: m.tenants.quotas,
    secrets: m.secrets,
    store: m.store,
    storeImported: telemetry.storeImported,
    tasks,
  }).service
  tasks.runner.start()
})
afterAll(() => tasks.runner.stop())

const asOwner = (of: Company): Ctx => {
  const { ctx } = of
  return { ...ctx, locale: 'en', actor: { ...ctx.actor, permissions: new Set(PERMISSIONS) } as Ctx['actor'] }
}
const upload = (of: Company, content: string, fields: { headRow?: string } = {}) =>
  imports.upload(asOwner(of), fields, {
    fileName: 'd.csv',
    contentType: 'text/csv',
    body: Readable.from([Buffer.from(content)]),
  })
async function run(of: Company, content: string, over: Partial<ImportOptions> = {}) {
  const file = await upload(of, content)
  const { id, taskId } = await imports.create(asOwner(of), {
    fileId: file.id,
    columns: file.tables[0]!.columns.map(({ field }) => field),
    existing: 'update',
    createGroups: false,
    dryRun: false,
    ...over,
  })
  await expect.poll(async () => (await tasks.service.get(asOwner(of), taskId)).endedAt).not.toBeNull()
  const task = await tasks.service.get(asOwner(of), taskId)
  expect(task.state, task.error?.message).toBe(task.failedCount > 0 ? 'partial' : 'succeeded')
  return { id, task, summary: task.summary as Record<string, unknown> }
}
async function withProduct() {
  const own = await company(m.db)
  const product = await m.products.service.create(own.ctx, {
    name: '温湿度',
    linkType: 'mqtt',
    thingModel: {
      properties: [
        { identifier: 'temperature', name: 't', dataType: { type: 'double', max: 100 }, access: 'r' },
        { identifier: 'on', name: 'o', dataType: { type: 'bool' }, access: 'r' },
      ],
    },
  })
  return { own, product }
}
const stored = async () => {
  let count = 0
  for await (const _ of m.store.list('company/')) count++
  return count
}
const listOf = async (of: Company) => (await m.devices.service.list(of.ctx, { limit: 100, sort: 'createdAt' })).items

describe('devices from a table', () => {
  it('are made with groups and secrets; lines that fail come back in a file with their reasons', async () => {
    const { own, product } = await withProduct()
    const table = `设备编号,名称,产品,分组路径,标签,经度,纬度,用户\n${[
      'a-1,泵一,温湿度,一厂/冷库,"冷链,重点",121.5,31.2,张三',
      `a-2,泵二,${product.productKey},一厂/冷库,,,,`,
      'a-3,,无此产品,,,,,',
      '=1+1,x,温湿度,,,,,',
      'a-1,again,温湿度,,,,,',
      'a-6,,温湿度,二厂,,500,31,',
    ].join('\n')}`
    const file = await upload(own, table)
    expect(file.tables).toMatchObject([{ rows: 6, history: false, sheet: '' }])
    expect(file.tables[0]!.columns.map(({ field }) => field)).toEqual([
      'deviceNo',
      'name',
      'product',
      'group',
      'tags',
      'lng',
      'lat',
      'user',
    ])
    const trial = await run(own, table, { dryRun: true, createGroups: true })
    expect(trial.summary).toMatchObject({ created: 2, updated: 0, groups: 2, usersIgnored: 1, dryRun: true })
    expect(trial.task.failedCount).toBe(4)
    expect(await listOf(own)).toEqual([])
    expect((await m.groups.service.list(own.ctx, { kind: 'device' })).items).toEqual([])
    expect((await refusal(imports.secrets(asOwner(own), trial.id))).code).toBe('import.no_secrets')

    const real = await run(own, table, { createGroups: true })
    expect(real.summary).toMatchObject({ created: 2, updated: 0, skipped: 0, groups: 2, lines: 6 })
    expect(await listOf(own)).toMatchObject([
      { deviceNo: 'a-1', name: '泵一', groupName: '冷库', tags: ['冷链', '重点'], location: { lng: 121.5, lat: 31.2 } },
      { deviceNo: 'a-2', name: '泵二', groupName: '冷库' },
    ])
    const errors = (await text((await tasks.service.download(asOwner(own), real.task.id)).body)).trimEnd().split('\r\n')
    expect(errors[0]).toMatch(/^设备编号,名称,.*,Line,Reason$/)
    expect(errors.slice(1).map(line => line.replace(/^.*?,(\d),/, '$1 '))).toEqual([
      '4 No product 无此产品',
      '5 Device number is a formula; replace it by its value',
      '6 Device number already in row 2',
      '7 Longitude is not right: 500',
    ])

    expect((await imports.get(asOwner(own), real.id)).secretsWaiting).toBe(true)
    const lines = (await text((await imports.secrets(asOwner(own), real.id)).body)).trimEnd().split('\r\n')
    expect(lines).toHaveLength(3)
    const [, key, no, , secret] = lines[1]!.split(',')
    expect([key, no]).toEqual([product.productKey, 'a-1'])
    const stored = await m.db.superuser.query<{ hash: Buffer }>(
      `select secret_hash as hash from devices where product_id = $1 and device_no = 'a-1'`,
      [product.id],
    )
    expect(secretHash(secret!.replace(/^'/, ''))).toEqual(stored.rows[0]!.hash)
    expect((await refusal(imports.secrets(asOwner(own), real.id))).code).toBe('import.secrets_taken')
    expect((await imports.get(asOwner(own), real.id)).secretsWaiting).toBe(false)
    const log = JSON.stringify((await m.audit.service.list(own.ctx, {})).items)
    expect(log).not.toContain(secret)
  })

  it('that run at once share the groups that each of them would make', async () => {
    const { own, product } = await withProduct()
    const table = (of: string) =>
      `sn,group\n${Array.from({ length: 30 }, (_, n) => `${of}-${n},plant/hall ${n % 15}`).join('\n')}`
    const runs = await Promise.all(
      ['a', 'b', 'c'].map(of => run(own, table(of), { productId: product.id, createGroups: true })),
    )
    expect(runs.map(({ summary, task }) => [summary.created, task.failedCount])).toEqual([
      [30, 0],
      [30, 0],
      [30, 0],
    ])
    const { items } = await m.groups.service.list(own.ctx, { kind: 'device' })
    expect(items).toHaveLength(16)
    expect(runs.reduce((sum, { summary }) => sum + (summary.groups as number), 0)).toBe(16)
  })

  it('name lines as the spreadsheet counts them: its head, empty rows and cells of several lines', async () => {
    const { own, product } = await withProduct()
    const { task } = await run(own, '\nsn,description\n\nn-1,"two\nlines"\n,\nbad no,x\n\n\nn-1,again\n', {
      productId: product.id,
    })
    const failures = (await tasks.service.failures(asOwner(own), task.id, {})).items
    expect(failures.map(({ item, code }) => [item, code])).toContainEqual(['6', 'import.invalid'])
    expect(failures.at(-1)).toMatchObject({ item: '9', code: 'import.duplicate' })
  })

  it('twice are the same once: what is there is changed or left as it is', async () => {
    const { own, product } = await withProduct()
    const head = '设备编号,名称,备注,离线时延\n'
    await run(own, `${head}b-1,one,first,60\nb-2,two,,`, { productId: product.id })
    const again = await run(own, `${head}b-1,one,first,60\nb-2,zwei,,`, { productId: product.id })
    expect(again.summary).toMatchObject({ created: 0, updated: 1, skipped: 1 })
    const skipped = await run(own, `${head}b-1,uno,,\nb-3,three,,`, { productId: product.id, existing: 'skip' })
    expect(skipped.summary).toMatchObject({ created: 1, updated: 0, skipped: 1 })
    expect((await listOf(own)).map(({ name, description }) => [name, description])).toEqual([
      ['one', 'first'],
      ['zwei', ''],
      ['three', ''],
    ])
    const [first] = await listOf(own)
    expect(first).toMatchObject({ offlineDelaySeconds: 60 })
  })

  it('carry attributes; a line without them leaves what is there', async () => {
    const { own, product } = await withProduct()
    const head = '设备编号,名称,自定义属性\n'
    await run(own, `${head}a-1,one,合同号=HT-7；安装人=李工\na-2,two,`, { productId: product.id })
    const again = await run(own, `${head}a-1,uno,\na-2,two,合同号=HT-8`, { productId: product.id })
    expect(again.summary).toMatchObject({ created: 0, updated: 2 })
    const pair = (name: string, value: string) => ({ name, value })
    expect((await listOf(own)).map(({ name, attributes }) => [name, attributes])).toEqual([
      ['uno', [pair('合同号', 'HT-7'), pair('安装人', '李工')]],
      ['two', [pair('合同号', 'HT-8')]],
    ])
  })

  it('stop at the quota, and stay within what a limited person may touch', async () => {
    const { own, product } = await withProduct()
    await m.db.superuser.query(
      `update tenants set settings = jsonb_set(settings, '{quotas}', '{"devices": 3}') where id = $1`,
      [own.id],
    )
    const table = `sn\n${[1, 2, 3, 4, 5].map(n => `q-${n}`).join('\n')}`
    const trial = await run(own, table, { productId: product.id, dryRun: true })
    expect(trial.summary).toMatchObject({ created: 3 })
    const real = await run(own, table, { productId: product.id })
    expect(real.summary).toMatchObject({ created: 3 })
    expect((await tasks.service.failures(asOwner(own), real.task.id, {})).items.map(({ code }) => code)).toEqual([
      'quota.exceeded',
      'quota.exceeded',
    ])

    const other = await withProduct()
    const mine = await m.groups.service.create(other.own.ctx, { kind: 'device', name: 'mine' })
    const member = asOwner(other.own)
    const limited: Company = Object.create(other.own, {
      ctx: {
        get: () => ({
          ...member,
          actor: { ...member.actor, dataScope: { kind: 'limited', groupIds: [mine.id], productIds: [], own: false } },
        }),
      },
    })
    const result = await run(limited, 'sn,group\nl-1,mine\nl-2,', { productId: other.product.id })
    expect(result.summary).toMatchObject({ created: 1 })
    expect((await tasks.service.failures(asOwner(other.own), result.task.id, {})).items[0]).toMatchObject({
      item: '3',
      code: 'scope.outside',
    })
  })

  it('find the titles below a title, or where a person says; times, commas and mangled numbers are read as meant', async () => {
    const { own, product } = await withProduct()
    const found = await upload(own, 'Devices 2026;;\r\n;;\r\nsn;lat;lng\r\n="0012";21,5;120,25')
    expect(found.tables[0]).toMatchObject({
      headRow: 3,
      rows: 1,
      decimalComma: true,
      sample: [['0012', '21,5', '120,25']],
    })
    expect(found.tables[0]!.top.map(({ number }) => number)).toEqual([1, 3, 4])
    const said = await upload(own, 'x,y\nname,code\na,b', { headRow: '2' })
    expect(said.tables[0]).toMatchObject({ headRow: 2, rows: 1, columns: [{ title: 'name' }, { title: 'code' }] })
    const content = 'Devices\nsn,lat,lng\n8.65E+14,,\n865432012345678.0,,\n ,,\n0012,30.5,120.5'
    const { task, summary } = await run(own, content, { productId: product.id })
    expect(summary).toMatchObject({ created: 1 })
    expect(
      (await tasks.service.failures(asOwner(own), task.id, {})).items.map(({ item, code }) => `${item} ${code}`),
    ).toEqual(['3 import.digits_lost', '4 import.digits_lost'])
    expect((await listOf(own))[0]).toMatchObject({ deviceNo: '0012', location: { lat: 30.5, lng: 120.5 } })
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    const history = await upload(
      own,
      `sn;time;temperature\n0012;${day} 08:00:00.123456+00:00;21,5\n0012;${day} 08:01:00+00;22,5\n0012;${day} 08:02:00+00;x`,
    )
    const past = await run(own, 'sn\n0012', {
      productId: product.id,
      history: { fileId: history.id, table: 0, columns: ['deviceNo', 'time', 'property:temperature'] },
    })
    expect(past.summary).toMatchObject({ values: 2 })
  })

  it('of which nothing could be taken did not succeed', async () => {
    const { own, product } = await withProduct()
    const file = await upload(own, 'sn\n8.65E+14\n8.65E+15')
    const { taskId } = await imports.create(asOwner(own), {
      fileId: file.id,
      columns: ['deviceNo'],
      productId: product.id,
      existing: 'update',
      createGroups: false,
      dryRun: false,
    })
    await expect.poll(async () => (await tasks.service.get(asOwner(own), taskId)).endedAt).not.toBeNull()
    expect(await tasks.service.get(asOwner(own), taskId)).toMatchObject({ state: 'failed', failedCount: 2 })
  })

  it('bring values of the past with them, with their times, and say which lines were not right', async () => {
    const { own, product } = await withProduct()
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    const history = await upload(
      own,
      `设备编号,时间,temperature,on\nh-1,${day} 08:00:00,21.5,1\nh-1,${day}T00:10:00Z,22,false\nh-1,${day} 08:20,400,\nh-9,${day} 08:00,1,\nh-1,2001-01-01 00:00,1,\nh-1,${day} 08:30,=1,`,
    )
    expect(history.tables[0]!.history).toBe(true)
    const { task, summary } = await run(own, 'sn\nh-1', {
      productId: product.id,
      history: { fileId: history.id, table: 0, columns: ['deviceNo', 'time', 'property:temperature', 'property:on'] },
    })
    expect(summary).toMatchObject({ created: 1, values: 4 })
    expect(
      (await tasks.service.failures(asOwner(own), task.id, {})).items.map(({ item, code }) => `${item} ${code}`),
    ).toEqual(['4 import.invalid', '5 device.not_found', '6 import.time_invalid', '7 import.formula'])
    const [device] = await listOf(own)
    const read = (identifier: string) =>
      telemetry.service.raw(own.ctx, device!.id, {
        identifier,
        from: `${day}T00:00:00Z`,
        to: `${day}T23:59:59Z`,
      } as never)
    const at = Date.parse(`${day}T00:00:00Z`)
    expect((await read('temperature')).items).toEqual([
      [at, 21.5],
      [at + 600_000, 22],
    ])
    expect((await read('on')).items).toEqual([
      [at, true],
      [at + 600_000, false],
    ])
  })

  it('bring values only to devices that are seen when their part is read', async () => {
    const { own, product } = await withProduct()
    await run(own, 'sn\ns-1', { productId: product.id })
    const ctx = { ...asOwner(own) }
    const [failed, kept]: [string[], unknown[]] = [[], []]
    const history = await HistoryImport.begin(
      { database: m.database, storeImported: async values => void kept.push(...values) },
      ctx,
      { columns: ['deviceNo', 'time', 'property:temperature'], decimalComma: false },
      false,
      (item, code) => failed.push(`${item} ${code}`),
    )
    const row = (number: number) => [{ number, cells: ['s-1', new Date(ctx.now - number).toISOString(), '1'] }]
    await history.take(row(2))
    expect([kept.length, failed]).toEqual([1, []])
    ctx.actor = {
      ...ctx.actor,
      dataScope: { kind: 'limited', groupIds: [], productIds: [], own: false },
    } as Ctx['actor']
    await history.take(row(3))
    expect([kept.length, failed]).toEqual([1, ['3 device.not_found']])
  })

  it('many lines pass through in parts', async () => {
    const { own, product } = await withProduct()
    const table = `sn,name,tags\n${Array.from({ length: 1500 }, (_, n) => `m-${n},device ${n},a;b`).join('\n')}`
    const { summary, task } = await run(own, table, { productId: product.id })
    expect(summary).toMatchObject({ created: 1500, lines: 1500 })
    expect(task).toMatchObject({ done: 1500, total: 1500 })
    expect((await m.devices.service.list(own.ctx, { tag: 'b', total: '1' })).total).toBe(1500)
  })

  it('are refused with what is wrong: no number, a column twice, another’s file, too many rows, no right for groups', async () => {
    const { own } = await withProduct()
    const file = await upload(own, 'sn,name\nx,y')
    const input = { fileId: file.id, existing: 'skip' as const, createGroups: false, dryRun: true }
    const code = async (promise: Promise<unknown>) => (await refusal(promise)).code
    const create = (columns: ImportOptions['columns'], over: object = {}, of: Ctx = asOwner(own)) =>
      code(imports.create(of, { ...input, columns, ...over }))
    expect(await create([null, 'name'])).toBe('import.mapping_invalid')
    expect(await create(['deviceNo', 'deviceNo'])).toBe('import.mapping_invalid')
    expect(await create(['deviceNo'], { table: 3 })).toBe('import.mapping_invalid')
    expect(await create(['deviceNo'], {}, asOwner(await company(m.db)))).toBe('import.file_not_found')
    const { actor } = asOwner(own)
    const without = { ...asOwner(own), actor: { ...actor, permissions: new Set(['device:write']) } as Ctx['actor'] }
    expect(await create(['deviceNo'], { createGroups: true }, without)).toBe('permission.denied')
    const before = await stored()
    expect(await code(upload(own, `sn\n${'x\n'.repeat(100_001)}`))).toBe('import.too_many_rows')
    expect(await code(upload(own, 'only a head'))).toBe('import.file_invalid')
    expect(await stored()).toBe(before)
  })

  it('have a template that imports as it is', async () => {
    const { own } = await withProduct()
    await m.products.service.create(own.ctx, { name: 'Temperature and humidity sensor', linkType: 'mqtt' })
    const reply = await imports.template(asOwner(own), { format: 'csv' })
    const { summary } = await run(own, await text(reply.body), { createGroups: true })
    expect(summary).toMatchObject({ created: 2, groups: 2 })
  })
})
