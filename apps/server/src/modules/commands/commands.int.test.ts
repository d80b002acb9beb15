import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type DeviceFixture,
  insertDevice,
  insertProduct,
  insertTenant,
  type ProductFixture,
} from '../../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import type { Ctx } from '../../lib/context.ts'
import { newId } from '../../lib/ids.ts'
import { CommandModels } from './command-models.ts'
import { CommandPins } from './command-pins.ts'
import { createCommandIntake, QUEUE_LIMIT } from './commands.intake.ts'
import { applyReplies } from './commands.replies.ts'
import { type CommandsService, createCommandsService } from './commands.service.ts'

const MODEL = {
  properties: [
    { identifier: 'wifi', name: 'wifi', dataType: { type: 'password' }, access: 'w' },
    { identifier: 'temperature', name: 'temperature', dataType: { type: 'double' }, access: 'r' },
    { identifier: 'speed', name: 'speed', dataType: { type: 'int32', min: 0, max: 10 }, access: 'rw' },
    { identifier: 'pump', name: 'pump', dataType: { type: 'bool' }, access: 'rw' },
    { identifier: 'pin', name: 'pin', dataType: { type: 'string' }, access: 'w' },
  ],
  events: [],
  services: [
    {
      identifier: 'move',
      name: 'move',
      timeoutMs: 60_000,
      input: [{ identifier: 'to', name: 'to', dataType: { type: 'int32' }, required: true }],
      output: [],
    },
  ],
}

let db: TestDatabase
let product: ProductFixture
let device: DeviceFixture
let ctx: Ctx
let stranger: Ctx
let commands: CommandsService
let woken: number[]
let changed: string[]

const contextOf = (tenantId: string): Ctx => ({
  tenantId,
  actor: {
    kind: 'member',
    loginId: newId(),
    username: 'li',
    displayName: 'Li',
    permissions: new Set(),
    dataScope: { kind: 'all' },
  },
  locale: 'en',
  requestId: 'r',
  now: Date.now(),
})

beforeAll(async () => {
  db = await testDatabase()
  const tenant = await insertTenant(db.superuser)
  product = await insertProduct(db.superuser, tenant, { model: MODEL })
  ctx = contextOf(tenant.id)
  stranger = contextOf((await insertTenant(db.superuser)).id)
  db.database.news.hear({ 'commands.changed': rows => void changed.push(...rows.commands.map(row => row.id)) })
  commands = createCommandsService({
    database: db.database,
    gateway: { wake: nums => void woken.push(...nums) },
    intake: createCommandIntake({
      database: db.database,
      models: new CommandModels(),
      pins: new CommandPins(() => Date.now()),
      requireFreshProof: async () => undefined,
    }),
  })
})

beforeEach(async () => {
  device = await insertDevice(db.superuser, product)
  woken = []
  changed = []
})

const set = (params: Record<string, unknown>) => commands.create(ctx, device.id, { kind: 'property_set', params })
const failing = (promise: Promise<unknown>) =>
  promise.then(
    () => 'did not fail',
    (error: { code?: string; params?: unknown }) => ({ code: error.code, params: error.params }),
  )

