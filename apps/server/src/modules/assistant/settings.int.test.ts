import type { SetAssistantSettings } from '@thingwright/contracts/assistant.contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type LlmSimulator, startLlmSimulator } from '../../../../../tools/simulators/llm/llm-simulator.ts'
import { createOpenAiLlm } from '../../adapters/llm/openai/openai-llm.ts'
import { type Company, company, refusal } from '../../db/testing/management.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import type { LlmSettings } from '../../lib/config.ts'
import { newId } from '../../lib/ids.ts'
import type { Notice } from '../notifications/index.ts'
import type { LlmPort } from './llm.port.ts'
import { type AssistantSettings, costFen, createAssistantSettings } from './settings.service.ts'
import { createAssistantUsage } from './usage.service.ts'

const KEY = 'sk-canary-of-the-company-55'
const ZONE = 'Asia/Shanghai'
const notices: Notice[] = []
let db: TestDatabase
let provider: LlmSimulator
let llm: LlmPort
let mine: Company
let theirs: Company
beforeAll(async () => {
  db = await testDatabase()
  provider = await startLlmSimulator({ apiKey: KEY, model: 'sim', script: [{ text: 'OK' }] })
  llm = createOpenAiLlm({ outboundAllow: ['127.0.0.0/8'] })
})
afterAll(async () => {
  llm.close()
  await provider.close()
  await db.drop()
})
beforeEach(async () => {
  mine = await company(db)
  theirs = await company(db)
})

function settings(installation: LlmSettings | null = null, outboundAllow = ['127.0.0.0/8']): AssistantSettings {
  return createAssistantSettings({
    database: db.database,
    secretKey: 'k'.repeat(64),
    installation,
    llm,
    outboundAllow,
    timeZone: async () => ZONE,
    inbox: { notify: async (_, notice) => void notices.push(notice) },
  })
}

const usage = () => createAssistantUsage({ database: db.database, timeZone: async () => ZONE })
const INSTALLATION = { baseUrl: 'http://10.0.0.9/v1', apiKey: 'sk-canary-of-the-installation', model: 'house' }
const own = (over: SetAssistantSettings = {}): SetAssistantSettings => ({
  engine: 'own',
  baseUrl: provider.url,
  model: 'sim',
  apiKey: KEY,
  ...over,
})

describe('what answers a company', () => {
  it('is the built-in engine until a model is named, and the installation’s where there is one', async () => {
    expect(await settings().effective(mine.id)).toMatchObject({ engine: 'builtin', target: null, model: null })
    expect(await settings().get(mine.ctx)).toMatchObject({
      engine: 'builtin',
      hasApiKey: false,
      installation: null,
      usedTokens: 0,
      version: 1,
      updatedAt: null,
      temperature: 0.2,
    })
    expect(await settings(INSTALLATION).effective(mine.id)).toMatchObject({
      engine: 'installation',
      target: { ...INSTALLATION, trusted: true },
      model: 'house',
    })
    const view = await settings(INSTALLATION).get(mine.ctx)
    expect(view.installation).toEqual({ model: 'house' })
    expect(JSON.stringify(view)).not.toContain('canary')
  })

  it('stays what was chosen, and the built-in engine where the installation’s model went away', async () => {
    await settings(INSTALLATION).set(mine.ctx, { engine: 'builtin' })
    expect((await settings(INSTALLATION).effective(mine.id)).target).toBeNull()
    await settings(INSTALLATION).set(mine.ctx, { engine: 'installation' })
    expect((await settings().effective(mine.id)).engine).toBe('builtin')
    await settings().set(mine.ctx, { engine: 'off' })
    expect((await settings(INSTALLATION).effective(mine.id)).engine).toBe('off')
    expect((await settings(INSTALLATION).effective(theirs.id)).engine).toBe('installation')
  })

  it('is its own model, guarded, with a key that nobody sees again', async () => {
    const view = await settings().set(mine.ctx, own({ temperature: 0.7, maxTokens: 512, sendValues: false }))
    expect(view).toMatchObject({ engine: 'own', hasApiKey: true, temperature: 0.7, maxTokens: 512, version: 2 })
    expect(await settings().effective(mine.id)).toMatchObject({
      engine: 'own',
      target: { baseUrl: provider.url, apiKey: KEY, model: 'sim', trusted: false },
      sendValues: false,
    })
    const stored = await db.superuser.query('select row_to_json(s)::text as row from assistant_settings s')
    const logged = await db.superuser.query(
      'select row_to_json(a)::text as row from audit_logs a where tenant_id = $1',
      [mine.id],
    )
    expect(logged.rows).toHaveLength(1)
    expect(logged.rows[0].row).toContain('assistant.set_settings')
    for (const text of [JSON.stringify(view), ...stored.rows.map(r => r.row), ...logged.rows.map(r => r.row)]) {
      expect(text).not.toContain(KEY)
      expect(text).not.toContain(Buffer.from(KEY).toString('hex'))
    }
  })
})

