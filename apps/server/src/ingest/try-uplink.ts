import { compileModel, parseModel, type ThingModel } from '@thingwright/thing-model'
import { validate } from './stages/validate.ts'
import { JournalKind, type UplinkChannel } from './uplink.ts'

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
}
const QUALITY_WORDS = ['good', 'uncertain', 'bad'] as const

export interface TriedUplink {
  ok: boolean
  rows: { ts: number; quality: string; values: Record<string, unknown> }[]
  reason: string | null
  path: string | null
  detail: unknown
}

/** Runs one payload through the stages of the device path without storing anything. */
export function tryUplink(input: {
  model: ThingModel
  channel: UplinkChannel
  payload: Buffer
  /** Epoch ms of arrival. */
  arrivedAt: number
}): TriedUplink {
  const parsed = parseModel(input.model)
  if (!parsed.ok) return { ok: false, rows: [], reason: 'model_invalid', path: null, detail: parsed.problems }
  const { channel, payload, arrivedAt } = input
  const entries = validate({ raw: { device: NOBODY, channel, payload, arrivedAt }, model: compileModel(parsed.model) })
  const values = entries.map(entry => JSON.parse(entry.values ?? '{}') as Record<string, unknown>)
  const [first] = entries
  if (first?.kind === JournalKind.refused) {
    const { path, detail } = values[0] as { path: string; detail: string }
    return { ok: false, rows: [], reason: first.refusedReason, path, detail }
  }
  const rows = entries.map(({ ts, quality }, i) => ({ ts, quality: QUALITY_WORDS[quality], values: values[i]! }))
  return { ok: true, rows, reason: null, path: null, detail: null }
}
