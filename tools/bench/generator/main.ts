import { serveParent } from '../core/child-process.ts'
import { Histogram } from '../core/histogram.ts'
import type { FromGenerator, GeneratorFigures, ToGenerator } from './messages.ts'
import { MeterDevice, type MeterIdentity } from './meter-device.ts'

/** A process of its own, so that its CPU is not the server's nor the benchmark's. */

/** Connections on their way at once. */
const CONNECTING = 100
/** Devices of one local address: the system has some 28,000 ports for each. */
const PER_ADDRESS = 5_000
/** Messages sent before acknowledgements are read again. */
const BURST = 256

const latency = new Histogram()
const unexpected = { first: [] as string[], count: 0 }
let devices: MeterDevice[] = []
let sent = 0
let acked = 0
let lateMs = 0

/** Message `n` of the present pace is due at `began + n / rate`. */
let pace = { rate: 0, began: 0, next: 0 }
let turn = 0
let ticking = false
const clockOffset = Date.now() - performance.now()

async function open(port: number, qos: 0 | 1, identities: MeterIdentity[]): Promise<number> {
  const began = performance.now()
  const events = {
    acked(dueAt: number) {
      acked++
      latency.record(performance.now() - dueAt)
    },
    unexpected(what: string) {
      unexpected.count++
      if (unexpected.first.length < 5) unexpected.first.push(what)
    },
  }
  devices = identities.map(identity => new MeterDevice(identity, qos, events))
  let next = 0
  const worker = async () => {
    for (let i = next++; i < devices.length; i = next++)
      await devices[i]!.open(port, `127.0.0.${2 + Math.floor(i / PER_ADDRESS)}`)
  }
  await Promise.all(Array.from({ length: CONNECTING }, worker))
  return (performance.now() - began) / 1000
}

function tick(): void {
  const now = performance.now()
  const due = ((now - pace.began) / 1000) * pace.rate
  let burst = 0
  while (pace.next < due && burst < BURST) {
    const dueAt = pace.began + (pace.next / pace.rate) * 1000
    if (burst === 0) lateMs = Math.max(lateMs, now - dueAt)
    devices[turn]!.send(dueAt, Math.floor(dueAt + clockOffset))
    turn = turn + 1 === devices.length ? 0 : turn + 1
    pace.next++
    sent++
    burst++
  }
  if (pace.rate === 0) ticking = false
  else if (pace.next < due) setImmediate(tick)
  else setTimeout(tick, 1)
}

function setPace(rate: number): void {
  pace = { rate, began: performance.now(), next: 0 }
  if (ticking || rate === 0) return
  ticking = true
  tick()
}

function figures(): GeneratorFigures {
  const { user, system } = process.cpuUsage()
  const result = {
    sent,
    acked,
    latency: latency.data(),
    lateMs,
    cpuSeconds: (user + system) / 1e6,
    unexpected: { first: [...unexpected.first], count: unexpected.count },
  }
  latency.reset()
  lateMs = 0
  return result
}

serveParent<ToGenerator, FromGenerator>(async message => {
  switch (message.type) {
    case 'connect':
      return { type: 'connected', seconds: await open(message.port, message.qos, message.devices) }
    case 'pace':
      setPace(message.rate)
      return { type: 'done' }
    case 'read':
      return { type: 'figures', figures: figures() }
    case 'per-device':
      return {
        type: 'per-device',
        sent: Uint32Array.from(devices, device => device.sent),
        acked: Uint32Array.from(devices, device => device.acked),
      }
    case 'disconnect':
      setPace(0)
      for (const device of devices) device.close()
      devices = []
      sent = 0
      acked = 0
      turn = 0
      return { type: 'done' }
  }
})
