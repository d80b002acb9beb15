/** How a question is compared: one width, lower case, blanks that mean nothing left out, with the way back to what was typed. */
export interface Folded {
  /** What is compared. */
  text: string
  /** Index into `raw` for each character of `text`, and one more for the end. */
  at: Int32Array
  raw: string
}

const CJK = /[\u2e80-\u9fff\uf900-\ufaff\u3000-\u303f\uff00-\uffef]/
const BLANK = /\s/
const ALNUM = /[\p{L}\p{N}_]/u

/** Signs that stand for each other: full-width, traditional, typographic. Of one code unit each, so that places stay. */
const SAME: Record<string, string> = {
  '\u3001': ',',
  '\uff0c': ',',
  '\u3002': '.',
  '\uff61': '.',
  '\u300c': '"',
  '\u300d': '"',
  '\u300e': '"',
  '\u300f': '"',
  '\u201c': '"',
  '\u201d': '"',
  '\u2018': "'",
  '\u2019': "'",
  '\u300a': '"',
  '\u300b': '"',
  '\u2013': '-',
  '\u2014': '-',
  '\u2026': '.',
}

/** One character as it is compared; always one code unit. */
export function foldCharacter(character: string): string {
  const same = SAME[character]
  if (same !== undefined) return same
  const code = character.charCodeAt(0)
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0).toLowerCase()
  if (BLANK.test(character) || code === 0) return ' '
  const lower = character.toLowerCase()
  return lower.length === 1 ? lower : character
}

/** Blanks beside Chinese characters mean nothing; other runs of them are one. */
export function fold(raw: string): Folded {
  const characters: string[] = []
  const at: number[] = []
  for (let i = 0; i < raw.length; i += 1) {
    const character = foldCharacter(raw[i]!)
    if (character === ' ') {
      const before = characters.at(-1)
      let next = i + 1
      while (next < raw.length && foldCharacter(raw[next]!) === ' ') next += 1
      const after = raw[next]
      const needless =
        before === undefined || after === undefined || CJK.test(before) || CJK.test(after) || before === ' '
      if (!needless) {
        characters.push(' ')
        at.push(i)
      }
      i = next - 1
      continue
    }
    characters.push(character)
    at.push(i)
  }
  at.push(raw.length)
  return { text: characters.join(''), at: Int32Array.from(at), raw }
}

/** What was typed between two places of the folded text. */
export function typed(folded: Folded, from: number, to: number): string {
  return from >= to ? '' : folded.raw.slice(folded.at[from], folded.at[to - 1]! + 1)
}

/** A part of it, as a question of its own. */
export function part(folded: Folded, from: number, to: number): Folded {
  return { text: folded.text.slice(from, to), at: folded.at.slice(from, to + 1), raw: folded.raw }
}

/** Parts of one text after each other, a blank between them where `blank` says so. */
export function joined(parts: readonly Folded[], blank = ''): Folded {
  const text: string[] = []
  const at: number[] = []
  for (const one of parts) {
    if (text.length > 0 && blank) {
      text.push(blank)
      at.push(at.at(-1)!)
    }
    for (let i = 0; i < one.text.length; i += 1) {
      text.push(one.text[i]!)
      at.push(one.at[i]!)
    }
  }
  at.push(parts.at(-1)?.at.at(-1) ?? 0)
  return { text: text.join(''), at: Int32Array.from(at), raw: parts[0]?.raw ?? '' }
}

/** Whether a word may begin or end between these two characters: not inside a word written in letters. */
export function isBoundary(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true
  const before = text[at - 1]!
  const after = text[at]!
  if (CJK.test(before) || CJK.test(after)) return true
  return !(ALNUM.test(before) && ALNUM.test(after))
}
