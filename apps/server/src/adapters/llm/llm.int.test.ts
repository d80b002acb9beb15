import type { LookupFunction } from 'node:net'
import { Type } from 'typebox'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type Fault,
  type LlmSimulator,
  type Script,
  startLlmSimulator,
} from '../../../../../tools/simulators/llm/llm-simulator.ts'
import { freePort } from '../../lib/testing/free-port.ts'
import {
  LlmError,
  type LlmEvent,
  type LlmPort,
  type LlmRequest,
  type LlmTarget,
} from '../../modules/assistant/llm.port.ts'
import { createOpenAiLlm } from './openai/openai-llm.ts'

const KEY = 'sk-canary-of-this-model-0123456789'
const ZH = '设备“冷库1号”🌡 现在 −18.5 ℃，一切正常。'
const LOCAL = ['127.0.0.0/8']
/** Longer than anything here is waited for: what ends did not end because its time was over. */
const PATIENT = { firstByteMs: 300_000, pieceMs: 300_000 }
const TOOL = {
  name: 'list_devices',
  description: 'Lists devices',
  input: Type.Object({ product: Type.Optional(Type.String()) }, { additionalProperties: false }),
}

let provider: LlmSimulator
let llm: LlmPort
beforeAll(async () => {
  provider = await startLlmSimulator({ apiKey: KEY, script: [{ text: 'hello' }] })
})
afterAll(async () => {
  llm.close()
  await provider.close()
})
beforeEach(async () => {
  llm?.close()
  // What an endpoint was found not to take is not remembered from test to test.
  llm = createOpenAiLlm({ outboundAllow: LOCAL, ...PATIENT, stranger: { characters: 0, ms: 0 } })
  await expect.poll(() => provider.open).toBe(0)
  provider.faults.splice(0)
  provider.limit({})
})
afterEach(() => void vi.useRealTimers())

const target = (over: Partial<LlmTarget> = {}): LlmTarget => ({
  baseUrl: provider.url,
  apiKey: KEY,
  model: 'sim',
  trusted: false,
  ...over,
})

function request(over: Partial<LlmRequest> = {}): LlmRequest {
  return {
    target: target(),
    messages: [
      { role: 'system', content: 'You help.' },
      { role: 'user', content: 'Which devices?' },
    ],
    tools: [],
    temperature: 0.2,
    maxTokens: 500,
    signal: new AbortController().signal,
    ...over,
  }
}

async function eventsOf(script: Script, over: Partial<LlmRequest> = {}): Promise<LlmEvent[]> {
  provider.behave(script)
  return all(llm.chat(request(over)))
}

async function failureOf(script: Script, over: Partial<LlmRequest> = {}): Promise<LlmError> {
  const error = await eventsOf(script, over).then(
    events => new Error(`it answered ${JSON.stringify(events)}`),
    (thrown: unknown) => thrown,
  )
  if (error instanceof LlmError) return error
  throw error
}

async function all(events: AsyncIterable<LlmEvent>): Promise<LlmEvent[]> {
  const list: LlmEvent[] = []
  for await (const event of events) list.push(event)
  return list
}

const textOf = (events: LlmEvent[]) => events.map(event => (event.type === 'text' ? event.text : '')).join('')
const callsOf = (events: LlmEvent[]) => events.flatMap(event => (event.type === 'tool' ? [event.call] : []))

