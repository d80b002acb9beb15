import type { CompiledModel, Refused } from '@thingwright/thing-model'
import type { Intake } from '../../modules/products/intake.port.ts'
import type { Arrivals } from '../arrivals.ts'
import type { DecodeResult } from '../codecs/codec.ts'
import { decodeJson } from '../codecs/json/json.codec.ts'
import { elementsOf, notFinite, Refusal, readEnvelope } from '../codecs/shared/envelope.ts'
import { KEPT_BYTES } from '../journal/not-storable.ts'
import { type FirmwareReport, readFirmware } from '../ota/firmware-report.ts'
import { type JournalEntry, JournalKind, Quality, type RawUplink } from '../uplink.ts'
import { underRule } from './intake.ts'
import { applyPolicies } from './policy.ts'
import { readReply } from './reply.ts'
import type { StoreMemory } from './store-memory.ts'
import { type EventTime, eventTime } from './times.ts'
import type { UnknownKeys } from './unknown-keys.ts'

interface Checked {
  readonly raw: RawUplink
  readonly model: CompiledModel
  readonly intake?: Intake
  /** What the product's format made of the bytes; absent: they are JSON. */
  readonly decoded?: DecodeResult
}

/** What the stage remembers of devices. Without it everything is stored, and counts at the time at which it arrived. */
export interface Remembered {
  memory?: StoreMemory
  arrivals?: Pick<Arrivals, 'next'>
  /** Gets what was left out of messages of products that collect it. */
  unknown?: Pick<UnknownKeys, 'add'>
}

/** Values that a codec read out of one frame. */
interface Reading {
  ts?: number
  values: Record<string, unknown>
  event?: string
}

/**
 * Bytes → rows of the journal: decoded, checked against the thing model, normalised, timed. A message that cannot be
 * taken becomes one refusal row with its reason and its first bytes; of an array all elements are taken or none.
 * Never throws, whatever the bytes are.
 */
export function validate({ decoded: read, ...checked }: Checked, remembered: Remembered = {}): JournalEntry[] {
  const { raw } = checked
  if (read) {
    if (read.ok) return validateReadings(checked, read.readings, remembered)
    return [refusal(raw, new Refusal(read.reason, printable(read.path), printable(read.detail)))]
  }
  const { channel } = raw
  if (channel.kind === 'unknown')
    return [refusal(raw, new Refusal(channel.reason ?? 'topic_unknown', '', printable(channel.topic)))]
  // A product without a format of its own speaks JSON everywhere.
  if (channel.kind === 'raw')
    return validate({ ...checked, raw: { ...raw, channel: { kind: 'property' } } }, remembered)
  const decoded = decodeJson(raw.payload)
  if (!decoded.ok) return [refusal(raw, new Refusal(decoded.reason, '', decoded.detail))]
  switch (channel.kind) {
    case 'property':
      return properties(checked, decoded.value, decoded.text, remembered)
    case 'event':
      return event(checked, channel.identifier, decoded.value, remembered)
    case 'property_set_reply':
      return reply(raw, decoded.value, () => null)
    case 'service_reply':
      return reply(raw, decoded.value, data => serviceOutput(checked, channel.identifier, data, remembered))
    case 'firmware':
      return firmware(raw, readFirmware(channel.message, decoded.value))
  }
}

/**
 * What a codec read → rows of the journal, all or none. Readings without an event are values of properties; of a frame
 * that says nothing there is one empty row: the device was seen.
 * @param raw the frame, kept when its values cannot be taken
 */
export function validateReadings(
  checked: Checked,
  readings: readonly Reading[],
  remembered: Remembered = {},
): JournalEntry[] {
  const { raw } = checked
  const rows: JournalEntry[] = []
  for (const [index, { ts, values, event: identifier }] of readings.entries()) {
    const place = readings.length === 1 ? null : index
    if (ts !== undefined && !Number.isFinite(ts)) return [refusal(raw, within(place, notFinite('ts')))]
    const made =
      identifier === undefined
        ? propertyRows(checked, values, timeOf(raw, ts, remembered), remembered)
        : eventRow(checked, identifier, values, timeOf(raw, ts, remembered), remembered)
    if (!Array.isArray(made)) return [refusal(raw, within(place, made))]
    for (const row of made) rows.push(row)
  }
  if (rows.length > 0) return rows
  return [propertyRow(raw, timeOf(raw, undefined, remembered), {}, '{}')]
}

/** The time that values count for: the device's own, or one that no other of its messages has. */
function timeOf(raw: RawUplink, deviceTs: number | undefined, { arrivals }: Remembered): EventTime {
  const time = eventTime(deviceTs, raw.arrivedAt)
  // What a device said is kept beside the values only where it does not count.
  if (!arrivals || (deviceTs !== undefined && time.deviceTs === null)) return time
  return { ...time, ts: arrivals.next(raw.device.num, raw.arrivedAt, raw.via?.num) }
}

