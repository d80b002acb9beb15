import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type ChatRequest,
  type LlmSimulator,
  startLlmSimulator,
} from '../../../../tools/simulators/llm/llm-simulator.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { newId } from '../lib/ids.ts'
import { freePort } from '../lib/testing/free-port.ts'
import { PATIENCE } from '../lib/testing/patience.ts'
import { type AssistantHouse, assistantHouse } from './testing/assistant-house.ts'

/** Whatever model is set, over real HTTP: the asker's side as a browser, the model's side as a provider. */
const HOUSE_KEY = 'sk-canary-key-of-the-installation'
const OWN_KEY = 'sk-canary-key-of-the-company'
let db: TestDatabase
/** The installation's model, and one that a company brought. */
let installed: LlmSimulator
let brought: LlmSimulator
/** The same installation without a model and with one. */
let plain: AssistantHouse
let house: AssistantHouse
beforeAll(async () => {
  db = await testDatabase()
  installed = await startLlmSimulator({ apiKey: HOUSE_KEY, model: 'house', script: [{ text: 'From the house.' }] })
  brought = await startLlmSimulator({ apiKey: OWN_KEY, model: 'own', script: [{ text: 'From our own.' }] })
  const over = { outboundAllow: ['127.0.0.0/8'] }
  plain = await assistantHouse(over, db)
  house = await assistantHouse({ ...over, llm: { baseUrl: installed.url, apiKey: HOUSE_KEY, model: 'house' } }, db)
})
afterAll(async () => {
  await plain?.close()
  await house?.close()
  await installed?.close()
  await brought?.close()
  await db?.drop()
})
beforeEach(() => {
  for (const provider of [installed, brought]) {
    provider.requests.splice(0)
    provider.faults.splice(0)
  }
  installed.behave([{ text: 'From the house.' }])
  brought.behave([{ text: 'From our own.' }])
})

let count = 0
const newCompany = () => {
  count++
  return plain.company(`Company ${count}`, `owner-of-models-${count}`)
}
const own = (over: object = {}) => ({ engine: 'own', baseUrl: brought.url, model: 'own', apiKey: OWN_KEY, ...over })
const set = (token: string, body: object) => plain.call('PATCH', '/assistant/settings', token, body)
const lastReply = async (tenantId: string) =>
  (
    await db.superuser.query(
      'select *, cost_fen::float8 as cost from assistant_replies where tenant_id = $1 order by created_at desc, id desc',
      [tenantId],
    )
  ).rows[0]

describe('before a model is chosen', () => {
  it('nothing leaves the house', async () => {
    const { token } = await newCompany()
    const { text } = await plain.ask(token, 'How many devices are there?')
    expect(text.length).toBeGreaterThan(0)
    // An address and a key alone are no choice either.
    await set(token, { ...own(), engine: 'builtin' })
    await house.ask(token, '有多少台设备？')
    expect([installed.received.length, brought.received.length]).toEqual([0, 0])
    await set(token, { engine: 'off' })
    await expect(house.ask(token, 'How many devices are there?')).rejects.toThrow(/403.*assistant\.off/)
    expect([installed.received.length, brought.received.length]).toEqual([0, 0])
  })
})

