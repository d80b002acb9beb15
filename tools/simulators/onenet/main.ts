import { parseArgs } from 'node:util'
import { startOneNet } from './onenet.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9321' },
    host: { type: 'string', default: '127.0.0.1' },
    user: { type: 'string', default: '100001' },
    key: { type: 'string', default: 'ZmFrZS1hY2Nlc3Mta2V5LWZvci10ZXN0cy0wMDAwMDE=' },
    token: { type: 'string', default: 'faketoken' },
    aes: { type: 'string' },
  },
})
const platform = await startOneNet({
  port: Number(values.port),
  host: values.host,
  userId: values.user,
  accessKey: values.key,
  token: values.token,
  ...(values.aes ? { aesKey: values.aes } : {}),
})
console.log(`${platform.url}   (the server needs OUTBOUND_ALLOW=${values.host}/32)`)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    platform.close().catch(() => process.exit(1))
  })
