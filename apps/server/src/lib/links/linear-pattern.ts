/**
 * Regular expressions that strangers' bytes are matched against, in time linear in the input (Thompson's construction,
 * run as Pike's machine: https://swtch.com/~rsc/regexp/regexp2.html). JavaScript's own engine backtracks, so that one
 * careless pattern could hold up every connection. Known: literals, `.`, classes, \d \w \s and their opposites,
 * \r \n \t \0 \xHH, groups, alternatives, * + ? {n,m} (greedy or lazy), ^ and $. No look-around, no back references.
 */
export interface LinearPattern {
  /** Number of capturing groups. */
  readonly groups: number
  /** What the first group matched, leftmost first; null: no match. A pattern without groups gives the whole match. */
  match(input: string): string | null
}

/** The pattern cannot be used; the message says why, in English words for the detail of an error. */
export class PatternError extends Error {}

type Node =
  | { kind: 'set'; has(code: number): boolean }
  | { kind: 'start' | 'end' }
  | { kind: 'sequence' | 'choice'; parts: Node[] }
  | { kind: 'repeat'; part: Node; min: number; max: number; greedy: boolean }
  | { kind: 'group'; part: Node; index: number }

type Step =
  | { op: 'set'; has(code: number): boolean }
  | { op: 'start' | 'end' | 'match' }
  | { op: 'save'; slot: number }
  | { op: 'split'; first: number; second: number }
  | { op: 'jump'; to: number }

const LONGEST_PROGRAM = 4_000
const MOST_REPEATS = 256
const DEEPEST = 32

/** @throws PatternError */
export function compilePattern(source: string): LinearPattern {
  const { node, groups } = new Parser(source).parse()
  const program: Step[] = []
  emit(program, { kind: 'group', part: node, index: 0 })
  program.push({ op: 'match' })
  return { groups, match: input => run(program, input, groups > 0 ? 1 : 0) }
}

class Parser {
  private at = 0
  private depth = 0
  private groups = 0

  constructor(private readonly source: string) {}

  parse(): { node: Node; groups: number } {
    const node = this.choice()
    if (this.at < this.source.length) throw new PatternError(`unexpected ${this.source[this.at]} at ${this.at}`)
    return { node, groups: this.groups }
  }

