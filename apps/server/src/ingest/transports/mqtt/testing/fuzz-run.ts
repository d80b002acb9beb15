import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startHarness } from './harness.ts'
import { fuzz } from './packet-fuzz.ts'
import { RawClient } from './raw-client.ts'

const DEVICES = 50

export interface FuzzReport {
  packets: number
  seed: number
  seconds: number
  /** The session layer's own exceptions, each of which would have been a bug. */
  failures: unknown[]
  /** False when the server or a client that did nothing wrong did not survive. */
  alive: boolean
  /** What is still held after a full collection: resident memory would measure when the collector last ran. */
  heldGrowthMb: number
  /** What a well-behaved client published meanwhile, and what of it was stored. */
  bystander: { published: number; stored: number }
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes on the heap and in buffers that something still refers to. */
function heldBytes(): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Fuzzes the device path (gateway and store in memory) while one good client publishes through it. */
export async function runFuzz(
  packets: number,
  seed: number,
  progress: (sent: number) => void = () => {},
): Promise<FuzzReport> {
  const harness = await startHarness({ limits: { connectTimeoutMs: 2000 } })
  for (let num = 1; num <= DEVICES; num++) harness.ingest.addDevice(num)
  const bystander = DEVICES + 1
  harness.ingest.addDevice(bystander)
  const client = await RawClient.signedIn(harness.port, bystander, 5)
  const began = performance.now()
  let published = 0
  let stored = 0
  let alive = true
  let held = 0

  const sent = await fuzz({
    port: harness.port,
    packets,
    seed,
    devices: DEVICES,
    async alive(soFar) {
      published++
      client.publish(bystander, 'property/post', String(published), 1, 1 + (published % 60_000))
      alive = await client.next('puback').then(
        () => true,
        () => false,
      )
      stored += harness.ingest.journal.filter(row => row.device === bystander && row.text === String(published)).length
      harness.ingest.journal.length = 0
      harness.ingest.events.length = 0
      harness.ingest.notes.length = 0
      // What the first packets cost is code and caches, not a leak.
      if (held === 0 && soFar > packets / 5) held = heldBytes()
      progress(soFar)
      return alive && harness.failures.length === 0
    },
  })
  const report = {
    packets: sent,
    seed,
    seconds: Math.round((performance.now() - began) / 100) / 10,
    failures: harness.failures,
    alive,
    heldGrowthMb: Math.round((heldBytes() - held) / 1e5) / 10,
    bystander: { published, stored },
  }
  client.destroy()
  await harness.stop()
  return report
}
