import type { ScriptFormat } from '@thingwright/contracts/format-schemas'
import type { CompiledModel } from '@thingwright/thing-model'
import { DEFAULT_ZONE, readTime, zoneMinutes } from '../../../lib/written-time.ts'
import {
  type Codec,
  type CodecContext,
  type CommandToEncode,
  type DecodeFault,
  type DecodeResult,
  type EncodeResult,
  mismatch,
  type Reading,
  readBeside,
  unreadable,
} from '../codec.ts'
import { putOwn } from '../json/json-path.ts'
import { MAX_ELEMENTS } from '../shared/envelope.ts'
import { coercionOf } from '../shared/property-value.ts'
import type { ScriptFailure, ScriptOutcome } from './script-jobs.ts'
import type { ScriptHandle } from './script-pool.ts'

/** Where scripts run. */
export interface ScriptRunner {
  /** @param owner those who name the same owner share the script; absent: it is the caller's own */
  open(source: string, owner?: string): ScriptHandle
}

/** Longest frame that a script is given, bytes; the bound of every transport. */
const LONGEST_FRAME = 65_536

/** A script of the user: runs elsewhere, answers by a promise. */
export class ScriptCodec implements Codec {
  readonly kind = 'script'
  private readonly script: ScriptHandle
  private readonly variables: Readonly<Record<string, string>>

  constructor(
    format: ScriptFormat,
    runner: ScriptRunner,
    private readonly model?: CompiledModel,
  ) {
    this.script = runner.open(format.source)
    this.variables = format.variables ?? {}
  }

  async decode(frame: Buffer, context: CodecContext): Promise<DecodeResult> {
    return (await this.decodeLogged(frame, context, false)).result
  }

  /** As decode, with what the script wrote to its console. */
  async decodeLogged(
    frame: Buffer,
    { deviceNo, at, port }: CodecContext,
    logs: boolean,
  ): Promise<{ result: DecodeResult; logs: string[] }> {
    if (frame.length > LONGEST_FRAME) {
      const detail = `${frame.length} bytes, at most ${LONGEST_FRAME}`
      return { result: { ok: false, reason: 'too_large', path: '', detail }, logs: [] }
    }
    const outcome = await this.script.run({
      kind: 'up',
      hex: frame.toString('hex'),
      deviceNo,
      at,
      variables: this.variables,
      ...(port === undefined ? {} : { port }),
      ...(logs ? { logs } : {}),
    })
    return { result: this.asModelled(readingsOf(outcome)), logs: outcome.logs ?? [] }
  }

  /** Numbers as text (`toFixed`), `on` and 1 for what they say of the property. */
  private asModelled(result: DecodeResult): DecodeResult {
    const { model } = this
    if (!result.ok || !model) return result
    for (const { values, event } of result.readings)
      for (const [identifier, value] of Object.entries(values)) {
        const read = coercionOf(model, identifier, event)(value)
        if (read !== value) putOwn(values, identifier, read)
      }
    return result
  }

  async encode(command: CommandToEncode, { deviceNo, port }: CodecContext): Promise<EncodeResult> {
    const outcome = await this.script.run({
      kind: 'down',
      command,
      deviceNo,
      variables: this.variables,
      ...(port === undefined ? {} : { port }),
    })
    if (!outcome.ok) return { ok: false, reason: outcome.reason, detail: whereAndWhat(outcome) }
    const frames = (outcome.frames ?? []).map(frame =>
      Buffer.from('text' in frame ? frame.text : (frame.bytes as never)),
    )
    return { ok: true, frames, ...(outcome.port === undefined ? {} : { port: outcome.port }) }
  }

  close(): void {
    this.script.close()
  }
}

function whereAndWhat({ line, detail }: ScriptFailure): string {
  return line === null ? detail : `line ${line}: ${detail}`
}

