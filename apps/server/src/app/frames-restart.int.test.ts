import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DeviceFixture, insertDevice, insertProduct, insertTenant, type ProductFixture } from '../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import type { GatewayStart } from '../ingest/channel/ipc.ts'
import { gatewayStart, mqttDevice, topicOf } from '../ingest/process/testing.ts'
import { silentLogger } from '../lib/log.ts'
import { createGatewayClient, type GatewayClient } from './gateway-client.ts'

let db: TestDatabase
let product: ProductFixture
let device: DeviceFixture
let start: GatewayStart
let forget: () => void
let running: GatewayClient[] = []

beforeAll(async () => {
  db = await testDatabase()
  product = await insertProduct(db.superuser, await insertTenant(db.superuser))
})
beforeEach(async () => {
  device = await insertDevice(db.superuser, product)
  const { remove, ...rest } = gatewayStart(db)
  start = rest
  forget = remove
})
afterEach(async () => {
  for (const client of running) await client.stop()
  running = []
  forget()
})

/** The gateway process on the data folder of the test, as the server starts it. */
async function gateway() {
  const client = createGatewayClient({
    start,
    logger: silentLogger,
  })
  running.push(client)
  const ports = await client.start({ batch: () => undefined, commandsChanged: () => undefined })
  return { client, mqtt: ports.mqtt }
}

/** Messages with these numbers; resolves when each is durable. */
async function send(port: number, from: number, to: number): Promise<void> {
  const mqtt = await mqttDevice(port, device)
  const sent = Array.from({ length: to - from }, (_, n) =>
    mqtt.publishAsync(topicOf(device, 'property/post'), `{"count":${from + n}}`, { qos: 1 }),
  )
  await Promise.all(sent)
  await mqtt.endAsync()
}
const frames = async (client: GatewayClient) => (await client.probe('frames', { device: device.num })) ?? []
const texts = async (client: GatewayClient) => (await frames(client)).map(({ bytes }) => Buffer.from(bytes).toString())
const counts = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `{"count":${from + n}}`)

describe('raw frames of a device', () => {
  it('are the last hundred over an orderly stop and a start on the same folder, in one row with new ones', async () => {
    const first = await gateway()
    await send(first.mqtt, 0, 130)
    const before = await frames(first.client)
    await first.client.stop()
    const second = await gateway()
    expect(await texts(second.client)).toEqual(counts(30, 130))
    expect(await frames(second.client)).toEqual(before)
    await send(second.mqtt, 130, 140)
    expect(await texts(second.client)).toEqual(counts(40, 140))
    const ids = (await frames(second.client)).map(({ id }) => id)
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
    // Stopped at once again, nobody sent anything.
    await second.client.stop()
    const third = await gateway()
    await third.client.stop()
    expect(await texts((await gateway()).client)).toEqual(counts(40, 140))
  })

  it('may be lost by a kill, and the next start lets devices in; none of an older life stand in for them', async () => {
    const first = await gateway()
    await send(first.mqtt, 0, 20)
    await first.client.stop()
    const second = await gateway()
    await send(second.mqtt, 20, 25)
    expect(await texts(second.client)).toEqual(counts(0, 25))
    const killed = second.client.pid()!
    process.kill(killed, 'SIGKILL')
    await expect.poll(() => second.client.ready() && (second.client.pid() ?? killed) !== killed).toBe(true)
    expect(await texts(second.client)).toEqual([])
    await second.client.stop()
    const third = await gateway()
    expect(await texts(third.client)).toEqual([])
    await send(third.mqtt, 30, 31)
    expect((await texts(third.client)).at(-1)).toBe('{"count":30}')
  })

  it('do not hold up a start when their file is damaged', async () => {
    const first = await gateway()
    await send(first.mqtt, 0, 5)
    await first.client.stop()
    const [file] = readdirSync(start.dataDir).filter(name => name.startsWith('raw-frames'))
    writeFileSync(join(start.dataDir, file!), 'damaged')
    const second = await gateway()
    expect(await texts(second.client)).toEqual([])
    await send(second.mqtt, 5, 6)
    expect(await texts(second.client)).toEqual(counts(5, 6))
  })
})
