/**
 * The slave's half of Modbus RTU (Modbus application protocol 1.1b3; serial line guide 1.02 for the frame): reads
 * questions from a stream and answers them out of tables. Functions 01, 03, 04, 05, 06, 15 and 16.
 */

export const ILLEGAL_FUNCTION = 1
export const ILLEGAL_ADDRESS = 2
export const ILLEGAL_VALUE = 3

/** What a slave is made of; every method answers undefined, or the exception, where nothing stands. */
export interface SlaveTables {
  coil(address: number): boolean | undefined
  /** 16 bits, unsigned. */
  holding(address: number): number | undefined
  input(address: number): number | undefined
  /** @returns 0, or the exception that refuses it; all of them are written, or none */
  writeCoils(address: number, values: readonly boolean[]): number
  writeHolding(address: number, words: readonly number[]): number
}

/** Longest frame of the serial line. */
const MOST_BYTES = 256
/** Longest lists of one question (§6.1, 6.3, 6.11, 6.12). */
const MOST_COILS = 2_000
const MOST_WORDS = 125
const MOST_COILS_WRITTEN = 1_968
const MOST_WORDS_WRITTEN = 123

export interface Question {
  slave: number
  pdu: Buffer
}

/** Finds questions in the bytes of a line; what is none is passed over byte by byte, so that noise costs one question. */
export class QuestionReader {
  #kept: Buffer = Buffer.alloc(0)

  push(chunk: Buffer): Question[] {
    let bytes: Buffer = this.#kept.length === 0 ? chunk : Buffer.concat([this.#kept, chunk])
    const questions: Question[] = []
    while (bytes.length >= 4) {
      const length = frameLength(bytes)
      // Not known to us: such a question stands alone, as the line gives it (one is asked at a time).
      const end = length ?? bytes.length
      if (end > bytes.length) break
      if (crc16(bytes.subarray(0, end - 2)) === bytes.readUInt16LE(end - 2)) {
        questions.push({ slave: bytes[0]!, pdu: Buffer.from(bytes.subarray(1, end - 2)) })
        bytes = bytes.subarray(end)
      } else bytes = bytes.subarray(1)
    }
    // The chunk is the socket's: what is kept is copied.
    this.#kept = bytes.length > MOST_BYTES ? Buffer.alloc(0) : Buffer.from(bytes)
    return questions
  }
}

/** Bytes of the question that begins here; null for functions whose length we do not know. */
function frameLength(bytes: Buffer): number | null {
  const code = bytes[1]!
  if (code >= 1 && code <= 6) return 8
  if (code !== 15 && code !== 16) return null
  // Its byte count is not there yet: more than there is.
  return bytes.length < 7 ? MOST_BYTES : 9 + bytes[6]!
}

export function rtuFrame(slave: number, pdu: Buffer): Buffer {
  const frame = Buffer.alloc(pdu.length + 3)
  frame[0] = slave
  pdu.copy(frame, 1)
  frame.writeUInt16LE(crc16(frame.subarray(0, -2)), frame.length - 2)
  return frame
}

/** CRC-16/MODBUS: polynomial 0xA001 (reflected), start 0xFFFF. */
export function crc16(bytes: Uint8Array): number {
  let crc = 0xffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >> 1) ^ 0xa001 : crc >> 1
  }
  return crc
}

/** The answer to a question, an exception included. */
export function answerTo(pdu: Buffer, tables: SlaveTables): Buffer {
  const code = pdu[0]!
  const answer = pdu.length < 5 ? ILLEGAL_FUNCTION : answered(code, pdu, tables)
  return typeof answer === 'number' ? Buffer.from([code | 0x80, answer]) : answer
}

function answered(code: number, pdu: Buffer, tables: SlaveTables): Buffer | number {
  const address = pdu.readUInt16BE(1)
  const count = pdu.readUInt16BE(3)
  switch (code) {
    case 1:
      return readCoils(address, count, tables)
    case 3:
      return readWords(code, address, count, at => tables.holding(at))
    case 4:
      return readWords(code, address, count, at => tables.input(at))
    case 5:
      if (count !== 0 && count !== 0xff00) return ILLEGAL_VALUE
      return tables.writeCoils(address, [count === 0xff00]) || pdu.subarray(0, 5)
    case 6:
      return tables.writeHolding(address, [count]) || pdu.subarray(0, 5)
    case 15: {
      const bytes = pdu.subarray(6)
      if (count < 1 || count > MOST_COILS_WRITTEN || bytes.length !== Math.ceil(count / 8)) return ILLEGAL_VALUE
      const values = Array.from({ length: count }, (_, i) => ((bytes[i >> 3]! >> (i & 7)) & 1) === 1)
      return tables.writeCoils(address, values) || pdu.subarray(0, 5)
    }
    case 16: {
      const bytes = pdu.subarray(6)
      if (count < 1 || count > MOST_WORDS_WRITTEN || bytes.length !== count * 2) return ILLEGAL_VALUE
      const words = Array.from({ length: count }, (_, i) => bytes.readUInt16BE(i * 2))
      return tables.writeHolding(address, words) || pdu.subarray(0, 5)
    }
    default:
      return ILLEGAL_FUNCTION
  }
}

function readCoils(address: number, count: number, tables: SlaveTables): Buffer | number {
  if (count < 1 || count > MOST_COILS) return ILLEGAL_VALUE
  const data = Buffer.alloc(2 + Math.ceil(count / 8))
  data[0] = 1
  data[1] = data.length - 2
  for (let i = 0; i < count; i++) {
    const on = tables.coil(address + i)
    if (on === undefined) return ILLEGAL_ADDRESS
    if (on) data[2 + (i >> 3)]! |= 1 << (i & 7)
  }
  return data
}

function readWords(
  code: number,
  address: number,
  count: number,
  word: (address: number) => number | undefined,
): Buffer | number {
  if (count < 1 || count > MOST_WORDS) return ILLEGAL_VALUE
  const data = Buffer.alloc(2 + count * 2)
  data[0] = code
  data[1] = count * 2
  for (let i = 0; i < count; i++) {
    const value = word(address + i)
    if (value === undefined) return ILLEGAL_ADDRESS
    data.writeUInt16BE(value, 2 + i * 2)
  }
  return data
}
