import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { startAlipay } from './alipay.ts'

// Keys that the operator enters are written into a folder. Lines of the terminal are codes that somebody pays.
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9321' },
    host: { type: 'string', default: '127.0.0.1' },
    keys: { type: 'string', default: 'alipay-keys' },
  },
})
const alipay = await startAlipay({ port: Number(values.port), host: values.host })
await mkdir(values.keys, { recursive: true, mode: 0o700 })
await writeFile(join(values.keys, 'app-private.pem'), alipay.app.privateKey, { mode: 0o600 })
await writeFile(join(values.keys, 'alipay-public.pem'), alipay.publicKey)
console.log(`${alipay.url}   (the server needs OUTBOUND_ALLOW=${values.host}/32)`)
console.log({ appId: alipay.app.appId, keys: values.keys })
createInterface({ input: process.stdin }).on('line', line => {
  alipay
    .pay(line.trim())
    .then(said => console.log(`paid, the notice was answered with ${said}`))
    .catch((error: Error) => console.log(error.message))
})
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    alipay
      .close()
      .then(() => process.exit(0))
      .catch(() => process.exit(1))
  })
