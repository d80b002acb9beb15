import type { Tool } from '../../../lib/tools/tools.ts'
import type { Engine, EngineReport, ReplyWriter, ToolOutcome, ToolRunner, Turn } from '../engine.ts'
import { LlmError, type LlmMessage, type LlmPort, type LlmTool, type LlmToolCall } from '../llm.port.ts'
import type { OutgoingTexts } from '../secrets/outgoing.ts'
import type { EffectiveModel } from '../settings.service.ts'
import { chooseTools } from './choose-tools.ts'
import words from './engine-words.json' with { type: 'json' }
import { fitHistory, shortenResults } from './history.ts'
import { type Asker, systemPrompt } from './prompt.ts'
import { failureText } from './said.ts'
import { createMeter, type Spent } from './spent.ts'
import { mistakeForModel, resultForModel } from './tool-results.ts'
import { PLAN, readArguments, readPlan, toolsForModel } from './tools-for-model.ts'
import { historyWithoutValues, isAboutValues, isShownOnly } from './values.ts'

/** Questions and answers of a model within one reply. */
const ROUNDS = 8
/** Calls of one of its answers; what is beyond is told back. */
const CALLS_A_ROUND = 16
/** Tokens of earlier messages, and of all that one reply may hold. */
const HISTORY_TOKENS = 8000
const REPLY_TOKENS = 48_000

export interface ModelEngineDeps {
  llm: LlmPort
  /** Of now; its target names the model. */
  effective: Pick<EffectiveModel, 'engine' | 'target' | 'temperature' | 'maxTokens' | 'sendValues' | 'remainingTokens'>
  asker: Asker
  /** The company's name. */
  company: string
  /** Takes secrets out of everything that leaves. */
  outgoing: Pick<OutgoingTexts, 'messages'>
}

/** One reply's engine over a model. */
export interface ModelEngine extends Engine {
  /** What it took so far, also of a reply that failed or was stopped; estimated where the provider says nothing. */
  spent(): Spent
}

/** The model answers, calls tools, reads what came of them, and answers again, until it calls none. */
export function createModelEngine(deps: ModelEngineDeps): ModelEngine {
  const { llm, effective, asker, company, outgoing } = deps
  const { target } = effective
  if (!target) throw new Error('no model is chosen')
  const meter = createMeter()
  const left = () =>
    effective.remainingTokens === null ? Number.POSITIVE_INFINITY : effective.remainingTokens - meter.total()

  /** One answer of the model; its text is on the screen when this returns. */
  async function ask(told: readonly LlmMessage[], tools: LlmTool[], turn: Turn, say: (text: string) => void) {
    const messages = await outgoing.messages(told)
    const answer = { text: '', calls: [] as LlmToolCall[], cut: false }
    const round = meter.begin(messages, tools)
    const maxTokens = Math.max(64, Math.min(effective.maxTokens, left()))
    try {
      const events = llm.chat({
        target: target!,
        messages,
        tools,
        temperature: effective.temperature,
        maxTokens,
        signal: turn.signal,
      })
      for await (const event of events) {
        if (event.type === 'usage') round.told(event)
        else if (event.type === 'cut') answer.cut = true
        else if (event.type === 'tool') {
          round.came(event.call.name + event.call.arguments)
          answer.calls.push(event.call)
        } else {
          round.came(event.text)
          answer.text += event.text
          say(event.text)
        }
      }
    } catch (error) {
      if (!(error instanceof LlmError)) throw error
      throw new LlmError(error.reason, failureText(error, turn.locale), error.status)
    } finally {
      round.end()
    }
    return answer
  }

  return {
    kind: effective.engine === 'own' ? 'own' : 'installation',
    model: target.model,
    spent: () => meter.spent(),
    async answer(turn, runner, out) {
      const offered = runner.offered.filter(tool => effective.sendValues || !isAboutValues(tool))
      const tools = toolsForModel(chooseTools(offered, turn.question, turn.history))
      const history = effective.sendValues ? turn.history : historyWithoutValues(turn.history, runner.all)
      const question: LlmMessage = { role: 'user', content: turn.question }
      const before: LlmMessage[] = [
        { role: 'system', content: systemPrompt(turn, { asker, company, sendValues: effective.sendValues }) },
        ...fitHistory(history, HISTORY_TOKENS),
        question,
      ]
      const said: LlmMessage[] = []
      const talk = createTalk(out)
      const hands = createHands(runner, offered, effective.sendValues, text => talk.block(text))
      const report = (waiting: EngineReport['waiting'] = null): EngineReport => ({
        ...meter.spent(),
        messages: [question, ...said],
        mentions: [],
        waiting,
      })
      const close = (text: string) => {
        talk.block(text)
        said.push({ role: 'assistant', content: text })
        return report()
      }

      for (let round = 0; round < ROUNDS; round++) {
        if (round > 0 && left() <= 0) return close(words.quota[turn.locale])
        const messages = [...before, ...said]
        shortenResults(messages, REPLY_TOKENS)
        const answer = await ask(messages, tools, turn, talk.begin())
        const calls = answer.calls.slice(0, CALLS_A_ROUND)
        if (calls.length === 0) {
          if (answer.text.trim() === '') {
            // Nothing at all: as good as not answered. After tools, their cards are the answer.
            if (said.length === 0) throw new LlmError('broken', words.silent[turn.locale])
            return close(words.silent[turn.locale])
          }
          if (answer.cut) talk.block(words.cut[turn.locale])
          said.push({ role: 'assistant', content: answer.text })
          return report()
        }
        const results: LlmMessage[] = []
        const step: LlmMessage = { role: 'assistant', content: answer.text, toolCalls: calls }
        let asked: (ToolOutcome & { state: 'question' }) | null = null
        for (const call of calls) {
          turn.signal.throwIfAborted()
          const done: Done = asked
            ? { content: mistakeForModel('not done: the person is asked something first'), outcome: null }
            : await hands.use(call)
          results.push({ role: 'tool', toolCallId: call.id, content: done.content })
          if (done.outcome?.state === 'question') asked = done.outcome
        }
        said.push(step, ...results)
        if (asked) {
          // With choices the question stands on their card; the next message answers it.
          if ((asked.waiting.options ?? []).length === 0) talk.block(asked.text)
          return report(asked.waiting)
        }
      }
      return close(words.steps[turn.locale])
    },
  }
}