describe('changes', () => {
  it('keep what they do not name; null takes the key and the limit away', async () => {
    await settings().set(mine.ctx, own({ monthlyTokens: 1000, pricePerMillionIn: 200, pricePerMillionOut: 800 }))
    const view = await settings().set(mine.ctx, { temperature: 1 })
    expect(view).toMatchObject({ engine: 'own', hasApiKey: true, monthlyTokens: 1000, pricePerMillionIn: 200 })
    const bare = await settings().set(mine.ctx, { apiKey: null, monthlyTokens: null })
    expect(bare).toMatchObject({ hasApiKey: false, monthlyTokens: null, version: 4 })
  })

  it('of the address leave the key behind, unless it is the same server', async () => {
    await settings().set(mine.ctx, own())
    await settings().set(mine.ctx, { baseUrl: `${provider.url}/other` })
    expect((await settings().effective(mine.id)).target!.apiKey).toBe(KEY)
    await settings().set(mine.ctx, { baseUrl: 'https://attacker.example/v1' })
    expect((await settings().effective(mine.id)).target!.apiKey).toBeNull()
  })

  it('of an old version are refused with what is there', async () => {
    await settings().set(mine.ctx, { engine: 'builtin', version: 1 })
    const error = await refusal(settings().set(mine.ctx, { engine: 'off', version: 1 }))
    expect(error.code).toBe('version.conflict')
    expect(error.params.current).toMatchObject({ engine: 'builtin', version: 2 })
    // Connections that are open already: all of them read before the first one writes.
    await Promise.all(Array.from({ length: 8 }, () => settings().get(mine.ctx)))
    const many = await Promise.allSettled(
      Array.from({ length: 8 }, () => settings().set(mine.ctx, { engine: 'off', version: 2 })),
    )
    expect(many.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await settings().get(mine.ctx)).version).toBe(3)
  })

  it.each<[string, SetAssistantSettings, string, RegExp]>([
    ['no address', { engine: 'own', model: 'x' }, 'baseUrl', /地址/],
    ['no model', { engine: 'own', baseUrl: 'https://model.example/v1', model: '  ' }, 'model', /模型名称/],
    ['no model of the installation', { engine: 'installation' }, 'engine', /LLM_BASE_URL/],
    ['no URL', { baseUrl: 'model.example' }, 'baseUrl', /网址/],
    ['a file', { baseUrl: 'file:///etc/passwd' }, 'baseUrl', /https/],
    ['a password in it', { baseUrl: 'https://a:b@model.example/v1' }, 'baseUrl', /密码/],
    ['a query', { baseUrl: 'https://model.example/v1?key=1' }, 'baseUrl', /查询/],
    ['an internal address', { baseUrl: 'https://10.0.0.1/v1' }, 'baseUrl', /不允许/],
    ['the cloud’s own data', { baseUrl: 'http://169.254.169.254/' }, 'baseUrl', /不允许/],
    ['another service’s port', { baseUrl: 'https://model.example:5432/' }, 'baseUrl', /不允许/],
  ])('with %s are refused, saying so', async (_, change, field, text) => {
    const error = await refusal(settings().set(mine.ctx, change))
    expect(error.code).toBe('assistant.model_invalid')
    expect(Object.keys(error.fields!)).toEqual([field])
    expect(String(error.params.detail)).toMatch(text)
    const english = await refusal(settings().set({ ...mine.ctx, locale: 'en' }, change))
    expect(String(english.params.detail)).not.toMatch(/\p{Script=Han}/u)
    expect((await settings().get(mine.ctx)).version).toBe(1)
  })

  it('to plain http need an address that the operator allows', async () => {
    const change = own({ baseUrl: 'http://model.example/v1' })
    expect((await refusal(settings(null, []).set(mine.ctx, change))).params.detail).toMatch(/OUTBOUND_ALLOW/)
  })

  it('take an address as people copy it', async () => {
    for (const [typed, kept] of [
      [' https://model.example/v1/ ', 'https://model.example/v1'],
      ['https://model.example/v1/chat/completions', 'https://model.example/v1'],
      ['https://MODEL.example:443', 'https://model.example'],
      ['', ''],
    ])
      expect((await settings().set(mine.ctx, { engine: 'builtin', baseUrl: typed! })).baseUrl).toBe(kept)
  })

  it('of one company are not another’s', async () => {
    await settings().set(mine.ctx, own())
    expect(await settings().get(theirs.ctx)).toMatchObject({ engine: 'builtin', baseUrl: '', hasApiKey: false })
  })
})

