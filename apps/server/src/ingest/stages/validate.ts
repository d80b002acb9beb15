import type { CompiledModel, Refused } from '@thingwright/thing-model'
import type { Intake } from '../../modules/products/intake.port.ts'
import type { Arrivals } from '../arrivals.ts'
import type { DecodeFault, DecodeResult } from '../codecs/codec.ts'
import { decodeDeviceJson } from '../codecs/json/json.codec.ts'
import { elementsOf, notFinite, Refusal, readEnvelope } from '../codecs/shared/envelope.ts'
import { type FirmwareReport, readFirmware } from '../ota/firmware-report.ts'
import { type JournalEntry, JournalKind, Quality, type RawUplink } from '../uplink.ts'
import { underRule } from './intake.ts'
import { applyPolicies } from './policy.ts'
import { LeftOut, refusal, within } from './refusals.ts'
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
 * taken becomes one refusal row with its reason and its first bytes. Values and elements that cannot be taken are left out
 * and listed in one such row beside the others, unless the product refuses such messages whole.
 * Never throws, whatever the bytes are.
 */
export function validate({ decoded: read, ...checked }: Checked, remembered: Remembered = {}): JournalEntry[] {
  const { raw } = checked
  if (read) {
    if (read.ok) return validateReadings(checked, read.readings, remembered, read.faults)
    return [refusal(raw, new Refusal(read.reason, printable(read.path), printable(read.detail)))]
  }
  const { channel } = raw
  if (channel.kind === 'unknown')
    return [refusal(raw, new Refusal(channel.reason ?? 'topic_unknown', '', printable(channel.topic)))]
  // A product without a format of its own speaks JSON everywhere.
  if (channel.kind === 'raw')
    return validate({ ...checked, raw: { ...raw, channel: { kind: 'property' } } }, remembered)
  const decoded = decodeDeviceJson(raw.payload)
  if (!decoded.ok) return [refusal(raw, new Refusal(decoded.reason, '', decoded.detail))]
  switch (channel.kind) {
    case 'property':
      return properties(checked, decoded.value, decoded.text, remembered)
    case 'event':
      return event(checked, channel.identifier, decoded.value, remembered)
    case 'property_set_reply':
      return reply(raw, decoded.value, () => ({ output: null, faults: [] }))
    case 'service_reply':
      return reply(raw, decoded.value, data => serviceOutput(checked, channel.identifier, data, remembered))
    case 'firmware':
      return firmware(raw, readFirmware(channel.message, decoded.value))
  }
}

/**
 * What a codec read → rows of the journal. Readings without an event are values of properties; of a frame that says
 * nothing there is one empty row: the device was seen.
 * @param raw the frame, kept when its values cannot be taken
 * @param unread parts of the frame that the codec could not read
 */
export function validateReadings(
  checked: Checked,
  readings: readonly Reading[],
  remembered: Remembered = {},
  unread: readonly DecodeFault[] = [],
): JournalEntry[] {
  const { raw } = checked
  const [first] = unread
  if (first && dropsNothing(checked)) return [refusal(raw, printed(first))]
  const left = new LeftOut()
  left.values(null, unread.map(printed))
  const rows: JournalEntry[] = []
  for (const [index, { ts, values, event: identifier }] of readings.entries()) {
    const place = readings.length === 1 ? null : index
    const faults: Refused[] = []
    if (ts !== undefined && !Number.isFinite(ts)) {
      if (dropsNothing(checked)) return [refusal(raw, within(place, notFinite('ts')))]
      left.values(place, [notFinite('ts')])
    }
    const time = timeOf(raw, ts, remembered)
    const made =
      identifier === undefined
        ? propertyRows(checked, values, time, remembered, faults)
        : eventRow(checked, identifier, values, time, remembered, faults)
    if (!Array.isArray(made)) {
      if (dropsNothing(checked)) return [refusal(raw, within(place, made))]
      left.element(place, made)
      continue
    }
    left.values(place, faults)
    for (const row of made) rows.push(row)
  }
  const all = left.beside(raw, rows)
  return all.length > 0 ? all : [propertyRow(raw, timeOf(raw, undefined, remembered), {}, '{}')]
}