function properties(checked: Checked, value: unknown, text: string, remembered: Remembered): JournalEntry[] {
  const { raw } = checked
  const elements = elementsOf(value)
  if (elements instanceof Refusal) return [refusal(raw, elements)]
  const rows: JournalEntry[] = []
  for (const [index, element] of elements.entries()) {
    const place = Array.isArray(value) ? index : null
    const envelope = readEnvelope(element, 'values', true)
    if (envelope instanceof Refusal) return [refusal(raw, within(place, envelope))]
    // A bare post that needed no normalising is stored as it was sent; behind an escape anything may hide.
    const asSent = envelope.values === value && !text.includes('\\') ? text : null
    const time = timeOf(raw, envelope.ts, remembered)
    const made = propertyRows(checked, envelope.values, time, remembered, asSent)
    if (!Array.isArray(made)) return [refusal(raw, within(place, made))]
    if (elements.length === 1) return made
    for (const row of made) rows.push(row)
  }
  return rows
}

/** @param asSent the JSON text of the values, where they may be stored as they came */
function propertyRows(
  checked: Checked,
  sent: unknown,
  time: EventTime,
  remembered: Remembered,
  asSent: string | null = null,
): JournalEntry[] | Refused {
  return underRule(
    checked,
    { fields: checked.model.model.properties, prefix: '' },
    sent,
    again => strictRows(checked, again, time, remembered.memory, again === sent ? asSent : null),
    remembered.unknown,
  )
}

function strictRows(
  { raw, model }: Checked,
  sent: unknown,
  time: EventTime,
  memory: StoreMemory | undefined,
  asSent: string | null = null,
): JournalEntry[] | Refused {
  if (model.policies === null) {
    const result = model.checkProperties(sent)
    if (!result.ok) return result
    const { values } = result
    return [propertyRow(raw, time, values, asSent !== null && values === sent ? asSent : JSON.stringify(values))]
  }
  const groups = applyPolicies(model, model.policies, sent, {
    device: raw.device.num,
    time,
    ...(memory ? { memory } : {}),
  })
  if (!Array.isArray(groups)) return groups
  return groups.map(({ kind, quality, values }) => ({
    ...propertyRow(raw, time, values, JSON.stringify(values)),
    kind,
    quality,
  }))
}

function propertyRow(raw: RawUplink, time: EventTime, values: Record<string, unknown>, text: string): JournalEntry {
  return {
    device: raw.device,
    kind: JournalKind.property,
    arrivedAt: raw.arrivedAt,
    ...time,
    values: text,
    properties: values,
    raw: null,
    refusedReason: null,
  }
}

function event(checked: Checked, identifier: string, value: unknown, remembered: Remembered): JournalEntry[] {
  const { raw } = checked
  const envelope = readEnvelope(value, 'params', false)
  if (envelope instanceof Refusal) return [refusal(raw, envelope)]
  const time = timeOf(raw, envelope.ts, remembered)
  const made = eventRow(checked, identifier, envelope.values, time, remembered)
  return Array.isArray(made) ? made : [refusal(raw, new Refusal(made.reason, made.path, made.detail))]
}

function eventRow(
  checked: Checked,
  identifier: string,
  params: unknown,
  time: EventTime,
  remembered: Remembered,
): JournalEntry[] | Refused {
  const { raw, model } = checked
  const fields = model.events.get(identifier)?.params ?? []
  const result = underRule(
    checked,
    { fields, prefix: `event/${identifier}/` },
    params,
    sent => model.checkEvent(identifier, sent),
    remembered.unknown,
  )
  if (!result.ok) return result
  return [
    {
      device: raw.device,
      kind: JournalKind.event,
      arrivedAt: raw.arrivedAt,
      ...time,
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

/** A row of what a device says of its firmware; never late, for only the order counts. */
function firmware(raw: RawUplink, read: FirmwareReport | Refusal): JournalEntry[] {
  if (read instanceof Refusal) return [refusal(raw, read)]
  return [
    {
      device: raw.device,
      kind: JournalKind.firmware,
      arrivedAt: raw.arrivedAt,
      ...eventTime(undefined, raw.arrivedAt),
      values: JSON.stringify(read),
      raw: null,
      refusedReason: null,
    },
  ]
}

function serviceOutput(
  checked: Checked,
  identifier: string,
  data: unknown,
  remembered: Remembered,
): Record<string, unknown> | Refusal {
  const { model } = checked
  const fields = model.services.get(identifier)?.output ?? []
  const result = underRule(
    checked,
    { fields, prefix: `service/${identifier}/` },
    data ?? undefined,
    sent => model.checkServiceOutput(identifier, sent),
    remembered.unknown,
  )
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

/** A refusal as it stands in the whole message: below its index when that is a list. */
function within(
  index: number | null,
  { reason, path, detail }: Omit<Refused, 'ok'> | Pick<Refusal, 'reason' | 'path' | 'detail'>,
): Refusal {
  if (index === null) return new Refusal(reason, path, detail)
  const between = path === '' || path.startsWith('[') ? '' : '.'
  return new Refusal(reason, `[${index}]${between}${path}`, detail)
}

function printable(text: string): string {
  return text.slice(0, 200).toWellFormed().replaceAll('\0', '\uFFFD')
}
