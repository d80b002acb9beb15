import type { FormatBody, JsonFormat } from '@thingwright/contracts/format-schemas'
import type { CompiledModel } from '@thingwright/thing-model'
import { DEFAULT_ZONE, epochMs, readTime, zoneMinutes } from '../../../lib/written-time.ts'
import {
  type Codec,
  type CommandToEncode,
  type DecodeFault,
  type DecodeRefusal,
  type DecodeResult,
  type EncodeResult,
  mismatch,
  notEncodable,
  type Reading,
  readBeside,
  unreadable,
} from '../codec.ts'
import { MAX_ELEMENTS } from '../shared/envelope.ts'
import { type Linear, linear } from '../shared/linear.ts'
import { type Coerce, coercionOf, coercionTo, numberToWrite, readNumber } from '../shared/property-value.ts'
import { decodeDeviceJson } from './json.codec.ts'
import { type JsonPath, parseJsonPath, putAt, putOwn, valueAt } from './json-path.ts'

interface Mapping {
  identifier: string
  path: JsonPath
  coerce: Coerce
  linear: Linear
}

type TimeUnit = NonNullable<NonNullable<FormatBody['time']>['unit']>

const ZONE = zoneMinutes(DEFAULT_ZONE)
/** Where messages of the TLINK family carry their readings, each beside its flag. */
const FLAGGED = 'sensorDatas'

/** True when a format says nothing but "JSON": then it is the JSON of the standard topics. */
export function isPlainJson(format: Readonly<Record<string, unknown>>): boolean {
  return (
    format.kind === 'json' &&
    !(format.values as unknown[])?.length &&
    !(format.flags as unknown[])?.length &&
    format.unmapped !== 'take'
  )
}

/** JSON of the device's own making: a path per property, arrays fanned out, its own time and sub-device. */
export class JsonMappingCodec implements Codec {
  readonly kind = 'json_mapping'
  private readonly mappings: readonly Mapping[]
  private readonly flags: ReadonlyMap<string, Mapping>
  private readonly rows: JsonPath | null
  private readonly time: { path: JsonPath; unit: TimeUnit } | null
  private readonly device: JsonPath | null
  private readonly unmapped: 'ignore' | 'refuse' | 'take'
  /** Top-level names that a mapping, the time or the device uses. */
  private readonly known: ReadonlySet<string>

  constructor(
    format: JsonFormat,
    private readonly model: CompiledModel,
  ) {
    const mappings: Mapping[] = []
    const flags = new Map<string, Mapping>()
    for (const { identifier, path, type, scale, offset } of format.values ?? []) {
      const parsed = parseJsonPath(path)
      if (parsed)
        mappings.push({
          identifier,
          path: parsed,
          coerce: coercionFor(type, model, identifier),
          linear: linear(scale, offset),
        })
    }
    for (const { sensorId, flag } of format.flags ?? []) {
      const mapping = {
        identifier: sensorId,
        path: parseJsonPath(flag) ?? { absolute: false, steps: [flag] },
        coerce: coercionOf(model, sensorId),
        linear: linear(),
      }
      mappings.push(mapping)
      flags.set(flag, mapping)
    }
    this.mappings = mappings
    this.flags = flags
    this.rows = format.rows ? (parseJsonPath(format.rows) ?? null) : null
    const time = format.time && parseJsonPath(format.time.path)
    this.time = time ? { path: time, unit: format.time?.unit ?? 'auto' } : null
    this.device = format.device ? (parseJsonPath(format.device) ?? null) : null
    this.unmapped = format.unmapped ?? 'ignore'
    const used = [...mappings.map(mapping => mapping.path), this.time?.path, this.device, this.rows]
    this.known = new Set(used.flatMap(path => (typeof path?.steps[0] === 'string' ? [path.steps[0]] : [])))
  }

  decode(frame: Buffer): DecodeResult {
    const decoded = decodeDeviceJson(frame)
    if (!decoded.ok) return { ok: false, reason: decoded.reason, path: '', detail: decoded.detail }
    const root = decoded.value
    const elements = this.elementsOf(root)
    if ('ok' in elements) return elements
    const readings: Reading[] = []
    const faults: DecodeFault[] = []
    for (let i = 0; i < elements.list.length; i++) {
      const found: DecodeFault[] = []
      const reading = this.read(root, elements.list[i], found)
      const place = ({ path, ...fault }: DecodeFault) =>
        elements.many ? { ...fault, path: `[${i}]${path && `.${path}`}` } : { ...fault, path }
      if ('ok' in reading) {
        // What no mapping names refuses the message where the format says so.
        if (reading.reason === 'property_unknown') return { ok: false, ...place(reading) }
        faults.push(place({ reason: reading.reason, path: reading.path, detail: reading.detail }))
        continue
      }
      faults.push(...found.map(place))
      if (Object.keys(reading.values).length > 0) readings.push(reading)
    }
    if (
      readings.length === 0 &&
      faults.length === 0 &&
      elements.list.length > 0 &&
      !this.saysNothing(root, elements.list)
    )
      return mismatch('', 'none of the mapped fields is there')
    return readBeside(readings, faults)
  }

  /** Whether a mapped field is there as null: the device has no value of it. */
  private saysNothing(root: unknown, list: readonly unknown[]): boolean {
    return this.mappings.some(({ path }) =>
      list.some(element => valueAt(path.steps, path.absolute && this.rows ? root : element) === null),
    )
  }

