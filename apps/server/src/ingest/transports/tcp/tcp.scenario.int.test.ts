import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type DeviceFixture,
  insertDevice,
  insertProduct,
  insertTenant,
  type ProductFixture,
} from '../../../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../../../db/testing.ts'
import { freePort } from '../../../lib/testing/free-port.ts'
import { mqttDevice, type TestGateway, testGateway } from '../../process/testing.ts'
import { until } from '../../testing/journal-rows.ts'
import { JournalKind } from '../../uplink.ts'

let db: TestDatabase
let tenant: { id: string }
let product: ProductFixture
let gateway: TestGateway
let device: DeviceFixture
const open: Socket[] = []

beforeAll(async () => {
  db = await testDatabase()
  tenant = await insertTenant(db.superuser)
  product = await insertProduct(db.superuser, tenant, { linkType: 'tcp' })
  gateway = await testGateway(db)
})
afterAll(async () => {
  for (const socket of open) socket.destroy()
  await gateway.stop()
})
beforeEach(async () => {
  device = await insertDevice(db.superuser, product)
})

/** A raw connection; `got` is what came back, `closed` resolves when it is over. */
function dial(port = gateway.ports.tcp!): Socket & { got(): string; gone: Promise<void> } {
  const socket = connect({ host: '127.0.0.1', port })
  let text = ''
  socket.on('data', chunk => {
    text += chunk.toString('latin1')
  })
  socket.on('error', () => undefined)
  open.push(socket)
  return Object.assign(socket, {
    got: () => text,
    gone: new Promise<void>(resolve => socket.on('close', () => resolve())),
  })
}
const lineOf = (of: DeviceFixture = device, secret = of.secret) =>
  `${of.product.productKey}/${of.deviceNo}/${secret}\r\n`

/** Connects again and again, as devices do, until new settings are known and it is let in. */
async function enter(packet: string, of: DeviceFixture): Promise<ReturnType<typeof dial>> {
  for (;;) {
    const socket = dial()
    socket.write(packet)
    const came = until(() => gateway.session(of.num) !== null || socket.destroyed)
    await Promise.race([came, socket.gone])
    if (gateway.session(of.num)) return socket
  }
}

interface Row {
  kind: number
  values: Record<string, unknown> | null
  refused_reason: string | null
}
async function rowsOf(of: DeviceFixture = device): Promise<Row[]> {
  const { rows } = await db.superuser.query<Row>(
    'select kind, values, refused_reason from journal where device = $1 order by seq',
    [of.num],
  )
  return rows
}
const valuesOf = async (of: DeviceFixture = device) =>
  (await rowsOf(of)).filter(row => row.kind === JournalKind.property).map(row => row.values)
const offlineReason = async (of: DeviceFixture = device) =>
  (await rowsOf(of)).filter(row => row.kind === JournalKind.offline).map(row => row.values?.reason)
const online = (of: DeviceFixture = device) =>
  expect.poll(() => gateway.session(of.num)).toMatchObject({ transport: 'tcp' })

async function settings(of: ProductFixture, link: object, ownPort: number | null = null): Promise<void> {
  await db.superuser.query('update products set link = $2, own_port = $3 where id = $1', [of.id, link, ownPort])
  gateway.forget({ product: of.num })
}

const portsOf = (of: ProductFixture) => gateway.linkPorts().filter(port => port.product === of.num)

describe('a device over raw TCP', () => {
  it('registers by a line, sends frames in any pieces, and is offline when it hangs up', async () => {
    // Where silence ends no frame, a pause between the pieces may take as long as it likes.
    const patient = await insertProduct(db.superuser, tenant, { linkType: 'tcp' })
    await settings(patient, { idleGapMs: null })
    const one = await insertDevice(db.superuser, patient)
    const socket = dial()
    for (const piece of [lineOf(one), '{"temper', 'ature":21.5}\r\n{"temperature":22}\n'])
      await new Promise(resolve => socket.write(piece, resolve))
    await expect.poll(() => valuesOf(one)).toEqual([{ temperature: 21.5 }, { temperature: 22 }])
    expect(gateway.session(one.num)).toMatchObject({ transport: 'tcp', messagesIn: 2, protocolVersion: 'raw' })
    socket.end()
    await socket.gone
    await expect.poll(() => offlineReason(one)).toEqual(['client'])
    expect((await rowsOf(one))[0]).toMatchObject({ kind: JournalKind.online, values: { transport: 'tcp' } })
  })

  it('frames right behind the register packet, and the last one without its ending, count too', async () => {
    const socket = dial()
    socket.write(`${lineOf()}{"temperature":1}\n{"temperature":2}`)
    await expect.poll(() => valuesOf()).toEqual([{ temperature: 1 }, { temperature: 2 }])
  })

  it('a wrong secret closes the connection and stands in the device’s log', async () => {
    const socket = dial()
    socket.write(lineOf(device, 'x'.repeat(43)))
    await socket.gone
    await expect
      .poll(() => rowsOf())
      .toMatchObject([{ refused_reason: 'sign_in_refused', values: { reason: 'wrong_secret', transport: 'tcp' } }])
  })

  it('a stranger that says nothing useful is let go, and nobody else notices', async () => {
    const bad = dial()
    bad.write(Buffer.alloc(4_000, 65))
    await bad.gone
    const good = dial()
    good.write(`${lineOf()}{"temperature":5}\n`)
    await expect.poll(() => valuesOf()).toEqual([{ temperature: 5 }])
  })

  it('an overlong frame is refused with its reason, and the next one is taken', async () => {
    const socket = dial()
    socket.write(lineOf())
    await online()
    socket.write(`${'x'.repeat(100_000)}\n{"temperature":3}\n`)
    await expect.poll(() => valuesOf()).toEqual([{ temperature: 3 }])
    await expect
      .poll(() => rowsOf())
      .toEqual(expect.arrayContaining([expect.objectContaining({ refused_reason: 'frame_too_long' })]))
  })

  it('a second connection of the device takes over, also from MQTT', async () => {
    const first = dial()
    first.write(lineOf())
    await online()
    const second = dial()
    second.write(lineOf())
    await first.gone
    await expect.poll(() => offlineReason()).toEqual(['taken_over'])
    await online()
    const client = await mqttDevice(gateway.ports.mqtt, device)
    await second.gone
    await expect.poll(() => gateway.session(device.num)).toMatchObject({ transport: 'mqtt' })
    await client.endAsync()
  })

  it('heartbeats are answered, seen by nobody, and end the wait for a silent device', async () => {
    const beating = await insertProduct(db.superuser, tenant, { linkType: 'tcp' })
    await settings(beating, {
      heartbeat: { packet: { encoding: 'hex', value: 'FE FE' }, reply: { encoding: 'text', value: 'OK' } },
    })
    const one = await insertDevice(db.superuser, beating)
    const socket = dial()
    socket.write(lineOf(one))
    socket.write(Buffer.concat([Buffer.from('fefe', 'hex'), Buffer.from('{"temperature":9}\n')]))
    await expect.poll(() => valuesOf(one)).toEqual([{ temperature: 9 }])
    await expect.poll(() => socket.got()).toBe('OK')
  })

  it('is kicked and may come back; a device that is disabled may not', async () => {
    const socket = dial()
    socket.write(lineOf())
    await online()
    gateway.kick(device.num)
    await socket.gone
    await expect.poll(() => offlineReason()).toEqual(['kicked'])
    await db.superuser.query(`update devices set lifecycle = 'disabled' where num = $1`, [device.num])
    gateway.forget({ device: device.num })
    const again = dial()
    again.write(lineOf())
    await again.gone
    expect(gateway.session(device.num)).toBeNull()
  })
})