describe('the way down to a LoRaWAN device', () => {
  it('can be chosen: port, without acknowledgement, dropped at the network server too', async () => {
    const lorawan = await insertProduct(db.superuser, { id: product.tenantId }, { model: MODEL, linkType: 'lorawan' })
    const meter = await insertDevice(db.superuser, lorawan)
    const body = { kind: 'property_set', params: { speed: 3 } } as const
    expect(await commands.create(ctx, meter.id, body)).toMatchObject({ lora: null, confirm: 'auto' })
    expect(await commands.create(ctx, meter.id, { ...body, lora: { port: 10 } })).toMatchObject({
      lora: { port: 10, confirmed: true, expiresAt: null },
      confirm: 'auto',
    })
    const expiresAt = new Date(ctx.now + 10_800_000).toISOString()
    const made = await commands.create(ctx, meter.id, { ...body, lora: { confirmed: false, expires: true }, expiresAt })
    // Nothing answers: that it was sent ends it, for which there is as long as the frame may wait.
    expect(made).toMatchObject({ lora: { port: null, confirmed: false, expiresAt }, expiresAt, confirm: 'none' })
    expect(made.timeoutMs).toBe(10_800_000)
    expect(await commands.get(ctx, meter.id, made.id)).toEqual(made)
    const read = { ...body, lora: { confirmed: false }, confirm: 'read_back' } as const
    expect(await commands.create(ctx, meter.id, read)).toMatchObject({ confirm: 'read_back' })
  })

  it('has time for two uplinks where nothing says otherwise, or as much as was said', async () => {
    const lorawan = await insertProduct(db.superuser, { id: product.tenantId }, { model: MODEL, linkType: 'lorawan' })
    const meter = await insertDevice(db.superuser, lorawan)
    const body = { kind: 'property_set', params: { speed: 3 } } as const
    expect(await commands.create(ctx, meter.id, body)).toMatchObject({ timeoutMs: 7_200_000 })
    expect(await commands.create(ctx, meter.id, { ...body, timeoutMs: 90_000 })).toMatchObject({ timeoutMs: 90_000 })
    const far = new Date(ctx.now + 29 * 86_400_000).toISOString()
    const patient = await commands.create(ctx, meter.id, { ...body, lora: { expires: true }, expiresAt: far })
    // More than the table holds.
    expect(patient).toMatchObject({ timeoutMs: 2 ** 31 - 1, expiresAt: far })
    await db.superuser.query(`update products set command_rules = '{"timeoutMs": 14400000}' where id = $1`, [
      lorawan.id,
    ])
    expect(await commands.create(ctx, meter.id, body)).toMatchObject({ timeoutMs: 14_400_000 })
  })

  it('is that of LoRaWAN devices only', async () => {
    const asked = commands.create(ctx, device.id, { kind: 'property_set', params: { speed: 3 }, lora: { port: 10 } })
    await expect(asked).rejects.toMatchObject({
      code: 'command.lora_only',
      fields: { lora: { code: 'command.lora_only' } },
    })
    expect(woken).toEqual([])
  })
})

