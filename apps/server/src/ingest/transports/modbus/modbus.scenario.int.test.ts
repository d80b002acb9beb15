import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type DeviceFixture,
  insertDevice,
  insertProduct,
  insertTenant,
  type ProductFixture,
} from '../../../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../../../db/testing.ts'
import { type TestGateway, testGateway } from '../../process/testing.ts'
import { JournalKind } from '../../uplink.ts'
import { SmallSlaves } from './testing/small-slave.ts'

const property = (identifier: string, type: string, access = 'rw') => ({
  identifier,
  name: identifier,
  dataType: { type },
  access,
})
const MODEL = {
  properties: [
    property('voltage', 'double', 'r'),
    property('setpoint', 'double'),
    property('total', 'int64', 'r'),
    property('relay', 'bool'),
    property('alarm', 'bool'),
  ],
}
const REGISTERS = [
  { identifier: 'voltage', function: 3, address: 0, dataType: 'uint16', scale: 0.1 },
  { identifier: 'total', function: 3, address: 4, dataType: 'uint32', byteOrder: 'CDAB' },
  { identifier: 'setpoint', function: 3, address: 9, dataType: 'int16', scale: 0.5 },
  { identifier: 'alarm', function: 3, address: 40, dataType: 'bits16', bit: 3 },
  { identifier: 'relay', function: 1, address: 7, dataType: 'bool' },
]

let db: TestDatabase
let tenant: { id: string }
let product: ProductFixture
let gateway: TestGateway
let device: DeviceFixture
let bus: SmallSlaves | null = null

async function modbusProduct(linkType: string, link: object, nodeType = 'device'): Promise<ProductFixture> {
  const made = await insertProduct(db.superuser, tenant, { linkType, model: MODEL })
  await db.superuser.query('update products set link = $2, format = $3, node_type = $4 where id = $1', [
    made.id,
    link,
    { kind: 'modbus', registers: REGISTERS },
    nodeType,
  ])
  return made
}
/** Every slave answers: how long that may take is only a limit against hanging. */
const polling = (over: object = {}) => ({
  modbus: { cycleSeconds: 1, slave: 5, timeoutMs: 10_000, retries: 1, maxGap: 8, pauseMs: 0, ...over },
})

beforeAll(async () => {
  db = await testDatabase()
  tenant = await insertTenant(db.superuser)
  product = await modbusProduct('modbus_rtu', polling())
  gateway = await testGateway(db)
})
afterAll(() => gateway.stop())
beforeEach(async () => {
  device = await insertDevice(db.superuser, product)
})
afterEach(() => bus?.close())

const hello = (of: DeviceFixture) => `${of.product.productKey}/${of.deviceNo}/${of.secret}\r\n`

async function rows(of: DeviceFixture, kind: number) {
  const result = await db.superuser.query<{ values: Record<string, unknown>; refused_reason: string | null }>(
    'select values, refused_reason from journal where device = $1 and kind = $2 order by seq',
    [of.num, kind],
  )
  return result.rows
}
const latest = async (of: DeviceFixture = device) => (await rows(of, JournalKind.property)).at(-1)?.values
const notes = async (of: DeviceFixture = device) => (await rows(of, JournalKind.refused)).map(row => row.refused_reason)

async function command(of: DeviceFixture, params: object, kind = 'property_set'): Promise<string> {
  const id = randomUUID()
  await db.superuser.query(
    `insert into commands (id, tenant_id, device_id, device, kind, params, state, timeout_ms, expires_at)
     values ($1, $2, $3, $4, $5, $6, 'queued', 600000, now() + interval '1 hour')`,
    [id, of.tenantId, of.id, of.num, kind, params],
  )
  gateway.wake([of.num])
  return id
}
const replyTo = async (of: DeviceFixture, id: string) =>
  (await rows(of, JournalKind.reply)).find(row => row.values.commandId === id)?.values

