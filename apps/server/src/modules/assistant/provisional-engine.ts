import type { Engine } from './engine.ts'

/** Uses a tool that is called by its title, else says which there are. */
export function createBuiltinEngine(): Engine {
  return {
    kind: 'builtin',
    model: null,
    async answer(turn, tools, out) {
      const named = tools.offered.find(tool => turn.question.startsWith(tool.words.title[turn.locale]))
      if (named) {
        const outcome = await tools.use(named.name, {})
        out.text(outcome.state === 'done' ? outcome.result.text : outcome.text)
      } else for (const tool of tools.offered) out.text(`- ${tool.words.title[turn.locale]}\n`)
      return { promptTokens: 0, completionTokens: 0, messages: [], mentions: [], waiting: null }
    },
  }
}
