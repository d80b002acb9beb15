import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { SimulatedCard } from '../cards/made-cards.ts'
import { startCmcc } from './carrier-cmcc.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9310' },
    host: { type: 'string', default: '127.0.0.1' },
    appid: { type: 'string', default: '100002000000' },
    password: { type: 'string', default: 'simulated' },
    cards: { type: 'string', default: '500' },
    file: { type: 'string' },
  },
})
const cards = values.file ? (JSON.parse(await readFile(values.file, 'utf8')) as SimulatedCard[]) : undefined
const carrier = await startCmcc({
  port: Number(values.port),
  host: values.host,
  appid: values.appid,
  password: values.password,
  count: Number(values.cards),
  ...(cards ? { cards } : {}),
})
console.log(`${carrier.url}   (the server needs OUTBOUND_ALLOW=${values.host}/32)`)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    carrier.close().catch(() => process.exit(1))
  })
