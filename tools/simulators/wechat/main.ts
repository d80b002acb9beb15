import { parseArgs } from 'node:util'
import { startWechat } from './wechat.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9350' },
    host: { type: 'string', default: '127.0.0.1' },
    appid: { type: 'string', default: 'wx0000000000000001' },
    secret: { type: 'string', default: 'simulated0000000000000000000000a' },
  },
})
const wechat = await startWechat({ port: Number(values.port), host: values.host })
wechat.account(values.appid, values.secret)
console.log(`${wechat.url}   (the server needs OUTBOUND_ALLOW=${values.host}/32)`)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    wechat.close().catch(() => process.exit(1))
  })
