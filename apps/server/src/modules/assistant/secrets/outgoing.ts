import { secretHash } from '../../../lib/crypto/secrets.ts'
import type { Database } from '../../../lib/database/database.ts'
import { trimmedEnd } from '../../../lib/trimmed.ts'
import type { LlmMessage } from '../llm.port.ts'
import { BLANK, redact } from '../redact.ts'
import { encodedTexts } from './encoded-texts.ts'
import { knownAmong } from './known-secrets.repo.ts'
import { withoutSecretTexts } from './secret-texts.ts'

/** Takes secrets out of what is about to leave for a model, ours or an outside program's. */
export interface OutgoingTexts {
  text(text: string): Promise<string>
  /** A copy of something that is sent as JSON. */
  value<T>(value: T): Promise<T>
  messages(messages: readonly LlmMessage[]): Promise<LlmMessage[]>
}

/** A secret is a word of its own: no shorter, and no longer than a device's may be. */
const WORD = /[^\s"'`\\,;:()<>{}[\]|，。；：、“”（）]{8,128}/gu
/** Of one text; nothing that a model gets is longer. */
const MOST_WORDS = 20_000

const UNQUOTED = /":\[secret\](?=[,}\]])/g

/** For one reply of one company; what was looked through once is remembered. */
export function outgoingTexts(database: Database, tenantId: string): OutgoingTexts {
  const done = new Map<string, string>()
  const known = new Map<string, boolean>()

  /** Looks for words that no look gives away: secrets of the company's devices, whatever they are made of. */
  async function learn(words: readonly string[]): Promise<void> {
    const fresh = words.filter(word => !known.has(word))
    if (fresh.length === 0) return
    const hashes = fresh.map(word => secretHash(word))
    // Of the whole company: the asker's data scope must not hide what is to be kept.
    const found = await database.withTenant({ tenantId }, scope => knownAmong(scope, hashes))
    for (const [at, word] of fresh.entries()) known.set(word, found.has(hashes[at]!.toString('hex')))
  }

  async function clean(text: string): Promise<string> {
    const before = done.get(text)
    if (before !== undefined) return before
    const encoded = encodedTexts(text).map(({ written, said }) => ({ written, inside: wordsOf(said) }))
    const words = wordsOf(text)
    await learn([...new Set([...words, ...encoded.flatMap(({ inside }) => inside)])])
    const hidden = encoded.filter(({ inside }) => inside.some(word => known.get(word))).map(({ written }) => written)
    let left = text
    for (const word of [...hidden, ...words.filter(one => known.get(one))].sort((a, b) => b.length - a.length))
      left = left.replaceAll(word, BLANK)
    const after = withoutSecretTexts(left)
    done.set(text, after)
    return after
  }

  async function inside(value: unknown): Promise<unknown> {
    if (typeof value === 'string') return clean(value)
    if (Array.isArray(value)) return Promise.all(value.map(inside))
    if (value === null || typeof value !== 'object') return value
    const entries = Object.entries(value).map(async ([key, inner]) => [key, await inside(inner)] as const)
    return Object.fromEntries(await Promise.all(entries))
  }

  return {
    text: clean,
    async value<T>(value: T) {
      const safe = redact(value)
      // As one text first: a name beside a value tells a frame from a key. A number that went leaves its quotes to be set.
      const told = (await clean(JSON.stringify(safe))).replaceAll(UNQUOTED, `":${JSON.stringify(BLANK)}`)
      try {
        return JSON.parse(told) as T
      } catch {
        return (await inside(safe)) as T
      }
    },
    async messages(messages) {
      const out: LlmMessage[] = []
      for (const message of messages) {
        const content = await clean(message.content)
        if (message.role !== 'assistant' || !message.toolCalls) {
          out.push({ ...message, content })
          continue
        }
        const toolCalls = []
        for (const call of message.toolCalls) toolCalls.push({ ...call, arguments: await clean(call.arguments) })
        out.push({ ...message, content, toolCalls })
      }
      return out
    },
  }
}

/** Words, and their parts around the signs that stand between names and values, and of Markdown. */
function wordsOf(text: string): string[] {
  const words = new Set<string>()
  for (const [word] of text.matchAll(WORD)) {
    if (words.size >= MOST_WORDS) break
    words.add(word)
    for (const part of word.split(/[=/@&?#!.*~]+/)) if (part.length >= 8) words.add(part)
    const trimmed = trimmedEnd(word, /[.!?]/)
    if (trimmed.length >= 8) words.add(trimmed)
  }
  return [...words]
}