describe('a Modbus RTU slave behind a DTU', () => {
  it('is asked for less where registers between its lines are not there, and from then on', async () => {
    bus = new SmallSlaves('rtu', gateway.ports.tcp!, hello(device))
    const memory = bus.slave(5, { 0: 2301, 4: 0x5678, 5: 0x1234, 9: 43, 40: 8 })
    for (const at of [1, 2, 3, 6, 7, 8]) memory.missing.add(at)
    await expect.poll(() => latest()).toMatchObject({ voltage: 230.1, total: 0x12345678, setpoint: 21.5 })
    const asked = () => bus!.asked.filter(({ pdu }) => pdu[0] === 3).map(({ pdu }) => pdu.toString('hex'))
    await expect.poll(() => asked().filter(pdu => pdu === '0300000001').length).toBeGreaterThan(1)
    expect(asked().filter(pdu => pdu === '030000000a')).toHaveLength(1)
  })

  it('is polled by its register table, neighbours in one question', async () => {
    bus = new SmallSlaves('rtu', gateway.ports.tcp!, hello(device))
    const memory = bus.slave(5, { 0: 2301, 4: 0x5678, 5: 0x1234, 9: 43, 40: 8 })
    memory.coils.set(7, true)
    await expect
      .poll(() => latest())
      .toEqual({ voltage: 230.1, total: 0x12345678, setpoint: 21.5, alarm: true, relay: true })
    expect(bus.asked.slice(0, 3).map(({ pdu }) => pdu.toString('hex'))).toEqual([
      '0100070001',
      '030000000a',
      '0300280001',
    ])
    expect(gateway.session(device.num)).toMatchObject({ transport: 'tcp', protocolVersion: 'modbus-rtu' })
    memory.holding.set(0, 2295)
    await expect.poll(() => latest()).toMatchObject({ voltage: 229.5 })
  })

  it('is written with the right function, read back, and the command answered', async () => {
    bus = new SmallSlaves('rtu', gateway.ports.tcp!, hello(device))
    const memory = bus.slave(5, { 40: 0b10001 })
    await expect.poll(() => latest()).toMatchObject({ setpoint: 0 })
    const id = await command(device, { setpoint: -10.5, relay: true, alarm: true })
    await expect
      .poll(() => replyTo(device, id))
      .toMatchObject({ code: 0, data: { setpoint: -10.5, relay: true, alarm: true } })
    expect(memory.holding.get(9)).toBe(0x10000 - 21)
    expect(memory.holding.get(40)).toBe(0b11001)
    expect(memory.coils.get(7)).toBe(true)
    await expect.poll(() => latest()).toMatchObject({ setpoint: -10.5, relay: true, alarm: true })
  })

  it('a write that does not stand afterwards has failed, with what stands there', async () => {
    bus = new SmallSlaves('rtu', gateway.ports.tcp!, hello(device))
    bus.slave(5, { 9: 2 }).stubborn = true
    await expect.poll(() => latest()).toMatchObject({ setpoint: 1 })
    const id = await command(device, { setpoint: 4 })
    await expect
      .poll(() => replyTo(device, id))
      .toMatchObject({ code: 1, message: 'read back 0002 instead of 0008 at 9', data: { setpoint: 1 } })
    const unknown = await command(device, { voltage: 4 })
    await expect.poll(() => replyTo(device, unknown)).toMatchObject({ code: 1 })
  })

  it('one lost answer is asked for again; a slave that is away is in the log and nobody else waits for it', async () => {
    const impatient = await modbusProduct('modbus_rtu', polling({ timeoutMs: 150 }))
    const one = await insertDevice(db.superuser, impatient)
    bus = new SmallSlaves('rtu', gateway.ports.tcp!, hello(one))
    bus.slave(5, { 0: 1000 }).deaf = 1
    await expect.poll(() => latest(one)).toMatchObject({ voltage: 100 })
    const away = await insertDevice(db.superuser, impatient)
    const silent = new SmallSlaves('rtu', gateway.ports.tcp!, hello(away))
    await expect.poll(() => notes(away)).toContain('modbus_no_answer')
    const id = await command(away, { setpoint: 1 })
    await expect.poll(() => replyTo(away, id)).toMatchObject({ code: 1, message: 'slave 5 did not answer' })
    expect(silent.asked.filter(({ pdu }) => pdu[0] === 6)).toHaveLength(2)
    silent.close()
  })

  it('an address that the slave does not have is told, and the rest of the table is read', async () => {
    const wrong = await modbusProduct('modbus_rtu', polling())
    await db.superuser.query('update products set format = $2 where id = $1', [
      wrong.id,
      { kind: 'modbus', registers: [...REGISTERS, { ...REGISTERS[0], identifier: 'voltage', address: 2_000 }] },
    ])
    const one = await insertDevice(db.superuser, wrong)
    bus = new SmallSlaves('rtu', gateway.ports.tcp!, hello(one))
    bus.slave(5, { 9: 6 })
    await expect.poll(() => latest(one)).toMatchObject({ setpoint: 3 })
    await expect.poll(() => notes(one)).toContain('modbus_exception')
  })
})

it('Modbus TCP: the frames of the network form, and a device with its own slave address and cycle', async () => {
  const tcp = await modbusProduct('modbus_tcp', polling({ cycleSeconds: 3600 }))
  const one = await insertDevice(db.superuser, tcp)
  await db.superuser.query('update devices set overrides = $2 where id = $1', [
    one.id,
    { link: { slave: 17, cycleSeconds: 1 } },
  ])
  bus = new SmallSlaves('tcp', gateway.ports.tcp!, hello(one))
  const memory = bus.slave(17, { 0: 5 })
  await expect.poll(() => latest(one)).toMatchObject({ voltage: 0.5 })
  memory.holding.set(0, 7)
  await expect.poll(() => latest(one)).toMatchObject({ voltage: 0.7 })
  const id = await command(one, { relay: true })
  await expect.poll(() => replyTo(one, id)).toMatchObject({ code: 0 })
  expect(memory.coils.get(7)).toBe(true)
})

