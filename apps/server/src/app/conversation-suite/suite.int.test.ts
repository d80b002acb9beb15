import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startLlmSimulator } from '../../../../../tools/simulators/llm/llm-simulator.ts'
import { tenantTables } from '../../db/testing/fill-tenant.ts'
import { type Answer, type AssistantHouse, assistantHouse } from '../testing/assistant-house.ts'
import { type Askers, furnish } from './furnish.ts'
import { judge, QUESTIONS, type Question } from './judge.ts'

/**
 * Sixty questions, as people ask them, against the built-in engine and against a model that is scripted. Each is answered
 * over HTTP by the whole application; every approval is denied, and nothing may have changed in the end.
 */
const ENOUGH = 57
const MODEL_KEY = 'sk-canary-of-the-model'

let house: AssistantHouse
let withModel: AssistantHouse
let simulator: Awaited<ReturnType<typeof startLlmSimulator>>
let askers: Askers

beforeAll(async () => {
  house = await assistantHouse()
  simulator = await startLlmSimulator({ script: [{ text: 'nothing' }], apiKey: MODEL_KEY })
  withModel = await assistantHouse({ llm: { baseUrl: simulator.url, apiKey: MODEL_KEY, model: 'scripted' } }, house.db)
  askers = await furnish(house)
})
afterAll(async () => {
  await withModel.close()
  await house.close()
  await simulator.close()
})

/** Rows that a question itself leaves behind: the conversation, and what was refused or decided in the operation log. */
const OWN = /^(assistant_|audit_|user_logs?$|sign_in|sessions?$)/

/** What stands in every table of the company, as one text per table. */
async function everything(): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const { name } of await tenantTables(house.db.superuser)) {
    if (OWN.test(name)) continue
    const { rows } = await house.db.superuser.query(
      `select to_jsonb(t)::text as row from ${name} t where tenant_id = $1 order by 1`,
      [askers.tenantId],
    )
    found[name] = `${rows.length} ${createHash('sha256').update(JSON.stringify(rows)).digest('hex')}`
  }
  return found
}

/** Lines of the operation log that tell of a change. */
async function changes(): Promise<string[]> {
  const { rows } = await house.db.superuser.query(
    `select action from audit_logs where tenant_id = $1 and result = 'ok' and action not like 'assistant.%' order by id`,
    [askers.tenantId],
  )
  return rows.map(row => row.action)
}

type Script = Parameters<typeof simulator.behave>[0]

/** Asks it, with what was asked before it. `behave`: what the model answers to a question. */
async function asked(at: AssistantHouse, question: Question, behave?: (script: Script) => void): Promise<Answer> {
  const token = askers.tokens[question.who]
  const chatId = crypto.randomUUID()
  for (const before of question.context ?? []) {
    behave?.(question.contextCall ? [called(question.contextCall), { text: 'ok' }] : [{ text: 'ok' }])
    await at.ask(token, before, { chatId })
  }
  behave?.(scripted(question))
  return at.ask(token, question.question, { chatId })
}

/** Asks them all. @returns lines that say what was wrong */
async function run(at: AssistantHouse, behave?: (script: Script) => void): Promise<string[]> {
  const wrong: string[] = []
  for (const question of QUESTIONS) {
    const why = await asked(at, question, behave).then(
      answer => judge(question, answer),
      (error: Error) => error.message,
    )
    if (why) wrong.push(`${question.id} ${question.question}\n    ${why}`)
  }
  return wrong
}

function print(title: string, wrong: string[]): void {
  const byArea = new Map<string, number>()
  for (const { area } of QUESTIONS) byArea.set(area, (byArea.get(area) ?? 0) + 1)
  const lost = (area: string) => wrong.filter(line => line.startsWith(`${area}-`)).length
  const areas = [...byArea].map(([area, count]) => `${area} ${count - lost(area)}/${count}`).join(', ')
  console.log(`${title}: ${QUESTIONS.length - wrong.length} of ${QUESTIONS.length} (${areas})`)
  for (const line of wrong) console.log(`  ${line}`)
}

describe('the suite', () => {
  it('has sixty questions, half of them Chinese, five and more of every area', () => {
    expect(QUESTIONS).toHaveLength(60)
    expect(new Set(QUESTIONS.map(({ id }) => id)).size).toBe(60)
    expect(QUESTIONS.filter(({ locale }) => locale === 'zh')).toHaveLength(30)
    const areas = [...new Set(QUESTIONS.map(({ area }) => area))].filter(area => area !== 'general')
    expect(areas).toHaveLength(11)
    for (const area of areas)
      expect(QUESTIONS.filter(each => each.area === area).length, area).toBeGreaterThanOrEqual(5)
  })
})

describe('sixty questions', () => {
  it('to the built-in engine: the right tool, the right arguments, the right no; nothing happens without approval', async () => {
    const before = [await everything(), await changes()]
    const wrong = await run(house)
    print('built-in engine', wrong)
    expect([await everything(), await changes()]).toEqual(before)
    expect(QUESTIONS.length - wrong.length, wrong.join('\n')).toBeGreaterThanOrEqual(ENOUGH)
  })

  it('to a model: its calls are made as the asker, its changes wait for approval', async () => {
    const before = [await everything(), await changes()]
    const wrong = await run(withModel, script => simulator.behave(script))
    print('scripted model', wrong)
    expect([await everything(), await changes()]).toEqual(before)
    expect(wrong).toEqual([])
    expect(simulator.faults).toEqual([])
    expect(simulator.requests.length).toBeGreaterThan(QUESTIONS.length)
    const bodies = simulator.received.replaceAll(`Bearer ${MODEL_KEY}`, '')
    for (const secret of [MODEL_KEY, ...askers.secrets]) expect(bodies).not.toContain(secret)
  })

  it('leave a change behind as soon as one is allowed: the comparison sees it', async () => {
    const before = await everything()
    const rename = QUESTIONS.find(({ id }) => id === 'devices-2')!
    const answer = await house.ask(askers.tokens.owner, rename.question, { decision: 'once' })
    expect(answer.approvals).toHaveLength(1)
    const after = await everything()
    expect(Object.keys(after).filter(table => after[table] !== before[table])).toContain('devices')
    expect(await changes()).toContain('device.update')
  })
})

const called = ({ name, input }: { name: string; input: unknown }) => ({ toolCalls: [{ name, arguments: input }] })

/** A model that does what is expected of it, and says something at the end. */
function scripted({ expect: wanted, locale, call }: Question): Script {
  if (wanted.honest) return [{ text: SAID.no[locale] }]
  const text = SAID.yes[locale]
  if (wanted.document) return [{ text: `${text} ${wanted.document.map(readable).join(' ')}` }]
  const made = call ?? { name: [wanted.tool ?? []].flat()[0]!, input: wanted.input ?? {} }
  return [called(made), { text: wanted.refusal ? `${text} ${wanted.refusal}` : text }]
}

const SAID = { yes: { zh: '好的。', en: 'There you are.' }, no: { zh: '这个我做不到。', en: 'I cannot do that.' } }
/** A text that a pattern of the suite finds. */
const readable = (pattern: string) => pattern.split('|').at(-1)!.replaceAll('\\', '')
