import type { MqttClient } from 'mqtt'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DeviceFixture, insertDevice, insertProduct, insertTenant, type ProductFixture } from '../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import type { Ctx } from '../lib/context.ts'
import { openPool } from '../lib/database/pool.ts'
import { newId } from '../lib/ids.ts'
import { silentLogger } from '../lib/log.ts'
import { type CommandsModule, createCommandsModule } from '../modules/commands/index.ts'
import { type ConsumerRunner, createConsumerRunner } from './consumers/consumer-runner.ts'
import { createJournalStream } from './consumers/journal-stream.ts'
import { createReadBackConsumer } from './consumers/read-back.consumer.ts'
import { createRepliesConsumer } from './consumers/replies.consumer.ts'
import { mqttDevice, type TestGateway, testGateway, topicOf } from './process/testing.ts'

const MODEL = {
  properties: [
    { identifier: 'pressure', name: 'pressure', dataType: { type: 'double' }, access: 'r' },
    { identifier: 'level', name: 'level', dataType: { type: 'float' }, access: 'rw' },
    { identifier: 'valve', name: 'valve', dataType: { type: 'bool' }, access: 'rw' },
  ],
  events: [],
  services: [
    {
      identifier: 'fill',
      name: 'fill',
      input: [{ identifier: 'to', name: 'to', dataType: { type: 'double' } }],
      output: [],
    },
  ],
}
type Create = Parameters<CommandsModule['service']['create']>[2]

let db: TestDatabase
let product: ProductFixture
let device: DeviceFixture
let gateway: TestGateway
let commands: CommandsModule
let pool: pg.Pool
let runner: ConsumerRunner
let ctx: Ctx
const clients: MqttClient[] = []

beforeAll(async () => {
  db = await testDatabase()
  const tenant = await insertTenant(db.superuser)
  product = await insertProduct(db.superuser, tenant, { model: MODEL })
  gateway = await testGateway(db)
  pool = openPool({ ...db.access.telemetry, max: 4 }, () => {})
  commands = createCommandsModule({
    database: db.database,
    gateway,
    requireFreshProof: async () => undefined,
    now: () => Date.now(),
    logger: silentLogger,
  })
  ctx = {
    tenantId: tenant.id,
    actor: {
      kind: 'member',
      loginId: newId(),
      username: 'li',
      displayName: 'Li',
      permissions: new Set(['device:command']),
      dataScope: { kind: 'all' },
    },
    locale: 'en',
    requestId: 'r',
    now: Date.now(),
  }
  await consume()
})
afterAll(async () => {
  await runner.stop()
  await gateway.stop()
  await pool.end()
})
beforeEach(async () => {
  device = await insertDevice(db.superuser, product)
  ctx = { ...ctx, now: Date.now() }
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.endAsync(true)
  await db.superuser.query(`update products set command_rules = '{}' where id = $1`, [product.id])
  gateway.forget({ product: product.num })
})

/** Readers of the journal with nothing in mind, as after a start. */
async function consume(): Promise<void> {
  runner = createConsumerRunner({
    consumers: [createRepliesConsumer(() => undefined), createReadBackConsumer(() => undefined)],
    stream: createJournalStream(pool),
    db: pool,
    logger: silentLogger,
    headsEveryMs: 20,
  })
  await runner.start()
}

async function connect(suffix: string): Promise<{ client: MqttClient; frames: string[]; params: unknown[] }> {
  const client = await mqttDevice(gateway.ports.mqtt, device)
  clients.push(client)
  const frames: string[] = []
  const params: unknown[] = []
  client.on('message', (topic, payload) => {
    if (topic.endsWith('raw/down')) frames.push(payload.toString('hex'))
    else params.push((JSON.parse(payload.toString()) as { params: unknown }).params)
  })
  await client.subscribeAsync(topicOf(device, suffix), { qos: 1 })
  return { client, frames, params }
}

const create = (input: Create) => commands.service.create(ctx, device.id, input)
const get = (id: string) => commands.service.get(ctx, device.id, id)
const rules = async (value: object) => {
  const { version } = await commands.templates.rules(ctx, product.id)
  await commands.templates.setRules(ctx, product.id, { rules: value, version })
}
/** The time to answer is over, for the next look at the commands. */
const timeIsOver = (id: string) => db.superuser.query('update commands set reply_due_at = now() where id = $1', [id])
const report = (client: MqttClient, values: object) =>
  client.publishAsync(topicOf(device, 'property/post'), JSON.stringify(values), { qos: 1 })