function readingsOf(outcome: ScriptOutcome): DecodeResult {
  if (!outcome.ok)
    return {
      ok: false,
      reason: outcome.reason,
      path: outcome.line === null ? '' : `line ${outcome.line}`,
      detail: outcome.detail,
    }
  const { result } = outcome
  if (outcome.style === 'alibaba') return alibaba(result)
  if (result === undefined || result === null) return { ok: true, readings: [] }
  const list: readonly unknown[] = Array.isArray(result) ? result : [result]
  if (list.length > MAX_ELEMENTS)
    return { ok: false, reason: 'too_large', path: '', detail: `more than ${MAX_ELEMENTS} readings` }
  const readings: Reading[] = []
  const faults: DecodeFault[] = (outcome.unreadable ?? [])
    .filter(name => name !== 'ts')
    .map(name => ({ reason: 'number_not_finite', path: name, detail: 'not a finite number' }))
  for (const [index, item] of list.entries()) {
    const place = list.length === 1 ? '' : `[${index}]`
    if (!isRecord(item)) {
      if (item !== null) faults.push(unreadable(place, 'the script gave back no object of values'))
      continue
    }
    const reading = outcome.style === 'own' ? ownReading(item) : { values: withoutNulls(item) }
    if (typeof reading === 'string')
      faults.push(unreadable(place ? `${place}.${reading}` : reading, 'not what a reading has there'))
    else if (reading.event !== undefined || Object.keys(reading.values).length > 0) readings.push(reading)
  }
  return readBeside(readings, faults)
}

const ZONE = zoneMinutes(DEFAULT_ZONE)

/** Milliseconds, digits of these, a written time; NaN: none of them. */
function timeOf(ts: unknown): number {
  if (typeof ts === 'number') return ts
  if (typeof ts !== 'string') return Number.NaN
  return /^\d{11,16}$/.test(ts.trim()) ? Number(ts) : (readTime(ts, ZONE) ?? Number.NaN)
}

/** `{values, ts?, event?, sub?}`, or values alone. A text is the name of what is wrong. */
function ownReading(item: Record<string, unknown>): Reading | string {
  if (!isRecord(item.values)) {
    if (item.event === undefined || !isRecord(item.params)) return { values: withoutNulls(item) }
    return ownReading({ ...item, values: item.params })
  }
  const { values, ts, event, sub } = item
  const reading: Reading = { values: withoutNulls(values) }
  // One that cannot be read is noted where the values are checked; it does not cost them.
  if (ts !== undefined && ts !== null && ts !== '') reading.ts = timeOf(ts)
  if (event !== undefined && event !== null) {
    if (typeof event !== 'string') return 'event'
    reading.event = event
  }
  if (sub !== undefined && sub !== null) {
    // A number beyond 2^53 has already lost digits, and might name another device.
    if (typeof sub !== 'string' && !Number.isSafeInteger(sub)) return 'sub'
    reading.sub = String(sub)
  }
  return reading
}

const EVENT_METHOD = /^thing\.event\.([A-Za-z_]\w*)\.post$/

/** `{method: "thing.event.property.post", params}` as rawDataToProtocol gives it back. */
function alibaba(result: unknown): DecodeResult {
  if (!isRecord(result)) return mismatch('', 'rawDataToProtocol gave back no object')
  const method = EVENT_METHOD.exec(String(result.method))?.[1]
  // Replies to commands say nothing of values.
  if (method === undefined) return { ok: true, readings: [] }
  if (!isRecord(result.params)) return mismatch('params', 'expects an object')
  if (method !== 'property') {
    const params = isRecord(result.params.value) ? result.params.value : result.params
    return { ok: true, readings: [{ event: method, values: withoutNulls(params) }] }
  }
  // A parameter may carry its own time.
  const byTime = new Map<number | undefined, Record<string, unknown>>()
  for (const [identifier, given] of Object.entries(withoutNulls(result.params))) {
    const timed = isRecord(given) && typeof given.time === 'number' && Object.hasOwn(given, 'value')
    const ts = timed ? (given.time as number) : undefined
    const values = byTime.get(ts) ?? {}
    values[identifier] = timed ? given.value : given
    byTime.set(ts, values)
  }
  return {
    ok: true,
    readings: [...byTime].map(([ts, values]) => (ts === undefined ? { values } : { ts, values })),
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A script says null where it has no value. */
function withoutNulls(values: Record<string, unknown>): Record<string, unknown> {
  for (const value of Object.values(values))
    if (value === null) return Object.fromEntries(Object.entries(values).filter(([, kept]) => kept !== null))
  return values
}
