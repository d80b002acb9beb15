import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Script, startLlmSimulator } from './llm-simulator.ts'
import { maliciousModel } from './malicious-model.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9200' },
    host: { type: 'string', default: '127.0.0.1' },
    'api-key': { type: 'string' },
    model: { type: 'string' },
    script: { type: 'string' },
    malicious: { type: 'boolean', default: false },
  },
})
const talk: Script = [{ text: 'This is a simulated model. It answers the same to every question.' }]
const script: Script = values.script ? (JSON.parse(readFileSync(values.script, 'utf8')) as Script) : talk
const simulator = await startLlmSimulator({
  port: Number(values.port),
  host: values.host,
  apiKey: values['api-key'] ?? null,
  ...(values.model === undefined ? {} : { model: values.model }),
  script: values.malicious ? maliciousModel() : script,
})
console.log(`LLM_BASE_URL=${simulator.url}`)
let shown = 0
const timer = setInterval(() => {
  for (const { messages } of simulator.requests.slice(shown)) console.log(JSON.stringify(messages.at(-1)))
  shown = simulator.requests.length
  for (const fault of simulator.faults.splice(0)) console.log(`refused: ${fault}`)
}, 250)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    clearInterval(timer)
    simulator.close().catch(() => process.exit(1))
  })