describe('commands', () => {
  it('queue for a day with ten seconds for the reply, wake the gateway, and leave a line in the operation log', async () => {
    const command = await set({ speed: 3 })
    expect(command).toMatchObject({
      deviceId: device.id,
      kind: 'property_set',
      params: { speed: 3 },
      state: 'queued',
      source: 'user',
      operatorName: 'li',
      timeoutMs: 10_000,
      attempt: 0,
    })
    expect(Date.parse(command.expiresAt)).toBe(ctx.now + 86_400_000)
    expect(woken).toEqual([device.num])
    expect(changed).toEqual([command.id])
    expect(await commands.get(ctx, device.id, command.id)).toEqual(command)
    const { rows } = await db.superuser.query('select action from audit_logs where object_id = $1', [command.id])
    expect(rows).toEqual([{ action: 'command.create' }])
  })

  it('take a service with its own time for the reply', async () => {
    expect(
      await commands.create(ctx, device.id, { kind: 'service', identifier: 'move', params: { to: 4 } }),
    ).toMatchObject({ kind: 'service', identifier: 'move', timeoutMs: 60_000 })
  })

  it.each([
    ['a property that is only read', { kind: 'property_set', params: { temperature: 1 } }, 'command.params_invalid'],
    ['an unknown property', { kind: 'property_set', params: { nope: 1 } }, 'command.params_invalid'],
    ['a value out of range', { kind: 'property_set', params: { speed: 11 } }, 'command.params_invalid'],
    ['a wrong type', { kind: 'property_set', params: { pump: 'on' } }, 'command.params_invalid'],
    ['nothing to set', { kind: 'property_set', params: {} }, 'command.params_invalid'],
    ['a missing parameter', { kind: 'service', identifier: 'move', params: {} }, 'command.params_invalid'],
    ['an unknown service', { kind: 'service', identifier: 'fly', params: {} }, 'command.service_unknown'],
    ['half a byte', { kind: 'raw', payload: { hex: '0' } }, 'command.payload_invalid'],
    [
      'bytes to be read back',
      { kind: 'raw', payload: { hex: '00' }, confirm: 'read_back' },
      'command.read_back_impossible',
    ],
    ['no byte', { kind: 'raw', payload: { text: '' } }, 'command.payload_invalid'],
    ['too many bytes', { kind: 'raw', payload: { hex: '00'.repeat(8193) } }, 'command.payload_invalid'],
    [
      'an expiry that is over',
      { kind: 'property_set', params: { speed: 1 }, expiresAt: '2020-01-01T00:00:00Z' },
      'command.expiry_invalid',
    ],
    [
      'an expiry years ahead',
      { kind: 'property_set', params: { speed: 1 }, expiresAt: '2090-01-01T00:00:00Z' },
      'command.expiry_invalid',
    ],
  ] as const)('are refused with %s', async (_, input, code) => {
    expect(await failing(commands.create(ctx, device.id, input))).toMatchObject({ code })
    expect(woken).toEqual([])
  })

  it('do not exist for another company, nor for disabled devices', async () => {
    const command = await set({ speed: 1 })
    const input = { kind: 'property_set', params: { speed: 1 } } as const
    expect(await failing(commands.create(stranger, device.id, input))).toMatchObject({ code: 'device.not_found' })
    expect(await failing(commands.get(stranger, device.id, command.id))).toMatchObject({ code: 'device.not_found' })
    expect(await failing(commands.cancel(stranger, device.id, command.id))).toMatchObject({ code: 'device.not_found' })
    const other = await insertDevice(db.superuser, product)
    expect(await failing(commands.get(ctx, other.id, command.id))).toMatchObject({ code: 'command.not_found' })
    await db.superuser.query(`update devices set lifecycle = 'disabled' where num = $1`, [device.num])
    expect(await failing(set({ speed: 2 }))).toMatchObject({ code: 'device.disabled' })
  })

  it('keep only the latest wish for a property in the queue', async () => {
    const first = await set({ speed: 1 })
    const both = await set({ speed: 2, pump: true })
    const last = await set({ speed: 3 })
    expect(await commands.get(ctx, device.id, first.id)).toMatchObject({
      state: 'cancelled',
      errorCode: 'superseded',
      params: { speed: 1 },
    })
    expect(await commands.get(ctx, device.id, both.id)).toMatchObject({ state: 'queued', params: { pump: true } })
    expect(await commands.get(ctx, device.id, last.id)).toMatchObject({ state: 'queued', params: { speed: 3 } })
    expect(changed).toContain(first.id)
    const { rows } = await db.superuser.query('select desired, version from shadow_desired where device = $1', [
      device.num,
    ])
    expect(rows).toEqual([{ desired: { speed: 3, pump: true }, version: 3 }])
  })

  it('bound the queue of a device, also against requests at the same moment', async () => {
    await db.superuser.query(
      `insert into commands (id, tenant_id, device_id, device, kind, identifier, expires_at)
       select gen_random_uuid(), $1, $2, $3, 'service', 'move', now() + interval '1 day' from generate_series(1, $4)`,
      [device.tenantId, device.id, device.num, QUEUE_LIMIT - 2],
    )
    const move = () =>
      failing(commands.create(ctx, device.id, { kind: 'service', identifier: 'move', params: { to: 1 } }))
    const answers = await Promise.all([move(), move(), move(), move(), move()])
    expect(answers.filter(answer => answer === 'did not fail').length).toBe(2)
    expect(answers).toContainEqual({ code: 'command.queue_full', params: { limit: QUEUE_LIMIT } })
  })

  it('can be taken back while they wait, and not later', async () => {
    const command = await set({ speed: 1 })
    expect(await commands.cancel(ctx, device.id, command.id)).toMatchObject({ state: 'cancelled' })
    expect(await failing(commands.cancel(ctx, device.id, command.id))).toEqual({
      code: 'command.not_cancellable',
      params: { state: 'cancelled' },
    })
    expect(await failing(commands.cancel(ctx, device.id, newId()))).toMatchObject({ code: 'command.not_found' })
  })

  it('are listed newest first, page by page, by state', async () => {
    const ids: string[] = []
    for (let to = 0; to < 5; to++)
      ids.unshift((await commands.create(ctx, device.id, { kind: 'service', identifier: 'move', params: { to } })).id)
    await commands.cancel(ctx, device.id, ids[1]!)
    const first = await commands.list(ctx, device.id, { limit: 3 })
    const rest = await commands.list(ctx, device.id, { limit: 3, cursor: first.nextCursor! })
    expect([...first.items, ...rest.items].map(item => item.id)).toEqual(ids)
    expect(rest.nextCursor).toBeNull()
    expect((await commands.list(ctx, device.id, { state: 'cancelled' })).items.map(i => i.id)).toEqual([ids[1]])
    expect(await failing(commands.list(ctx, device.id, { cursor: 'eyJ' }))).toMatchObject({
      code: 'request.cursor_invalid',
    })
  })

  it('are checked against a newer thing model as soon as it is published', async () => {
    const fresh = await insertProduct(db.superuser, { id: ctx.tenantId }, { model: MODEL })
    const mine = await insertDevice(db.superuser, fresh)
    const input = { kind: 'property_set', params: { angle: 5 } } as const
    expect(await failing(commands.create(ctx, mine.id, input))).toMatchObject({ code: 'command.params_invalid' })
    const model = {
      ...MODEL,
      properties: [{ identifier: 'angle', name: 'a', dataType: { type: 'int32' }, access: 'rw' }],
    }
    await db.superuser.query('update products set published_model = $2, model_version = 2 where id = $1', [
      fresh.id,
      JSON.stringify(model),
    ])
    expect(await commands.create(ctx, mine.id, input)).toMatchObject({ params: { angle: 5 } })
  })
})

