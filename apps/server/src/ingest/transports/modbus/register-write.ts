import { decodeRegisters, encodeWrite, readPdu, type WriteRequest, writePdu } from '../../codecs/modbus/index.ts'
import type { Bus, BusAnswer } from './bus.ts'
import type { Slave } from './slave.ts'

export interface WriteResult {
  ok: boolean
  /** The connection ended before anything was written. */
  untouched: boolean
  /** Why not, in words of the protocol. */
  message?: string
  /** Property → what stands in the slave afterwards. */
  values: Record<string, unknown>
}

/**
 * Writes properties into their registers, one after the other, and reads each back: only what stands there afterwards
 * counts. Stops at the first that fails; what was written before stays.
 */
export async function writeRegisters(
  bus: Bus,
  slave: Slave,
  params: Readonly<Record<string, unknown>>,
): Promise<WriteResult> {
  const encoded = encodeWrite(slave.registers, params, slave.address)
  if (!encoded.ok) return { ok: false, untouched: false, message: encoded.detail, values: {} }
  const values: Record<string, unknown> = {}
  let touched = false
  for (const write of encoded.writes) {
    const current = await currentWord(bus, slave, write)
    if (current && !current.ok) return failed(current, write, values, !touched)
    const word = current ? current.data.readUInt16BE(0) : undefined
    const written = await bus.ask(write.slave, writePdu(write, word), slave.polling, true)
    if (!written.ok) return failed(written, write, values, !touched && written.reason === 'unwritable')
    touched = true
    const read = { function: readFunctionOf(write), address: write.address, quantity: write.quantity } as const
    const back = await bus.ask(write.slave, readPdu(read), slave.polling, true)
    if (!back.ok) return failed(back, write, values, false, 'reading back: ')
    const registers = write.expect.map(({ register }) => register)
    Object.assign(values, decodeRegisters({ slave: write.slave, ...read, registers }, back.data).values)
    if (!stands(write, word, back.data))
      return {
        ok: false,
        untouched: false,
        message: `read back ${back.data.toString('hex')} instead of ${wordsOf(write, word).toString('hex')} at ${write.address}`,
        values,
      }
  }
  return { ok: true, untouched: false, values }
}

/** Single bits are written into the word that stands there. */
async function currentWord(bus: Bus, slave: Slave, write: WriteRequest): Promise<BusAnswer | null> {
  if (!write.modify) return null
  return bus.ask(write.slave, readPdu({ function: 3, address: write.address, quantity: 1 }), slave.polling, true)
}

function readFunctionOf(write: WriteRequest): 1 | 3 {
  return write.function === 5 || write.function === 15 ? 1 : 3
}

/** What should stand in the registers. */
function wordsOf({ data, modify }: WriteRequest, current: number | undefined): Buffer {
  if (!modify) return data
  const word = Buffer.alloc(2)
  word.writeUInt16BE(((current ?? 0) & modify.and) | modify.or)
  return word
}

function stands(write: WriteRequest, current: number | undefined, back: Buffer): boolean {
  const wanted = wordsOf(write, current)
  if (readFunctionOf(write) === 1) {
    for (let i = 0; i < write.quantity; i++) {
      const bit = 1 << (i & 7)
      if (((back[i >> 3] ?? 0) & bit) !== ((wanted[i >> 3] ?? 0) & bit)) return false
    }
    return true
  }
  return back.subarray(0, wanted.length).equals(wanted)
}

function failed(
  answer: BusAnswer & { ok: false },
  write: WriteRequest,
  values: Record<string, unknown>,
  untouched: boolean,
  prefix = '',
): WriteResult {
  return {
    ok: false,
    untouched: untouched && (answer.reason === 'closed' || answer.reason === 'unwritable'),
    message: prefix + describeFailure(answer, write.slave),
    values,
  }
}

/** Names of Modbus §7 (application protocol 1.1b3). */
const EXCEPTIONS: Readonly<Record<number, string>> = {
  1: 'illegal function',
  2: 'illegal data address',
  3: 'illegal data value',
  4: 'server device failure',
  5: 'acknowledge',
  6: 'server device busy',
  8: 'memory parity error',
  10: 'gateway path unavailable',
  11: 'gateway target did not respond',
}

export function describeFailure(answer: BusAnswer & { ok: false }, slave: number): string {
  switch (answer.reason) {
    case 'timeout':
      return `slave ${slave} did not answer`
    case 'exception':
      return `slave ${slave} answered exception ${answer.exception} (${EXCEPTIONS[answer.exception] ?? 'unknown'})`
    case 'mismatch':
      return `slave ${slave}: ${answer.detail}`
    default:
      return 'the connection ended'
  }
}