/** Whether one thing that cannot be taken refuses the whole message. */
function dropsNothing({ intake }: Checked): boolean {
  return intake?.badValues !== 'drop'
}

function printed({ reason, path, detail }: DecodeFault): Refusal {
  return new Refusal(reason, printable(path), printable(detail))
}

/** The time that values count for: the device's own, or one that no other of its messages has. */
function timeOf(raw: RawUplink, deviceTs: number | undefined, { arrivals }: Remembered): EventTime {
  if (deviceTs !== undefined && !Number.isFinite(deviceTs)) {
    // A time that cannot be read costs the time, not the values.
    const ts = arrivals ? arrivals.next(raw.device.num, raw.arrivedAt, raw.via?.num) : raw.arrivedAt
    return { ts, deviceTs: null, quality: Quality.uncertain, late: false }
  }
  const time = eventTime(deviceTs, raw.arrivedAt)
  // What a device said is kept beside the values only where it does not count.
  if (!arrivals || (deviceTs !== undefined && time.deviceTs === null)) return time
  return { ...time, ts: arrivals.next(raw.device.num, raw.arrivedAt, raw.via?.num) }
}

function properties(checked: Checked, value: unknown, text: string, remembered: Remembered): JournalEntry[] {
  const { raw } = checked
  const elements = elementsOf(value)
  if (elements instanceof Refusal) return [refusal(raw, elements)]
  const left = new LeftOut()
  const rows: JournalEntry[] = []
  for (const [index, element] of elements.entries()) {
    const place = Array.isArray(value) ? index : null
    const faults: Refused[] = []
    const made = elementRows(
      checked,
      element,
      element === value && !text.includes('\\') ? text : null,
      remembered,
      faults,
    )
    if (!Array.isArray(made)) {
      if (dropsNothing(checked)) return [refusal(raw, within(place, made))]
      left.element(place, made)
      continue
    }
    if (elements.length === 1 && faults.length === 0) return made
    left.values(place, faults)
    for (const row of made) rows.push(row)
  }
  return left.beside(raw, rows)
}

/** @param text of the element, where a bare post that needed no normalising may be stored as it was sent */
function elementRows(
  checked: Checked,
  element: unknown,
  text: string | null,
  remembered: Remembered,
  faults: Refused[],
): JournalEntry[] | Refusal | Refused {
  const envelope = readEnvelope(element, 'values', true)
  if (envelope instanceof Refusal) return envelope
  const { ts, badTs } = envelope
  if (badTs && dropsNothing(checked)) return badTs
  // Behind an escape anything may hide.
  const asSent = envelope.values === element ? text : null
  const time = timeOf(checked.raw, badTs ? Number.NaN : ts, remembered)
  const made = propertyRows(checked, envelope.values, time, remembered, faults, asSent)
  if (badTs && Array.isArray(made)) faults.push({ ...badTs, ok: false } as Refused)
  return made
}

/** @param asSent the JSON text of the values, where they may be stored as they came */
function propertyRows(
  checked: Checked,
  sent: unknown,
  time: EventTime,
  remembered: Remembered,
  faults: Refused[],
  asSent: string | null = null,
): JournalEntry[] | Refused {
  return underRule(
    checked,
    { fields: checked.model.model.properties, prefix: '' },
    sent,
    (again, found) => checkedRows(checked, again, time, remembered.memory, again === sent ? asSent : null, found),
    faults,
    remembered.unknown,
  )
}

/** @param found gets what was left out; absent: all is taken or refused */
function checkedRows(
  { raw, model }: Checked,
  sent: unknown,
  time: EventTime,
  memory: StoreMemory | undefined,
  asSent: string | null,
  found?: Refused[],
): JournalEntry[] | Refused {
  const check = found ? pickedBy(model, found) : null
  if (model.policies === null) {
    const result = check ? check(sent, false) : model.checkProperties(sent)
    if (!result.ok) return result
    const { values } = result
    return [propertyRow(raw, time, values, asSent !== null && values === sent ? asSent : JSON.stringify(values))]
  }
  const context = { device: raw.device.num, time, ...(memory ? { memory } : {}) }
  const lenient = check ? (values: unknown) => check(values, true) : model.checkLeniently
  const groups = applyPolicies(model, model.policies, sent, context, lenient)
  if (!Array.isArray(groups)) return groups
  return groups.map(({ kind, quality, values }) => ({
    ...propertyRow(raw, time, values, JSON.stringify(values)),
    kind,
    quality,
  }))
}

