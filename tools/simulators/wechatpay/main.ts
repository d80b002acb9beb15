import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { startWechatPay } from './wechatpay.ts'

// Keys that the operator enters are written into a folder. Lines of the terminal are codes that somebody pays.
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9320' },
    host: { type: 'string', default: '127.0.0.1' },
    keys: { type: 'string', default: 'wechatpay-keys' },
  },
})
const pay = await startWechatPay({ port: Number(values.port), host: values.host })
await mkdir(values.keys, { recursive: true, mode: 0o700 })
const { privateKey, ...merchant } = pay.merchant
await writeFile(join(values.keys, 'merchant-private.pem'), privateKey, { mode: 0o600 })
await writeFile(join(values.keys, 'wechatpay-public.pem'), pay.platform.publicKey)
console.log(`${pay.url}   (the server needs OUTBOUND_ALLOW=${values.host}/32)`)
console.log({ ...merchant, platformKeyId: pay.platform.keyId, keys: values.keys })
createInterface({ input: process.stdin }).on('line', line => {
  pay
    .pay(line.trim())
    .then(status => console.log(`paid, the notice was answered with ${status}`))
    .catch((error: Error) => console.log(error.message))
})
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    pay
      .close()
      .then(() => process.exit(0))
      .catch(() => process.exit(1))
  })
