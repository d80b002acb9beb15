import { parseArgs } from 'node:util'
import { startWebhookReceiver } from './webhook-receiver.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9100' },
    host: { type: 'string', default: '127.0.0.1' },
    secret: { type: 'string', default: 'secret-of-the-webhook' },
  },
})
const receiver = await startWebhookReceiver({ port: Number(values.port), host: values.host, secret: values.secret })
console.log(`${receiver.url}   (the server needs OUTBOUND_ALLOW=${values.host}/32)`)
let shown = 0
const timer = setInterval(() => {
  for (const item of receiver.items.slice(shown)) console.log(JSON.stringify(item))
  shown = receiver.items.length
  for (const fault of receiver.faults.splice(0)) console.log(`refused: ${fault}`)
}, 250)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    clearInterval(timer)
    receiver.close().catch(() => process.exit(1))
  })
