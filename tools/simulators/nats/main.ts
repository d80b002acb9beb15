import { parseArgs } from 'node:util'
import { startNatsServer } from './nats-server.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4222' },
    host: { type: 'string', default: '127.0.0.1' },
    stream: { type: 'string', default: 'DEVICES' },
    prefix: { type: 'string', default: '' },
  },
})
const { host, stream, prefix } = values
const server = await startNatsServer({ port: Number(values.port), host, stream: { name: stream, prefix } })
console.log(`nats://${host}:${server.port}   (the server needs OUTBOUND_ALLOW=${host}/32)`)
let shown = 0
const timer = setInterval(() => {
  for (const message of server.messages.slice(shown)) console.log(JSON.stringify(message))
  shown = server.messages.length
  for (const fault of server.faults.splice(0)) console.log(`fault: ${fault}`)
}, 250)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    clearInterval(timer)
    server.close().catch(() => process.exit(1))
  })
