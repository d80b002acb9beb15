import { describe, expect, it } from 'vitest'
import { ToolIndex } from '../modules/assistant/builtin/intents.ts'
import { compilePhrase } from '../modules/assistant/builtin/phrases.ts'
import { formsOf } from '../modules/assistant/builtin/question.ts'
import { propertiesOf, readSlot } from '../modules/assistant/builtin/slots.ts'
import { examplesOf } from '../modules/assistant/tool-examples.ts'
import sentences from './assistant-phrases.examples.json' with { type: 'json' }
import { TOOLS } from './assistant-tools.ts'

const LOCALES = ['zh', 'en'] as const
const NOW = Date.parse('2026-11-25T15:30:00+08:00')
const about = (locale: 'zh' | 'en') => ({ locale, now: NOW, timeZone: 'Asia/Shanghai' })
const index = new ToolIndex(TOOLS)

function best(question: string, locale: 'zh' | 'en') {
  const forms = formsOf(question)
  return index.match(forms, about(locale))[0] ?? index.matchClause(question, about(locale))[0]
}

describe('phrases of all tools', () => {
  it('fill inputs that the tool has, with values that it takes', () => {
    const wrong: string[] = []
    for (const tool of TOOLS)
      for (const locale of LOCALES)
        for (const source of tool.words.phrases[locale]) {
          for (const slot of compilePhrase(source).slots)
            if (!(slot in propertiesOf(tool))) wrong.push(`${tool.name}: {${slot}} of "${source}"`)
          for (const [, slot = '', words = ''] of source.matchAll(/\{(\w+):([^}]*)\}/g))
            for (const word of words.split('|')) {
              const [said = '', value = said] = word.split('=')
              if (readSlot(tool, slot, value) === undefined) wrong.push(`${tool.name}: {${slot}} cannot be "${value}"`)
            }
        }
    expect(wrong).toEqual([])
  })

  it('have the words of both languages where they belong', () => {
    const wrong = TOOLS.flatMap(({ name, words }) => [
      ...words.phrases.en.filter(phrase => /\p{Script=Han}/u.test(phrase)).map(phrase => `${name}: ${phrase}`),
      ...(/\p{Script=Han}/u.test(words.title.en) ? [`${name}: ${words.title.en}`] : []),
    ])
    expect(wrong).toEqual([])
  })

  it.each(LOCALES)('shown as examples lead to their tools (%s)', locale => {
    const astray: string[] = []
    let count = 0
    for (const tool of TOOLS)
      for (const example of examplesOf(tool, locale)) {
        count += 1
        const found = best(example, locale)?.tool.name
        if (found !== tool.name) astray.push(`${example}: ${found} instead of ${tool.name}`)
      }
    expect(astray.length / count, astray.join('\n')).toBeLessThan(0.05)
  })
})

const asked = LOCALES.flatMap(locale =>
  (sentences[locale] as [string, string, Record<string, unknown>][]).map(([question, tool, input]) => ({
    locale,
    question,
    tool,
    input,
  })),
)

describe('questions as people ask them', () => {
  it('are eighty and more', () => {
    expect(asked.length).toBeGreaterThanOrEqual(80)
  })

  it.each(asked)('$question', ({ locale, question, tool, input }) => {
    const found = best(question, locale)
    expect({ tool: found?.tool.name, input: found?.input }).toEqual({ tool, input })
  })
})