describe.each([
  ['a company’s own address, guarded', false],
  ['the installation’s address, trusted', true],
])('a model behind %s', (_, trusted) => {
  const with_ = (over: Partial<LlmRequest> = {}) => ({ target: target({ trusted }), ...over })

  it('answers in pieces that come whole, however the network tears them', async () => {
    const events = await eventsOf([{ text: ZH.repeat(20) }], with_())
    expect(textOf(events)).toBe(ZH.repeat(20))
    expect(events.filter(event => event.type === 'text').length).toBeGreaterThan(50)
    expect(provider.faults).toEqual([])
  })

  it('calls several tools whose arguments come in turns', async () => {
    const events = await eventsOf(
      [
        {
          text: 'I look.',
          toolCalls: [
            { id: 'a', name: 'list_devices', arguments: { product: ZH } },
            { id: 'b', name: 'list_devices', arguments: '{"product": broken' },
            { name: 'list_devices' },
          ],
        },
      ],
      with_({ tools: [TOOL] }),
    )
    expect(textOf(events)).toBe('I look.')
    expect(callsOf(events)).toEqual([
      { id: 'a', name: 'list_devices', arguments: JSON.stringify({ product: ZH }) },
      { id: 'b', name: 'list_devices', arguments: '{"product": broken' },
      { id: expect.any(String), name: 'list_devices', arguments: '{}' },
    ])
    expect(provider.requests.at(-1)!.tools).toHaveLength(1)
  })

  it('says what it took in a last chunk without choices', async () => {
    const events = await eventsOf([{ text: 'x', usage: { prompt: 1234, completion: 56 } }], with_())
    expect(events.at(-1)).toEqual({ type: 'usage', promptTokens: 1234, completionTokens: 56 })
    expect((await eventsOf([{ text: 'x', usage: null }], with_())).some(({ type }) => type === 'usage')).toBe(false)
  })

  it('is freed at once when the question is taken back, in the middle of the answer and before it', async () => {
    for (const fault of ['stall', 'silent', 'endless'] as Fault[]) {
      const { aborted } = provider
      const control = new AbortController()
      const reading = eventsOf([{ text: ZH, fault }], with_({ signal: control.signal }))
      await expect.poll(() => provider.open).toBe(1)
      control.abort('stopped')
      await expect(reading).rejects.toBe('stopped')
      await expect.poll(() => [provider.open, provider.aborted]).toEqual([0, aborted + 1])
    }
  })

  it('is freed when nobody reads on', async () => {
    provider.behave([{ text: ZH, fault: 'stall' }])
    for await (const event of llm.chat(request(with_()))) if (event.type === 'text') break
    await expect.poll(() => provider.open).toBe(0)
  })

  it.each<Fault>(['silent', 'no-first-byte', 'stall'])('that falls %s is not waited for', async fault => {
    // The clock goes on only once the question has arrived.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const limit = fault === 'stall' ? { pieceMs: 200 } : { firstByteMs: 400 }
    llm = createOpenAiLlm({ outboundAllow: LOCAL, ...PATIENT, ...limit })
    const before = provider.requests.length
    let error: LlmError | null = null
    const failing = failureOf([{ text: ZH.repeat(3), fault }], with_()).then(failure => {
      error = failure
    })
    await expect.poll(() => provider.requests.length).toBe(before + 1)
    await expect
      .poll(() => {
        vi.advanceTimersByTime(200)
        return error?.reason
      })
      .toBe('timeout')
    await failing
    expect(provider.requests.length).toBe(before + 1)
    await expect.poll(() => provider.open).toBe(0)
  })

  it.each<[Fault, string]>([
    ['cut', 'broken'],
    ['unfinished', 'broken'],
    ['garbage', 'broken'],
    ['error-inside', 'broken'],
    ['endless', 'broken'],
  ])('that is %s ends as %s, and is not asked again', async (fault, reason) => {
    const before = provider.requests.length
    const error = await failureOf([{ text: ZH.repeat(3), fault }], with_())
    expect(error.reason).toBe(reason)
    if (fault === 'error-inside') expect(error.said).toBe('the model fell over')
    expect(provider.requests.length).toBe(before + 1)
    await expect.poll(() => provider.open).toBe(0)
  })

  it.each([
    [401, 'refused'],
    [403, 'refused'],
    [404, 'refused'],
    [400, 'refused'],
    [429, 'rate'],
    [408, 'timeout'],
    [504, 'timeout'],
    [500, 'broken'],
    [503, 'broken'],
  ])('that answers %d is %s, asked once, its own words kept', async (status, reason) => {
    const before = provider.requests.length
    const error = await failureOf([{ status, error: { message: `no: ${status}` } }], with_())
    expect(error).toMatchObject({ reason, status, said: `HTTP ${status}: no: ${status}` })
    expect(provider.requests.length).toBe(before + 1)
  })

  it('never says the key, even where the provider repeats it', async () => {
    for (const apiKey of ['sk-wrong-canary-9876543210', 'Wrong.canary/9876543210']) {
      const { said } = await failureOf([], { target: target({ trusted, apiKey }) })
      expect(said).toMatch(/HTTP 401: Incorrect API key/)
      expect(said).not.toContain('canary')
    }
    // Some repeat only its ends.
    const message = 'Incorrect API key provided: sk-canar*******6789.'
    expect((await failureOf([{ status: 401, error: { message } }], with_())).said).not.toContain('canar')
    expect(provider.faults).toEqual(['a wrong key', 'a wrong key'])
  })

  it('says nothing of an answer that is no refusal in JSON', async () => {
    const error = await failureOf([{ status: 302, headers: { location: 'http://127.0.0.1/secret' } }], with_())
    expect(error).toMatchObject({ reason: 'refused', status: 302 })
    expect(error.said).not.toContain('secret')
  })

  it('cannot be reached where nobody listens', async () => {
    const error = await failureOf([], { target: target({ trusted, baseUrl: 'http://127.0.0.1:9/v1' }) })
    expect(error.reason).toBe(trusted ? 'unreachable' : 'blocked')
    const baseUrl = `http://127.0.0.1:${await freePort()}/v1`
    expect((await failureOf([], { target: target({ trusted, baseUrl }) })).reason).toBe('unreachable')
  })
})

