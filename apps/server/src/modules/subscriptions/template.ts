/**
 * Payload templates: text with placeholders, and nothing else. No conditions, loops, calls or expressions, so that a
 * template can do nothing but read the item it is filled with (reference/reliability.md H4).
 *
 * `{{path}}` the value at a path of the item, `{{json path}}` as JSON, `{{iso path}}` epoch ms as ISO 8601,
 * `{{path | "text"}}` with what stands for an absent value. `\{{` is two braces.
 */

export interface TemplateProblem {
  /** Character, from 0. */
  at: number
  code: 'syntax' | 'unknown' | 'missing' | 'not_json'
  text: string
}

interface Placeholder {
  at: number
  path: readonly string[]
  how: 'plain' | 'json' | 'iso'
  /** For an absent value; null: the empty text, or null as JSON. */
  fallback: string | null
}

export interface Template {
  /** Texts and placeholders in turn. */
  readonly parts: readonly (string | Placeholder)[]
  readonly problems: readonly TemplateProblem[]
}

/** The first step of a path: what an item has. */
const ROOTS = new Set(['id', 'type', 'ts', 'productKey', 'deviceNo', 'deviceId', 'data'])
const MAX_DEPTH = 8
const MAX_PLACEHOLDERS = 500
/** A filled template; more is cut off, so that a small template cannot make a huge body. */
export const MAX_RENDERED = 262_144

const PLACEHOLDER = /^\s*(?:(json|iso)\s+)?([A-Za-z0-9_.-]+)\s*(?:\|\s*"([^"{}]*)"\s*)?$/

/** Reads a template; what is wrong with it stands in `problems`, and then it must not be used. */
export function parseTemplate(source: string): Template {
  const parts: (string | Placeholder)[] = []
  const problems: TemplateProblem[] = []
  let text = ''
  let at = 0
  while (at < source.length) {
    if (source.startsWith('\\{{', at)) {
      text += '{{'
      at += 3
      continue
    }
    if (!source.startsWith('{{', at)) {
      text += source[at]
      at++
      continue
    }
    const end = source.indexOf('}}', at + 2)
    if (end < 0) {
      problems.push({ at, code: 'syntax', text: source.slice(at, at + 40) })
      break
    }
    const inside = source.slice(at + 2, end)
    const match = PLACEHOLDER.exec(inside)
    const path = match?.[2]?.split('.') ?? []
    if (!match || path.some(step => step === '') || path.length > MAX_DEPTH)
      problems.push({ at, code: 'syntax', text: inside.slice(0, 80) })
    else if (!ROOTS.has(path[0]!)) problems.push({ at, code: 'unknown', text: path[0]! })
    else {
      parts.push(text, {
        at,
        path,
        how: (match[1] as 'json' | 'iso' | undefined) ?? 'plain',
        fallback: match[3] ?? null,
      })
      text = ''
    }
    at = end + 2
  }
  parts.push(text)
  if (parts.length > MAX_PLACEHOLDERS * 2) problems.push({ at: 0, code: 'syntax', text: `> ${MAX_PLACEHOLDERS}` })
  return { parts, problems }
}

/**
 * Fills a template. Where the result is JSON, plain values are escaped as the inside of a JSON string, so that no value
 * can break out of its quotes (CWE-74); `json` values bring their own quotes.
 * @param missing is told of placeholders that found nothing and have no fallback
 */
export function renderTemplate(
  { parts }: Template,
  item: Readonly<Record<string, unknown>>,
  isJson: boolean,
  missing?: (placeholder: { at: number; path: string }) => void,
): string {
  let out = ''
  for (const part of parts) {
    if (out.length > MAX_RENDERED) break
    if (typeof part === 'string') {
      out += part
      continue
    }
    const found = valueAt(item, part.path)
    if (found === undefined && part.fallback === null) missing?.({ at: part.at, path: part.path.join('.') })
    const value = found ?? part.fallback ?? undefined
    if (part.how === 'json') out += value === undefined ? 'null' : JSON.stringify(value)
    else {
      const plain = part.how === 'iso' ? isoOf(value) : textOf(value)
      out += isJson ? JSON.stringify(plain).slice(1, -1) : plain
    }
  }
  return out.slice(0, MAX_RENDERED)
}

/** Own properties alone: a path never leaves the data (CWE-1321). */
export function valueAt(from: unknown, path: readonly string[]): unknown {
  let value = from
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as Record<string, unknown>)[step]
  }
  return value ?? undefined
}

function textOf(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function isoOf(value: unknown): string {
  const ms = Number(value)
  return Number.isFinite(ms) && Math.abs(ms) <= 8.64e15 && value !== undefined && value !== ''
    ? new Date(ms).toISOString()
    : textOf(value)
}