  private choice(): Node {
    if (++this.depth > DEEPEST) throw new PatternError('too many groups inside each other')
    const parts = [this.sequence()]
    while (this.source[this.at] === '|') {
      this.at++
      parts.push(this.sequence())
    }
    this.depth--
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts }
  }

  private sequence(): Node {
    const parts: Node[] = []
    while (this.at < this.source.length && this.source[this.at] !== '|' && this.source[this.at] !== ')')
      parts.push(this.repeated())
    return { kind: 'sequence', parts }
  }

  private repeated(): Node {
    const part = this.atom()
    const bounds = this.bounds()
    if (!bounds) return part
    const greedy = this.source[this.at] !== '?'
    if (!greedy) this.at++
    if (part.kind === 'start' || part.kind === 'end') throw new PatternError('an anchor cannot repeat')
    return { kind: 'repeat', part, ...bounds, greedy }
  }

  private bounds(): { min: number; max: number } | null {
    const sign = this.source[this.at]
    if (sign === '*' || sign === '+' || sign === '?') {
      this.at++
      return { min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Number.POSITIVE_INFINITY }
    }
    if (sign !== '{') return null
    const found = /^\{(\d{1,3})(,(\d{0,3}))?\}/.exec(this.source.slice(this.at))
    if (!found) throw new PatternError(`{ at ${this.at} needs {n}, {n,} or {n,m}; a brace itself is \\{`)
    this.at += found[0].length
    const min = Number(found[1])
    const max = found[2] === undefined ? min : found[3] ? Number(found[3]) : Number.POSITIVE_INFINITY
    if (min > MOST_REPEATS || (max !== Number.POSITIVE_INFINITY && max > MOST_REPEATS) || max < min)
      throw new PatternError(`repetition ${found[0]} is out of bounds`)
    return { min, max }
  }

  private atom(): Node {
    const sign = this.source[this.at++]!
    switch (sign) {
      case '(':
        return this.group()
      case '[':
        return this.set()
      case '.':
        return { kind: 'set', has: code => code !== 10 && code !== 13 }
      case '^':
        return { kind: 'start' }
      case '$':
        return { kind: 'end' }
      case '\\':
        return { kind: 'set', has: this.escape() }
      case '*':
      case '+':
      case '?':
      case '{':
        throw new PatternError(`nothing to repeat at ${this.at - 1}`)
      default:
        return { kind: 'set', has: only(sign.charCodeAt(0)) }
    }
  }

  private group(): Node {
    let index = -1
    if (this.source[this.at] === '?') {
      if (this.source[this.at + 1] !== ':') throw new PatternError('only ( ) and (?: ) are known')
      this.at += 2
    } else index = ++this.groups
    const part = this.choice()
    if (this.source[this.at++] !== ')') throw new PatternError('a ( has no )')
    return index < 0 ? part : { kind: 'group', part, index }
  }

  private set(): Node {
    const negated = this.source[this.at] === '^'
    if (negated) this.at++
    const members: ((code: number) => boolean)[] = []
    for (let first = true; this.source[this.at] !== ']' || first; first = false) {
      if (this.at >= this.source.length) throw new PatternError('a [ has no ]')
      const from = this.member()
      if (typeof from === 'number' && this.source[this.at] === '-' && (this.source[this.at + 1] ?? ']') !== ']') {
        this.at++
        const to = this.member()
        if (typeof to !== 'number' || to < from) throw new PatternError('a range in [ ] is the wrong way round')
        members.push(code => code >= from && code <= to)
      } else members.push(typeof from === 'number' ? only(from) : from)
    }
    this.at++
    const has = (code: number) => members.some(member => member(code))
    return { kind: 'set', has: negated ? code => !has(code) : has }
  }

  private member(): number | ((code: number) => boolean) {
    const sign = this.source[this.at++]!
    if (sign !== '\\') return sign.charCodeAt(0)
    const plain = this.plainEscape()
    return plain ?? this.classEscape()
  }

  private escape(): (code: number) => boolean {
    const plain = this.plainEscape()
    return plain === null ? this.classEscape() : only(plain)
  }

  private plainEscape(): number | null {
    const sign = this.source[this.at]
    if (sign === undefined) throw new PatternError('ends with a \\')
    const known = { r: 13, n: 10, t: 9, '0': 0 }[sign]
    if (known !== undefined) {
      this.at++
      return known
    }
    if (sign === 'x') {
      const digits = /^[0-9a-fA-F]{2}/.exec(this.source.slice(this.at + 1))
      if (!digits) throw new PatternError('\\x needs two hex digits')
      this.at += 3
      return Number.parseInt(digits[0], 16)
    }
    if (/[A-Za-z1-9]/.test(sign)) return null
    this.at++
    return sign.charCodeAt(0)
  }

  private classEscape(): (code: number) => boolean {
    const sign = this.source[this.at++]!
    const known = CLASSES[sign.toLowerCase()]
    if (!known || !/[dwsDWS]/.test(sign)) throw new PatternError(`\\${sign} is not known`)
    return sign === sign.toLowerCase() ? known : code => !known(code)
  }
}

const digit = (code: number) => code >= 48 && code <= 57
const CLASSES: Readonly<Record<string, (code: number) => boolean>> = {
  d: digit,
  w: code => digit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95,
  s: code => code === 32 || (code >= 9 && code <= 13),
}

function only(wanted: number): (code: number) => boolean {
  return code => code === wanted
}

