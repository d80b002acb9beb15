import type { LabelFrame, ProductFormat } from '@thingwright/contracts/format-schemas'
import type { RecognisedField } from '@thingwright/contracts/formats.contract'
import { compileModel, type ThingModel } from '@thingwright/thing-model'
import { CayenneCodec } from '../codecs/cayenne/cayenne.codec.ts'
import { BY_CODE } from '../codecs/cayenne/cayenne-types.ts'
import { compileFormat } from '../codecs/compile-format.ts'
import { decodeDeviceJson } from '../codecs/json/json.codec.ts'
import { parseRtu } from '../codecs/modbus/adu.ts'
import { CHECKSUMS } from '../codecs/shared/checksums.ts'
import { explained } from './try-format.ts'

export interface Proposal {
  looksLike: string
  confidence: number
  format: Record<string, unknown>
  fields: RecognisedField[]
}

const NO_SCRIPTS = {
  open: () => {
    throw new Error('no scripts are proposed')
  },
}
const TIME_NAMES = /^(?:ts|time|timestamp|datetime|date|times)$/i
const DEVICE_NAMES = /^(?:sn|imei|device_?(?:id|no|sn)|dev_?(?:id|eui)|did|mac|sub)$/i
const MOST_VALUES = 60

/** Proposes formats for a frame that somebody pasted, the likeliest first. */
export function detectFormat(payload: Buffer, model: ThingModel): Proposal[] {
  const found: Omit<Proposal, 'fields'>[] = [
    ...json(payload, model),
    ...text(payload, model),
    ...binary(payload, model),
  ]
  const compiled = compileModel(model)
  return found
    .sort((a, b) => b.confidence - a.confidence)
    .slice(0, 5)
    .map(proposal => ({
      ...proposal,
      fields: explained(compileFormat(proposal.format, compiled, NO_SCRIPTS), payload),
    }))
}

function reported(model: ThingModel): string[] {
  return model.properties.filter(property => property.access !== 'w').map(property => property.identifier)
}

/** The property that a name of the wire probably means; empty: none. */
function guess(name: string, names: readonly string[]): string {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  const wanted = plain(name)
  return names.find(candidate => plain(candidate) === wanted) ?? ''
}

function json(payload: Buffer, model: ThingModel): Omit<Proposal, 'fields'>[] {
  const decoded = decodeDeviceJson(payload)
  if (!decoded.ok || typeof decoded.value !== 'object' || decoded.value === null) return []
  const names = reported(model)
  const root = decoded.value as Record<string, unknown>
  const standard =
    Object.keys(root).length > 0 &&
    Object.keys(root).every(key => names.includes(key) || key === 'ts' || key === 'values')
  if (standard && !Array.isArray(root)) return [{ looksLike: 'json', confidence: 1, format: { kind: 'json' } }]
  const rows = rowsOf(root)
  const element = rows === null ? root : rows.element
  const format: Extract<ProductFormat, { kind: 'json' }> = { kind: 'json', values: [] }
  if (rows?.path) format.rows = rows.path
  for (const { path, name, value } of leaves(element)) {
    if (!format.time && TIME_NAMES.test(name)) format.time = { path }
    else if (!format.device && DEVICE_NAMES.test(name) && typeof value !== 'object') format.device = path
    else if (format.values!.length < MOST_VALUES) format.values!.push({ path, identifier: guess(name, names) })
  }
  return [{ looksLike: 'json', confidence: 0.95, format }]
}

/** An array of objects, at the top or one level down: its elements are readings. */
function rowsOf(root: unknown): { path: string; element: unknown } | null {
  const isRows = (value: unknown): value is unknown[] =>
    Array.isArray(value) && value.length > 0 && typeof value[0] === 'object' && value[0] !== null
  if (isRows(root)) return { path: '$', element: root[0] }
  const entries = Object.entries(root as object).filter(([, value]) => isRows(value))
  const [only] = entries
  return entries.length === 1 && only ? { path: `$.${only[0]}`, element: (only[1] as unknown[])[0] } : null
}

function leaves(value: unknown, path = '', name = '', depth = 0): { path: string; name: string; value: unknown }[] {
  if (typeof value !== 'object' || value === null || depth > 6) return path ? [{ path, name, value }] : []
  return Object.entries(value)
    .slice(0, 200)
    .flatMap(([key, inner]) => {
      const step = Array.isArray(value)
        ? `[${key}]`
        : /^[A-Za-z0-9_-]+$/.test(key)
          ? `${path && '.'}${key}`
          : `["${key}"]`
      return leaves(inner, path + step, Array.isArray(value) ? name : key, depth + 1)
    })
}

const NUMBER = /[+-]?\d+(?:\.\d+)?/g
const SENTENCE = /^\$(G[A-Z]|BD)(RMC|GGA|GLL),/