describe('a device that goes to the recycle bin', () => {
  it('is reached by nothing that waited for it, also after it was restored', async () => {
    const waiting = await set({ speed: 3 })
    await db.superuser.query(`update devices set lifecycle = 'recycled', recycled_at = now() where num = $1`, [
      device.num,
    ])
    expect(await failing(set({ speed: 4 }))).toMatchObject({ code: 'device.recycled' })
    await db.superuser.query(`update devices set lifecycle = 'active', recycled_at = null where num = $1`, [device.num])
    expect(await commands.get(ctx, device.id, waiting.id)).toMatchObject({
      state: 'cancelled',
      errorCode: 'device_recycled',
    })
  })
})

describe('a password in a command', () => {
  it('reaches the device and is shown to nobody: not in answers, lists, the operation log, nor the wanted state', async () => {
    const command = await set({ wifi: 'open sesame', speed: 2 })
    expect(command.params).toEqual({ wifi: '••••••', speed: 2 })
    const { items } = await commands.list(ctx, device.id, {})
    expect(JSON.stringify(items)).not.toContain('sesame')
    const { rows: log } = await db.superuser.query('select after from audit_logs where object_id = $1', [command.id])
    expect(log).toMatchObject([{ after: { params: { wifi: '••••••', speed: 2 } } }])
    const { rows: wanted } = await db.superuser.query('select desired from shadow_desired where device = $1', [
      device.num,
    ])
    expect(wanted).toEqual([{ desired: { speed: 2 } }])
    const { rows: queued } = await db.superuser.query('select params from commands where id = $1', [command.id])
    expect(queued).toEqual([{ params: { wifi: 'open sesame', speed: 2 } }])
  })
})

describe('replies of devices', () => {
  const send = (id: string) =>
    db.superuser.query(`update commands set state = 'sent', sent_at = now(), attempt = 1 where id = $1`, [id])
  const reply = (commandId: string, over: object = {}) => ({
    device: device.num,
    commandId,
    code: 0,
    at: Date.now(),
    ...over,
  })

  it('end a command once, as done or as refused by the device', async () => {
    const done = await set({ speed: 1 })
    await send(done.id)
    const refused = await set({ pump: true })
    await send(refused.id)
    const rows = await applyReplies(db.database.telemetry, [
      reply(done.id, { data: { ok: 1 } }),
      reply(refused.id, { code: 7, message: 'interlock' }),
      reply(done.id, { code: 9 }),
      reply('not a uuid'),
      reply(newId()),
    ])
    expect(rows.map(row => row.id).sort()).toEqual([done.id, refused.id].sort())
    expect(await commands.get(ctx, device.id, done.id)).toMatchObject({
      state: 'succeeded',
      reply: { code: 0, message: null, data: { ok: 1 } },
      errorCode: null,
    })
    expect(await commands.get(ctx, device.id, refused.id)).toMatchObject({
      state: 'rejected',
      errorCode: '7',
      errorMessage: 'interlock',
    })
    // The journal may be read again after a crash.
    expect(await applyReplies(db.database.telemetry, [reply(done.id, { code: 5 })])).toEqual([])
  })

  it('count for the own commands of the device only, and only for commands that were sent', async () => {
    const command = await set({ speed: 1 })
    expect(await applyReplies(db.database.telemetry, [reply(command.id)])).toEqual([])
    await send(command.id)
    const other = await insertDevice(db.superuser, product)
    expect(await applyReplies(db.database.telemetry, [reply(command.id, { device: other.num })])).toEqual([])
    expect(await commands.get(ctx, device.id, command.id)).toMatchObject({ state: 'sent' })
  })

  it('that come too late are kept beside the state', async () => {
    const command = await set({ speed: 1 })
    await db.superuser.query(
      `update commands set state = 'timed_out', attempt = 1, sent_at = now(), finished_at = now(), error_code = 'no_reply' where id = $1`,
      [command.id],
    )
    await applyReplies(db.database.telemetry, [reply(command.id, { code: 3, message: 'late' })])
    expect(await commands.get(ctx, device.id, command.id)).toMatchObject({
      state: 'timed_out',
      errorCode: 'no_reply',
      reply: { code: 3 },
    })
  })
})
