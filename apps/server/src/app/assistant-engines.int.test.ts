import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { seedMinimal } from '../db/seeds/minimal/minimal.seed.ts'
import { LlmError, type LlmPort } from '../modules/assistant/index.ts'
import { hashPassword } from '../modules/identity/index.ts'
import { PASSWORD, type ScriptedHouse, scriptedHouse } from './testing/scripted-house.ts'

type Chat = LlmPort['chat']

/** Who answers a company, and who is let in at all. */
describe('a company whose installation names a model', () => {
  let house: ScriptedHouse
  let token: string
  /** What the model does next. */
  let model: Chat
  beforeAll(async () => {
    house = await scriptedHouse({ llm: { chat: request => model(request), close: () => {} } })
    token = await house.token('owner')
  })
  beforeEach(() => settings({ engine: 'installation', monthlyTokens: null }))
  afterAll(() => house.close())

  it('is answered by it, and the reply says what it took', async () => {
    model = async function* () {
      yield { type: 'text', text: 'From the model.' }
      yield { type: 'usage', promptTokens: 1000, completionTokens: 200 }
    }
    await settings({ pricePerMillionIn: 100, pricePerMillionOut: 400 })
    const answer = await house.ask(token, 'say hello')
    await answer.ended
    expect(answer.text).toBe('From the model.')
    expect(await row(answer.replyId)).toMatchObject({
      engine: 'installation',
      model: 'scripted-model',
      state: 'done',
      prompt_tokens: 1000,
      completion_tokens: 200,
      cost_fen: '0.18',
    })
  })

  it('is answered by the built-in engine where the model cannot be reached, which says so', async () => {
    model = () => failing(new LlmError('unreachable', 'x'))
    const answer = await house.ask(token, 'say hello')
    await answer.ended
    expect(answer.text).toBe('*The model cannot be reached now; the built-in engine answers.*\n\nhello ')
    expect(await row(answer.replyId)).toMatchObject({ engine: 'builtin', model: null, state: 'done' })
    const chinese = await house.ask(token, 'say 你好')
    await chinese.ended
    expect(chinese.text).toContain('以下由内置引擎回答')
  })

  it('is told when the model breaks off after a first word, and nobody begins again', async () => {
    model = async function* () {
      yield { type: 'text', text: 'I was ab' }
      throw new LlmError('broken', 'x')
    }
    const answer = await house.ask(token, 'say hello')
    await answer.ended
    expect(answer.text).toBe('I was ab')
    expect(answer.events.at(-1)).toMatchObject({ kind: 'error', code: 'model.broken' })
    expect(answer.events.at(-1)!.message).toBeTruthy()
    expect((await row(answer.replyId)).state).toBe('failed')
  })

  it('is told when the model breaks off after it used a tool: a change must not be asked for twice', async () => {
    let round = 0
    model = async function* () {
      if (round++ > 0) throw new LlmError('unreachable', 'x')
      yield { type: 'tool', call: { id: 'c1', name: 'read_much', arguments: '{"characters":3}' } }
    }
    const answer = await house.ask(token, 'say hello')
    await answer.ended
    expect(answer.events.at(-1)!.kind).toBe('error')
    expect(answer.text).not.toContain('hello')
  })

  it('has changes of the model asked for like any other', async () => {
    let round = 0
    model = async function* () {
      if (round++ === 0)
        yield { type: 'tool', call: { id: 'c1', name: 'create_product', arguments: '{"name":"By model"}' } }
      else yield { type: 'text', text: 'Done.' }
    }
    const answer = await house.ask(token, 'make a product')
    const card = await answer.asked()
    expect((await house.send(token, 'GET', 'products?q=By+model')).body.items).toEqual([])
    await house.send(token, 'POST', `assistant/approvals/${card.id}`, { decision: 'once' })
    await answer.ended
    expect(answer.text).toBe('Done.')
    expect((await house.send(token, 'GET', 'products?q=By+model')).body.items).toHaveLength(1)
  })

  it('frees the model when the reply is stopped', async () => {
    let freed = false
    model = async function* ({ signal }) {
      yield { type: 'text', text: 'thinking' }
      await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
      freed = true
      throw new LlmError('broken', 'x')
    }
    const answer = await house.ask(token, 'hello')
    await answer.until(event => event.data === 'thinking')
    await house.send(token, 'POST', `assistant/replies/${answer.replyId}/stop`)
    await answer.ended
    expect(freed).toBe(true)
  })

  it('is answered by the built-in engine when the month’s tokens are used up', async () => {
    model = vi.fn<Chat>(() => failing(new Error('asked although nothing is left')))
    await settings({ monthlyTokens: 1 })
    const answer = await house.ask(token, 'say hello')
    await answer.ended
    expect(answer.text).toBe('*This month’s model tokens are used up; the built-in engine answers.*\n\nhello ')
    expect(model).not.toHaveBeenCalled()
    const { body } = await house.send(token, 'GET', 'assistant')
    expect(body).toEqual({ enabled: true, engine: 'builtin', model: null, overQuota: true })
  })

  it('may switch the assistant off: no answers, no approvals but a denial', async () => {
    await settings({ engine: 'builtin' })
    const waiting = await house.ask(token, 'use create_product {"name":"Too late"}')
    const { id } = await waiting.asked()
    await settings({ engine: 'off' })
    const refused = await house.ask(token, 'say hello')
    expect(refused.status).toBe(403)
    expect((await refused.json()).code).toBe('assistant.off')
    expect((await house.send(token, 'GET', 'assistant')).body.enabled).toBe(false)
    const decided = await house.send(token, 'POST', `assistant/approvals/${id}`, { decision: 'once' })
    expect(decided).toMatchObject({ status: 403, body: { code: 'assistant.off' } })
    expect((await house.send(token, 'POST', `assistant/approvals/${id}`, { decision: 'deny' })).status).toBe(200)
    await waiting.ended
  })

  it('offers tools by right, with questions that lead to them', async () => {
    const { body } = await house.send(await house.token('reader', ['device:read']), 'GET', 'assistant/tools')
    expect(body.items.map((tool: { name: string }) => tool.name)).toEqual([
      'read_device',
      'read_much',
      'ask_back',
      'break_down',
    ])
    expect(body.items[0]).toEqual({
      name: 'read_device',
      title: 'read_device',
      class: 'read',
      permission: 'device:read',
      examples: [],
    })
  })

  it('asks for a fresh proof where the route does, and the approval waits on', async () => {
    await settings({ engine: 'builtin' })
    const answer = await house.ask(token, 'use make_key {"name":"Warehouse"}')
    const { id } = await answer.asked()
    const decide = () => house.send(token, 'POST', `assistant/approvals/${id}`, { decision: 'once' })
    expect(await decide()).toMatchObject({ status: 403, body: { code: 'auth.proof_required' } })
    expect((await house.send(token, 'GET', `assistant/approvals/${id}`)).body.state).toBe('pending')
    await house.send(token, 'POST', 'security/proof', { method: 'password', password: PASSWORD })
    expect((await decide()).body).toMatchObject({ state: 'done' })
    await answer.ended
    expect(answer.text).toContain('Made: ')
    expect(answer.raw).not.toMatch(/twk_[A-Za-z0-9]{8}_/)
  })

  it('lets support that may only look ask, and change nothing', async () => {
    await settings({ engine: 'builtin' })
    await house.send(token, 'POST', 'company/support-access', { hours: 1, mayWrite: false })
    const passwordHash = await hashPassword(PASSWORD)
    const operator = { username: 'platform-operator', passwordHash, displayName: 'Operator', kind: 'operator' } as const
    await seedMinimal(house.db.database, async () => operator)
    const desk = await house.signIn(operator.username)
    const inside = await house.send(desk, 'POST', `operator/companies/${house.tenantId}/enter`)
    expect(inside.status).toBe(200)
    const support = inside.body.access_token
    const offered = await house.ask(support, 'offered')
    await offered.ended
    expect(offered.text.split(' ')).toEqual(['read_device', 'read_much', 'ask_back', 'break_down'])
    const change = await house.ask(support, 'use create_product {"name":"By support"}')
    await change.ended
    expect(change.text).toMatch(/^problem: /)
    expect(change.approvals).toEqual([])
    const own = await house.ask(token, 'use create_product {"name":"By owner"}')
    const { id } = await own.asked()
    const foreign = await house.send(support, 'POST', `assistant/approvals/${id}`, { decision: 'once' })
    expect(foreign.status).toBe(403)
    await house.send(token, 'POST', `assistant/approvals/${id}`, { decision: 'deny' })
    await own.ended
  })

  async function* failing(error: Error): ReturnType<Chat> {
    yield* []
    throw error
  }
  async function settings(change: object): Promise<void> {
    expect(await house.send(token, 'PATCH', 'assistant/settings', change)).toMatchObject({ status: 200 })
  }
  const row = async (id: string) =>
    (await house.db.superuser.query('select * from assistant_replies where id = $1', [id])).rows[0]
})
