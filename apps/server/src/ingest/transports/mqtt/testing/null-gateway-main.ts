import { silentLogger } from '../../../../lib/log.ts'
import type { UplinkOutcome } from '../../../uplink.ts'
import { createMqttTransport } from '../mqtt.transport.ts'
import { MemoryIngest } from './memory-ingest.ts'
import { MemoryStore } from './memory-store.ts'

// Serves the session layer alone, to measure its CPU: messages are forgotten and acknowledged together every 10 ms, as a
// lane would. Forked with IPC; answers 'cpu' with {port} at the start and {user, system, messages, rss} afterwards.
const COMMIT_EVERY_MS = 10
const store = new MemoryStore()
const ingest = new MemoryIngest(store)
let waiting: ((outcome: UplinkOutcome) => void)[] = []
let messages = 0
ingest.signIn = async request => {
  if (request.kind !== undefined && request.kind !== 'secret') return { ok: false, reason: 'not_allowed' }
  const { productKey, deviceNo } = request
  const num = Number(deviceNo.slice(1))
  const known = ingest.devices.get(`${productKey}/${deviceNo}`)?.device
  return { ok: true, device: known ?? ingest.addDevice(num) }
}
ingest.accept = (_uplink, done) => {
  waiting.push(done)
}
setInterval(() => {
  const batch = waiting
  waiting = []
  messages += batch.length
  for (const done of batch) done('stored')
}, COMMIT_EVERY_MS)

const transport = createMqttTransport({
  ingest,
  delivered: () => {},
  store,
  log: silentLogger,
  tcp: { host: '127.0.0.1', port: 0 },
  tls: null,
})
await transport.start()
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ user, system, messages, rss: process.memoryUsage().rss })
})
process.on('disconnect', () => process.exit(0))
process.send?.({ port: transport.ports().mqtt })