  private elementsOf(root: unknown): { list: readonly unknown[]; many: boolean } | DecodeRefusal {
    const value = this.rows ? valueAt(this.rows.steps, root) : root
    if (!Array.isArray(value)) {
      if (this.rows) return mismatch(this.rows.steps.join('.'), 'expects an array')
      return { list: [value], many: false }
    }
    if (value.length > MAX_ELEMENTS)
      return { ok: false, reason: 'too_large', path: '', detail: `more than ${MAX_ELEMENTS} elements` }
    return { list: value, many: true }
  }

  private read(root: unknown, element: unknown, faults: DecodeFault[]): Reading | DecodeRefusal {
    const from = (path: JsonPath) => valueAt(path.steps, path.absolute && this.rows ? root : element)
    const reading: Reading = { values: {} }
    for (const mapping of this.mappings) {
      const value = from(mapping.path)
      if (value !== undefined && value !== null) reading.values[mapping.identifier] = convert(mapping, value)
    }
    if (this.flags.size > 0) this.readFlagged(element, reading.values)
    if (this.time) {
      const value = from(this.time.path)
      if (value !== undefined && value !== null && value !== '') {
        const ts = timeOf(value, this.time.unit)
        // It costs the time, not the values; the check lists it.
        reading.ts = ts ?? Number.NaN
        if (ts === undefined) faults.push(unreadable(this.time.path.steps.join('.'), 'not a time'))
      }
    }
    if (this.device) {
      const value = from(this.device)
      // A number that has lost digits on its way might name another device.
      if (typeof value === 'string' || Number.isSafeInteger(value)) reading.sub = String(value)
      else if (value !== undefined && value !== null)
        return mismatch(this.device.steps.join('.'), 'not a device number')
    }
    return this.takeRest(element, reading)
  }

  /** `{"sensorDatas":[{"flag":"data1","value":21.5}, …]}` */
  private readFlagged(element: unknown, values: Record<string, unknown>): void {
    const list = valueAt([FLAGGED], element)
    if (!Array.isArray(list)) return
    for (const item of list.slice(0, MAX_ELEMENTS)) {
      const mapping = this.flags.get(String(valueAt(['flag'], item)))
      if (!mapping) continue
      const place = { lng: valueAt(['lng'], item), lat: valueAt(['lat'], item) }
      const value =
        valueAt(['value'], item) ??
        valueAt(['switcher'], item) ??
        valueAt(['str'], item) ??
        (place.lng === undefined ? undefined : { lng: Number(place.lng), lat: Number(place.lat) })
      if (value !== undefined) values[mapping.identifier] = convert(mapping, value)
    }
  }

  private takeRest(element: unknown, reading: Reading): Reading | DecodeRefusal {
    if (this.unmapped === 'ignore' || typeof element !== 'object' || element === null) return reading
    for (const [name, value] of Object.entries(element)) {
      if (this.known.has(name) || (this.flags.size > 0 && name === FLAGGED)) continue
      if (this.unmapped === 'take') {
        if (value !== null) putOwn(reading.values, name, coercionOf(this.model, name)(value))
      } else
        return { ok: false, reason: 'property_unknown', path: name.slice(0, 64), detail: 'no mapping for this field' }
    }
    return reading
  }

  encode(command: CommandToEncode): EncodeResult {
    if (command.kind === 'service') {
      const { id, identifier, params } = command
      return { ok: true, frames: [Buffer.from(JSON.stringify({ id, service: identifier, params }))] }
    }
    const message: Record<string, unknown> = {}
    for (const [identifier, value] of Object.entries(command.params)) {
      const mapping = this.mappings.find(candidate => candidate.identifier === identifier)
      if (!mapping && this.unmapped !== 'take') return notEncodable(`no path for ${identifier}`)
      const number = mapping && !mapping.linear.plain ? numberToWrite(value) : undefined
      putAt(mapping?.path.steps ?? [identifier], message, number === undefined ? value : mapping!.linear.toRaw(number))
    }
    return { ok: true, frames: [Buffer.from(JSON.stringify(message))] }
  }
}

function convert({ coerce, linear: line }: Mapping, value: unknown): unknown {
  if (line.plain) return coerce(value)
  const number = typeof value === 'string' ? readNumber(value) : value
  return coerce(typeof number === 'number' ? line.toValue(number) : value)
}

function coercionFor(type: string | undefined, model: CompiledModel, identifier: string): Coerce {
  switch (type) {
    case 'number':
      return coercionTo({ type: 'double' })
    case 'string':
      return coercionTo({ type: 'string' })
    case 'bool':
      return coercionTo({ type: 'bool' })
    case 'json':
      return value => value
    default:
      return coercionOf(model, identifier)
  }
}

function timeOf(value: unknown, unit: TimeUnit): number | undefined {
  if (unit !== 'iso') {
    if (typeof value === 'number') return Number.isFinite(value) ? epochMs(value, unit) : undefined
    const count = typeof value === 'string' ? readNumber(value) : undefined
    // 20260102030405 is a written time, not a count.
    const written = unit === 'auto' && /^20\d{12}$/.test(String(value).trim())
    if (typeof count === 'number' && !written) return epochMs(count, unit)
  }
  return typeof value === 'string' ? readTime(value, ZONE) : undefined
}
