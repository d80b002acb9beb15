import type { Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { type DeviceFixture, insertDevice, insertProduct, insertTenant, type ProductFixture } from '../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { newId } from '../lib/ids.ts'
import { type TestGateway, testGateway } from './process/testing.ts'
import { JournalKind } from './uplink.ts'

let db: TestDatabase
let product: ProductFixture
let gateway: TestGateway
let device: DeviceFixture
const sockets: WebSocket[] = []

beforeAll(async () => {
  db = await testDatabase()
  product = await insertProduct(db.superuser, await insertTenant(db.superuser))
  gateway = await testGateway(db)
})
afterAll(() => gateway.stop())
beforeEach(async () => {
  device = await insertDevice(db.superuser, product)
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.terminate()
})

const username = () => `${product.productKey}/${device.deviceNo}`

/** A client and what it hears: parsed text, bytes, and the close code. */
async function open(path = '/device/ws', headers: Record<string, string> = {}) {
  const socket = new WebSocket(`ws+unix://${gateway.start.socketPath}:${path}`, { headers })
  sockets.push(socket)
  const heard: unknown[] = []
  const closed: number[] = []
  socket.on('message', (data: Buffer, isBinary) => heard.push(isBinary ? data : JSON.parse(data.toString())))
  socket.on('close', code => closed.push(code))
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  return { socket, heard, closed, say: (value: unknown) => socket.send(JSON.stringify(value)) }
}

const values = async (kind: number) =>
  (
    await db.superuser.query<{ values: unknown }>(
      'select values from journal where device = $1 and kind = $2 order by seq',
      [device.num, kind],
    )
  ).rows.map(row => row.values)

describe('a device on its WebSocket', () => {
  it('signs in with its first message, posts, and is told when each is durable', async () => {
    const { say, heard } = await open()
    say({ username: username(), password: device.secret })
    await expect.poll(() => heard).toEqual([{ ok: true }])
    say({ id: 1, topic: 'property/post', payload: { temperature: 3 } })
    say({ id: 2, topic: 'property/post', payload: { unknown: 3 } })
    say({ id: 3, topic: 'event/overheat/post', payload: { params: {} } })
    say({ id: 4, topic: 'elsewhere', payload: {} })
    await expect
      .poll(() => heard.slice(1))
      .toEqual([
        { ack: 1, code: 0 },
        { ack: 2, code: 1, message: 'property_unknown' },
        { ack: 3, code: 0 },
        { ack: 4, code: 1, message: 'topic_unknown' },
      ])
    expect(await values(JournalKind.property)).toEqual([{ temperature: 3 }])
    expect(gateway.session(device.num)).toMatchObject({ transport: 'websocket', messagesIn: 4 })
  })

  it('keeps the good values of a message that is not quite JSON', async () => {
    const keeping = await insertProduct(db.superuser, await insertTenant(db.superuser), { badValues: 'drop' })
    device = await insertDevice(db.superuser, keeping)
    const { socket, say, heard } = await open()
    say({ username: `${keeping.productKey}/${device.deviceNo}`, password: device.secret })
    socket.send('{"id":1,"topic":"property/post","payload":{"temperature":21.5,"count":nan}}')
    await expect.poll(() => heard).toEqual([{ ok: true }, { ack: 1, code: 0 }])
    expect(await values(JournalKind.property)).toEqual([{ temperature: 21.5 }])
  })

  it('says who it is and what it measured in one packet', async () => {
    const { socket, say, heard } = await open()
    const wire = (socket as unknown as { _socket: Socket })._socket
    wire.cork()
    say({ username: username(), password: device.secret })
    for (const count of [1, 2, 3]) say({ id: count, topic: 'property/post', payload: { count } })
    wire.uncork()
    await expect
      .poll(() => heard)
      .toEqual([{ ok: true }, { ack: 1, code: 0 }, { ack: 2, code: 0 }, { ack: 3, code: 0 }])
    expect(await values(JournalKind.property)).toEqual([{ count: 1 }, { count: 2 }, { count: 3 }])
  })

  it('of a stranger in one packet leaves nothing of it', async () => {
    const { socket, say, closed } = await open()
    const wire = (socket as unknown as { _socket: Socket })._socket
    wire.cork()
    say({ username: username(), password: 'wrong' })
    say({ id: 1, topic: 'property/post', payload: { count: 1 } })
    wire.uncork()
    await expect.poll(() => closed).toEqual([4401])
    expect(await values(JournalKind.property)).toEqual([])
  })

  it('signs in by its head or query, sends frames of its own format, and asks for the time', async () => {
    const basic = Buffer.from(`${username()}:${device.secret}`).toString('base64')
    const one = await open('/device/ws', { authorization: `Basic ${basic}` })
    await expect.poll(() => one.heard).toEqual([{ ok: true }])
    one.socket.send(Buffer.from('{"count":5}'))
    await expect.poll(() => values(JournalKind.property)).toEqual([{ count: 5 }])
    const two = await open(`/device/ws?username=${username()}&password=${device.secret}`)
    await expect.poll(() => two.heard).toEqual([{ ok: true }])
    await expect.poll(() => one.closed).toEqual([4409])
    two.say({ topic: 'ntp/request', payload: { t0: 1 } })
    await expect.poll(() => two.heard[1]).toMatchObject({ topic: 'ntp/response', payload: { t0: 1 } })
  })

  it('is shown out with 4401 when it is not who it says', async () => {
    const wrong = await open()
    wrong.say({ username: username(), password: 'wrong' })
    await expect.poll(() => wrong.closed).toEqual([4401])
    expect(wrong.heard).toEqual([{ ok: false, code: 'device_path.unauthorised' }])
    const silent = await open()
    silent.socket.send(Buffer.from([1, 2, 3]))
    await expect.poll(() => silent.closed).toEqual([4401])
  })

  it('gets commands and answers them', async () => {
    const { say, heard, closed } = await open()
    say({ username: username(), password: device.secret })
    await expect.poll(() => heard.length).toBe(1)
    const id = newId()
    await db.superuser.query(
      `insert into commands (id, tenant_id, device_id, device, kind, params, timeout_ms, expires_at)
       values ($1, $2, $3, $4, 'property_set', '{"switch":true}', 60000, now() + interval '1 day')`,
      [id, device.tenantId, device.id, device.num],
    )
    gateway.wake([device.num])
    await expect.poll(() => heard[1]).toEqual({ topic: 'property/set', payload: { id, params: { switch: true } } })
    say({ id: 'r', topic: 'property/set_reply', payload: { id, code: 0 } })
    await expect.poll(() => heard[2]).toEqual({ ack: 'r', code: 0 })
    expect(await values(JournalKind.reply)).toMatchObject([{ commandId: id, code: 0 }])
    gateway.kick(device.num)
    await expect.poll(() => closed).toEqual([4403])
    await expect.poll(() => values(JournalKind.offline)).toMatchObject([{ reason: 'kicked', transport: 'websocket' }])
  })
})