describe('bytes over raw/down', () => {
  it('leave as they are, are kept with the command, and count as done when they arrived', async () => {
    const { frames } = await connect('raw/down')
    const { id } = await create({ kind: 'raw', payload: { hex: '01 03 00 00 00 01' } })
    await expect.poll(() => get(id)).toMatchObject({ state: 'succeeded', frames: ['010300000001'], confirm: 'none' })
    expect(frames).toEqual(['010300000001'])
  })

  it('wait for a device that is not subscribed to them', async () => {
    const { client, frames } = await connect('property/set')
    const { id } = await create({ kind: 'raw', payload: { text: 'AT\r\n' } })
    await expect.poll(() => get(id)).toMatchObject({ state: 'queued', attempt: 0 })
    await client.subscribeAsync(topicOf(device, 'raw/down'), { qos: 1 })
    await expect.poll(() => get(id)).toMatchObject({ state: 'succeeded' })
    expect(frames).toEqual([Buffer.from('AT\r\n').toString('hex')])
  })

  it('of a template are answered by the frame that fits, and sent once more when nothing comes', async () => {
    const template = await commands.templates.create(ctx, product.id, {
      code: newId(),
      name: 'Set speed',
      body: {
        params: [{ identifier: 'speed', name: 'speed', dataType: { type: 'int32', min: 0, max: 3000 } }],
        payload: { kind: 'hex', template: '01 06 00 10 {{speed:uint16be}}', checksum: 'crc16_modbus_lohi' },
        expects: { prefix: '0106', checksum: 'crc16_modbus_lohi' },
        timeoutMs: 600_000,
        retries: 1,
      },
    })
    const { client, frames } = await connect('raw/down')
    const { id } = await create({ kind: 'template', templateId: template.id, params: { speed: 1500 } })
    // CRC of an independent table calculator.
    const frame = '0106001005dc8ac6'
    await expect.poll(() => frames).toEqual([frame])
    await client.publishAsync(topicOf(device, 'raw/up'), Buffer.from('0106ffff', 'hex'), { qos: 1 })
    await expect
      .poll(() => get(id))
      .toMatchObject({
        state: 'delivered',
        template: { name: 'Set speed', params: { speed: 1500 } },
      })
    await timeIsOver(id)
    await expect.poll(() => frames).toEqual([frame, frame])
    await client.publishAsync(topicOf(device, 'raw/up'), Buffer.from(frame, 'hex'), { qos: 1 })
    await expect
      .poll(() => get(id))
      .toMatchObject({
        state: 'succeeded',
        attempt: 2,
        reply: { code: 0, data: { hex: frame } },
      })
  })
})

describe('the expression of an answer', () => {
  // Backtracking engines need minutes for 28 such signs, and years for 60.
  it('that a backtracking engine would not come to the end of holds up nobody', async () => {
    const template = await commands.templates.create(ctx, product.id, {
      code: newId(),
      name: 'Ask',
      body: { params: [], payload: { kind: 'hex', template: 'aa' }, expects: { regex: '^(?:a?){60}b' } },
    })
    const { client, frames } = await connect('raw/down')
    const { id } = await create({ kind: 'template', templateId: template.id, params: {} })
    await expect.poll(() => frames).toEqual(['aa'])
    const other = await insertDevice(db.superuser, product)
    const bystander = await mqttDevice(gateway.ports.mqtt, other)
    clients.push(bystander)
    await client.publishAsync(topicOf(device, 'raw/up'), 'a'.repeat(60), { qos: 1 })
    await bystander.publishAsync(topicOf(other, 'property/post'), '{"level":1}', { qos: 1 })
    await client.publishAsync(topicOf(device, 'raw/up'), `${'a'.repeat(40)}b`, { qos: 1 })
    await expect.poll(() => get(id)).toMatchObject({ state: 'succeeded' })
  })

  it('that was stored when more was allowed is refused with its reason, and waits in vain where it waits already', async () => {
    const template = await commands.templates.create(ctx, product.id, {
      code: newId(),
      name: 'Ask',
      body: { params: [], payload: { kind: 'hex', template: 'aa' }, expects: { regex: 'OK', minLength: 1 } },
    })
    const waiting = await create({ kind: 'template', templateId: template.id, params: {} })
    const old = JSON.stringify({ regex: '(?=O)OK', minLength: 1 })
    await db.superuser.query('update commands set expects = $2 where id = $1', [waiting.id, old])
    await db.superuser.query(`update command_templates set body = jsonb_set(body, '{expects}', $2) where id = $1`, [
      template.id,
      old,
    ])
    await expect(create({ kind: 'template', templateId: template.id, params: {} })).rejects.toMatchObject({
      code: 'pattern.look_around',
      params: { part: '(?=' },
    })
    const { client, frames } = await connect('raw/down')
    await expect.poll(() => frames).toEqual(['aa'])
    await client.publishAsync(topicOf(device, 'raw/up'), 'OK', { qos: 1 })
    expect(await get(waiting.id)).toMatchObject({ state: 'delivered' })
  })
})

