import { below, type Field, Unreadable, type Values, visibleFields } from './field.ts'

/** A complaint about one field: a key of the form's texts with its parameters, or words that are ready. */
export type Complaint = { key: string; params?: Record<string, string | number> } | { text: string }

/** Complaints by path, in the order of the fields. */
export type Complaints = Map<string, Complaint>

const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n

/** Nothing was given: absent, null, empty text, empty list. */
export function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    (typeof value === 'string' && value.trim() === '') ||
    (Array.isArray(value) && value.length === 0)
  )
}

/** Checks every visible field; an empty map means that the values may be sent. */
export function validateFields(fields: readonly Field[], values: Values, path = ''): Complaints {
  const found: Complaints = new Map()
  for (const field of visibleFields(fields, values)) {
    for (const [at, complaint] of validateField(field, values[field.key], below(path, field.key), values))
      found.set(at, complaint)
  }
  return found
}

/** Checks one field and what lies below it. */
export function validateField(field: Field, value: unknown, path: string, values: Values = {}): Complaints {
  const found: Complaints = new Map()
  const own = (key: string, params?: Record<string, string | number>) =>
    found.set(path, params === undefined ? { key } : { key, params })
  if (value instanceof Unreadable) own(`invalid.${field.kind}`)
  else if (isEmpty(value)) {
    if (field.required && field.kind !== 'bool') own('required')
  } else checkKind(field, value, path, own, found)
  if (found.size === 0) {
    const text = field.check?.(value, values) ?? null
    if (text !== null) found.set(path, { text })
  }
  return found
}

type Own = (key: string, params?: Record<string, string | number>) => void

function checkKind(field: Field, value: unknown, path: string, own: Own, found: Complaints): void {
  switch (field.kind) {
    case 'string':
      checkText(field, written(field, String(value)), own)
      return
    case 'file':
      checkText(field, String(value), own)
      return
    case 'number':
    case 'duration':
      checkNumber(field, value, own)
      return
    case 'int64':
      checkInt64(field, value, own)
      return
    case 'enum':
      // Options that are searched at the server are never all here.
      if (!field.onSearch && !field.options.some(option => option.value === value)) own('choice')
      return
    case 'date':
      if (typeof value !== 'number' || !Number.isFinite(value)) own('invalid.date')
      return
    case 'geo':
      checkGeo(value, path, found)
      return
    case 'color':
      if (!/^#[0-9a-f]{6}$/i.test(String(value))) own('invalid.color')
      return
    case 'bytes':
      checkBytes(field.maxLength, String(value), own)
      return
    case 'tags': {
      const tags = value as string[]
      if (field.maxItems !== undefined && tags.length > field.maxItems) own('maxItems', { limit: field.maxItems })
      else if (field.maxLength !== undefined && tags.some(tag => tag.length > field.maxLength!))
        own('tagLength', { limit: field.maxLength })
      return
    }
    case 'object':
      for (const [at, complaint] of validateFields(field.fields, (value ?? {}) as Values, path))
        found.set(at, complaint)
      return
    case 'array': {
      const items = value as unknown[]
      if (field.maxItems !== undefined && items.length > field.maxItems) own('maxItems', { limit: field.maxItems })
      items.forEach((item, at) => {
        const element: Field = { ...field.element, required: true }
        for (const [where, complaint] of validateField(element, item, below(path, at))) found.set(where, complaint)
      })
      return
    }
    case 'bool':
    case 'json':
    case 'custom':
      return
  }
}

/**
 * A text as it is checked and sent: without outer spaces. Where it must have a shape and has it once signs of full width
 * are plain ones, or the blanks between its groups are gone, it is that: numbers are pasted as tables and chats show them.
 */
function written(field: { pattern?: RegExp; keepSpaces?: boolean }, text: string): string {
  if (field.keepSpaces) return text
  const trimmed = text.trim()
  const plain = trimmed.normalize('NFKC')
  const { pattern } = field
  if (!pattern) return trimmed
  return [trimmed, plain, plain.replaceAll(/[\s\u200b-\u200f\ufeff]/g, '')].find(each => pattern.test(each)) ?? trimmed
}

function checkText(
  field: { minLength?: number; maxLength?: number; pattern?: RegExp; patternText?: string; kind: 'string' | 'file' },
  text: string,
  own: Own,
): void {
  const { minLength, maxLength } = field
  if (text.includes('\u0000') || !isWellFormed(text)) own('notStorable')
  else if (minLength !== undefined && text.length < minLength) own('minLength', { limit: minLength })
  else if (maxLength !== undefined && text.length > maxLength) own('maxLength', { limit: maxLength })
  else if (field.kind === 'file' && !/^(https?:\/\/[^\s]+|\/(?!\/)[^\s]*)$/i.test(text)) own('invalid.file')
  else if (field.pattern && !field.pattern.test(text)) own('pattern', { text: field.patternText ?? '' })
}

/** No half of a surrogate pair: such text cannot be stored. */
function isWellFormed(text: string): boolean {
  return !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text)
}

