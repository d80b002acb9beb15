import type { FormatBody, JsonFormat } from '@thingwright/contracts/format-schemas'
import { trimmedEnd } from '../../../lib/trimmed.ts'
import type { Draft, DraftField, PastedFrame } from './draft-types.ts'
import words from './draft-words.json' with { type: 'json' }
import { readField } from './read-field.ts'

const SEPARATED = new RegExp(words.separatedBy, 'iu')
const LIST = new RegExp(words.fieldList, 'iu')
const ORDER = new RegExp(words.orderSaid, 'iu')
const ALIAS = new RegExp(words.alias, 'iu')
const AND = new RegExp(words.and, 'giu')
const NUMBER = /[-+]?\d+(?:\.\d+)?/g
const TIME = /^(?:ts|time|timestamp|datetime|date|t_?stamp)$/i
const DEVICE = /^(?:sn|imei|dev|device|device_?(?:id|no|sn)|dev_?(?:id|eui)|did|mac)$/i

/** What a manual says of keys: `t: temperature, in 0.1 ℃`. */
export type Aliases = ReadonlyMap<string, ReturnType<typeof readField>>

export function aliasesIn(lines: readonly string[]): Aliases {
  const found = new Map<string, ReturnType<typeof readField>>()
  for (const line of lines.flatMap(one =>
    one.split(/[;\uff1b]|[,\uff0c](?=\s*["']?[A-Za-z]\w*["']?\s*(?:[:\uff1a=]|\u8868\u793a|\u662f))/u),
  )) {
    const groups = ALIAS.exec(line)?.groups
    if (groups) found.set(groups.key!.toLowerCase(), readField(groups.name!))
  }
  return found
}

/** A key and what is known of it. */
function fieldOf(
  key: string,
  aliases: Aliases,
  where: string,
): { field: DraftField; scale: number | null; offset: number | null } {
  const known = aliases.get(key.toLowerCase())
  return {
    field: { name: known?.name || key, unit: known?.unit ?? null, value: 'number', where },
    scale: known?.scale ?? null,
    offset: known?.offset ?? null,
  }
}

/** A mapping for JSON messages out of pasted ones; null: the frames are no JSON objects. */
export function draftJson(frames: readonly PastedFrame[], lines: readonly string[]): Draft | null {
  const documents = frames.flatMap(frame => {
    if (frame.encoding !== 'text' || !/^\s*[{[]/.test(frame.payload)) return []
    try {
      return [JSON.parse(frame.payload) as unknown]
    } catch {
      return []
    }
  })
  if (documents.length === 0) return null
  const aliases = aliasesIn(lines)
  const rows = rowsOf(documents[0])
  const elements = rows === null ? documents : documents.flatMap(one => elementsAt(one, rows))
  const format: JsonFormat = { kind: 'json', ...(rows ? { rows } : {}) }
  const seen = new Map<string, { key: string; value: unknown }>()
  for (const element of elements)
    for (const leaf of leaves(element)) if (!seen.has(leaf.path) && seen.size < 60) seen.set(leaf.path, leaf)
  const parts: { field: DraftField; path: string; scale: number | null; offset: number | null }[] = []
  for (const [path, { key, value }] of seen) {
    if (!format.time && TIME.test(key)) format.time = { path }
    else if (DEVICE.test(key)) continue
    else {
      const { field, scale, offset } = fieldOf(key, aliases, path)
      const text = typeof value === 'string' && !/^[-+]?\d+(?:\.\d+)?$/.test(value)
      field.value = typeof value === 'boolean' ? 'bool' : text ? 'text' : 'number'
      parts.push({ field, path, scale, offset })
    }
  }
  if (parts.length === 0) return null
  return {
    kind: 'json',
    fields: parts.map(part => part.field),
    guesses: rows ? [{ key: 'guessRows', values: { path: rows } }] : [],
    build: (identifiers): FormatBody => ({
      ...format,
      values: parts.flatMap(({ path, scale, offset }, i) => {
        const identifier = identifiers[i]
        if (!identifier) return []
        return [
          {
            path,
            identifier,
            ...(scale !== null && scale !== 1 ? { scale } : {}),
            ...(offset ? { offset } : {}),
          },
        ]
      }),
    }),
  }
}

/** The path of an array of objects, at the top or one level down. */
function rowsOf(root: unknown): string | null {
  const holds = (value: unknown) => Array.isArray(value) && typeof value[0] === 'object' && value[0] !== null
  if (holds(root)) return '$'
  const [only, second] = Object.entries(root as object).filter(([, value]) => holds(value))
  return only && !second ? `$.${only[0]}` : null
}

function elementsAt(root: unknown, rows: string): unknown[] {
  const value = rows === '$' ? root : (root as Record<string, unknown>)[rows.slice(2)]
  return Array.isArray(value) ? value.slice(0, 20) : []
}

function leaves(value: unknown, path = '', key = '', depth = 0): { path: string; key: string; value: unknown }[] {
  if (typeof value !== 'object' || value === null) return path && value !== null ? [{ path, key, value }] : []
  if (depth > 5) return []
  return Object.entries(value)
    .slice(0, 100)
    .flatMap(([name, inner]) => {
      const plain = /^[A-Za-z0-9_-]+$/.test(name)
      const step = Array.isArray(value) ? `[${name}]` : plain ? `${path && '.'}${name}` : `["${name}"]`
      return leaves(inner, path + step, Array.isArray(value) ? key : name, depth + 1)
    })
}

/** Names in their order: "comma separated: temperature, humidity and battery". */
export function fieldNames(lines: readonly string[]): string[] {
  for (const line of lines) {
    const said = ORDER.exec(line)?.groups
    if (said) return [said.first ?? said.first2!, said.second ?? said.second2!]
    if (!SEPARATED.test(line) && !LIST.test(line)) continue
    const list = LIST.exec(line.replace(SEPARATED, ' fields: '))?.groups?.list ?? LIST.exec(line)?.groups?.list
    const names = (list ?? '')
      .replaceAll(AND, ',')
      .replace(/^[\s:\uff1a]*(?:fields?|are|is)*[\s:\uff1a]*/iu, '')
      .split(/[,\uff0c;\uff1b|\u3001/\t]+/u)
      .map(name => name.trim())
      .filter(name => /\p{L}/u.test(name))
    if (names.length >= 2) return names
  }
  return []
}

/** A label for text frames: what stands still is literal, numbers are data; null: the frames are not of one shape. */
export function draftText(frames: readonly PastedFrame[], lines: readonly string[]): Draft | null {
  const texts = frames
    .filter(frame => frame.encoding === 'text' && !/^\s*[{[]/.test(frame.payload))
    .map(one => one.payload)
  const [first] = texts
  if (first === undefined || /^\$(?:G[A-Z]|BD)/.test(first)) return null
  const aliases = aliasesIn(lines)
  const names = fieldNames(lines)
  const shape = shapeOf(first)
  if (!shape || texts.some(text => shapeOf(text)?.literals.join('\u0000') !== shape.literals.join('\u0000')))
    return null
  const { literals, count } = shape
  const fields = Array.from({ length: count }, (_, i): DraftField => {
    const key = keyBefore(literals[i]!)
    if (key) return { ...fieldOf(key, aliases, `${key}:`).field }
    const said = readField(names[i] ?? '')
    return { name: said.name, unit: said.unit, value: 'number', where: `#${i + 1}` }
  })
  const elements: string[] = []
  for (let i = 0; i < count; i++) {
    if (literals[i] !== '') elements.push(`[${i === 0 ? 'H' : 'S'}:${escaped(literals[i]!)}]`)
    elements.push('[D?]')
  }
  const last = literals[count]!
  if (last !== '') elements.push(`[T:${escaped(last)}]`)
  return {
    kind: 'label',
    fields,
    guesses: names.length === 0 && fields.some(field => field.name === '') ? [{ key: 'guessOrderOfModel' }] : [],
    build: (identifiers): FormatBody => ({
      kind: 'label',
      label: elements.join(','),
      fields: identifiers.map(identifier => identifier ?? ''),
    }),
  }
}

/** What stands around the numbers of a frame. A digit that belongs to a key (`T1:`) is no number. */
function shapeOf(text: string): { literals: string[]; count: number } | null {
  const literals: string[] = []
  let at = 0
  for (const match of text.matchAll(NUMBER)) {
    if (/[A-Za-z_]$/.test(text.slice(at, match.index)) && /^\w*\s*[:=]/.test(text.slice(match.index + match[0].length)))
      continue
    if (literals.length > 0 && match.index === at) return null
    literals.push(text.slice(at, match.index))
    at = match.index + match[0].length
  }
  if (literals.length === 0 || literals.length > 60) return null
  return { literals: [...literals, text.slice(at)], count: literals.length }
}

function escaped(literal: string): string {
  return literal.replaceAll('\\', '\\\\').replaceAll('\r', '\\r').replaceAll('\n', '\\n').replaceAll('\t', '\\t')
}

/** `temp` of `… temp = `: the word before a colon or an equals sign that ends the text. */
function keyBefore(literal: string): string | undefined {
  const text = literal.trimEnd()
  if (!/[:=]/.test(text.charAt(text.length - 1))) return undefined
  const named = text.slice(0, -1).trimEnd()
  return named.slice(trimmedEnd(named, /\w/).length).replace(/^\d+/, '') || undefined
}
