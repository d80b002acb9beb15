import { Api } from '../core/api.ts'
import { seconds, until } from '../core/bench.ts'
import { serveParent } from '../core/child-process.ts'
import { Histogram } from '../core/histogram.ts'
import { JsonSocket } from '../core/web-socket.ts'
import { MeterDevice } from '../generator/meter-device.ts'
import { pulseCounterOf } from '../generator/packets.ts'
import type { FromProber, Probe, ProberFigures, ToProber } from './messages.ts'

/** One clock, one process: sends probes, and sees when each is acknowledged, readable over REST, and in the browser. */

/** What the platform sends over its live socket. */
interface LiveMessage {
  op?: string
  topic?: string
  type?: string
  patch?: Record<string, { value: unknown }>
}

/** A message on its way, by device and counter. */
interface Flight {
  dueAt: number
  ts: number
  wantsStored: boolean
}

const LOST_AFTER_MS = 5_000
const REST_CONNECTIONS = 8

const puback = new Histogram()
const stored = new Histogram()
const browser = new Histogram()
const clockOffset = Date.now() - performance.now()
let tooEarly = 0
const lost = { puback: 0, stored: 0, browser: 0 }

let api: Api
let devices: ProbeDevice[] = []
let pace = { rate: 0, storedEvery: 1, began: 0, next: 0 }
let ticking = false

class ProbeDevice {
  /** Messages that were not acknowledged or not seen in the browser yet, by the value they carry. */
  readonly unseen = new Map<number, Flight>()
  readonly unacked: Flight[] = []
  readonly device: MeterDevice
  lookups = 0

  constructor(readonly probe: Probe) {
    this.device = new MeterDevice(probe.identity, 1, {
      acked: () => this.onAck(),
      unexpected: what => {
        throw new Error(`${probe.identity.clientId}: ${what}`)
      },
    })
  }

  send(dueAt: number, wantsStored: boolean): void {
    const flight = { dueAt, ts: Math.floor(dueAt + clockOffset), wantsStored }
    this.unseen.set(pulseCounterOf(this.device.sent), flight)
    this.unacked.push(flight)
    this.device.send(dueAt, flight.ts)
  }

  /** A patch of the live socket. */
  onPatch(value: unknown): void {
    const flight = this.unseen.get(value as number)
    if (!flight) return
    this.unseen.delete(value as number)
    browser.record(performance.now() - flight.dueAt)
  }

  private onAck(): void {
    const flight = this.unacked.shift()!
    puback.record(performance.now() - flight.dueAt)
    if (flight.wantsStored) this.lookUp(flight).catch(() => undefined)
  }

  /** The acknowledgement is the first moment at which anybody may rely on it. */
  private async lookUp(flight: Flight): Promise<void> {
    this.lookups++
    const path = `/devices/${this.probe.id}/telemetry/raw?identifier=pulseCounter&from=${flight.ts}&to=${flight.ts + 1}`
    try {
      while (performance.now() - flight.dueAt < LOST_AFTER_MS) {
        const { items } = await api.get<{ items: unknown[] }>(path)
        if (items.length > 0) return stored.record(performance.now() - flight.dueAt)
        tooEarly++
      }
      lost.stored++
    } catch {
      lost.stored++
    } finally {
      this.lookups--
    }
  }
}

async function open({ url, mqttPort, probes }: Extract<ToProber, { type: 'open' }>): Promise<void> {
  api = new Api(url, REST_CONNECTIONS)
  const token = await api.signIn()
  devices = probes.map(probe => new ProbeDevice(probe))
  for (const { device } of devices) await device.open(mqttPort, '127.0.0.1')
  const byTopic = new Map(devices.map(device => [`device/${device.probe.id}/properties`, device]))
  const subscribed = new Set<string>()
  const receive = (received: unknown) => {
    const message = received as LiveMessage
    if (message.op === 'ready') client.send({ op: 'subscribe', topics: [...byTopic.keys()] })
    else if (message.op === 'subscribed') subscribed.add(message.topic!)
    else if (message.type === 'patch') byTopic.get(message.topic!)?.onPatch(message.patch?.pulseCounter?.value)
  }
  const client = await JsonSocket.open(`${url}/api/v1/live`, receive)
  client.send({ op: 'auth', token })
  // A token lives 15 minutes.
  const renew = async () => client.send({ op: 'auth', token: await api.signIn() })
  setInterval(() => renew().catch((error: Error) => process.stderr.write(`${error.stack}\n`)), 600_000).unref()
  if (!(await until(() => subscribed.size === byTopic.size, 10_000)))
    throw new Error(`the live socket took ${subscribed.size} of ${byTopic.size} topics`)
}

function tick(): void {
  const due = ((performance.now() - pace.began) / 1000) * pace.rate
  while (pace.next < due) {
    const dueAt = pace.began + (pace.next / pace.rate) * 1000
    devices[pace.next % devices.length]!.send(dueAt, pace.next % pace.storedEvery === 0)
    pace.next++
  }
  if (pace.rate === 0) ticking = false
  else setTimeout(tick, 1)
}

/** Waits for what is on its way, then counts what did not come. */
async function read(): Promise<ProberFigures> {
  await seconds(0.5)
  await until(() => devices.every(d => d.unacked.length === 0 && d.unseen.size === 0 && d.lookups === 0), LOST_AFTER_MS)
  for (const { unacked, unseen } of devices) {
    lost.puback += unacked.length
    lost.browser += unseen.size
    unseen.clear()
  }
  return {
    puback: puback.data(),
    stored: stored.data(),
    browser: browser.data(),
    tooEarly,
    lost: { ...lost },
  }
}

function reset(): void {
  for (const histogram of [puback, stored, browser]) histogram.reset()
  tooEarly = 0
  Object.assign(lost, { puback: 0, stored: 0, browser: 0 })
}

serveParent<ToProber, FromProber>(async message => {
  switch (message.type) {
    case 'open':
      await open(message)
      return { type: 'done' }
    case 'pace':
      pace = { rate: message.rate, storedEvery: message.storedEvery, began: performance.now(), next: 0 }
      if (!ticking && pace.rate > 0) {
        ticking = true
        tick()
      }
      return { type: 'done' }
    case 'reset':
      reset()
      return { type: 'done' }
    case 'read':
      return { type: 'figures', figures: await read() }
  }
})
