import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ReceivedPublish, TinyMqttServer } from '@thingwright/device-sdk/testing/mqtt-server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FleetConfig } from './config.ts'
import { Fleet, type FleetEvents } from './fleet.ts'
import { DEVICE_KINDS, type DeviceKind, linkTypeOf } from './models/index.ts'

const DAY = 86_400_000
/** No process has this id, so it takes no CPU. */
const NOBODY = 2 ** 31 - 1
const MQTT_KINDS = DEVICE_KINDS.filter(kind => linkTypeOf(kind) === 'mqtt')

interface Point {
  ts: number
  values: Record<string, unknown>
}

let server: TinyMqttServer
let folder: string
const fleets: Fleet[] = []

beforeEach(async () => {
  server = await TinyMqttServer.start()
  folder = mkdtempSync(join(tmpdir(), 'fleet-'))
})
afterEach(async () => {
  await Promise.all(fleets.splice(0).map(fleet => fleet.stop()))
  await server.stop()
  rmSync(folder, { recursive: true })
})

function config(kinds: readonly DeviceKind[], { history, ...more }: Partial<FleetConfig> = {}): FleetConfig {
  const devices = kinds.map((kind, i) => {
    return { kind, productKey: 'pk', deviceNo: `${kind}-${i}`, deviceSecret: `secret-${i}`, intervalMs: 30 }
  })
  return {
    mqtt: { host: '127.0.0.1', port: server.port },
    devices,
    // Other tests of this machine would slow the history down.
    ...(history ? { history: { ...history, watchPid: NOBODY } } : {}),
    ...more,
  }
}

async function started(of: FleetConfig, events: FleetEvents = {}, historyRate = 5_000): Promise<Fleet> {
  const fleet = new Fleet(of, events, { tickMs: 10, historyRate })
  fleets.push(fleet)
  await fleet.start()
  return fleet
}

const isHistory = (publish: ReceivedPublish) => publish.payload.startsWith('[')
const postsOf = (deviceNo: string) =>
  server.received.filter(publish => publish.topic === `things/pk/${deviceNo}/property/post`)
const livePoints = (deviceNo: string) =>
  postsOf(deviceNo)
    .filter(publish => !isHistory(publish))
    .map(publish => JSON.parse(publish.payload) as Point)
const historyPoints = (deviceNo: string) =>
  postsOf(deviceNo)
    .filter(isHistory)
    .flatMap(publish => JSON.parse(publish.payload) as Point[])

describe('a fleet', () => {
  it('signs every device in with its own credentials, in both versions of MQTT, and posts at QoS 1', async () => {
    const seen = new Map<string, string>()
    server.options.signIn = (username, password) => {
      seen.set(username, password)
      return 0
    }
    await started(config(MQTT_KINDS))
    await server.until(() => MQTT_KINDS.every((kind, i) => livePoints(`${kind}-${i}`).length >= 2))
    expect([...seen].sort()).toEqual(MQTT_KINDS.map((kind, i) => [`pk/${kind}-${i}`, `secret-${i}`]).sort())
    expect(new Set(server.connects.map(packet => packet.protocolVersion))).toEqual(new Set([4, 5]))
    expect(server.received.every(publish => publish.qos === 1)).toBe(true)
    const [first, second] = livePoints('tank-0')
    expect(second!.ts).toBeGreaterThan(first!.ts)
    expect(Math.abs(Date.now() - first!.ts)).toBeLessThan(60_000)
  })

  it('does what it is told, replies, and shows the new value at once', async () => {
    const fleet = await started(config(['tank']))
    await server.until(() => server.online.includes('pk/tank-0'))
    await server.send('pk/tank-0', 'things/pk/tank-0/property/set', { id: 'c1', params: { valve: 15 } })
    await server.until(() => livePoints('tank-0').at(-1)?.values.valve === 15)
    const reply = server.received.find(publish => publish.topic === 'things/pk/tank-0/property/set_reply')
    expect(JSON.parse(reply!.payload)).toEqual({ id: 'c1', code: 0 })

    await server.send('pk/tank-0', 'things/pk/tank-0/service/flush/invoke', { id: 'c2', params: { seconds: 10 } })
    await server.until(() => server.received.some(publish => publish.topic.endsWith('service/flush/invoke_reply')))
    expect(fleet.stats.commands).toBe(2)
  })

  it('comes back after a cut, and sends again what was not acknowledged', async () => {
    let deaf = true
    server.options.onPublish = () => (deaf ? 'silent' : 'ack')
    const fleet = await started(config(['cold_room']))
    await server.until(() => livePoints('cold_room-0').length >= 3)
    const lost = livePoints('cold_room-0').map(point => point.ts)
    deaf = false
    server.cut()
    await server.until(() => {
      const later = livePoints('cold_room-0').slice(lost.length)
      return lost.every(ts => later.some(point => point.ts === ts))
    })
    await server.until(() => fleet.stats.acked > lost.length)
    expect(fleet.stats.connected).toBe(1)
  })

  it('says whose sign-in was refused, and lets the others live', async () => {
    server.options.signIn = username => (username.endsWith('-0') ? 5 : 0)
    const refused: string[] = []
    await started(config(['tank', 'truck']), { refused: device => refused.push(device.deviceNo) })
    await server.until(() => livePoints('truck-1').length >= 2 && refused.length > 0)
    expect(new Set(refused)).toEqual(new Set(['tank-0']))
    expect(server.online).toEqual(['pk/truck-1'])
  })

  it('goes on where it stopped', async () => {
    const stateFile = join(folder, 'state.json')
    const first = await started(config(['energy_meter'], { stateFile }))
    await server.until(() => livePoints('energy_meter-0').length >= 2)
    await first.stop()
    const before = livePoints('energy_meter-0').at(-1)!
    server.received.length = 0
    await started(config(['energy_meter'], { stateFile }))
    await server.until(() => livePoints('energy_meter-0').length >= 1)
    const after = livePoints('energy_meter-0')[0]!
    expect(after.values.energy).toBeGreaterThanOrEqual(before.values.energy as number)
    expect(Number(after.values.energy) - Number(before.values.energy)).toBeLessThan(1)
  })
})