function emit(program: Step[], node: Node): void {
  if (program.length > LONGEST_PROGRAM) throw new PatternError('too long once its repetitions are written out')
  switch (node.kind) {
    case 'set':
      program.push({ op: 'set', has: node.has })
      return
    case 'start':
    case 'end':
      program.push({ op: node.kind })
      return
    case 'sequence':
      for (const part of node.parts) emit(program, part)
      return
    case 'group':
      // Only the whole match and the first group are asked for.
      if (node.index <= 1) program.push({ op: 'save', slot: node.index * 2 })
      emit(program, node.part)
      if (node.index <= 1) program.push({ op: 'save', slot: node.index * 2 + 1 })
      return
    case 'choice':
      emitChoice(program, node.parts)
      return
    case 'repeat':
      emitRepeat(program, node)
  }
}

function emitChoice(program: Step[], parts: readonly Node[]): void {
  const jumps: { op: 'jump'; to: number }[] = []
  parts.forEach((part, index) => {
    if (index === parts.length - 1) {
      emit(program, part)
      return
    }
    const split = { op: 'split' as const, first: program.length + 1, second: 0 }
    program.push(split)
    emit(program, part)
    const jump = { op: 'jump' as const, to: 0 }
    program.push(jump)
    jumps.push(jump)
    split.second = program.length
  })
  for (const jump of jumps) jump.to = program.length
}

function emitRepeat(program: Step[], { part, min, max, greedy }: Node & { kind: 'repeat' }): void {
  for (let i = 0; i < min; i++) emit(program, part)
  const splits: { op: 'split'; first: number; second: number }[] = []
  const open = () => {
    const split = { op: 'split' as const, first: program.length + 1, second: program.length + 1 }
    program.push(split)
    splits.push(split)
  }
  if (max === Number.POSITIVE_INFINITY) {
    const loop = program.length
    open()
    emit(program, part)
    program.push({ op: 'jump', to: loop })
  } else {
    for (let i = min; i < max; i++) {
      open()
      emit(program, part)
    }
  }
  for (const split of splits) {
    if (greedy) split.second = program.length
    else split.first = program.length
  }
}

interface Thread {
  at: number
  saved: readonly number[]
}

function run(program: readonly Step[], input: string, group: 0 | 1): string | null {
  let threads: Thread[] = []
  let best: readonly number[] | null = null
  const seen = new Int32Array(program.length).fill(-1)
  for (let position = 0; position <= input.length; position++) {
    // A later start only counts when no earlier one is under way or has matched.
    if (best === null) follow(program, threads, seen, { at: 0, saved: [] }, position, input.length)
    const next: Thread[] = []
    const code = position < input.length ? input.charCodeAt(position) : -1
    const reached = threads
    threads = next
    seen.fill(-1)
    for (const { at, saved } of reached) {
      const step = program[at]!
      if (step.op === 'match') {
        best = saved
        // Those behind are of lower priority.
        break
      }
      if (step.op === 'set' && code >= 0 && step.has(code))
        follow(program, next, seen, { at: at + 1, saved }, position + 1, input.length)
    }
    if (best !== null && next.length === 0) break
  }
  if (!best) return null
  const from = best[group * 2]
  const to = best[group * 2 + 1]
  return from === undefined || to === undefined ? null : input.slice(from, to)
}

/** Adds every step that is reached from here without reading; each step once per position. */
function follow(
  program: readonly Step[],
  into: Thread[],
  seen: Int32Array,
  from: Thread,
  position: number,
  end: number,
): void {
  const open: Thread[] = [from]
  for (let thread = open.pop(); thread; thread = open.pop()) {
    if (seen[thread.at] === position) continue
    seen[thread.at] = position
    const step = program[thread.at]!
    const { saved } = thread
    if (step.op === 'jump') open.push({ at: step.to, saved })
    else if (step.op === 'split') open.push({ at: step.second, saved }, { at: step.first, saved })
    else if (step.op === 'save') {
      const copy = saved.slice()
      copy[step.slot] = position
      open.push({ at: thread.at + 1, saved: copy })
    } else if (step.op === 'start' || step.op === 'end') {
      if (position === (step.op === 'start' ? 0 : end)) open.push({ at: thread.at + 1, saved })
    } else into.push(thread)
  }
}
