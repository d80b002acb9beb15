import type { TryReply } from '@thingwright/contracts/formats.contract'
import {
  type CompiledModel,
  compileModel,
  type ModelProblem,
  parseModel,
  type ThingModel,
} from '@thingwright/thing-model'
import type { Intake } from '../../modules/products/intake.port.ts'
import type { Codec, CodecContext, CommandToEncode, DecodeResult, FramePart } from '../codecs/codec.ts'
import { compileFormat } from '../codecs/compile-format.ts'
import { ScriptCodec, type ScriptRunner } from '../codecs/script/script.codec.ts'
import { decode } from '../stages/decode.ts'
import { validate } from '../stages/validate.ts'
import { type JournalEntry, JournalKind, type RawUplink } from '../uplink.ts'

const NOBODY = {
  num: 0,
  id: '',
  tenantId: '',
  productId: '',
  productNum: 0,
  productKey: '',
  deviceNo: '',
  enabled: true,
  offlineDelaySeconds: 0,
  gateway: null,
  subAddress: null,
  overrides: {},
}
const QUALITY_WORDS = ['good', 'uncertain', 'bad'] as const

export interface Trial {
  model: ThingModel
  /** As stored with the product, checked. */
  format: Readonly<Record<string, unknown>>
  deviceNo?: string
  /** Epoch ms of arrival or sending. */
  at: number
  port?: number
  /** The product's rules for what its model would refuse. */
  intake: Intake
}
export interface UpTrial extends Trial {
  direction: 'up'
  channel: { kind: 'raw' } | { kind: 'property' } | { kind: 'event'; identifier: string }
  payload: Buffer
}
export interface DownTrial extends Trial {
  direction: 'down'
  command: CommandToEncode
}

const NOTHING: TryReply = {
  ok: true,
  rows: [],
  reason: null,
  path: null,
  detail: null,
  unknown: [],
  leftOut: [],
  fields: [],
  frames: [],
  logs: [],
  tookMs: null,
}

/** Runs one payload or command through the stages of the device path without storing or sending anything. */
export async function tryFormat(trial: UpTrial | DownTrial, scripts: ScriptRunner): Promise<TryReply> {
  const model = compiledOf(trial.model)
  if (Array.isArray(model)) return { ...NOTHING, ok: false, reason: 'model_invalid', detail: model }
  const codec = compileFormat(trial.format, model, scripts)
  try {
    return trial.direction === 'up' ? await up(trial, model, codec) : await down(trial, codec)
  } finally {
    codec?.close?.()
  }
}

/** Samples are tried one after the other on one model. */
const compiled = new WeakMap<ThingModel, CompiledModel>()

/** The model, or what is wrong with it. */
function compiledOf(model: ThingModel): CompiledModel | ModelProblem[] {
  const known = compiled.get(model)
  if (known) return known
  const parsed = parseModel(model)
  if (!parsed.ok) return parsed.problems
  const made = compileModel(parsed.model)
  compiled.set(model, made)
  return made
}