/** Text on its way to the screen: what one answer of the model says stands apart from the next. */
function createTalk(out: ReplyWriter) {
  let spoken = false
  return {
    /** @returns where the next answer writes */
    begin() {
      let begun = false
      return (text: string) => {
        if (text === '') return
        if (!begun && spoken) out.text('\n\n')
        begun = true
        spoken = true
        out.text(text)
      }
    },
    block(text: string) {
      out.text(spoken ? `\n\n${text}` : text)
      spoken = true
    },
  }
}

interface Done {
  /** For the model. */
  content: string
  /** Null: no tool got to see it. */
  outcome: ToolOutcome | null
}

/** Calls as a model writes them, made through the runner. Whatever is wrong with one is told back, nothing is thrown. */
function createHands(
  runner: ToolRunner,
  offered: ToolRunner['offered'],
  sendValues: boolean,
  show: (text: string) => void,
) {
  const names = new Set(offered.map(tool => tool.name))

  async function use(call: LlmToolCall): Promise<Done> {
    const wrong = (problem: string) => ({ content: mistakeForModel(problem), outcome: null })
    const input = readArguments(call.arguments)
    if (typeof input === 'string') return wrong(input)
    if (call.name === PLAN) {
      const steps = readPlan(input)
      if (typeof steps === 'string') return wrong(steps)
      const unknown = steps.find(step => !isKnown(step.tool))
      if (unknown) return wrong(`there is no tool ${JSON.stringify(unknown.tool.slice(0, 64))}`)
      return told(await runner.plan(steps), undefined)
    }
    const tool = runner.all.find(one => one.name === call.name)
    if (!tool || !isKnown(call.name)) return wrong(`there is no tool ${JSON.stringify(call.name.slice(0, 64))}`)
    return told(await runner.use(call.name, input), tool)
  }

  function told(outcome: ToolOutcome, tool: Tool | undefined): Done {
    if (outcome.state === 'done' && isShownOnly(outcome, tool, sendValues)) show(outcome.result.text)
    return { content: resultForModel(outcome, tool, sendValues), outcome }
  }

  /** Not offered for want of a right: the runner says which, and notes the refusal. Withheld by policy: not there. */
  function isKnown(name: string): boolean {
    if (names.has(name)) return true
    const tool = runner.all.find(one => one.name === name)
    return tool !== undefined && (sendValues || !isAboutValues(tool))
  }

  return { use }
}
