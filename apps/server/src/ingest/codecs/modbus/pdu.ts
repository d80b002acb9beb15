import { dataBytes } from './decode.ts'
import type { WriteRequest } from './encode.ts'
import type { ReadRequest } from './plan.ts'

/** Protocol data units (Modbus application protocol 1.1b3): function code and data, without slave and checksum. */

/** The question for a planned read. */
export function readPdu({
  function: code,
  address,
  quantity,
}: Pick<ReadRequest, 'function' | 'address' | 'quantity'>): Buffer {
  const pdu = Buffer.alloc(5)
  pdu[0] = code
  pdu.writeUInt16BE(address, 1)
  pdu.writeUInt16BE(quantity, 3)
  return pdu
}

/**
 * The question for a write.
 * @param current the word that stands in the register now, for a write of single bits; without it function 22 is used
 */
export function writePdu(write: WriteRequest, current?: number): Buffer {
  const { address, quantity, modify } = write
  if (modify && current === undefined) {
    const pdu = Buffer.alloc(7)
    pdu[0] = 22
    pdu.writeUInt16BE(address, 1)
    pdu.writeUInt16BE(modify.and, 3)
    pdu.writeUInt16BE(modify.or, 5)
    return pdu
  }
  let { data } = write
  if (modify) {
    data = Buffer.alloc(2)
    data.writeUInt16BE((current! & modify.and) | modify.or)
  }
  if (write.function === 5 || write.function === 6) {
    const pdu = Buffer.alloc(5)
    pdu[0] = write.function
    pdu.writeUInt16BE(address, 1)
    if (write.function === 5) pdu.writeUInt16BE(data[0] ? 0xff00 : 0, 3)
    else data.copy(pdu, 3)
    return pdu
  }
  const head = Buffer.alloc(6)
  head[0] = write.function
  head.writeUInt16BE(address, 1)
  head.writeUInt16BE(quantity, 3)
  head[5] = data.length
  return Buffer.concat([head, data])
}

export type ParsedResponse =
  /** Of a read: its data bytes. Of a write: empty. */
  | { ok: true; data: Buffer }
  /** `exception`: code of Modbus §7 (1 illegal function, 2 illegal address, 3 illegal value, 4 device failure …). */
  | { ok: false; reason: 'exception'; exception: number }
  | { ok: false; reason: 'mismatch'; detail: string }

/** Reads the answer to a question of ours. Never throws. */
export function parseResponse(question: Buffer, answer: Buffer): ParsedResponse {
  const asked = question[0]!
  const code = answer[0]
  if (code === undefined) return mismatch('empty')
  if (code === (asked | 0x80)) {
    const exception = answer[1]
    return exception === undefined
      ? mismatch('exception without a code')
      : { ok: false, reason: 'exception', exception }
  }
  if (code !== asked) return mismatch(`function ${code} instead of ${asked}`)
  if (asked <= 4) {
    const expected = dataBytes({ function: asked as 1, quantity: question.readUInt16BE(3) })
    if (answer[1] !== expected) return mismatch(`${answer[1] ?? 0} data bytes instead of ${expected}`)
    if (answer.length < 2 + expected) return mismatch('ends too early')
    return { ok: true, data: answer.subarray(2, 2 + expected) }
  }
  // Writes are answered by what was asked: function, address and value, or address and quantity.
  const echoed = asked === 22 ? 7 : 5
  if (answer.length < echoed || !answer.subarray(0, echoed).equals(question.subarray(0, echoed)))
    return mismatch('does not repeat what was written')
  return { ok: true, data: Buffer.alloc(0) }
}

function mismatch(detail: string): ParsedResponse {
  return { ok: false, reason: 'mismatch', detail }
}

/** Length of an answer's data unit, as far as its first bytes tell; null: not yet known, or no function we use. */
export function responseLength(pdu: Buffer): number | null {
  const code = pdu[0]
  if (code === undefined) return null
  if (code >= 0x80) return 2
  if (code >= 1 && code <= 4) return pdu.length < 2 ? null : 2 + pdu[1]!
  if (code === 5 || code === 6 || code === 15 || code === 16) return 5
  if (code === 22) return 7
  return null
}