describe('an answer without an end', () => {
  it.each([
    [64, 64 * 16],
    [500, 500 * 16],
  ])('of %d tokens is told to %d characters at most, and its connection is closed', async (maxTokens, most) => {
    const { aborted } = provider
    provider.behave([{ text: ZH, fault: 'endless' }])
    let told = ''
    const reading = (async () => {
      for await (const event of llm.chat(request({ maxTokens }))) if (event.type === 'text') told += event.text
    })()
    await expect(reading).rejects.toMatchObject({ reason: 'broken', said: 'the answer has no end' })
    expect(told.length).toBeGreaterThan(most / 2)
    expect(told.length).toBeLessThanOrEqual(most)
    await expect.poll(() => [provider.open, provider.aborted]).toEqual([0, aborted + 1])
  })
})

describe('a model that takes no more requests for now', () => {
  const waits: number[] = []
  const waiting = (wait = async (_ms: number, _signal: AbortSignal) => {}) => {
    waits.splice(0)
    llm.close()
    llm = createOpenAiLlm({
      outboundAllow: LOCAL,
      ...PATIENT,
      wait: async (ms, signal) => {
        waits.push(ms)
        await wait(ms, signal)
      },
    })
  }
  const busy = (headers: Record<string, string>) => ({ status: 429, error: { message: 'slow down' }, headers })

  it('is asked again when it said, in seconds', async () => {
    waiting()
    const before = provider.requests.length
    expect(textOf(await eventsOf([busy({ 'retry-after': '7' }), { text: 'now' }]))).toBe('now')
    expect(waits).toEqual([7000])
    expect(provider.requests.length).toBe(before + 2)
  })

  it('is asked again when it said, as a date or in milliseconds', async () => {
    waiting()
    const date = new Date(Date.now() + 12_000).toUTCString()
    expect(textOf(await eventsOf([busy({ 'retry-after': date }), { text: 'now' }]))).toBe('now')
    expect(waits[0]).toBeGreaterThan(0)
    expect(waits[0]).toBeLessThanOrEqual(12_000)
    waiting()
    await eventsOf([busy({ 'retry-after': '1', 'retry-after-ms': '250' }), { text: 'now' }])
    expect(waits).toEqual([250])
  })

  it('is waited for twice at most', async () => {
    waiting()
    const before = provider.requests.length
    expect(await failureOf([busy({ 'retry-after': '1' })])).toMatchObject({ reason: 'rate', status: 429 })
    expect(waits).toEqual([1000, 1000])
    expect(provider.requests.length).toBe(before + 3)
  })

  it.each(['3600', '21', new Date(Date.now() + 3_600_000).toUTCString()])(
    'is not waited for when that is long (%s), nor asked before its time',
    async told => {
      waiting()
      const before = provider.requests.length
      expect((await failureOf([busy({ 'retry-after': told }), { text: 'now' }])).reason).toBe('rate')
      expect((await failureOf([{ text: 'now' }])).reason).toBe('rate')
      expect(waits).toEqual([])
      expect(provider.requests.length).toBe(before + 1)
      // Another key is another account.
      const other = target({ model: 'another' })
      expect(textOf(await eventsOf([{ text: 'now' }], { target: other }))).toBe('now')
    },
  )

  it.each(['', 'soon', '-5', 'Infinity', '1e9'])(
    'is not waited for when it says nothing that can be read: %j',
    async told => {
      waiting()
      expect((await failureOf([busy({ 'retry-after': told })])).reason).toBe('rate')
      expect(waits).toEqual([])
    },
  )

  it('is not waited for any longer when the question is taken back', async () => {
    const control = new AbortController()
    waiting(async (_, signal) => {
      control.abort('stopped')
      signal.throwIfAborted()
    })
    provider.behave([busy({ 'retry-after': '5' })])
    await expect(all(llm.chat(request({ signal: control.signal })))).rejects.toBe('stopped')
  })
})

