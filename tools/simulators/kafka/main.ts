import { parseArgs } from 'node:util'
import { startKafkaBroker } from './kafka-broker.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9092' },
    host: { type: 'string', default: '127.0.0.1' },
    topic: { type: 'string', default: 'devices' },
  },
})
const broker = await startKafkaBroker({ port: Number(values.port), host: values.host, topic: values.topic })
console.log(`${values.host}:${broker.port} topic ${values.topic}   (the server needs OUTBOUND_ALLOW=${values.host}/32)`)
let shown = 0
const timer = setInterval(() => {
  for (const record of broker.records.slice(shown)) console.log(JSON.stringify(record))
  shown = broker.records.length
  for (const fault of broker.faults.splice(0)) console.log(`fault: ${fault}`)
}, 250)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    clearInterval(timer)
    broker.close().catch(() => process.exit(1))
  })
