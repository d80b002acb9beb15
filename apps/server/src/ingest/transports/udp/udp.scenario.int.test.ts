import { randomUUID } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
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

let db: TestDatabase
let tenant: { id: string }
let product: ProductFixture
let gateway: TestGateway
let device: DeviceFixture
const sockets: Socket[] = []

beforeAll(async () => {
  db = await testDatabase()
  tenant = await insertTenant(db.superuser)
  product = await insertProduct(db.superuser, tenant, { linkType: 'udp' })
  gateway = await testGateway(db)
})
afterAll(async () => {
  for (const socket of sockets) socket.close()
  await gateway.stop()
})
beforeEach(async () => {
  device = await insertDevice(db.superuser, product)
})

/** A place that datagrams come from. */
async function place() {
  const socket = createSocket('udp4')
  sockets.push(socket)
  await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve))
  const got: string[] = []
  socket.on('message', bytes => got.push(bytes.toString('latin1')))
  const send = (text: string, port = gateway.ports.udp!) =>
    new Promise<void>(resolve => socket.send(text, port, '127.0.0.1', () => resolve()))
  return { send, got }
}
const lineOf = (of: DeviceFixture = device, secret = of.secret) => `${of.product.productKey}/${of.deviceNo}/${secret}\n`

async function rowsOf(of: DeviceFixture = device) {
  const { rows } = await db.superuser.query<{
    kind: number
    values: Record<string, unknown> | null
    refused_reason: string | null
  }>('select kind, values, refused_reason from journal where device = $1 order by seq', [of.num])
  return rows
}
const valuesOf = async (of: DeviceFixture = device) =>
  (await rowsOf(of)).filter(row => row.kind === JournalKind.property).map(row => row.values)

describe('a device over UDP', () => {
  it('is whoever registered from its address; datagrams hold one frame or several', async () => {
    const here = await place()
    await here.send(lineOf())
    await expect.poll(() => gateway.session(device.num)).toMatchObject({ transport: 'udp' })
    await here.send('{"temperature":1}')
    await here.send('{"temperature":2}\n{"temperature":3}\n')
    await expect.poll(() => valuesOf()).toEqual([{ temperature: 1 }, { temperature: 2 }, { temperature: 3 }])
    // It restarted, and says again who it is: nothing about that is a frame.
    await here.send(lineOf())
    await here.send(`${lineOf()}{"temperature":4}`)
    await expect.poll(async () => (await valuesOf()).at(-1)).toEqual({ temperature: 4 })
    expect((await rowsOf()).filter(row => row.kind === JournalKind.refused)).toEqual([])
  })

  it('strangers are not heard; a wrong secret stands in the device’s log', async () => {
    const there = await place()
    await there.send('{"temperature":66}')
    await there.send(lineOf(device, 'x'.repeat(43)))
    await expect
      .poll(() => rowsOf())
      .toMatchObject([{ refused_reason: 'sign_in_refused', values: { reason: 'wrong_secret', transport: 'udp' } }])
    expect(there.got).toEqual([])
    expect(gateway.session(device.num)).toBeNull()
  })

  it('a device that moved to another address is followed, and commands go there', async () => {
    const first = await place()
    await first.send(lineOf())
    await expect.poll(() => gateway.session(device.num)).not.toBeNull()
    const second = await place()
    await second.send(lineOf())
    await second.send('{"temperature":7}')
    await expect.poll(() => valuesOf()).toEqual([{ temperature: 7 }])
    const id = randomUUID()
    await db.superuser.query(
      `insert into commands (id, tenant_id, device_id, device, kind, params, state, timeout_ms, expires_at)
       values ($1, $2, $3, $4, 'property_set', '{"switch":true}', 'queued', 600000, now() + interval '1 hour')`,
      [id, device.tenantId, device.id, device.num],
    )
    gateway.wake([device.num])
    await expect.poll(() => second.got.length).toBe(1)
    expect(JSON.parse(second.got[0]!)).toMatchObject({ id, params: { switch: true } })
    expect(first.got).toEqual([])
    // What comes from the old address is nobody's now.
    await first.send('{"temperature":8}')
    await second.send('{"temperature":9}')
    await expect.poll(() => valuesOf()).toEqual([{ temperature: 7 }, { temperature: 9 }])
  })

  it('its session goes on over a restart of the gateway', async () => {
    const here = await place()
    await here.send(lineOf())
    await expect.poll(() => gateway.session(device.num)).not.toBeNull()
    await here.send('{"temperature":1}')
    await expect.poll(() => valuesOf()).toHaveLength(1)
    await expect
      .poll(
        async () =>
          (await db.superuser.query('select 1 from device_sessions where device = $1', [device.num])).rowCount,
      )
      .toBe(1)
    await gateway.stop()
    gateway = await testGateway(db)
    await here.send('{"temperature":2}')
    await expect.poll(() => valuesOf()).toEqual([{ temperature: 1 }, { temperature: 2 }])
    expect((await rowsOf()).filter(row => row.kind === JournalKind.online)).toHaveLength(1)
  })
})
