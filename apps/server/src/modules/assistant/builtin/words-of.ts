import type { Locale } from '../../../lib/context.ts'
import words from './builtin-words.json' with { type: 'json' }

const RUNS = /[a-z0-9_.]*[a-z0-9_]|[\u3400-\u9fff]+/g
const STOP_EN = new Set(words.stop.en)
const STOP_ZH = new RegExp(words.stop.zh, 'gu')

/**
 * The words of a text for comparing: Latin words with light stemming, Chinese by pairs of characters (a single one by
 * itself). What says nothing is left out.
 */
export function wordsOf(text: string, locale: Locale): string[] {
  const found: string[] = []
  for (const [run] of text.normalize('NFKC').toLowerCase().matchAll(RUNS)) {
    if (/^[a-z0-9_.]/.test(run)) latin(run, found)
    else for (const piece of locale === 'zh' ? run.split(STOP_ZH) : [run]) pairs(piece, found)
  }
  return found
}

function latin(run: string, found: string[]): void {
  if (STOP_EN.has(run)) return
  found.push(stem(run))
  // "device_path.refused" is also found by its parts.
  if (/[._]/.test(run))
    for (const piece of run.split(/[._]/)) if (piece.length > 2 && !STOP_EN.has(piece)) found.push(stem(piece))
}

function pairs(piece: string, found: string[]): void {
  if (piece.length === 1) found.push(piece)
  for (let i = 0; i + 1 < piece.length; i += 1) found.push(piece.slice(i, i + 2))
}

/** Endings of English words cut off, lightly: connections, connected, connecting are one. */
export function stem(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word
  let root = word
    .replace(/(?:'s|s')$/, '')
    .replace(/sses$/, 'ss')
    .replace(/ies$/, 'y')
    .replace(/([^su])s$/, '$1')
  if (root.length > 5) root = root.replace(/(?:ations?|ings?|ions?|ed|er|ors?|ly|ment)$/, '')
  return root
    .replace(/e$/, '')
    .replace(/([bdgklmnprt])\1$/, '$1')
    .replace(/i$/, 'y')
}
