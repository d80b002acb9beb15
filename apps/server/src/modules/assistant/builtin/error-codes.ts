import { ERROR_STATUS, type ErrorCode } from '@thingwright/contracts/errors'
import type { Locale } from '../../../lib/context.ts'
import { ERROR_TEXTS as TEXTS } from '../../../lib/i18n.ts'

export interface KnownError {
  code: string
  status: number
  text: string
}

const CODE = /[a-z][a-z_]*(?:\.[a-z][a-zA-Z_]*)+/g
/** Shorter messages ("required") stand in too many sentences. */
const SHORTEST_MESSAGE = 5

let messages: { code: string; pattern: RegExp }[] | null = null

/** The errors that a question names by code, or whose message was pasted into it, in either language; at most three. */
export function errorsIn(question: string, locale: Locale): KnownError[] {
  const text = question.slice(0, 1000)
  const codes = new Set<string>()
  for (const [code] of text.matchAll(CODE)) if (Object.hasOwn(TEXTS.zh, code)) codes.add(code)
  if (codes.size === 0) {
    messages ??= Object.values(TEXTS).flatMap(texts =>
      Object.entries(texts)
        .filter(([code]) => Object.hasOwn(ERROR_STATUS, code))
        .flatMap(([code, message]) => patternOf(message).map(pattern => ({ code, pattern }))),
    )
    const asked = plain(text)
    for (const { code, pattern } of messages) if (pattern.test(asked)) codes.add(code)
  }
  return [...codes].slice(0, 3).map(code => ({
    code,
    status: Object.hasOwn(ERROR_STATUS, code) ? ERROR_STATUS[code as ErrorCode] : 422,
    text: (TEXTS[locale][code] ?? code).replace(/\{\w+\}/g, '…'),
  }))
}

function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s,.;:!?\u3002\u3001"'\u201c\u201d]+/gu, '')
}

/** A message with anything short where its placeholders are. */
function patternOf(message: string): RegExp[] {
  const pieces = message.split(/\{\w+\}/).map(plain)
  if (Math.max(...pieces.map(piece => piece.length)) < SHORTEST_MESSAGE) return []
  const escaped = pieces.map(piece => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return [new RegExp(escaped.join('.{0,60}?'), 'u')]
}
