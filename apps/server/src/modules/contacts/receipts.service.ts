import type { Database } from '../../lib/database/database.ts'
import * as queue from './queue.repo.ts'

interface Receipt {
  ref: string
  state: 'delivered' | 'failed'
  reason: string | null
}

/** What providers want to hear: else they report again. */
const TAKEN = {
  aliyun: { code: 0, msg: 'OK' },
  tencent: { result: 0, errmsg: 'OK' },
}

/**
 * Takes what a provider reports of its messages. Nothing signs these reports, so they only change the receipt of records of
 * the channel whose address they came to. What is not understood is answered as taken: it would come again for ever.
 */
export async function takeReceipts(
  deps: { database: Database; now(): number },
  vendor: 'aliyun' | 'tencent',
  callbackId: string,
  body: unknown,
): Promise<Record<string, unknown>> {
  const receipts = (Array.isArray(body) ? body : [body]).slice(0, 1_000).flatMap(one => receiptOf(vendor, one))
  await deps.database.withSystemScope('alarms', async scope => {
    const channel = await queue.channelOfCallback(scope, callbackId)
    if (channel?.provider !== vendor) return
    for (const { ref, state, reason } of receipts)
      await queue.noteReceipt(scope, channel.id, ref, { state, reason, at: new Date(deps.now()) })
  })
  return TAKEN[vendor]
}

/** Heard to the end, and hung up before it. */
const REACHED = new Set(['200000', '200001'])

function receiptOf(vendor: 'aliyun' | 'tencent', one: unknown): Receipt[] {
  if (typeof one !== 'object' || one === null) return []
  const of = one as Record<string, unknown>
  const text = (key: string) => (typeof of[key] === 'string' || typeof of[key] === 'number' ? String(of[key]) : '')
  const receipt = (ref: string, isReached: boolean, reason: string): Receipt[] =>
    ref === ''
      ? []
      : [{ ref, state: isReached ? 'delivered' : 'failed', reason: isReached ? null : reason.slice(0, 200) }]
  if (vendor === 'aliyun') {
    // A call and a text are told apart by what joins them.
    if ('call_id' in of)
      return receipt(text('call_id'), REACHED.has(text('status_code')), `${text('status_code')} ${text('status_msg')}`)
    return receipt(text('biz_id'), of.success === true, `${text('err_code')} ${text('err_msg')}`)
  }
  if ('sid' in of)
    return receipt(text('sid'), of.report_status === 'SUCCESS', `${text('errmsg')} ${text('description')}`)
  const wrapped = of.voiceprompt_callback ?? of.voicecode_callback
  if (typeof wrapped === 'object' && wrapped !== null) {
    const { callid, result } = wrapped as { callid?: unknown; result?: unknown }
    return typeof callid === 'string' ? receipt(callid, String(result) === '0', `result ${String(result)}`) : []
  }
  const failed = of.voice_failure_callback
  if (typeof failed === 'object' && failed !== null) {
    const { callid, failure_code: code, failure_reason: why } = failed as Record<string, unknown>
    return typeof callid === 'string' ? receipt(callid, false, `${String(code)} ${String(why ?? '')}`) : []
  }
  return []
}