it('commands that wait leave when the table is known, to the device itself and to those below', async () => {
  const dtu = await modbusProduct('modbus_rtu', polling(), 'gateway')
  const fresh = await modbusProduct('modbus_rtu', polling())
  const carrier = await insertDevice(db.superuser, dtu)
  const sub = await insertDevice(db.superuser, fresh)
  await db.superuser.query(`update devices set gateway = $2, sub_address = '21' where id = $1`, [sub.id, carrier.num])
  const ids: [DeviceFixture, string][] = []
  for (const of of [carrier, sub]) for (const setpoint of [1, 2, 3, 4]) ids.push([of, await command(of, { setpoint })])
  bus = new SmallSlaves('rtu', gateway.ports.tcp!, hello(carrier))
  const memories = [bus.slave(5), bus.slave(21)]
  for (const [of, id] of ids) await expect.poll(() => replyTo(of, id)).toMatchObject({ code: 0 })
  expect(memories.map(memory => memory.holding.get(9))).toEqual([8, 8])
})

it('a command to a device without a register table is refused once the table was looked for', async () => {
  const none = await modbusProduct('modbus_rtu', polling())
  await db.superuser.query(`update products set format = '{"kind":"modbus"}' where id = $1`, [none.id])
  const one = await insertDevice(db.superuser, none)
  const id = await command(one, { setpoint: 1 })
  bus = new SmallSlaves('rtu', gateway.ports.tcp!, hello(one))
  await expect.poll(() => replyTo(one, id)).toMatchObject({ message: 'the device has no register table' })
})

it('a slave below is there when it answered and as long as it does; one that is not polled never is', async () => {
  const dtu = await modbusProduct('modbus_rtu', polling(), 'gateway')
  const hasty = await modbusProduct('modbus_rtu', polling({ timeoutMs: 150, retries: 0 }))
  const none = await modbusProduct('modbus_rtu', polling())
  await db.superuser.query(`update products set format = '{"kind":"json"}' where id = any($1)`, [[dtu.id, none.id]])
  const carrier = await insertDevice(db.superuser, dtu)
  const live = await insertDevice(db.superuser, hasty)
  const dead = await insertDevice(db.superuser, hasty)
  const unpolled = await insertDevice(db.superuser, none)
  const bind = (of: DeviceFixture, address: number) =>
    db.superuser.query('update devices set gateway = $2, sub_address = $3 where id = $1', [
      of.id,
      carrier.num,
      String(address),
    ])
  for (const [i, of] of [live, dead, unpolled].entries()) await bind(of, 21 + i)
  bus = new SmallSlaves('rtu', gateway.ports.tcp!, hello(carrier))
  const memory = bus.slave(21, { 0: 10 })
  await expect.poll(() => latest(live)).toMatchObject({ voltage: 1 })
  await expect.poll(() => notes(dead)).toContain('modbus_no_answer')
  expect([live, dead, unpolled].map(of => gateway.session(of.num) !== null)).toEqual([true, false, false])
  // Bound while the bus runs: heard of, looked up, asked.
  const late = await insertDevice(db.superuser, hasty)
  const other = bus.slave(24, { 0: 30 })
  await bind(late, 24)
  gateway.forget({ device: late.num })
  await expect.poll(() => latest(late)).toMatchObject({ voltage: 3 })
  other.deaf = Number.POSITIVE_INFINITY
  await expect.poll(() => gateway.session(late.num)).toBeNull()
  await expect
    .poll(async () => (await rows(late, JournalKind.offline)).map(row => row.values.reason))
    .toEqual(['no_data'])
  memory.holding.set(0, 20)
  await expect.poll(() => latest(live)).toMatchObject({ voltage: 2 })
})

it('several slaves on one bus: devices below the DTU, each by its address, polled, written and present', async () => {
  const dtu = await modbusProduct('modbus_rtu', {}, 'gateway')
  await db.superuser.query(`update products set format = '{"kind":"json"}' where id = $1`, [dtu.id])
  const carrier = await insertDevice(db.superuser, dtu)
  const subs = [await insertDevice(db.superuser, product), await insertDevice(db.superuser, product)]
  for (const [i, sub] of subs.entries())
    await db.superuser.query('update devices set gateway = $2, sub_address = $3 where id = $1', [
      sub.id,
      carrier.num,
      String(21 + i),
    ])
  bus = new SmallSlaves('rtu', gateway.ports.tcp!, hello(carrier))
  const memories = [bus.slave(21, { 0: 10 }), bus.slave(22, { 0: 20 })]
  await expect.poll(() => latest(subs[0])).toMatchObject({ voltage: 1 })
  await expect.poll(() => latest(subs[1])).toMatchObject({ voltage: 2 })
  expect(gateway.session(subs[1]!.num)).toMatchObject({ transport: 'gateway' })
  const id = await command(subs[1]!, { setpoint: 2 })
  await expect.poll(() => replyTo(subs[1]!, id)).toMatchObject({ code: 0 })
  expect(memories.map(memory => memory.holding.get(9))).toEqual([undefined, 4])
  bus.close()
  await expect.poll(async () => (await rows(subs[0]!, JournalKind.offline)).length).toBe(1)
})