describe('the model of the installation', () => {
  it('answers companies that chose nothing, and is paid for in their log', async () => {
    const { token, tenantId } = await newCompany()
    await set(token, { pricePerMillionIn: 100, pricePerMillionOut: 400 })
    installed.behave([{ text: 'Twelve devices.', usage: { prompt: 20_000, completion: 5000 } }])
    expect((await house.ask(token, 'How many devices are there?')).text).toBe('Twelve devices.')
    expect(await lastReply(tenantId)).toMatchObject({
      engine: 'installation',
      model: 'house',
      state: 'done',
      prompt_tokens: 20_000,
      completion_tokens: 5000,
      cost: 4,
    })
    const usage = await house.call<{ tokens: number; costFen: number }>('GET', '/assistant/usage', token)
    expect(usage).toMatchObject({ tokens: 25_000, costFen: 4 })
    const { items } = await house.call<{ items: object[] }>('GET', '/assistant/replies', token)
    expect(items).toHaveLength(1)
    expect(await house.call('GET', '/assistant', token)).toMatchObject({ engine: 'installation', model: 'house' })
    expect(installed.faults).toEqual([])
  })

  it('is offered the tools of the asker and no others, and is told the conversation', async () => {
    const { token, tenantId } = await newCompany()
    const reader = await plain.person(tenantId, token, `reader-${newId().slice(-8)}`, ['device:read', 'product:read'])
    const chatId = newId()
    await house.ask(reader, 'Which devices are there?', { chatId })
    await house.ask(reader, '它们在哪里？', { chatId })
    const [first, second] = installed.requests
    const names = first!.tools!.map(tool => tool.function!.name!)
    const { items } = await house.call<{ items: { name: string }[] }>('GET', '/assistant/tools', reader)
    expect(names.filter(name => name !== 'make_plan').sort()).toEqual(items.map(({ name }) => name).sort())
    expect(names).not.toContain('delete_device')
    expect(second!.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    expect(second!.messages[0]!.content).toContain('Answer in Simplified Chinese')
    expect(installed.faults).toEqual([])
  })
})

describe('a model of the company’s own', () => {
  it('answers with the company’s key', async () => {
    const { token, tenantId } = await newCompany()
    await set(token, own())
    expect((await house.ask(token, 'Who are you?')).text).toBe('From our own.')
    expect(await lastReply(tenantId)).toMatchObject({ engine: 'own', model: 'own' })
    expect(installed.requests).toEqual([])
    expect((await house.call('GET', '/assistant/settings', token)) as object).toMatchObject({ hasApiKey: true })
  })

  it('is never reached at an address inside', async () => {
    const guarded = await assistantHouse({ outboundAllow: [] }, db)
    const { token, tenantId } = await newCompany()
    await set(token, own())
    const before = brought.received.length
    const { text } = await guarded.ask(token, 'How many devices are there?')
    expect(brought.received.length).toBe(before)
    expect(text.length).toBeGreaterThan(0)
    expect((await lastReply(tenantId)).engine).toBe('builtin')
    await guarded.close()
  })
})

describe('when the model does not answer', () => {
  it.each(['unreachable', 'status', 'silent in words'])('(%s) the built-in engine does, and says so', async how => {
    const { token, tenantId } = await newCompany()
    await set(token, own(how === 'unreachable' ? { baseUrl: `http://127.0.0.1:${await freePort()}/v1` } : {}))
    brought.behave(how === 'status' ? [{ status: 503 }] : [{ text: '' }])
    const { text, error } = await house.ask(token, 'How many devices are there?')
    expect(error).toBeNull()
    expect(text).toMatch(/built-in/i)
    expect(await lastReply(tenantId)).toMatchObject({ engine: 'builtin', model: null, state: 'done' })
  })

  it('in the middle of its words, the words stay and the failure is said', async () => {
    const { token, tenantId } = await newCompany()
    await set(token, own())
    brought.behave([{ text: 'There are exactly so many of them: ', fault: 'cut' }])
    const { text, error } = await house.ask(token, 'How many devices are there?')
    expect(text).toMatch(/^There are/)
    expect(error!.message).toBe('the model’s answer broke off or could not be read')
    const row = await lastReply(tenantId)
    expect(row).toMatchObject({ engine: 'own', state: 'failed' })
    // It asks for its money all the same.
    expect(row.completion_tokens).toBeGreaterThan(0)
  })

  it('the month’s tokens being used up, the built-in engine answers and nothing is asked for', async () => {
    const { token, tenantId } = await newCompany()
    await set(token, own({ monthlyTokens: 1000 }))
    brought.behave([{ text: 'One.', usage: { prompt: 900, completion: 200 } }])
    await house.ask(token, 'How many devices are there?')
    expect(await house.call('GET', '/assistant', token)).toMatchObject({ overQuota: true })
    const { text } = await house.ask(token, 'How many devices are there?')
    expect(brought.requests).toHaveLength(1)
    expect(text).toMatch(/month|used up/i)
    expect(await lastReply(tenantId)).toMatchObject({ engine: 'builtin', prompt_tokens: 0 })
  })
})

describe('a reply that is stopped', () => {
  it('frees the model and is paid for', async () => {
    const { token, tenantId } = await newCompany()
    await set(token, own())
    brought.behave([{ text: 'word '.repeat(200), fault: 'stall' }])
    const query = new URLSearchParams({ input: 'Tell me everything', chatId: newId() })
    const reply = await fetch(`${house.base}/api/v1/assistant/chat?${query}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader()
    let stream = ''
    // The first words of a model that nobody knows yet come together, once it is clear that they are no thoughts.
    while (!stream.includes('word word')) {
      const { value, done } = await reader.read()
      expect(done, stream).toBe(false)
      stream += value
    }
    expect(brought.open).toBe(1)
    const { id } = await lastReply(tenantId)
    await house.call('POST', `/assistant/replies/${id}/stop`, token)
    await vi.waitFor(() => expect(brought.open).toBe(0), PATIENCE)
    await vi.waitFor(async () => expect((await lastReply(tenantId)).state).toBe('stopped'), PATIENCE)
    expect((await lastReply(tenantId)).completion_tokens).toBeGreaterThan(0)
    await reader.cancel()
  })
})

describe('secrets', () => {
  it('of devices, keys and the model itself never reach a model, whatever it asks for', async () => {
    const { token } = await newCompany()
    await set(token, own())
    const product = await plain.call<{ id: string; productSecret?: string }>('POST', '/products', token, {
      name: 'Vault',
      linkType: 'mqtt',
    })
    const device = await plain.call<{ id: string; deviceSecret: string }>('POST', '/devices', token, {
      productId: product.id,
      name: 'Safe 1',
      deviceNo: `safe-${count}`,
    })
    const key = await plain.call<{ key: string }>('POST', '/api-keys', token, {
      name: 'A program',
      scopes: ['device:read'],
    })
    expect(device.deviceSecret.length).toBeGreaterThan(10)
    expect(key.key).toMatch(/^twk_/)
    // Every tool there is, about these things; changes are denied. A tool that asks back ends its reply.
    const { items } = await house.call<{ items: { name: string }[] }>('GET', '/assistant/tools', token)
    const left = items.map(({ name }) => name)
    const things: Record<string, string> = {
      device: 'Safe 1',
      product: 'Vault',
      api_key: 'A program',
      key: 'A program',
    }
    brought.behave((request: ChatRequest) => {
      const [name] = left
      const offered = request.tools!.find(tool => tool.function!.name === name)
      // A provider takes so many tools at once: one that was not chosen is named by the next question.
      if (!name || !offered) return { text: 'That is all.' }
      left.shift()
      const { parameters } = offered.function!
      const { properties = {} } = parameters as { properties?: Record<string, object> }
      const known = Object.entries(things).filter(([input]) => input in properties)
      return { toolCalls: [{ name, arguments: Object.fromEntries(known) }] }
    })
    const secrets = [device.deviceSecret, product.productSecret, key.key, OWN_KEY, HOUSE_KEY, token].filter(Boolean)
    const question = `My key is ${key.key} and my token is ${token}. What is the secret of device Safe 1?`
    let streams = ''
    while (left.length > 0) {
      const before = left.length
      streams += (await house.ask(token, `${question} ${left.slice(0, 20).join(' ')}`)).stream
      expect(left.length).toBeLessThan(before)
    }
    expect(brought.faults).toEqual([])
    expect(items.length).toBeGreaterThan(20)
    const told = brought.requests.map(request => JSON.stringify(request)).join('\n')
    expect(told).toContain('Safe 1')
    const kept = await db.superuser.query(
      `select message::text as text from assistant_messages union all select steps::text from assistant_approvals
       union all select after::text from audit_logs where action like 'assistant.%'`,
    )
    for (const secret of secrets) {
      expect(told).not.toContain(secret)
      expect(streams).not.toContain(secret)
      expect(JSON.stringify(kept.rows)).not.toContain(secret)
    }
  })
})

describe('a model that refuses the company’s key', () => {
  const notices = async (token: string) =>
    (await plain.call<{ items: { kind: string; link: string; text: string }[] }>('GET', '/inbox', token)).items.filter(
      ({ kind }) => kind === 'assistant.key_refused',
    )
  const since = async (token: string) =>
    (await plain.call<{ keyRefusedAt: string | null }>('GET', '/assistant/settings', token)).keyRefusedAt

  it.each([401, 403])('is told to its owner once, and to the asker as it is (%d)', async status => {
    const { token, tenantId } = await newCompany()
    await set(token, own())
    const asker = await plain.person(tenantId, token, `asker-${newId().slice(-8)}`, ['device:read'])
    brought.behave([{ status, error: { message: `Incorrect API key provided: ${OWN_KEY}` } }])
    for (const question of ['How many devices are there?', 'How many products are there?']) {
      const { text } = await plain.ask(asker, question)
      expect(text).toContain('refused the company’s key; its administrators were told')
      expect(text).not.toContain('Incorrect')
      expect(text.length).toBeGreaterThan(150)
    }
    expect(await notices(token)).toMatchObject([{ link: '/admin/account?tab=assistant' }])
    expect(JSON.stringify(await notices(token))).not.toContain(OWN_KEY)
    expect(await notices(asker)).toEqual([])
    expect(await since(token)).toMatch(/^20/)
    // A new key begins anew.
    await set(token, { apiKey: `${OWN_KEY}-2` })
    expect(await since(token)).toBeNull()
    await plain.ask(asker, 'How many devices are there?')
    expect(await notices(token)).toHaveLength(2)
    brought.behave([{ text: 'From our own.' }])
    await set(token, { apiKey: OWN_KEY })
    expect((await plain.ask(asker, 'Hello?')).text).toBe('From our own.')
    expect(await since(token)).toBeNull()
  })

  it('that takes it again is no longer told about', async () => {
    const { token } = await newCompany()
    await set(token, own())
    brought.behave([{ status: 401, error: { message: 'no' } }, { text: 'Back.' }])
    await plain.ask(token, 'How many devices are there?')
    expect(await since(token)).not.toBeNull()
    expect((await plain.ask(token, 'And now?')).text).toBe('Back.')
    expect(await since(token)).toBeNull()
  })
})

describe('a secret of a device', () => {
  it('reaches no model: not in the question, not in a result, not in the history', async () => {
    const { token, tenantId } = await newCompany()
    await set(token, own())
    const product = await plain.call<{ id: string }>('POST', '/products', token, {
      name: 'Secretive',
      linkType: 'mqtt',
    })
    const device = await plain.call<{ id: string; deviceSecret: string }>('POST', '/devices', token, {
      productId: product.id,
      name: 'Holder',
    })
    // One that no look gives away, as another platform may have given it.
    const plainSecret = 'waterpump'
    await db.superuser.query('update devices set previous_secret_hash = sha256($2::bytea) where id = $1', [
      device.id,
      Buffer.from(plainSecret),
    ])
    const chatId = newId()
    brought.behave([
      { text: 'One.' },
      { toolCalls: [{ name: 'find_device', arguments: {} }] },
      { text: 'Two.' },
      { text: 'Three.' },
    ])
    await plain.call('PATCH', `/devices/${device.id}`, token, { version: 1, description: `use ${plainSecret}!` })
    await plain.ask(token, `Why is ${device.deviceSecret} refused, and ${plainSecret}, and hunter: password=hunter2?`, {
      chatId,
    })
    await plain.ask(token, 'And what of Holder?', { chatId })
    const encoded = Buffer.from(`pump/one:${plainSecret}`).toString('base64')
    await plain.ask(token, `My header is ${encoded}`, { chatId })
    expect(brought.requests.length).toBeGreaterThanOrEqual(2)
    for (const secret of [device.deviceSecret, plainSecret, 'hunter2', encoded])
      expect(brought.received).not.toContain(secret)
    expect(brought.received).toContain('[secret]')
    expect(tenantId).toBeTruthy()
  })
})
