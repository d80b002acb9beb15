import { Type } from 'typebox'
import type { Locale } from '../../../lib/context.ts'
import { LlmError, type LlmPort, type LlmTarget } from '../llm.port.ts'
import words from '../settings-words.json' with { type: 'json' }
import { failureText } from './said.ts'

export interface ModelTest {
  ok: boolean
  /** What it answered, or why not, cut short. */
  text: string
  durationMs: number
  /** Whether it can call tools; without that it only talks. */
  toolCalls: boolean
}

/** A person waits for it. */
const LONGEST_MS = 60_000
const SHOWN = 300

/** Asks a model for one tool call and one word. Its failure is an answer too: nothing is thrown. */
export async function tryModel(
  llm: LlmPort,
  target: LlmTarget,
  options: { locale: Locale; temperature: number; signal?: AbortSignal | undefined },
): Promise<ModelTest> {
  const began = performance.now()
  const over = AbortSignal.timeout(LONGEST_MS)
  const signal = options.signal ? AbortSignal.any([options.signal, over]) : over
  let text = ''
  let toolCalls = false
  const done = (ok: boolean, said: string): ModelTest => ({
    ok,
    text: said.length > SHOWN ? `${said.slice(0, SHOWN)}…` : said,
    durationMs: Math.round(performance.now() - began),
    toolCalls,
  })
  try {
    const answer = llm.chat({
      target,
      messages: [
        { role: 'system', content: 'This is a test of the connection. Call the tool connection_test once.' },
        { role: 'user', content: 'Call connection_test with ok = true. If you cannot call tools, answer with: OK' },
      ],
      tools: [
        {
          name: 'connection_test',
          description: 'Shows that this model can call tools.',
          input: Type.Object({ ok: Type.Boolean() }, { additionalProperties: false }),
        },
      ],
      temperature: options.temperature,
      // A model that thinks first needs room for it.
      maxTokens: 1024,
      signal,
    })
    for await (const event of answer) {
      if (event.type === 'text') text += event.text
      if (event.type === 'tool') toolCalls = true
    }
    return done(true, text.trim() || (toolCalls ? 'OK' : words.test.silent[options.locale]))
  } catch (error) {
    const late = over.aborted && !options.signal?.aborted
    if (late) return done(false, words.failures.timeout[options.locale])
    if (!(error instanceof LlmError)) throw error
    // Whoever sets the model up sees the provider's own words; those who ask the assistant do not.
    return done(false, `${failureText(error, options.locale)} (${error.said})`)
  }
}