describe('a test of the model', () => {
  it('says whether it answers and whether it can call tools', async () => {
    provider.behave([{ toolCalls: [{ name: 'connection_test', arguments: { ok: true } }] }])
    expect(await settings().test(mine.ctx, own())).toMatchObject({ ok: true, text: 'OK', toolCalls: true })
    provider.behave([{ text: 'y'.repeat(1000) }])
    const talks = await settings().test(mine.ctx, own())
    expect(talks).toMatchObject({ ok: true, toolCalls: false })
    expect(talks.text.length).toBeLessThan(310)
    provider.limit({ tools: false })
    provider.behave([{ text: 'OK' }])
    expect(await settings().test(mine.ctx, own())).toMatchObject({ ok: true, toolCalls: false })
    provider.limit({})
    expect((await settings().get(mine.ctx)).version).toBe(1)
    expect(provider.faults).toEqual([])
  })

  it('says why not, without the key', async () => {
    const wrongKey = await settings().test(mine.ctx, own({ apiKey: 'sk-wrong-canary-0123456789' }))
    expect(wrongKey).toMatchObject({ ok: false, text: expect.stringMatching(/密钥.*HTTP 401/) })
    expect(wrongKey.text).not.toContain('canary')
    const noModel = await settings().test({ ...mine.ctx, locale: 'en' }, own({ model: 'other' }))
    expect(noModel).toMatchObject({ ok: false, text: expect.stringMatching(/refused.*HTTP 404.*other/) })
    provider.faults.splice(0)
  })

  it('uses the stored key for the server it was stored for, and for no other', async () => {
    await settings().set(mine.ctx, own())
    provider.behave([{ text: 'OK' }])
    expect((await settings().test(mine.ctx, {})).ok).toBe(true)
    expect((await settings().test(mine.ctx, { baseUrl: provider.url, model: 'sim' })).ok).toBe(true)
    const attacker = await startLlmSimulator({ script: [{ text: 'thank you' }] })
    expect((await settings().test(mine.ctx, { baseUrl: attacker.url })).ok).toBe(true)
    expect(attacker.received).not.toContain(KEY)
    expect(attacker.received.toLowerCase()).not.toContain('authorization')
    await attacker.close()
    // Nor does another company come by it.
    expect((await settings().test(theirs.ctx, own({ apiKey: null }))).ok).toBe(false)
    provider.faults.splice(0)
  })

  it('needs something that can be tested', async () => {
    expect((await refusal(settings().test(mine.ctx, {}))).code).toBe('assistant.model_invalid')
    expect((await refusal(settings().test(mine.ctx, { engine: 'own' }))).fields).toHaveProperty('baseUrl')
    const guarded = createOpenAiLlm({ outboundAllow: [] })
    const deps = {
      database: db.database,
      secretKey: 'k'.repeat(64),
      installation: null,
      inbox: { notify: async () => {} },
      timeZone: async () => ZONE,
    }
    const strict = createAssistantSettings({ ...deps, llm: guarded, outboundAllow: [] })
    // An address that is the server itself is refused before anybody is asked, and not said to be 127.0.0.1.
    const refused = await refusal(strict.test(mine.ctx, own({ baseUrl: 'https://localhost/v1' })))
    expect(refused.fields).toHaveProperty('baseUrl')
    expect(JSON.stringify(refused)).not.toContain('127.0.0.1')
    guarded.close()
  })
})

/** 30 November 2026, 23:30 in Shanghai. */
const LAST_EVENING = Date.UTC(2026, 10, 30, 15, 30)

async function reply(of: Company, at: number, tokens: [number, number], over: { login?: string; user?: string } = {}) {
  const id = newId()
  await db.superuser.query(
    `insert into assistant_replies (id, tenant_id, login_id, user_name, engine, model, tools, state, prompt_tokens, completion_tokens, cost_fen, duration_ms, created_at)
     values ($1, $2, $3, $4, 'own', 'sim', '{list_devices}', 'done', $5, $6, 1.5, 1200, to_timestamp($7 / 1000.0))`,
    [id, of.id, over.login ?? newId(), over.user ?? 'li.na', ...tokens, at],
  )
  return id
}

