import { RE2JS, RE2JSSyntaxException, RE2Set } from 're2js'

/**
 * Regular expressions from people, matched against strangers' bytes in the process of all devices. They run in time
 * linear in the input (RE2, https://github.com/google/re2/wiki/Syntax): JavaScript's own engine backtracks, so that one
 * careless pattern could hold up every connection. Bytes are read as Latin-1, at most `PATTERN_BYTES` of them.
 */
export interface Pattern {
  /** Number of capturing groups. */
  readonly groups: number
  /** Instructions of the compiled pattern: time is at most this times the bytes looked at. */
  readonly size: number
  test(input: Buffer): boolean
  /** What the first group took part with, leftmost match first; null: no match. Without groups: the whole match. */
  first(input: Buffer): string | null
}

/** Why a pattern cannot be used; `pattern.` before it is the error code that says so. */
export type PatternProblem = 'look_around' | 'back_reference' | 'repeats' | 'too_large' | 'not_readable'

export class PatternError extends Error {
  constructor(
    readonly problem: PatternProblem,
    /** The part that cannot be read, as it was written. */
    readonly part: string,
  ) {
    super(`${problem}: ${part}`)
  }
}

/** Bytes that a pattern looks at. */
export const PATTERN_BYTES = 256
/** `x{0,1000}` has about two thousand instructions; nobody needs more for 256 bytes. */
export const LARGEST_PATTERN = 2_100
/** Memory that one pattern may take for states it has been in, bytes. */
const STATE_MEMORY = 256 * 1024
const KEPT = 200

const compiled = new Map<string, Pattern | PatternError>()

/** @throws PatternError */
export function compilePattern(source: string): Pattern {
  const found = patternOrProblem(source)
  if (found instanceof PatternError) throw found
  return found
}

/** As `compilePattern`, for patterns that were saved before: what is wrong is an answer. The last ones are kept compiled. */
export function patternOrProblem(source: string): Pattern | PatternError {
  const known = compiled.get(source)
  if (known) {
    compiled.delete(source)
    compiled.set(source, known)
    return known
  }
  const found = compile(source)
  if (compiled.size >= KEPT) compiled.delete(compiled.keys().next().value!)
  compiled.set(source, found)
  return found
}

function compile(source: string): Pattern | PatternError {
  try {
    const whole = RE2JS.compile(source)
    const size = whole.programSize()
    if (size > LARGEST_PATTERN) return new PatternError('too_large', source)
    // The set has the machine whose memory can be bounded; groups need the other one, which keeps nothing.
    const machine = new RE2Set(RE2Set.UNANCHORED, 0, STATE_MEMORY)
    machine.add(source)
    machine.compile()
    const groups = whole.groupCount()
    const test = (text: string) => machine.match(text).length > 0
    return {
      groups,
      size,
      test: input => test(seen(input)),
      first(input) {
        const text = seen(input)
        if (!test(text)) return null
        const match = whole.matcher(text)
        return match.find() ? match.group(groups > 0 ? 1 : 0) : null
      },
    }
  } catch (error) {
    return problemOf(error, source)
  }
}

const seen = (input: Buffer) => input.toString('latin1', 0, PATTERN_BYTES)

/** The engine says in English what it could not read, and where; only the kind of it and the part are passed on. */
function problemOf(error: unknown, source: string): PatternError {
  if (!(error instanceof RE2JSSyntaxException)) return new PatternError('too_large', source)
  const part = error.getPattern() || source
  if (/^\(\?<?[=!]/.test(part)) return new PatternError('look_around', part.slice(0, 4))
  if (/^\\[1-9k]/.test(part)) return new PatternError('back_reference', part)
  if (/^\{\d+(?:,\d*)?\}/.test(part)) return new PatternError('repeats', part)
  return new PatternError('not_readable', part)
}
