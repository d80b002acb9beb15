import { randomUUID } from 'node:crypto'
import { atMost, type Bench, type BenchOptions, type BenchReport, type Size } from '../core/bench.ts'
import { Histogram } from '../core/histogram.ts'
import { Site } from '../core/site.ts'
import questions from './questions.json' with { type: 'json' }

interface Plan {
  devices: number
  /** How often each question is asked, one after the other. */
  rounds: number
}

const PLANS: Record<Size, Plan> = { S: { devices: 200, rounds: 30 }, M: { devices: 2_000, rounds: 400 } }
/** Of each question, before anything is counted. */
const WARM_ROUNDS = 3
const FIRST_TEXT_MS = 100

interface Seen {
  first: Histogram
  whole: Histogram
}

/** How soon the built-in engine says its first word, and how soon it is done; the same tools over MCP. */
export const assistant: Bench = {
  name: 'assistant',
  summary: 'first text and end of answers of the built-in engine; calls over MCP',
  async run(options) {
    const site = await Site.open()
    try {
      return await run(options, site)
    } catch (error) {
      options.say(site.installation.log.slice(-3_000))
      throw error
    } finally {
      await site.close()
    }
  },
}

async function run({ size }: BenchOptions, site: Site): Promise<BenchReport> {
  const plan = PLANS[size]
  const names = await pumps(site, plan.devices)
  const token = await site.api.signIn()
  const cold = await ask(site, token, questions[0]!.text)
  const seen: Seen[] = questions.map(() => ({ first: new Histogram(), whole: new Histogram() }))
  const mcp = { list: new Histogram(), call: new Histogram() }
  for (let round = -WARM_ROUNDS; round < plan.rounds; round++) {
    const fresh = await site.api.signIn()
    for (const [i, { text }] of questions.entries()) {
      const took = await ask(site, fresh, text.replace('{device}', nameOf(names, round)))
      if (round < 0) continue
      seen[i]!.first.record(took.first)
      seen[i]!.whole.record(took.whole)
    }
    const list = await message(site, fresh, { method: 'tools/list' })
    const params = { name: 'device_overview', arguments: { device: nameOf(names, round) } }
    const call = await message(site, fresh, { method: 'tools/call', params })
    if (round < 0) continue
    mcp.list.record(list)
    mcp.call.record(call)
  }
  return report(plan, seen, mcp, cold.first, await site.postgresVersion())
}

const nameOf = (names: readonly string[], round: number) => names[((round + WARM_ROUNDS) * 7_919) % names.length]!

/** Made over the API, which also makes what they are found by. @returns their names */
async function pumps(site: Site, count: number): Promise<string[]> {
  const battery = { identifier: 'battery', name: 'Battery', dataType: { type: 'int32' }, access: 'r' }
  const thingModel = { properties: [battery] }
  const { id: productId } = await site.api.post<{ id: string }>('/products', {
    name: 'Pump',
    linkType: 'mqtt',
    thingModel,
  })
  const names = Array.from({ length: count }, (_, i) => `Pump ${String(i).padStart(5, '0')}`)
  for (const name of names) await site.api.post('/devices', { productId, name })
  return names
}

/** One question in a conversation of its own. @returns ms to the first text and to the end */
async function ask(site: Site, token: string, question: string): Promise<{ first: number; whole: number }> {
  const query = new URLSearchParams({ input: question, chatId: randomUUID() })
  const began = performance.now()
  const reply = await fetch(`${site.installation.url}/api/v1/assistant/chat?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  if (!reply.ok) throw new Error(`assistant: HTTP ${reply.status} ${await reply.text()}`)
  let first: number | null = null
  let text = ''
  for await (const piece of reply.body!.pipeThrough(new TextDecoderStream())) {
    text += piece
    // The first event says which reply it is and is empty.
    if (first === null && /data: ?\["text",\{"data":"[^"]/.test(text)) first = performance.now() - began
    if (text.includes('data: ["error"')) throw new Error(`assistant: ${question}: ${text.slice(-500)}`)
  }
  if (first === null) throw new Error(`assistant: nothing was said to ${question}: ${text.slice(0, 500)}`)
  return { first, whole: performance.now() - began }
}

/** One message of MCP. @returns ms to the end of its answer */
async function message(site: Site, token: string, body: object): Promise<number> {
  const began = performance.now()
  const reply = await fetch(`${site.installation.url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
  })
  const text = await reply.text()
  if (!reply.ok || text.includes('"isError":true')) throw new Error(`mcp: HTTP ${reply.status} ${text.slice(0, 500)}`)
  return performance.now() - began
}

function report(
  plan: Plan,
  seen: readonly Seen[],
  mcp: { list: Histogram; call: Histogram },
  cold: number,
  postgres: string,
): BenchReport {
  const all = new Histogram()
  for (const { first } of seen) all.add(first.data())
  const at = (histogram: Histogram, percent: number) => Math.round(histogram.percentile(percent) * 10) / 10
  return {
    tables: [
      {
        title: `Each question ${plan.rounds} times, one after the other, ${plan.devices} devices; ms from the request`,
        head: ['question', 'first text p50', 'p95', 'max', 'whole answer p50', 'p95'],
        rows: seen.map(({ first, whole }, i) => [
          questions[i]!.name,
          at(first, 50),
          at(first, 95),
          at(first, 100),
          at(whole, 50),
          at(whole, 95),
        ]),
      },
      {
        title: 'Over MCP, ms',
        head: ['message', 'p50', 'p95', 'max'],
        rows: [
          ['tools/list', at(mcp.list, 50), at(mcp.list, 95), at(mcp.list, 100)],
          ['tools/call of one device', at(mcp.call, 50), at(mcp.call, 95), at(mcp.call, 100)],
        ],
      },
    ],
    goals: [atMost('first text of the built-in engine, p95', at(all, 95), FIRST_TEXT_MS, 'ms')],
    notes: [
      `The very first question after the start took ${Math.round(cold)} ms to its first text: phrases are compiled and the documentation is read then.`,
      'One question at a time: it is how soon an answer begins, not how many there can be.',
    ],
    versions: { PostgreSQL: postgres },
    data: {
      questions: seen.map(({ first, whole }, i) => ({
        name: questions[i]!.name,
        first: first.summary(),
        whole: whole.summary(),
      })),
      mcp: { list: mcp.list.summary(), call: mcp.call.summary() },
      coldMs: cold,
    },
  }
}
