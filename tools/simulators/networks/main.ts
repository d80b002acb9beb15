import { randomUUID } from 'node:crypto'
import { startChirpStack } from '../chirpstack/chirpstack.ts'
import { madeCameras, startEzviz } from '../ezviz/ezviz.ts'
import { furnish, live } from './life.ts'
import { readState, restore, writeState } from './state.ts'

// The simulated networks of the demo company: a ChirpStack whose devices speak, and an EZVIZ account with cameras. The
// server starts this and says over its channel where events go.
type Order =
  | { type: 'integrate'; url: string; headers: Record<string, string> }
  | { type: 'connected' }
  | { type: 'stop' }

const [stateFile = ''] = process.argv.slice(2)
const BEAT_MS = 20_000
const APP = { appKey: 'a0b1c2d3e4f5', appSecret: 'simulated' }
const { state, isFirst } = readState(stateFile)
const { tenantId, apiKeyId, secret } = state
const lns = await startChirpStack({ tenantId, apiKeyId, secret })
const vendor = await startEzviz({ ...APP, cameras: state.cameras ?? madeCameras(2, APP.appKey) })
restore(state, lns)
if (isFirst) furnish(lns, randomUUID(), Date.now())

// Before the company is connected everything is to be begun again by the next start.
let connected = !isFirst
const keep = () => {
  if (connected) writeState(stateFile, state, lns, vendor)
}
let busy = false
const round = () => {
  if (busy) return
  busy = true
  live(lns, Date.now())
    // The server is being started or ended: the next round finds it again.
    .catch(() => undefined)
    .finally(() => {
      busy = false
      keep()
    })
}
const beat = setInterval(round, BEAT_MS)

function end(): void {
  clearInterval(beat)
  keep()
  Promise.all([lns.close(), vendor.close()])
    .then(() => process.exit(0))
    .catch(() => process.exit(1))
}

process.on('message', (order: Order) => {
  if (order.type === 'stop') end()
  else if (order.type === 'connected') {
    connected = true
    round()
  } else lns.integrate({ url: order.url, headers: order.headers })
})
// Whoever started it is gone.
process.once('disconnect', end)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end)
for (const id of lns.things.gateways.keys()) lns.gatewayStats(id)
process.send?.({
  type: 'ready',
  isFirst,
  chirpstack: { url: lns.url, tenantId, apiKey: lns.apiKey, email: lns.email, password: lns.password },
  ezviz: { url: vendor.url, ...APP },
})
