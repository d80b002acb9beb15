import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { SimulatedCard } from '../cards/made-cards.ts'
import { startCtcc } from './carrier-ctcc.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9311' },
    host: { type: 'string', default: '127.0.0.1' },
    cards: { type: 'string', default: '500' },
    file: { type: 'string' },
  },
})
const cards = values.file ? (JSON.parse(await readFile(values.file, 'utf8')) as SimulatedCard[]) : undefined
const carrier = await startCtcc({
  port: Number(values.port),
  host: values.host,
  count: Number(values.cards),
  ...(cards ? { cards } : {}),
})
console.log(`${carrier.url}   (the server needs OUTBOUND_ALLOW=${values.host}/32)`)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    carrier.close().catch(() => process.exit(1))
  })