describe('a port of the product’s own', () => {
  it('opens and closes while everything runs, and there the number alone says who connects', async () => {
    const own = await insertProduct(db.superuser, tenant, { linkType: 'tcp' })
    const one = await insertDevice(db.superuser, own, { deviceNo: '861234567890123' })
    const port = await freePort()
    await settings(own, { port: { mode: 'own' }, register: { kind: 'regex', pattern: 'IMEI:(\\d{15})' } }, port)
    await expect.poll(() => portsOf(own)).toEqual([{ product: own.num, port, state: 'open', error: null }])
    const socket = dial(port)
    socket.write('+REG IMEI:861234567890123\r\n{"temperature":4}\n')
    await expect.poll(() => valuesOf(one)).toEqual([{ temperature: 4 }])
    // Another product's device has no business here, secret or not.
    const stranger = dial(port)
    stranger.write(lineOf())
    await stranger.gone
    await settings(own, {}, null)
    await socket.gone
    await expect.poll(() => portsOf(own)).toEqual([])
    await expect.poll(() => offlineReason(one)).toEqual(['kicked'])
  })

  it('whose expression was saved when more was allowed lets nobody in, and nothing ends by it', async () => {
    const own = await insertProduct(db.superuser, tenant, { linkType: 'tcp' })
    await insertDevice(db.superuser, own, { deviceNo: '861234567890124' })
    const port = await freePort()
    await settings(own, { port: { mode: 'own' }, register: { kind: 'regex', pattern: '(?<=IMEI:)(\\d{15})' } }, port)
    await expect.poll(() => portsOf(own)).toMatchObject([{ state: 'open' }])
    const refused = dial(port)
    refused.write('IMEI:861234567890124\r\n')
    await refused.gone
    await settings(own, {}, null)
    await expect.poll(() => portsOf(own)).toEqual([])
  })

  it('says why it could not be opened', async () => {
    const own = await insertProduct(db.superuser, tenant, { linkType: 'tcp' })
    await settings(own, { port: { mode: 'own' } }, gateway.ports.mqtt)
    await expect
      .poll(() => portsOf(own))
      .toEqual([{ product: own.num, port: gateway.ports.mqtt, state: 'failed', error: 'EADDRINUSE' }])
    await settings(own, {}, null)
    await expect.poll(() => portsOf(own)).toEqual([])
  })
})

describe('the number alone on the shared port', () => {
  it('is enough where it is unique, and only for products that say so', async () => {
    const bare = await insertProduct(db.superuser, tenant, { linkType: 'tcp' })
    await settings(bare, { register: { kind: 'json', path: '$.sn' } })
    const one = await insertDevice(db.superuser, bare, { deviceNo: 'unique-sn-77' })
    const socket = await enter('{"sn":"unique-sn-77"}\n', one)
    socket.write('{"temperature":8}\n')
    await expect.poll(() => valuesOf(one)).toEqual([{ temperature: 8 }])
    // The same number as bare text is not what the product asked for.
    const text = dial()
    text.write('unique-sn-77\n')
    await text.gone
    // A product with the default line wants the secret.
    const guess = dial()
    guess.write(`${device.deviceNo}\n`)
    await guess.gone
    const twin = await insertProduct(db.superuser, tenant, { linkType: 'tcp' })
    await settings(twin, { register: { kind: 'json', path: '$.sn' } })
    await insertDevice(db.superuser, twin, { deviceNo: 'unique-sn-77' })
    socket.destroy()
    await expect.poll(() => gateway.session(one.num)).toBeNull()
    gateway.forget({ device: one.num })
    const ambiguous = dial()
    ambiguous.write('{"sn":"unique-sn-77"}\n')
    await ambiguous.gone
    expect(gateway.session(one.num)).toBeNull()
  })
})
