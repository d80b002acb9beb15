import type { Engine, EngineReport, ReplyWriter, ToolRunner, Turn } from '../../modules/assistant/index.ts'

export interface ScriptedEngine extends Engine {
  /** Answers that noticed that they were stopped. */
  aborted: number
  /** Answers under way. */
  answering: number
}

const REPORT: EngineReport = { promptTokens: 3, completionTokens: 5, messages: [], mentions: [], waiting: null }

/** Does what the question says: its first word is one of `VERBS`. */
export function scriptedEngine(): ScriptedEngine {
  const engine: ScriptedEngine = {
    kind: 'builtin',
    model: null,
    aborted: 0,
    answering: 0,
    async answer(turn, tools, out) {
      const [verb = '', ...rest] = turn.question.split(' ')
      engine.answering++
      try {
        const report = await VERBS[verb]?.(rest.join(' '), { turn, tools, out, engine })
        return { ...REPORT, ...report }
      } finally {
        engine.answering--
      }
    },
  }
  return engine
}

interface World {
  turn: Turn
  tools: ToolRunner
  out: ReplyWriter
  engine: ScriptedEngine
}

async function tell(done: ReturnType<ToolRunner['use']>, out: ReplyWriter): Promise<Partial<EngineReport>> {
  const outcome = await done
  out.text(`${outcome.state}: ${outcome.state === 'done' ? outcome.result.text : outcome.text}`)
  if (outcome.state === 'done') out.text(JSON.stringify(outcome.result.data ?? null))
  return { waiting: outcome.state === 'question' ? outcome.waiting : null }
}

const VERBS: Record<string, (rest: string, world: World) => Promise<Partial<EngineReport>>> = {
  async say(rest, { turn, out }) {
    for (const word of rest.split(' ')) out.text(`${word} `)
    return {
      messages: [
        { role: 'user', content: turn.question },
        { role: 'assistant', content: rest },
      ],
    }
  },
  async wait(_rest, { turn, out, engine }) {
    out.text('waiting')
    await new Promise(resolve => turn.signal.addEventListener('abort', resolve, { once: true }))
    engine.aborted++
    return {}
  },
  /** Listens to nothing. */
  async deaf(_rest, { out }) {
    out.text('deaf')
    return new Promise(() => {})
  },
  async flood(rest, { out }) {
    for (let n = 0; n < Number(rest); n++) out.text('y'.repeat(1000))
    return {}
  },
  async history(_rest, { turn, out }) {
    out.text(JSON.stringify({ history: turn.history, mentions: turn.mentions, waiting: turn.waiting }))
    return {}
  },
  async offered(_rest, { tools, out }) {
    out.text(tools.offered.map(tool => tool.name).join(' '))
    return {}
  },
  fail: () => Promise.reject(new Error('inside of the engine')),
  async many(rest, { tools, out }) {
    for (let n = 0; n < Number(rest); n++) {
      const outcome = await tools.use('read_much', { characters: 1 })
      if (outcome.state === 'problem') out.text(`${n}: ${outcome.text}\n`)
    }
    return {}
  },
  use(rest, { tools, out }) {
    const [name = ''] = rest.split(' ')
    const input = rest.slice(name.length).trim()
    return tell(tools.use(name, JSON.parse(input || '{}')), out)
  },
  /** Renames a device, which waits for a decision, and then reads it. */
  async both(rest, { tools, out }) {
    await tools.use('rename_device', JSON.parse(rest))
    return tell(tools.use('read_device', { device: (JSON.parse(rest) as { device: string }).device }), out)
  },
  plan: (rest, { tools, out }) => tell(tools.plan(JSON.parse(rest)), out),
}
