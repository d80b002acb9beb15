import { parseArgs } from 'node:util'
import { startChirpStack } from './chirpstack.ts'

const { values } = parseArgs({
  options: { port: { type: 'string', default: '9330' }, host: { type: 'string', default: '127.0.0.1' } },
})
const server = await startChirpStack({ port: Number(values.port), host: values.host })
console.log(`${server.url}   (the server needs OUTBOUND_ALLOW=${values.host}/32)`)
console.log(`tenant ${server.tenantId}, person ${server.email} / ${server.password}, API key\n${server.apiKey}`)
const beat = setInterval(() => {
  for (const id of server.things.gateways.keys()) server.gatewayStats(id, { heard: 3, sent: 1 })
}, 10_000)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    clearInterval(beat)
    server.close().catch(() => process.exit(1))
  })