function text(payload: Buffer, model: ThingModel): Omit<Proposal, 'fields'>[] {
  const line = payload.toString('latin1')
  if (!/^[\x20-\x7e\r\n\t]+$/.test(line) || line.trimStart().startsWith('{')) return []
  if (SENTENCE.test(line)) {
    const place = model.properties.find(property => property.dataType.type === 'geo')?.identifier ?? ''
    const frame: LabelFrame = {
      head: Buffer.from(line.slice(0, 6)).toString('hex'),
      fields: [{ type: 'nmea', at: 0, identifier: place }],
    }
    return [{ looksLike: 'nmea', confidence: 0.98, format: { kind: 'label', frames: [frame] } }]
  }
  const numbers = [...line.matchAll(NUMBER)]
  if (numbers.length === 0 || numbers.length > 100) return []
  const parts: string[] = []
  const first = numbers[0]!
  if (first.index > 0) parts.push(`[H:${escaped(line.slice(0, first.index))}]`)
  for (const [i, number] of numbers.entries()) {
    const end = number.index + number[0].length
    const next = numbers[i + 1]
    parts.push('[D?]')
    const between = line.slice(end, next?.index ?? line.length)
    if (next && between === '') return []
    if (next) parts.push(`[S:${escaped(between)}]`)
    else if (between !== '') parts.push(`[T:${escaped(between)}]`)
  }
  const fields = reported(model).slice(0, numbers.length)
  while (fields.length < numbers.length) fields.push('')
  return [{ looksLike: 'label_text', confidence: 0.8, format: { kind: 'label', label: parts.join(','), fields } }]
}

function escaped(literal: string): string {
  return literal.replaceAll('\\', '\\\\').replaceAll('\r', '\\r').replaceAll('\n', '\\n').replaceAll('\t', '\\t')
}

function binary(payload: Buffer, model: ThingModel): Omit<Proposal, 'fields'>[] {
  if (payload.length < 3 || payload.length > 512 || /^[\x20-\x7e\r\n\t]+$/.test(payload.toString('latin1'))) return []
  const names = reported(model)
  const proposals: Omit<Proposal, 'fields'>[] = []
  const answer = parseRtu(payload)
  if (answer.kind === 'frame' && answer.length === payload.length && answer.adu.pdu[0]! <= 4) {
    const { pdu } = answer.adu
    const code = pdu[0] as 1 | 2 | 3 | 4
    const count = code <= 2 ? pdu[1]! * 8 : pdu[1]! >> 1
    const registers = Array.from({ length: Math.min(count, MOST_VALUES) }, (_, i) => ({
      identifier: names[i] ?? '',
      function: code,
      address: i,
      dataType: code <= 2 ? 'bool' : 'uint16',
    }))
    proposals.push({ looksLike: 'modbus_rtu', confidence: 0.97, format: { kind: 'modbus', registers } })
  }
  const lpp = cayenne(payload, names)
  if (lpp) proposals.push(lpp)
  proposals.push({ looksLike: 'label_binary', ...frameOf(payload, names) })
  return proposals
}

function cayenne(payload: Buffer, names: readonly string[]): Omit<Proposal, 'fields'> | null {
  const parts = new CayenneCodec({ kind: 'cayenne' }, compileModel({ properties: [], events: [], services: [] }))
  if (!parts.decode(payload).ok) return null
  const channels = parts.explain(payload).map(({ type, at }) => ({
    channel: payload[at]!,
    type,
    identifier: guess(type, names) || guess(`${type}_${payload[at]}`, names),
  }))
  const known = channels.length > 0 && payload.every((_, i) => i !== 1 || BY_CODE.has(payload[1]!))
  return known ? { looksLike: 'cayenne', confidence: 0.9, format: { kind: 'cayenne', channels } } : null
}

/** Head, checksum and tail as far as they can be told; what lies between as 16 bit numbers. */
function frameOf(payload: Buffer, names: readonly string[]): { confidence: number; format: Record<string, unknown> } {
  const tails = ['0d0a', '16', '0d', '0a', '']
  for (const tail of tails) {
    const bytes = Buffer.from(tail, 'hex')
    if (bytes.length > 0 && !payload.subarray(-bytes.length).equals(bytes)) continue
    const sum = checksumOf(payload, bytes.length)
    if (!sum && tail !== '') continue
    const head = Math.min(payload[0] === payload[1] ? 2 : 1, payload.length)
    const end = payload.length - bytes.length - (sum ? CHECKSUMS[sum.kind].size : 0)
    const fields: Record<string, unknown>[] = []
    for (let at = head; at < end && fields.length < MOST_VALUES; ) {
      const wide = at + 2 <= end
      const identifier = names[fields.length]
      fields.push({
        type: wide ? 'uint16' : 'uint8',
        at,
        ...(identifier ? { identifier } : { role: 'ignore' }),
      })
      at += wide ? 2 : 1
    }
    const frame = {
      length: payload.length,
      head: payload.subarray(0, head).toString('hex'),
      ...(tail ? { tail } : {}),
      fields,
      ...(sum ? { checksum: sum } : {}),
    }
    return { confidence: sum ? 0.7 : 0.4, format: { kind: 'label', frames: [frame] } }
  }
  return { confidence: 0, format: { kind: 'label', frames: [] } }
}

/** The checksum in front of the tail, when one comes out right; counted from the start or from behind the head. */
function checksumOf(payload: Buffer, tail: number): LabelFrame['checksum'] | null {
  for (const kind of ['crc32', 'crc16_modbus', 'crc16_ccitt', 'sum8', 'xor8'] as const) {
    const { size, of } = CHECKSUMS[kind]
    const at = payload.length - tail - size
    for (const from of [0, 1, 2, 3]) {
      if (at - from < 2) continue
      const sum = of(payload, from, at)
      const endians = size === 1 ? (['big'] as const) : (['big', 'little'] as const)
      for (const endian of endians) {
        const there = endian === 'big' ? payload.readUIntBE(at, size) : payload.readUIntLE(at, size)
        if (there === sum) return { kind, at: -(tail + size), endian, ...(from > 0 ? { from } : {}) }
      }
    }
  }
  return null
}
