import { parseArgs } from 'node:util'
import { startCtwing } from './ctwing.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9320' },
    host: { type: 'string', default: '127.0.0.1' },
    key: { type: 'string', default: 'simulated-app' },
    secret: { type: 'string', default: 'simulated-secret' },
  },
})
const platform = await startCtwing({
  port: Number(values.port),
  host: values.host,
  appKey: values.key,
  appSecret: values.secret,
})
console.log(`${platform.url}   (the server needs OUTBOUND_ALLOW=${values.host}/32)`)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    platform.close().catch(() => process.exit(1))
  })
