import { expect, it } from 'vitest'
import { ToolIndex } from '../modules/assistant/builtin/intents.ts'
import { formsOf } from '../modules/assistant/builtin/question.ts'
import { createToolRegistry } from '../modules/assistant/registry.ts'
import { FINDERS, TOOLS } from './assistant-tools.ts'
import examples from './company-phrases.examples.json' with { type: 'json' }
import { COMPANY_TOOLS } from './company-tools.ts'

const index = new ToolIndex(TOOLS)
const registry = createToolRegistry(TOOLS, FINDERS)
const asked = (['zh', 'en'] as const).flatMap(locale =>
  (examples[locale] as [string, string, object][]).map(([question, tool, input]) => ({
    locale,
    question,
    tool,
    input,
  })),
)

it.each(asked)('$question', ({ locale, question, tool, input }) => {
  const [best] = index.match(formsOf(question), { locale, now: Date.UTC(2026, 10, 22, 9), timeZone: 'UTC' })
  expect({ tool: best?.tool.name, input: best?.input }).toEqual({ tool, input })
  expect(registry.check(best!.tool, best!.input, locale)).toEqual({ input })
})

it('every tool has questions in both languages', () => {
  for (const locale of ['zh', 'en'] as const) {
    const named = new Set(asked.filter(each => each.locale === locale).map(({ tool }) => tool))
    expect(COMPANY_TOOLS.map(({ name }) => name).filter(name => !named.has(name))).toEqual([])
  }
})

it('has at least 50 tools, each with six phrases a language', () => {
  expect(COMPANY_TOOLS.length).toBeGreaterThanOrEqual(50)
  for (const { name, words } of COMPANY_TOOLS) {
    expect(words.phrases.zh.length, name).toBeGreaterThanOrEqual(6)
    expect(words.phrases.en.length, name).toBeGreaterThanOrEqual(6)
  }
})

it('says the same in both languages', () => {
  const placeholders = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()
  for (const { name, words } of COMPANY_TOOLS)
    for (const [key, { zh, en }] of Object.entries(words.texts ?? {})) {
      expect(placeholders(en), `${name} ${key}`).toEqual(placeholders(zh))
      expect(en, `${name} ${key}`).not.toMatch(/[\u4e00-\u9fff]/)
    }
})
