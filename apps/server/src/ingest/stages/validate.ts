import { type CompiledModel, isStorableText, type Refused } from '@thingwright/thing-model'
import { decodeJson } from '../codecs/json/json.codec.ts'
import { KEPT_BYTES } from '../journal/not-storable.ts'
import { type JournalEntry, JournalKind, Quality, type RawUplink } from '../uplink.ts'
import { elementsOf, isObject, notFinite, Refusal, readEnvelope, wrongShape } from './envelope.ts'
import { eventTime } from './times.ts'

/** Longest texts kept of a reply. */
const MAX_ID = 64
const MAX_MESSAGE = 500

interface Checked {
  readonly raw: RawUplink
  readonly model: CompiledModel
}

/**
 * Bytes → rows of the journal: decoded, checked against the thing model, normalised, timed. A message that cannot be
 * taken becomes one refusal row with its reason and its first bytes; of an array all elements are taken or none.
 * Never throws, whatever the bytes are.
 */
export function validate({ raw, model }: Checked): JournalEntry[] {
  const { channel } = raw
  if (channel.kind === 'unknown') return [refusal(raw, new Refusal('topic_unknown', '', printable(channel.topic)))]
  const decoded = decodeJson(raw.payload)
  if (!decoded.ok) return [refusal(raw, new Refusal(decoded.reason, '', decoded.detail))]
  switch (channel.kind) {
    case 'property':
      return properties(raw, model, decoded.value, decoded.text)
    case 'event':
      return event(raw, model, channel.identifier, decoded.value)
    case 'property_set_reply':
      return reply(raw, decoded.value, () => null)
    case 'service_reply':
      return reply(raw, decoded.value, data => serviceOutput(model, channel.identifier, data))
  }
}

function properties(raw: RawUplink, model: CompiledModel, value: unknown, text: string): JournalEntry[] {
  const elements = elementsOf(value)
  if (elements instanceof Refusal) return [refusal(raw, elements)]
  const rows: JournalEntry[] = []
  for (const element of elements) {
    const envelope = readEnvelope(element, 'values', true)
    if (envelope instanceof Refusal) return [refusal(raw, within(value, rows.length, envelope))]
    const result = model.checkProperties(envelope.values)
    if (!result.ok) return [refusal(raw, within(value, rows.length, result))]
    const { values } = result
    rows.push({
      device: raw.device,
      kind: JournalKind.property,
      arrivedAt: raw.arrivedAt,
      ...eventTime(envelope.ts, raw.arrivedAt),
      // A bare post that needed no normalising is stored as it was sent; behind an escape anything may hide.
      values: values === value && !text.includes('\\') ? text : JSON.stringify(values),
      properties: values,
      raw: null,
      refusedReason: null,
    })
  }
  return rows
}

function event(raw: RawUplink, model: CompiledModel, identifier: string, value: unknown): JournalEntry[] {
  const envelope = readEnvelope(value, 'params', false)
  if (envelope instanceof Refusal) return [refusal(raw, envelope)]
  const result = model.checkEvent(identifier, envelope.values)
  if (!result.ok) return [refusal(raw, new Refusal(result.reason, result.path, result.detail))]
  return [
    {
      device: raw.device,
      kind: JournalKind.event,
      arrivedAt: raw.arrivedAt,
      ...eventTime(envelope.ts, raw.arrivedAt),
      values: JSON.stringify({ identifier, level: result.level, params: result.values }),
      raw: null,
      refusedReason: null,
    },
  ]
}

function reply(raw: RawUplink, value: unknown, output: (data: unknown) => unknown): JournalEntry[] {
  const read = readReply(value, output)
  if (read instanceof Refusal) return [refusal(raw, read)]
  return [
    {
      device: raw.device,
      kind: JournalKind.reply,
      arrivedAt: raw.arrivedAt,
      ...eventTime(undefined, raw.arrivedAt),
      values: JSON.stringify(read),
      raw: null,
      refusedReason: null,
    },
  ]
}

interface Reply {
  commandId: string
  code: number
  message: string | null
  data: unknown
}

/** `{"id", "code", "message"?, "data"?}`; whatever else a device adds is left out. */
function readReply(value: unknown, output: (data: unknown) => unknown): Reply | Refusal {
  if (!isObject(value)) return wrongShape('', 'expects an object')
  const { id, code, message } = value
  if (typeof id !== 'string' || id.length > MAX_ID || !isStorableText(id))
    return wrongShape('id', 'expects the id of the command')
  if (typeof code !== 'number') return wrongShape('code', 'expects a number')
  if (!Number.isFinite(code)) return notFinite('code')
  if (message !== undefined && message !== null) {
    if (typeof message !== 'string') return wrongShape('message', 'expects text')
    if (!isStorableText(message)) return new Refusal('text_not_storable', 'message', 'NUL or half a surrogate pair')
  }
  // Only a service that was done has an output.
  const data = code === 0 ? output(value.data) : null
  if (data instanceof Refusal) return data
  return { commandId: id, code, message: typeof message === 'string' ? shortened(message) : null, data }
}

function serviceOutput(model: CompiledModel, identifier: string, data: unknown): Record<string, unknown> | Refusal {
  const result = model.checkServiceOutput(identifier, data ?? undefined)
  if (result.ok) return result.values
  return new Refusal(result.reason, result.path ? `data.${result.path}` : 'data', result.detail)
}

/** The row of a message that cannot be taken. Its bytes are copied: the socket's buffer is not ours to keep. */
function refusal(raw: RawUplink, { reason, path, detail }: Refusal): JournalEntry {
  return {
    device: raw.device,
    kind: JournalKind.refused,
    arrivedAt: raw.arrivedAt,
    ...eventTime(undefined, raw.arrivedAt),
    quality: Quality.good,
    values: JSON.stringify({ path, detail }),
    raw: Buffer.from(raw.payload.subarray(0, KEPT_BYTES)),
    refusedReason: reason,
  }
}

/** A refusal as it stands in the whole message: below its index when that is an array. */
function within(message: unknown, index: number, { reason, path, detail }: Omit<Refused, 'ok'>): Refusal {
  if (!Array.isArray(message)) return new Refusal(reason, path, detail)
  const between = path === '' || path.startsWith('[') ? '' : '.'
  return new Refusal(reason, `[${index}]${between}${path}`, detail)
}

function shortened(text: string): string {
  // Not through the middle of a pair.
  return text.length <= MAX_MESSAGE ? text : text.slice(0, MAX_MESSAGE).toWellFormed()
}

function printable(text: string): string {
  return text.slice(0, 200).toWellFormed().replaceAll('\0', '\uFFFD')
}