describe('endpoints that do not take everything', () => {
  it('are asked without what they refuse, once, and from then on', async () => {
    provider.limit({ streamOptions: false, temperature: false, maxTokens: false })
    const before = provider.received.length
    expect(textOf(await eventsOf([{ text: 'ok' }]))).toBe('ok')
    const tries = provider.received.slice(before).match(/POST /g)
    expect(tries).toHaveLength(4)
    const last = provider.requests.at(-1)!
    expect(last).not.toHaveProperty('stream_options')
    expect(last).not.toHaveProperty('temperature')
    expect(last.max_completion_tokens).toBe(500)
    const learned = provider.received.length
    await eventsOf([{ text: 'ok' }])
    expect(provider.received.slice(learned).match(/POST /g)).toHaveLength(1)
  })

  it('that take no tools are told that they can do nothing', async () => {
    provider.limit({ tools: false })
    const events = await eventsOf([{ text: 'I can only talk.' }], {
      tools: [TOOL],
      messages: [
        { role: 'system', content: 'You help.' },
        { role: 'user', content: 'one' },
        { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'list_devices', arguments: '{}' }] },
        { role: 'tool', toolCallId: 'a', content: '{}' },
        { role: 'assistant', content: 'done' },
        { role: 'user', content: 'two' },
      ],
    })
    expect(textOf(events)).toBe('I can only talk.')
    const { messages, tools } = provider.requests.at(-1)!
    expect(tools).toBeUndefined()
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    expect(messages[0]!.content).toMatch(/No tools are available/)
    expect(provider.faults).toEqual([])
  })

  it('keep their tools when it is the schema they refuse', async () => {
    const message = "Invalid schema for function 'list_devices': tools[0] is not valid"
    const error = await failureOf([{ status: 400, error: { message } }], { tools: [TOOL] })
    expect(error.reason).toBe('refused')
    expect(provider.requests.at(-1)!.tools).toHaveLength(1)
  })
})

