import { afterEach, describe, expect, it } from 'vitest'
import { type SimulatedBroker, startBroker } from '../../../../../../tools/simulators/chirpstack/broker.ts'
import { createAddressGuard } from '../../../lib/outbound/outbound-guard.ts'
import type { Feed } from '../../../modules/lora/feed.port.ts'
import { createMqttFeed } from './mqtt-feed.ts'

/** More than are in work at once. */
const MANY = 600
const euiOf = (n: number) => (0x0102030400000000n + BigInt(n)).toString(16).padStart(16, '0')
const uplink = (n: number) =>
  Buffer.from(JSON.stringify({ deviceInfo: { devEui: euiOf(n) }, fPort: 2, data: 'AQI=', fCnt: n }))

let broker: SimulatedBroker | undefined
let feed: Feed | undefined
afterEach(async () => {
  await feed?.close()
  await broker?.close()
})

/** A listener whose events end when they are let go. */
async function listening() {
  broker = await startBroker()
  const { host, port, username, password } = broker
  const seen: string[] = []
  let isOpen = false
  const held: (() => void)[] = []
  let connects = 0
  feed = createMqttFeed(
    { host, port, tls: false, username, password, prefix: '', clientId: 'listener' },
    {
      connected: () => connects++,
      failed: () => undefined,
      unreadable: (topic, reason) => {
        throw new Error(`${topic}: ${reason}`)
      },
      event: devEui => {
        seen.push(devEui)
        return isOpen ? Promise.resolve() : new Promise<void>(resolve => held.push(resolve))
      },
    },
    { guard: createAddressGuard(['127.0.0.1/32']), pauseMs: 20 },
  )
  await expect.poll(() => broker!.filters().length).toBe(1)
  return {
    broker,
    seen,
    connects: () => connects,
    inWork: () => held.length,
    letGo() {
      isOpen = true
      for (const end of held.splice(0)) end()
    },
  }
}

describe('the listener at the broker of ChirpStack', () => {
  it('goes on after a connection that ended while more events were in work than it takes at once', async () => {
    const listener = await listening()
    for (let n = 0; n < MANY; n++) broker!.publish(`application/1/device/${euiOf(n)}/event/up`, uplink(n))
    await expect.poll(listener.inWork).toBeGreaterThanOrEqual(256)
    broker!.cut()
    await expect.poll(listener.connects, { timeout: 5_000 }).toBe(2)
    // The new connection has sent as much as is taken at once, and waits.
    await new Promise(resolve => setImmediate(resolve))
    listener.letGo()
    await expect.poll(() => broker!.unacknowledged(), { timeout: 10_000 }).toBe(0)
    expect(new Set(listener.seen).size).toBe(MANY)
  })

  it('takes a message once that comes again while its event is in work', async () => {
    const listener = await listening()
    for (let n = 0; n < 20; n++) broker!.publish(`application/1/device/${euiOf(n)}/event/up`, uplink(n))
    await expect.poll(listener.inWork).toBe(20)
    broker!.cut()
    await expect.poll(listener.connects, { timeout: 5_000 }).toBe(2)
    broker!.publish(`application/1/device/${euiOf(99)}/event/up`, uplink(99))
    // What was sent again came before it.
    await expect.poll(listener.inWork).toBe(21)
    listener.letGo()
    await expect.poll(() => broker!.unacknowledged(), { timeout: 10_000 }).toBe(0)
    expect(listener.seen).toHaveLength(21)
  })
})
