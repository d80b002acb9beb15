/** Tags around the thoughts of models. Some models omit the opening tag, because the prompt already ends with it. */
const NAMES = ['think', 'thinking', 'thought', 'thoughts', 'reasoning', 'reflection']
const OPENS = NAMES.map(name => `<${name}>`)
const CLOSES = NAMES.map(name => `</${name}>`)
/** Tags whose closing form alone marks what came before it as thoughts; other tag names also occur in ordinary text. */
const LONE_CLOSE = /<\/think(?:ing)?>/i
const OPEN = new RegExp(OPENS.join('|'), 'i')
const LONGEST_CLOSE = 12
const FENCE = '```'

/** How many characters of the beginning are held back, because a closing tag may still mark them as thoughts. */
export interface Patience {
  characters: number
  ms: number
}

/**
 * Removes the thoughts that some models write before or inside their answer: `<think>…</think>` and similar tags at the
 * beginning of a line outside of code, and everything before a `</think>` without an opening tag. The text may arrive cut
 * at any place.
 */
export interface ThoughtFilter {
  /** @returns the part of the text that may be shown */
  take(text: string): string
  /** When no more text arrives for so many ms, `take('')` returns what is held back; null: it is held back until the end. */
  dueIn(): number | null
  /** Returns what is still held back when the answer has ended. */
  end(): string
  /** Whether thoughts without an opening tag were found. */
  readonly lone: boolean
}

export function createThoughtFilter(patience: Patience, now: () => number = () => performance.now()): ThoughtFilter {
  let state: 'beginning' | 'thinking' | 'thought' | 'speaking' = 'beginning'
  let held = ''
  let close = ''
  let since: number | null = null
  let lone = false
  let inCode = false
  let atLineStart = true
  let tail = ''

  const opening = () => OPENS.find(tag => held.trimStart().toLowerCase().startsWith(tag))

  function begin(): string {
    since ??= now()
    const mark = LONE_CLOSE.exec(held)
    if (mark && !OPEN.test(held.slice(0, mark.index))) {
      lone = true
      held = held.slice(mark.index + mark[0].length)
      return afterThought()
    }
    if (!OPEN.test(held) && held.length <= patience.characters && now() - since <= patience.ms) return ''
    return speak()
  }

  /** The text without thoughts; the beginning of a line is held back until it cannot become a tag any more. */
  function speak(): string {
    state = 'speaking'
    let said = ''
    while (held !== '') {
      if (atLineStart) {
        const begun = held.trimStart().toLowerCase()
        const open = inCode ? undefined : opening()
        if (open) {
          close = CLOSES[OPENS.indexOf(open)]!
          held = held.trimStart().slice(open.length)
          return said + think()
        }
        if (begun === '' || [FENCE, ...OPENS].some(mark => mark !== begun && mark.startsWith(begun))) break
        if (begun.startsWith(FENCE)) inCode = !inCode
      }
      const lineEnd = held.indexOf('\n')
      const piece = lineEnd < 0 ? held : held.slice(0, lineEnd + 1)
      held = held.slice(piece.length)
      atLineStart = lineEnd >= 0
      said += piece
      tail = (tail + piece).slice(-piece.length - LONGEST_CLOSE)
      // This answer was already shown; the next answer of this model is held back.
      if (LONE_CLOSE.test(tail)) lone = true
    }
    return said
  }

  function think(): string {
    state = 'thinking'
    const end = held.toLowerCase().indexOf(close)
    if (end < 0) {
      // The tag may come in pieces.
      held = held.slice(-close.length)
      return ''
    }
    held = held.slice(end + close.length)
    return afterThought()
  }

  function afterThought(): string {
    state = 'thought'
    held = held.trimStart()
    if (held === '') return ''
    atLineStart = true
    return speak()
  }

  return {
    take(text) {
      held += text
      if (held === '') return ''
      if (state === 'beginning') return begin()
      if (state === 'thinking') return think()
      if (state === 'thought') return afterThought()
      return speak()
    },
    dueIn() {
      if (state !== 'beginning' || held === '' || since === null || !Number.isFinite(patience.ms)) return null
      return Math.max(0, since + patience.ms - now()) + 1
    },
    end() {
      if (state === 'thinking' || state === 'thought') return ''
      const said = speak()
      // A line that only began like a tag is text; text after an opening tag is thoughts whose end is missing.
      return isThinking() ? said : said + held
    },
    get lone() {
      return lone
    },
  }

  function isThinking(): boolean {
    return state === 'thinking'
  }
}