describe('answers of many kinds of models', () => {
  it('are shown without their thoughts', async () => {
    expect(textOf(await eventsOf([{ reasoning: 'first I think', text: 'Answer' }]))).toBe('Answer')
    expect(textOf(await eventsOf([{ text: '<think>\nhm <b> </thin k> hm\n</think>\n\nAnswer <think> stays' }]))).toBe(
      'Answer <think> stays',
    )
    expect(textOf(await eventsOf([{ text: '<thi' }]))).toBe('<thi')
    expect(textOf(await eventsOf([{ text: `<thinking>${ZH}</think></thinking>Answer` }]))).toBe('Answer')
  })

  it('are shown without thoughts that nothing began', async () => {
    llm.close()
    llm = createOpenAiLlm({ outboundAllow: LOCAL, ...PATIENT })
    const thoughts = 'The person asks about pumps. '
    expect(textOf(await eventsOf([{ text: `${thoughts.repeat(20)}</think>\n\nThree pumps.` }]))).toBe('Three pumps.')
    // Known now: however long it thinks.
    expect(textOf(await eventsOf([{ text: `${thoughts.repeat(200)}</think>\n\nThree pumps.` }]))).toBe('Three pumps.')
    expect(textOf(await eventsOf([{ text: 'Three pumps.' }]))).toBe('Three pumps.')
  })

  it('are shown word by word by those that showed that they do so', async () => {
    llm.close()
    llm = createOpenAiLlm({ outboundAllow: LOCAL, ...PATIENT })
    const pieces = async (text: string) => {
      const events = (await eventsOf([{ text }])).filter(({ type }) => type === 'text')
      expect(textOf(events)).toBe(text)
      return events.length
    }
    const answer = 'A sentence of some words. '.repeat(20)
    for (let n = 0; n < 3; n++) expect(await pieces(answer)).toBe(1)
    expect(await pieces(answer)).toBeGreaterThan(5)
  })

  it('that reach their longest length say so', async () => {
    const events = await eventsOf([{ text: 'half', finish: 'length' }])
    expect(events.map(({ type }) => type).filter(type => type !== 'text')).toEqual(['cut', 'usage'])
  })

  it('that were filtered are refused', async () => {
    expect((await failureOf([{ text: '', finish: 'content_filter' }])).reason).toBe('refused')
  })

  it('with ten thousand calls are not read to their end', async () => {
    const toolCalls = Array.from({ length: 10_000 }, () => ({ name: 'list_devices', arguments: { product: 'all' } }))
    const events = await eventsOf([{ toolCalls }], { tools: [TOOL] })
    expect(callsOf(events)).toHaveLength(64)
    expect(events.some(({ type }) => type === 'cut')).toBe(true)
    await expect.poll(() => provider.open).toBe(0)
  })
})

describe('what leaves the house', () => {
  it('is the question and the key, and nothing of the environment', async () => {
    const environment = {
      OPENAI_API_KEY: 'sk-of-the-environment',
      OPENAI_ORG_ID: 'org-of-the-environment',
      OPENAI_PROJECT_ID: 'project-of-the-environment',
      OPENAI_BASE_URL: 'http://127.0.0.1:9/of-the-environment',
      OPENAI_CUSTOM_HEADERS: 'x-custom: of-the-environment',
      OPENAI_LOG: 'debug',
    }
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
    const printed = [vi.spyOn(console, 'log'), vi.spyOn(console, 'debug'), vi.spyOn(console, 'info')]
    try {
      const before = provider.received.length
      await eventsOf([{ text: 'ok' }])
      const sent = provider.received.slice(before)
      expect(sent).not.toContain('of-the-environment')
      expect(sent.toLowerCase()).not.toContain('stainless')
      expect(sent).toContain(`Bearer ${KEY}`)
      for (const spy of printed) expect(spy).not.toHaveBeenCalled()
    } finally {
      vi.unstubAllEnvs()
      for (const spy of printed) spy.mockRestore()
    }
  })

  it('bears no key where there is none', async () => {
    const open = await startLlmSimulator({ script: [{ text: 'ok' }] })
    expect(textOf(await eventsOf([], { target: target({ baseUrl: open.url, apiKey: null }) }))).toBe('ok')
    expect(open.received.toLowerCase()).not.toContain('authorization')
    await open.close()
  })

  it.each([
    'http://169.254.169.254/latest',
    'https://127.0.0.1:1/v1',
    'https://localhost/v1',
    'https://[::1]/v1',
    'https://10.0.0.1/v1',
    'http://example.com/v1',
    'file:///etc',
    'https://model.example/v1',
  ])('never goes from a company to %s', async baseUrl => {
    const inside: LookupFunction = (_host, _options, callback) => callback(null, [{ address: '10.1.2.3', family: 4 }])
    const guarded = createOpenAiLlm({ outboundAllow: [], ...PATIENT, lookup: inside })
    const error = await all(guarded.chat(request({ target: target({ baseUrl }) }))).catch(e => e)
    expect(error).toBeInstanceOf(LlmError)
    expect(error.reason).toBe('blocked')
    guarded.close()
  })

  it('ends with the server', async () => {
    provider.behave([{ text: ZH, fault: 'stall' }])
    const reading = all(llm.chat(request()))
    await expect.poll(() => provider.open).toBe(1)
    llm.close()
    await expect(reading).rejects.toMatchObject({ reason: 'unreachable' })
    await expect.poll(() => provider.open).toBe(0)
    await expect(all(llm.chat(request()))).rejects.toMatchObject({ reason: 'unreachable' })
  })
})
