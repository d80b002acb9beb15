/** How models mark their thoughts; some begin without a mark, because it stands in the prompt already. */
const NAMES = ['think', 'thinking', 'thought', 'thoughts', 'reasoning', 'reflection']
const OPENS = NAMES.map(name => `<${name}>`)
const CLOSES = NAMES.map(name => `</${name}>`)
/** Only these are looked for where nothing was opened: other words are names of tags that people speak of. */
const LONE_CLOSE = /<\/think(?:ing)?>/i
const OPEN = new RegExp(OPENS.join('|'), 'i')
const LONGEST_CLOSE = 12
const FENCE = '```'

/** How long a beginning is kept back, because a lone close may show that it was thoughts. */
export interface Patience {
  characters: number
  ms: number
}

/**
 * Takes away the thoughts that some models write before or between what they say: `<think>…</think>` and its relatives at
 * the beginning of a line outside of code, and what stands before a `</think>` that was never opened, however it is cut.
 */
export interface ThoughtFilter {
  /** @returns what is to be shown of it */
  take(text: string): string
  /** After so many ms without more of it `take('')` shows what is kept back; null: time shows nothing. */
  dueIn(): number | null
  /** What is held back when nothing follows. */
  end(): string
  /** Thoughts came without a mark of their beginning. */
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

  /** What is said, without thoughts between; a line's beginning waits until it is clear that it is no mark. */
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
      // Too late for this answer: the next one of this model is waited for.
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
      // A line that only began like a mark; what follows a mark are thoughts that were cut off.
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
