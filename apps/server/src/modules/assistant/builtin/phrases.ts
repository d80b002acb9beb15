import { type Folded, foldCharacter, isBoundary, typed } from './folding.ts'

/**
 * The grammar of phrases (lib/tools/tools.ts): literal text, `(a|b)` one of them, `[…]` may be there, `[a|b]` one of them or
 * nothing, `{slot}` any text, `{slot:word1=value1|word2=value2}` a fixed word that stands for a value. A phrase matches
 * a whole question or not at all; of several ways the one that takes optional parts, and the shortest text for a slot.
 *
 * Matching visits each (node, place) at most once and gives up after a number of steps, so that no question, however
 * it was made, costs more than its length times the phrase's.
 */
export interface Phrase {
  source: string
  /** Words of which at least one must stand in the question; all groups must be met. */
  required: readonly (readonly string[])[]
  nodes: readonly Node[]
  start: number
  slots: ReadonlySet<string>
}

type Node =
  | { kind: 'literal'; text: string; next: number }
  /** A blank of the phrase: a blank, or any place where a word may end. */
  | { kind: 'gap'; next: number }
  | { kind: 'split'; ways: readonly number[] }
  | { kind: 'slot'; name: string; next: number }
  | { kind: 'fixed'; name: string; value: string; text: string; next: number }
  | { kind: 'end' }

export interface PhraseMatch {
  slots: Record<string, string>
  /** Characters of the question that the phrase itself named. */
  literal: number
}

/** Whether a slot may stand for the text; undefined: any. */
export type SlotCheck = (name: string, text: string) => boolean

const ENDS = /[\s?!.\uff1f\uff01\u3002]+$/u
const MAX_STEPS = 60_000
/** A slot in the middle of a phrase names something; only the last one may hold a pasted page. */
const LONGEST_SLOT = 200

/** @throws Error telling what is wrong with the phrase and where */
export function compilePhrase(source: string): Phrase {
  return new Compiler(source.trim().replace(ENDS, '')).compile()
}

type Tree =
  | { kind: 'text'; text: string }
  | { kind: 'gap' }
  | { kind: 'either'; ways: Tree[][]; optional: boolean }
  | { kind: 'slot'; name: string; words: { word: string; value: string }[] | null }

class Compiler {
  private at = 0
  private readonly nodes: Node[] = []
  private readonly slots = new Set<string>()

  constructor(private readonly source: string) {}

  compile(): Phrase {
    const tree = this.sequence(true)
    if (this.at < this.source.length) this.fail(`a lone ${this.source[this.at]}`)
    if (tree.length === 0) this.fail('nothing in it')
    const end = this.add({ kind: 'end' })
    return {
      source: this.source,
      start: this.link(tree, end),
      nodes: this.nodes,
      required: requiredOf(tree),
      slots: this.slots,
    }
  }

  private fail(why: string): never {
    throw new Error(`phrase "${this.source}": ${why} at ${this.at}`)
  }

  private add(node: Node): number {
    this.nodes.push(node)
    return this.nodes.length - 1
  }

  private sequence(top = false): Tree[] {
    const tree: Tree[] = []
    let text = ''
    const flush = () => {
      if (text) tree.push({ kind: 'text', text })
      text = ''
    }
    for (; this.at < this.source.length; ) {
      const character = this.source[this.at]!
      if (')]|'.includes(character)) {
        if (top) this.fail(`a lone ${character}`)
        break
      }
      this.at += 1
      if (character === '(' || character === '[') {
        flush()
        tree.push(this.either(character === '(' ? ')' : ']'))
      } else if (character === '{') {
        flush()
        tree.push(this.slot())
      } else {
        const folded = foldCharacter(character)
        if (folded === ' ') {
          flush()
          tree.push({ kind: 'gap' })
        } else text += folded
      }
    }
    flush()
    return tree
  }

  private either(close: string): Tree {
    const ways: Tree[][] = []
    for (;;) {
      ways.push(this.sequence())
      const character = this.source[this.at]
      this.at += 1
      if (character === close) break
      if (character !== '|') this.fail(`no ${close}`)
    }
    return { kind: 'either', ways, optional: close === ']' }
  }

  private slot(): Tree {
    const close = this.source.indexOf('}', this.at)
    if (close < 0) this.fail('no }')
    const [, name = '', list] = /^(\w+)(?::(.*))?$/su.exec(this.source.slice(this.at, close)) ?? []
    if (!name) this.fail('a slot needs a name')
    this.at = close + 1
    this.slots.add(name)
    if (list === undefined) return { kind: 'slot', name, words: null }
    const words = list.split('|').map(one => {
      const [word = '', value] = one.split('=')
      if (!word.trim()) this.fail(`an empty word in {${name}}`)
      return { word: [...word.trim()].map(foldCharacter).join(''), value: value?.trim() ?? word.trim() }
    })
    // Longer words first, so that the list's order does not matter.
    return { kind: 'slot', name, words: words.sort((a, b) => b.word.length - a.word.length) }
  }