function checkNumber(field: { min?: number; max?: number; integer?: boolean; kind: string }, value: unknown, own: Own) {
  if (typeof value !== 'number' || !Number.isFinite(value)) own('invalid.number')
  else if ((field.integer || field.kind === 'duration') && !Number.isInteger(value)) own('integer')
  else if (field.min !== undefined && value < field.min) own('min', { limit: field.min })
  else if (field.max !== undefined && value > field.max) own('max', { limit: field.max })
}

function checkInt64(field: { min?: number | string; max?: number | string }, value: unknown, own: Own): void {
  const text = String(value)
  if (!/^-?\d{1,19}$/.test(text)) {
    own('invalid.int64')
    return
  }
  const big = BigInt(text)
  if (big < INT64_MIN || big > INT64_MAX) own('invalid.int64')
  else if (field.min !== undefined && big < BigInt(field.min)) own('min', { limit: field.min })
  else if (field.max !== undefined && big > BigInt(field.max)) own('max', { limit: field.max })
}

function checkGeo(value: unknown, path: string, found: Complaints): void {
  const point = (value ?? {}) as Record<string, unknown>
  const bound = (part: 'lng' | 'lat', limit: number) => {
    const degrees = point[part]
    const at = below(path, part)
    if (degrees === undefined || degrees === null) found.set(at, { key: 'required' })
    else if (typeof degrees !== 'number' || !Number.isFinite(degrees)) found.set(at, { key: 'invalid.number' })
    else if (Math.abs(degrees) > limit) found.set(at, { key: 'between', params: { min: -limit, max: limit } })
  }
  bound('lng', 180)
  bound('lat', 90)
  if (point.alt instanceof Unreadable) found.set(below(path, 'alt'), { key: 'invalid.number' })
}

function checkBytes(maxLength: number | undefined, text: string, own: Own): void {
  if (!/^([0-9a-f]{2})+$/i.test(text.replace(/\s+/g, ''))) own('invalid.bytes')
  else if (maxLength !== undefined && text.replace(/\s+/g, '').length > maxLength * 2)
    own('maxBytes', { limit: maxLength })
}

/**
 * Values as they are sent: outer spaces cut, bytes without spaces, hidden and empty fields left out. An empty field
 * that had a value in `initial` becomes null (or what the field says), which clears it at the server.
 */
export function outgoing(fields: readonly Field[], values: Values, initial: Values = {}): Values {
  const sent: Values = {}
  for (const field of visibleFields(fields, values)) {
    const value = outgoingValue(field, values[field.key])
    if (value !== undefined) sent[field.key] = value
    else if (!isEmpty(initial[field.key])) sent[field.key] = field.cleared ?? null
  }
  return sent
}

function outgoingValue(field: Field, value: unknown): unknown {
  if (field.kind === 'bool') return value === true
  if (field.kind === 'tags' || field.kind === 'array') {
    if (value === undefined || value === null) return undefined
    return field.kind === 'array' ? (value as unknown[]).map(item => outgoingValue(field.element, item)) : value
  }
  if (isEmpty(value)) return undefined
  switch (field.kind) {
    case 'string':
      return written(field, String(value))
    case 'bytes':
      return String(value).replace(/\s+/g, '')
    case 'int64': {
      const number = Number(value)
      return Number.isSafeInteger(number) ? number : String(value)
    }
    case 'object':
      return outgoing(field.fields, value as Values)
    case 'geo': {
      const { lng, lat, alt, address } = value as Values
      return {
        lng,
        lat,
        ...(field.altitude && alt !== undefined && alt !== null ? { alt } : {}),
        ...(field.address && !isEmpty(address) ? { address: String(address).trim() } : {}),
      }
    }
    default:
      return value
  }
}

/**
 * Puts the server's complaints to the fields they name. Paths that no field shows are returned as `rest`: they belong
 * above the form.
 */
export function serverComplaints(
  given: Record<string, { message: string }>,
  fields: readonly Field[],
  prefix = '',
): { complaints: Complaints; rest: string[] } {
  const complaints: Complaints = new Map()
  const rest: string[] = []
  for (const [full, { message }] of Object.entries(given)) {
    const path = normalisePath(full, prefix)
    if (
      fields.some(field => path === field.key || path.startsWith(`${field.key}.`) || path.startsWith(`${field.key}[`))
    )
      complaints.set(path, { text: message })
    else rest.push(`${full}: ${message}`)
  }
  return { complaints, rest }
}

/** `/items/2/name` and `body.items[2].name` both mean `items[2].name`. */
function normalisePath(path: string, prefix: string): string {
  let text = path.startsWith('/')
    ? path
        .slice(1)
        .split('/')
        .reduce((all, part) => (/^\d+$/.test(part) ? `${all}[${part}]` : all === '' ? part : `${all}.${part}`), '')
    : path
  text = text.replace(/^body\./, '')
  return prefix !== '' && text.startsWith(`${prefix}.`) ? text.slice(prefix.length + 1) : text
}
