import type { Locale } from '../../lib/context.ts'
import type { Tool } from '../../lib/tools.ts'
import words from './assistant-words.json' with { type: 'json' }

const EXAMPLES = 3

/** Questions that lead to the tool: its phrases with everything optional left out and a sample in each slot. */
export function examplesOf(tool: Tool, locale: Locale): string[] {
  const samples = words.samples as Record<string, { zh: string; en: string }>
  const spoken = tool.words.phrases[locale].map(phrase => {
    const plain = simplified(phrase)
    return plain.replaceAll(/\{(\w+)(?::([^}]*))?\}/g, (_, slot: string, values: string | undefined) => {
      const fixed = values?.split('|')[0]?.split('=')[0]
      return fixed ?? (samples[slot] ?? samples.other!)[locale]
    })
  })
  const tidy = spoken.map(text => text.replaceAll(/\s+/g, ' ').trim()).filter(text => text !== '')
  return [...new Set(tidy)].slice(0, EXAMPLES)
}

/** `[…]` gone, of `(a|b)` the first. */
function simplified(phrase: string): string {
  let text = phrase
  for (let round = 0; round < 20; round++) {
    const next = text.replaceAll(/\[[^[\]]*\]/g, '').replaceAll(/\(([^()|]*)(?:\|[^()]*)?\)/g, '$1')
    if (next === text) return text
    text = next
  }
  return text
}
