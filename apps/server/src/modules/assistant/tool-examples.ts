import type { Locale } from '../../lib/context.ts'
import type { Tool } from '../../lib/tools/tools.ts'
import words from './assistant-words.json' with { type: 'json' }

const EXAMPLES = 3

/** Questions that lead to the tool: its phrases as somebody would say them in full, with a sample in each slot. */
export function examplesOf(tool: Tool, locale: Locale): string[] {
  const samples: Record<string, { zh: string; en: string } | undefined> = words.samples
  const spoken = tool.words.phrases[locale].map(phrase => {
    let known = true
    const sampled = phrase.replaceAll(/\{(\w+)(?::([^}]*))?\}/g, (_, slot: string, values: string | undefined) => {
      const sample = values?.split('|')[0]?.split('=')[0] ?? samples[slot]?.[locale]
      if (sample === undefined) known = false
      // Brackets of a sample are no grammar.
      return (sample ?? words.samples.other[locale]).replaceAll(/[[\]()|]/g, sign => HIDDEN[sign]!)
    })
    return { known, text: shown(expanded(sampled)) }
  })
  // A question with a gap only where there is none without.
  const best = spoken.some(({ known }) => known) ? spoken.filter(({ known }) => known) : spoken
  return [...new Set(best.map(({ text }) => text).filter(text => text !== ''))].slice(0, EXAMPLES)
}

/** Of `(a|b)` and `[a|b]` the first. */
function expanded(phrase: string): string {
  let text = phrase
  for (let round = 0; round < 20; round++) {
    const next = text
      .replaceAll(/\[([^[\]()|]*)(?:\|[^[\]()]*)?\]/g, '$1')
      .replaceAll(/\(([^[\]()|]*)(?:\|[^[\]()]*)?\)/g, '$1')
    if (next === text) return text
    text = next
  }
  return text
}

const HIDDEN: Record<string, string> = { '[': '\ue000', ']': '\ue001', '(': '\ue002', ')': '\ue003', '|': '\ue004' }

function shown(text: string): string {
  let out = text
  for (const [sign, hidden] of Object.entries(HIDDEN)) out = out.replaceAll(hidden, sign)
  return out.replaceAll(/\s+/g, ' ').trim()
}