/** A check that keeps what is good; of nothing good it gives the first reason. */
const pickedBy = (model: CompiledModel, found: Refused[]) => (sent: unknown, leniently: boolean) => {
  const picked = model.pickProperties(sent, leniently)
  if (!picked.ok) return picked
  const [first] = picked.faults
  if (first && Object.keys(picked.values).length === 0) return first
  found.push(...picked.faults)
  return picked
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
  const { ts, badTs } = envelope
  if (badTs && dropsNothing(checked)) return [refusal(raw, badTs)]
  const faults: Refused[] = []
  const time = timeOf(raw, badTs ? Number.NaN : ts, remembered)
  const made = eventRow(checked, identifier, envelope.values, time, remembered, faults)
  if (!Array.isArray(made)) return [refusal(raw, made)]
  const left = new LeftOut()
  left.values(null, badTs ? [...faults, badTs] : faults)
  return left.beside(raw, made)
}

function eventRow(
  checked: Checked,
  identifier: string,
  params: unknown,
  time: EventTime,
  remembered: Remembered,
  faults: Refused[],
): JournalEntry[] | Refused {
  const { raw, model } = checked
  const fields = model.events.get(identifier)?.params ?? []
  const result = underRule(
    checked,
    { fields, prefix: `event/${identifier}/` },
    params,
    (sent, found) => {
      if (!found) return model.checkEvent(identifier, sent)
      const picked = model.pickEvent(identifier, sent)
      if (picked.ok) found.push(...picked.faults)
      return picked
    },
    faults,
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

/** The output of a service, and what of it was left out. */
interface Output {
  output: unknown
  faults: readonly Refusal[]
}

function reply(raw: RawUplink, value: unknown, output: (data: unknown) => Output | Refusal): JournalEntry[] {
  let faults: readonly Refusal[] = []
  const read = readReply(value, data => {
    const made = output(data)
    if (made instanceof Refusal) return made
    faults = made.faults
    return made.output
  })
  if (read instanceof Refusal) return [refusal(raw, read)]
  const left = new LeftOut()
  left.values(null, faults)
  return left.beside(raw, [
    {
      device: raw.device,
      kind: JournalKind.reply,
      arrivedAt: raw.arrivedAt,
      ...eventTime(undefined, raw.arrivedAt),
      values: JSON.stringify(read),
      raw: null,
      refusedReason: null,
    },
  ])
}

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

function serviceOutput(checked: Checked, identifier: string, data: unknown, remembered: Remembered): Output | Refusal {
  const { model } = checked
  const fields = model.services.get(identifier)?.output ?? []
  const faults: Refused[] = []
  const result = underRule(
    checked,
    { fields, prefix: `service/${identifier}/` },
    data ?? undefined,
    (sent, found) => {
      if (!found) return model.checkServiceOutput(identifier, sent)
      const picked = model.pickServiceOutput(identifier, sent)
      if (picked.ok) found.push(...picked.faults)
      return picked
    },
    faults,
    remembered.unknown,
  )
  if (result.ok) return { output: result.values, faults: faults.map(belowData) }
  // The command was done, whatever its output looks like.
  if (dropsNothing(checked) || result.reason === 'service_unknown' || isUnknownKey(checked, result))
    return belowData(result)
  return { output: null, faults: [belowData(result)] }
}

function isUnknownKey({ intake }: Checked, { reason }: Refused): boolean {
  return reason === 'property_unknown' && intake?.unknownKeys === 'refuse'
}

function belowData({ reason, path, detail }: Refused): Refusal {
  return new Refusal(reason, path ? `data.${path}` : 'data', detail)
}

function printable(text: string): string {
  return text.slice(0, 200).toWellFormed().replaceAll('\0', '\uFFFD')
}