  /** Builds from the end to the beginning. @returns the node it begins with */
  private link(tree: readonly Tree[], end: number): number {
    let next = end
    for (const one of tree.toReversed()) {
      if (one.kind === 'text') next = this.add({ kind: 'literal', text: one.text, next })
      else if (one.kind === 'gap') next = this.add({ kind: 'gap', next })
      else if (one.kind === 'slot') {
        const after = next
        next = one.words
          ? this.add({
              kind: 'split',
              ways: one.words.map(({ word, value }) =>
                this.add({ kind: 'fixed', name: one.name, value, text: word, next: after }),
              ),
            })
          : this.add({ kind: 'slot', name: one.name, next })
      } else {
        const after = next
        const ways = one.ways.map(way => this.link(way, after))
        next = this.add({ kind: 'split', ways: one.optional ? [...ways, after] : ways })
      }
    }
    return next
  }
}

/** What every match must hold: lets a thousand phrases be passed over without trying them. */
function requiredOf(tree: readonly Tree[]): string[][] {
  const groups: string[][] = []
  for (const one of tree) {
    if (one.kind === 'text') groups.push([one.text])
    else if (one.kind === 'slot' && one.words) groups.push(one.words.map(({ word }) => word))
    else if (one.kind === 'either' && !one.optional) {
      const ofWays = one.ways.map(way => requiredOf(way))
      // Of each way the longest word that it cannot do without.
      if (ofWays.every(way => way.some(group => group.length === 1)))
        groups.push(
          ofWays.map(
            way => way.filter(group => group.length === 1).sort((a, b) => b[0]!.length - a[0]!.length)[0]![0]!,
          ),
        )
    }
  }
  return groups
}

/** Whether it is worth trying. */
export function mayMatch(phrase: Phrase, text: string): boolean {
  for (const group of phrase.required) {
    let met = false
    for (const word of group)
      if (text.includes(word)) {
        met = true
        break
      }
    if (!met) return false
  }
  return true
}

/** @returns null when the phrase does not match the whole text */
export function matchPhrase(phrase: Phrase, question: Folded, allowed?: SlotCheck): PhraseMatch | null {
  const { text } = question
  if (!mayMatch(phrase, text)) return null
  const { nodes } = phrase
  const width = text.length + 1
  const failed = new Set<number>()
  const slots: Record<string, string> = {}
  let steps = 0

  /** Literal characters from here on, or -1. */
  function run(id: number, at: number): number {
    steps += 1
    if (steps > MAX_STEPS) return -1
    const key = id * width + at
    if (failed.has(key)) return -1
    const literal = tryNode(nodes[id]!, at)
    if (literal < 0) failed.add(key)
    return literal
  }

  function after(next: number, at: number, own: number): number {
    const rest = run(next, at)
    return rest < 0 ? -1 : rest + own
  }

  function tryNode(node: Node, at: number): number {
    switch (node.kind) {
      case 'end':
        return at === text.length ? 0 : -1
      case 'gap':
        if (text[at] === ' ') return after(node.next, at + 1, 0)
        return isBoundary(text, at) ? after(node.next, at, 0) : -1
      case 'literal': {
        const from = text[at] === ' ' ? at + 1 : at
        return text.startsWith(node.text, from) ? after(node.next, from + node.text.length, node.text.length) : -1
      }
      case 'fixed': {
        const from = text[at] === ' ' ? at + 1 : at
        if (!text.startsWith(node.text, from) || !isBoundary(text, from)) return -1
        const literal = after(node.next, from + node.text.length, node.text.length)
        if (literal >= 0) slots[node.name] = node.value
        return literal
      }
      case 'split':
        for (const way of node.ways) {
          const literal = run(way, at)
          if (literal >= 0) return literal
        }
        return -1
      case 'slot':
        return trySlot(node, at)
    }
  }

  function trySlot(node: Node & { kind: 'slot' }, from: number): number {
    const begin = text[from] === ' ' ? from + 1 : from
    if (!isBoundary(text, begin)) return -1
    for (let end = begin + 1; end <= text.length; end += 1) {
      if (steps > MAX_STEPS) return -1
      if (end - begin > LONGEST_SLOT) end = text.length
      if (!isBoundary(text, end) && !isNumberUnit(text, end)) continue
      const said = typed(question, begin, end)
      if (allowed && !allowed(node.name, said)) continue
      const literal = run(node.next, end)
      if (literal >= 0) {
        slots[node.name] = said
        return literal
      }
    }
    return -1
  }

  const literal = run(phrase.start, 0)
  return literal < 0 ? null : { slots, literal }
}

/** `3h`, `20kg`: a unit may stand right behind its number. */
function isNumberUnit(text: string, at: number): boolean {
  return /\d/.test(text[at - 1]!) && /[a-z]/.test(text[at]!)
}