async function up(trial: UpTrial, model: CompiledModel, codec: Codec | null): Promise<TryReply> {
  const { payload, channel, at, port } = trial
  const device = { ...NOBODY, deviceNo: trial.deviceNo ?? 'trial' }
  const raw: RawUplink = {
    device,
    channel: channel.kind === 'raw' && port !== undefined ? { kind: 'raw', port } : channel,
    payload,
    arrivedAt: at,
  }
  const reply: TryReply = { ...NOTHING, fields: channel.kind === 'raw' ? explained(codec, payload) : [] }
  let decoded: DecodeResult | undefined
  if (codec instanceof ScriptCodec && channel.kind === 'raw') {
    const startedAt = performance.now()
    const { result, logs } = await codec.decodeLogged(payload, contextOf(trial), true)
    decoded = result
    reply.logs = logs
    reply.tookMs = Math.round((performance.now() - startedAt) * 10) / 10
  } else decoded = await decode({ raw, model, codec })
  const rows: TryReply['rows'] = []
  const keys = new Set<string>()
  const take = (part: DecodeResult | undefined, intake: Intake) =>
    validate(part ? { raw, model, intake, decoded: part } : { raw, model, intake }, {
      unknown: { add: (_device, key) => keys.add(key) },
    })
  // Whatever becomes of them, they are named.
  const named = { ...trial.intake, unknownKeys: 'collect' as const }
  const inForce = trial.intake.unknownKeys === 'refuse' ? trial.intake : named
  for (const part of partsOf(decoded)) {
    if (part?.ok && part.readings[0]?.sub !== undefined && part.readings[0].sub !== device.deviceNo) {
      // Which thing model applies is known only once the gateway's devices are.
      for (const { ts, values, event, sub } of part.readings)
        rows.push({ ts: ts ?? at, quality: 'good', values, ...(event ? { event } : {}), ...(sub ? { sub } : {}) })
      continue
    }
    const entries = take(part, inForce)
    const [first] = entries
    const leftOut = first && entries.at(-1) !== first ? leftOutOf(entries.at(-1)!) : []
    reply.leftOut = [...reply.leftOut, ...leftOut]
    if (first?.kind === JournalKind.refused) {
      const { path, detail } = JSON.parse(first.values ?? '{}') as { path: string; detail: string }
      if (first.refusedReason === 'property_unknown') take(part, named)
      return { ...reply, ok: false, reason: first.refusedReason, path, detail, unknown: [...keys] }
    }
    for (const entry of entries) if (entry.kind !== JournalKind.refused) rows.push(rowOf(entry))
  }
  return { ...reply, rows, unknown: [...keys] }
}

/** One per reading, so that rows keep what their reading was about; undefined: the payload is JSON. */
function partsOf(decoded: DecodeResult | undefined): (DecodeResult | undefined)[] {
  if (!decoded?.ok || decoded.readings.length === 0) return [decoded]
  const [first, ...others] = decoded.readings.map(reading => ({ ok: true as const, readings: [reading] }))
  return [decoded.faults ? { ...first!, faults: decoded.faults } : first, ...others]
}

/** What the last row of a message says was left out of it. */
function leftOutOf({ kind, refusedReason, values }: JournalEntry): TryReply['leftOut'] {
  if (kind !== JournalKind.refused) return []
  const { path, detail, more = [] } = JSON.parse(values ?? '{}')
  return [{ reason: refusedReason ?? 'not_storable', path, detail }, ...more]
}

function rowOf({ kind, ts, quality, values }: JournalEntry): TryReply['rows'][number] {
  const parsed = JSON.parse(values ?? '{}') as Record<string, unknown>
  const row = { ts, quality: QUALITY_WORDS[quality] }
  if (kind !== JournalKind.event) return { ...row, values: parsed }
  return { ...row, values: parsed.params as Record<string, unknown>, event: String(parsed.identifier) }
}

function partsIn(codec: Codec | null, payload: Buffer): FramePart[] {
  try {
    return codec?.explain?.(payload) ?? []
  } catch {
    // A format that nobody checked (from an imported file) may be of any shape.
    return []
  }
}

/** What stands where, for people and programs. */
export function explained(codec: Codec | null, payload: Buffer): TryReply['fields'] {
  return partsIn(codec, payload)
    .filter(({ at, length }) => at >= 0 && at + length <= payload.length)
    .map(({ identifier, role, type, at, length, value }) => ({
      identifier,
      role,
      type,
      at,
      length,
      hex: payload.subarray(at, at + length).toString('hex'),
      value: value ?? null,
    }))
}

async function down(trial: DownTrial, codec: Codec | null): Promise<TryReply> {
  const { command } = trial
  // Without a format of its own a command goes out as the JSON of the standard topics.
  const encoded = codec
    ? await codec.encode(command, contextOf(trial))
    : { ok: true as const, frames: [Buffer.from(JSON.stringify({ id: command.id, params: command.params }))] }
  if (!encoded.ok) return { ...NOTHING, ok: false, reason: encoded.reason, detail: encoded.detail }
  return {
    ...NOTHING,
    frames: encoded.frames.map(frame => ({ hex: frame.toString('hex'), text: printableText(frame) })),
  }
}

function contextOf({ deviceNo, at, port }: Trial): CodecContext {
  return { deviceNo: deviceNo ?? 'trial', at, ...(port === undefined ? {} : { port }) }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function printableText(bytes: Buffer): string | null {
  try {
    const text = utf8.decode(bytes)
    return /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(text) ? null : text
  } catch {
    return null
  }
}