describe('a month of tokens', () => {
  it('is the company’s month, and the built-in engine answers when it is used up', async () => {
    const hour = 3_600_000
    await settings().set(mine.ctx, own({ monthlyTokens: 1000 }))
    const at = (now: number) => settings().effective(mine.id, now)
    await reply(mine, LAST_EVENING, [600, 300])
    expect(await at(LAST_EVENING)).toMatchObject({ overQuota: false, remainingTokens: 100 })
    await reply(mine, LAST_EVENING, [50, 50])
    await reply(theirs, LAST_EVENING, [5000, 5000])
    expect(await at(LAST_EVENING)).toMatchObject({ overQuota: true, remainingTokens: 0 })
    // A new month begins at midnight in Shanghai, eight hours before it does in Greenwich.
    expect(await at(LAST_EVENING + hour)).toMatchObject({ overQuota: false, remainingTokens: 1000 })
    await settings().set(mine.ctx, { monthlyTokens: null })
    expect(await at(LAST_EVENING)).toMatchObject({ overQuota: false, remainingTokens: null })
    await settings().set(mine.ctx, { monthlyTokens: 0 })
    expect((await at(LAST_EVENING + hour)).overQuota).toBe(true)
  })

  it('is shown by day and by person', async () => {
    const [anna, bo] = [newId(), newId()]
    await reply(mine, LAST_EVENING, [100, 10], { login: anna, user: 'anna' })
    await reply(mine, LAST_EVENING + 1800_000 - 1, [200, 20], { login: anna, user: 'anna.new' })
    await reply(mine, LAST_EVENING + 1800_000, [400, 40], { login: bo, user: 'bo' })
    await reply(mine, Date.UTC(2026, 9, 31, 16, 0), [1000, 0], { login: bo, user: 'bo' })
    const ctx = { ...mine.ctx, now: LAST_EVENING + 24 * 3_600_000 }
    const november = await usage().month(ctx, '2026-11')
    expect(november).toMatchObject({ month: '2026-11', tokens: 1330, limit: null, costFen: 4.5 })
    expect(november.days).toHaveLength(30)
    expect(november.days[0]).toMatchObject({ day: '2026-11-01', replies: 1, promptTokens: 1000 })
    expect(november.days[1]).toMatchObject({ day: '2026-11-02', replies: 0, costFen: 0 })
    expect(november.days[29]).toMatchObject({ day: '2026-11-30', replies: 2, promptTokens: 300, completionTokens: 30 })
    expect(november.people.map(({ userName, replies, tokens }) => [userName, replies, tokens])).toEqual([
      ['bo', 1, 1000],
      ['anna.new', 2, 330],
    ])
    // The current month ends today.
    const december = await usage().month(ctx, undefined)
    expect(december.days.map(({ day }) => day)).toEqual(['2026-12-01'])
    expect(december.tokens).toBe(440)
    expect((await usage().month(theirs.ctx, '2026-11')).tokens).toBe(0)
    for (const month of ['2026-13', '2026-00', '0000-01'])
      expect((await refusal(usage().month(ctx, month))).code).toBe('request.validation')
  })

  it('costs what the prices say', () => {
    expect(costFen({ priceIn: 200, priceOut: 800 }, 1_500_000, 500_000)).toBe(700)
    expect(costFen({ priceIn: 0, priceOut: 0 }, 1, 1)).toBe(0)
  })
})

describe('the list of replies', () => {
  it('comes newest first, page by page, within a span', async () => {
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.unshift(await reply(mine, LAST_EVENING + n, [n, 1]))
    await reply(theirs, LAST_EVENING, [1, 1])
    const first = await usage().replies(mine.ctx, { limit: 3 })
    const rest = await usage().replies(mine.ctx, { limit: 3, cursor: first.nextCursor! })
    expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(ids)
    expect(rest.nextCursor).toBeNull()
    expect(first.items[0]).toEqual({
      id: ids[0],
      at: new Date(LAST_EVENING + 4).toISOString(),
      userName: 'li.na',
      engine: 'own',
      model: 'sim',
      tools: ['list_devices'],
      state: 'done',
      promptTokens: 4,
      completionTokens: 1,
      costFen: 1.5,
      durationMs: 1200,
      rating: null,
    })
    const some = await usage().replies(mine.ctx, { from: LAST_EVENING + 1, to: LAST_EVENING + 3 })
    expect(some.items).toHaveLength(2)
    expect((await usage().replies(mine.ctx, { from: -8.64e18, to: 8.64e18 })).items).toHaveLength(5)
    for (const cursor of ['x', Buffer.from('["a","b"]').toString('base64url')])
      expect((await refusal(usage().replies(mine.ctx, { cursor }))).code).toBe('request.cursor_invalid')
  })
})
