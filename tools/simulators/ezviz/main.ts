import { parseArgs } from 'node:util'
import { startEzviz } from './ezviz.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9321' },
    host: { type: 'string', default: '127.0.0.1' },
    cameras: { type: 'string', default: '12' },
  },
})
const vendor = await startEzviz({ port: Number(values.port), host: values.host, count: Number(values.cameras) })
console.log(`${vendor.url}   (the server needs OUTBOUND_ALLOW=${values.host}/32)`)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    vendor.close().catch(() => process.exit(1))
  })