describe('the history of a fleet', () => {
  const history = { days: 1, maxMessages: 200 }

  it('is written completely, in order, up to where live begins, after a live value', async () => {
    const progress: [number, number][] = []
    const fleet = await started(config(['tank', 'energy_meter'], { history }), {
      history: (done, total) => progress.push([done, total]),
    })
    await fleet.historyWritten
    for (const device of ['tank-0', 'energy_meter-1']) {
      const points = historyPoints(device)
      expect(points).toHaveLength(96)
      expect(isHistory(postsOf(device)[0]!)).toBe(false)
      const times = points.map(point => point.ts)
      expect(times).toEqual(times.toSorted((a, b) => a - b))
      expect(new Set(times).size).toBe(96)
      const firstLive = livePoints(device)[0]!.ts
      expect(firstLive - times[0]!).toBeGreaterThan(DAY - 16 * 60_000)
      expect(times.at(-1)).toBeLessThanOrEqual(firstLive)
      expect(firstLive - times.at(-1)!).toBeLessThan(16 * 60_000)
    }
    expect(progress.at(0)).toEqual([0, 192])
    expect(progress.at(-1)).toEqual([192, 192])
  })

  it('is that of the devices with MQTT; the others are not waited for', async () => {
    const fleet = await started(config(['tank', 'pump_drive', 'flow_meter'], { history }))
    await fleet.historyWritten
    // Every eight minutes: the bound is all for the one that has a history.
    expect(historyPoints('tank-0')).toHaveLength(180)
    expect(fleet.stats).toMatchObject({ devices: 3, connected: 1 })
  })

  it('ends where live begins, physically too', async () => {
    const fleet = await started(config(['energy_meter'], { history }))
    await fleet.historyWritten
    const energies = historyPoints('energy_meter-0').map(point => point.values.energy as number)
    expect(energies).toEqual(energies.toSorted((a, b) => a - b))
    const live = livePoints('energy_meter-0')[0]!.values.energy as number
    const last = energies.at(-1)!
    expect(live).toBeGreaterThanOrEqual(last)
    // At most an interval lies between, so at most an interval's energy at full load.
    expect(live - last).toBeLessThan(90 * 0.25)
  })

  it('is taken up after a restart where it stopped, without a gap and without repetition', async () => {
    const stateFile = join(folder, 'state.json')
    const long = { days: 7, maxMessages: 1_000 }
    const of = config(['tank'], { stateFile, history: long })
    const first = await started(of, {}, 300)
    await server.until(() => historyPoints('tank-0').length >= 100)
    await first.stop()
    const written = historyPoints('tank-0')
    expect(written.length).toBeLessThan(900)
    const second = await started(of)
    await second.historyWritten
    const all = historyPoints('tank-0').map(point => point.ts)
    expect(all.length).toBe(new Set(all).size)
    const gaps = all.slice(1).map((ts, i) => ts - all[i]!)
    expect(new Set(gaps).size).toBe(1)
    expect(all.at(-1)! - all[0]!).toBeGreaterThan(7 * DAY - 2 * gaps[0]!)
  })

  it('never sends a publish beyond 64 KB, and holds on to none of them', async () => {
    const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
    const before = timers()
    const fleet = await started(config(MQTT_KINDS, { history: { days: 1, maxMessages: 1_000 } }))
    await fleet.historyWritten
    const largest = Math.max(...server.received.map(publish => Buffer.byteLength(publish.payload)))
    expect(largest).toBeGreaterThan(10_000)
    expect(largest).toBeLessThanOrEqual(65_536)
    // One for the fleet itself; a timer per publish would keep its payload alive. Others of this process have theirs
    // for a moment, as this very question has.
    await expect.poll(() => timers() - before).toBeLessThan(4)
  })
})