describe('read-back', () => {
  it('succeeds with the report that is near enough, also when the reader was killed in between', async () => {
    const { client, params } = await connect('property/set')
    await report(client, { level: 3 })
    const { id } = await create({
      kind: 'property_set',
      params: { level: 4.2, valve: true },
      confirm: 'read_back',
      timeoutMs: 600_000,
    })
    await expect.poll(() => params).toEqual([{ level: 4.2, valve: true }])
    await client.publishAsync(topicOf(device, 'property/set_reply'), JSON.stringify({ id, code: 0 }), { qos: 1 })
    await expect.poll(() => get(id)).toMatchObject({ state: 'delivered', reply: { code: 0 }, finishedAt: null })
    await report(client, { level: 4.1999998, valve: false })
    await expect.poll(async () => (await get(id)).readBack).toEqual({ valve: { value: true, tolerance: 0 } })
    expect(await get(id)).toMatchObject({ state: 'delivered' })
    await runner.stop()
    await report(client, { valve: true })
    await consume()
    await expect.poll(() => get(id)).toMatchObject({ state: 'succeeded' })
  })

  it('of a service waits for what its rule names, and is refused where that is nothing', async () => {
    const fill = (params: object) =>
      create({ kind: 'service', identifier: 'fill', params: { ...params }, confirm: 'read_back' })
    await expect(fill({ to: 4 })).rejects.toMatchObject({ code: 'command.read_back_impossible' })
    await rules({ services: { fill: { readBack: { property: 'level', param: 'to' } } } })
    expect((await fill({ to: 4 })).readBack).toEqual({ level: { value: 4, tolerance: 4e-6 } })
    await expect(fill({})).rejects.toMatchObject({ code: 'command.read_back_impossible' })
    await rules({ services: { fill: { readBack: { property: 'valve', value: true }, tolerance: 0.5 } } })
    expect((await fill({})).readBack).toEqual({ valve: { value: true, tolerance: 0.5 } })
  })

  it('times out when the property stays as it was, and a refusal ends it at once', async () => {
    const { client } = await connect('property/set')
    const stuck = await create({ kind: 'property_set', params: { level: 1 }, confirm: 'read_back', timeoutMs: 600_000 })
    await expect.poll(() => get(stuck.id)).toMatchObject({ state: 'delivered' })
    await report(client, { level: 2 })
    await timeIsOver(stuck.id)
    await expect.poll(() => get(stuck.id)).toMatchObject({ state: 'timed_out', errorCode: 'not_read_back' })
    const refused = await create({
      kind: 'property_set',
      params: { level: 1 },
      confirm: 'read_back',
      timeoutMs: 600_000,
    })
    await expect.poll(() => get(refused.id)).toMatchObject({ state: 'delivered' })
    await client.publishAsync(topicOf(device, 'property/set_reply'), `{"id":"${refused.id}","code":7}`, { qos: 1 })
    await expect.poll(() => get(refused.id)).toMatchObject({ state: 'rejected', errorCode: '7' })
  })
})

describe('an interlock', () => {
  const interlock = [{ identifier: 'pressure', operator: 'lt' as const, value: 2 }]

  it('is asked when the command is made and again when it leaves', async () => {
    await rules({ properties: { valve: { interlock } } })
    const open = () => create({ kind: 'property_set', params: { valve: true } })
    await expect(open()).rejects.toMatchObject({ code: 'command.interlocked', params: { actual: '-' } })
    const { rows } = await db.superuser.query(
      `select result, after from audit_logs where action = 'command.create' and object_id = $1`,
      [device.id],
    )
    expect(rows).toMatchObject([{ result: 'refused', after: { error: 'command.interlocked', identifier: 'pressure' } }])
    const { client, params } = await connect('shadow/get_reply')
    await report(client, { pressure: 2.5 })
    await expect(open()).rejects.toMatchObject({ code: 'command.interlocked', params: { actual: '2.5' } })
    await report(client, { pressure: 1.5 })
    const { id } = await open()
    await report(client, { pressure: 2.1 })
    await client.subscribeAsync(topicOf(device, 'property/set'), { qos: 1 })
    await expect.poll(() => get(id)).toMatchObject({ state: 'failed', errorCode: 'interlocked' })
    expect((await get(id)).errorMessage).toContain('2.1')
    await report(client, { pressure: 0.5 })
    const second = await open()
    await expect.poll(() => get(second.id)).toMatchObject({ state: 'delivered' })
    expect(params).toEqual([{ valve: true }])
  })

  it('counts for what already waits when the rule is made', async () => {
    const { id } = await create({ kind: 'property_set', params: { valve: true } })
    await rules({ properties: { valve: { interlock } } })
    const { params } = await connect('property/set')
    await expect.poll(() => get(id)).toMatchObject({ state: 'failed', errorCode: 'interlocked' })
    expect(params).toEqual([])
  })
})

describe('wishes for a device that is away', () => {
  it('leave only the latest per property, unless the product says otherwise', async () => {
    const first = await create({ kind: 'property_set', params: { level: 1 } })
    const second = await create({ kind: 'property_set', params: { level: 2 } })
    expect(await get(first.id)).toMatchObject({ state: 'cancelled', errorCode: 'superseded' })
    await rules({ collapse: false, expirySeconds: 60 })
    const third = await create({ kind: 'property_set', params: { level: 3 } })
    expect(Date.parse(third.expiresAt) - ctx.now).toBe(60_000)
    const { params } = await connect('property/set')
    await expect.poll(() => params).toEqual([{ level: 2 }, { level: 3 }])
    expect(await get(second.id)).toMatchObject({ attempt: 1 })
  })
})
