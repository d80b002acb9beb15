import dgram from 'node:dgram'
import net from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DeviceFixture, insertDevice, insertProduct, insertTenant, type ProductFixture } from '../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { ManualClock } from '../lib/clock.ts'
import { WrongTries } from './gateway/wrong-tries.ts'
import { deviceRequest, mqttDevice, type TestGateway, testGateway } from './process/testing.ts'

let db: TestDatabase
let product: ProductFixture
let gateway: TestGateway
let device: DeviceFixture
/** Answers that are being held back, and for how long. */
const held: { ms: number; release: () => void }[] = []
const releaseAll = () => {
  for (const one of held.splice(0)) one.release()
}

beforeAll(async () => {
  db = await testDatabase()
  const tenant = await insertTenant(db.superuser)
  product = await insertProduct(db.superuser, tenant)
  gateway = await testGateway(db, {
    holdWrong: ms => new Promise(release => void held.push({ ms, release })),
  })
})
afterAll(async () => {
  releaseAll()
  await gateway.stop()
})
beforeEach(async () => {
  releaseAll()
  device = await insertDevice(db.superuser, product)
})

/** A stranger guesses so often that what he guesses next is held back. */
async function guesses(of: DeviceFixture): Promise<void> {
  for (let i = 0; i < 5; i++) await deviceRequest(gateway.start, of, 'property', { body: '{}', secret: `guess-${i}` })
}
const post = (secret?: string) =>
  deviceRequest(gateway.start, device, 'property', { body: '{"temperature":1}', ...(secret ? { secret } : {}) })

describe('wrong secrets of a device', () => {
  it('are answered ever later over HTTP, while the right one gets in at once', async () => {
    await guesses(device)
    const answered: string[] = []
    const wrong = [1, 2, 3].map(i => post(`next-${i}`).then(({ status }) => answered.push(`wrong ${status}`)))
    await expect.poll(() => held.length).toBe(3)
    expect(held.map(({ ms }) => ms)).toEqual([...held.map(({ ms }) => ms)].sort((a, b) => a - b))
    expect(await post()).toMatchObject({ status: 200 })
    expect(answered).toEqual([])
    releaseAll()
    await Promise.all(wrong)
    expect(answered).toEqual(['wrong 401', 'wrong 401', 'wrong 401'])
  })

  it('count over all ways in: MQTT, TCP and UDP wait after guesses over HTTP', async () => {
    await guesses(device)
    const name = `${device.product.productKey}/${device.deviceNo}`
    const waits = async (begin: () => void) => {
      const before = held.length
      begin()
      await expect.poll(() => held.length).toBe(before + 1)
    }
    let refused: Promise<unknown> = Promise.resolve()
    await waits(() => {
      refused = mqttDevice(gateway.ports.mqtt, { ...device, secret: 'nope' }).catch((error: Error) => error.message)
    })
    const tcp = net.connect(gateway.ports.tcp!, '127.0.0.1')
    await waits(() => tcp.write(`${name}/nope\r\n`))
    const udp = dgram.createSocket('udp4')
    await waits(() => udp.send(`${name}/nope\r\n`, gateway.ports.udp!, '127.0.0.1'))
    // The device itself comes in meanwhile.
    const client = await mqttDevice(gateway.ports.mqtt, device)
    expect(client.connected).toBe(true)
    await client.endAsync()
    releaseAll()
    expect(await refused).toMatch(/Not authorized/i)
    tcp.destroy()
    udp.close()
  })

  it('does not slow other devices behind another address, nor those whose secret is right behind the same', async () => {
    await guesses(device)
    const other = await insertDevice(db.superuser, product)
    expect(await deviceRequest(gateway.start, other, 'property', { body: '{"temperature":1}' })).toMatchObject({
      status: 200,
    })
    expect(held.length).toBe(0)
  })
})

describe('how long a wrong try waits', () => {
  const clock = new ManualClock()
  let waited: number[] = []
  const tries = () => new WrongTries({ clock, hold: async ms => void waited.push(ms) })
  beforeEach(() => {
    waited = []
  })

  it('doubles from the sixth of a device, up to 8 s, and is forgotten after 10 minutes of quiet', async () => {
    const wrong = tries()
    for (let i = 0; i < 12; i++) {
      await wrong.wrong('p/d', `192.0.2.${i}:5000`)
      clock.advance(60_000)
    }
    expect(waited).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000])
    clock.advance(600_000)
    await wrong.wrong('p/d', '192.0.2.1:5000')
    expect(waited.length).toBe(7)
  })

  it('counts an address over all devices, whatever its port, IPv6 by its /64', async () => {
    const wrong = tries()
    for (let i = 0; i < 25; i++) await wrong.wrong(`p/${i}`, `[2001:db8:1:2::${i + 1}]:${5000 + i}`)
    expect(waited.length).toBe(5)
    await wrong.wrong('p/other', '[2001:db8:1:3::1]:5000')
    for (let i = 0; i < 21; i++) await wrong.wrong(`q/${i}`, `::ffff:192.0.2.7:${5000 + i}`)
    expect(waited.length).toBe(6)
    for (let i = 0; i < 21; i++) await wrong.wrong(`r/${i}`, `192.0.2.8:${5000 + i}`)
    expect(waited.length).toBe(7)
    for (let i = 0; i < 21; i++) await wrong.wrong(`s/${i}`, '192.0.2.9')
    expect(waited.length).toBe(8)
  })

  it('puts many at once one behind the other', async () => {
    const wrong = tries()
    await Promise.all(Array.from({ length: 9 }, () => wrong.wrong('p/e', '192.0.2.200:1')))
    expect(waited).toEqual([250, 750, 1750, 3750])
  })
})
