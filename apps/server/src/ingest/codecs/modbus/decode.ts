import type { ReadRequest } from './plan.ts'
import { type Register, reorder } from './registers.ts'

export interface DecodedRegisters {
  /** Property → value in engineering units. */
  values: Record<string, unknown>
  /** Lines whose registers hold no value of their type: a digit above 9 in BCD, not a number. */
  problems: { identifier: string; detail: string }[]
}

/** Bytes that an answer to the request carries after its byte count. */
export function dataBytes(request: Pick<ReadRequest, 'function' | 'quantity'>): number {
  return request.function <= 2 ? Math.ceil(request.quantity / 8) : request.quantity * 2
}

/**
 * The data bytes of an answer → values. Never throws: data that is too short leaves the lines beyond it out.
 * @param data register or coil bytes as they stand on the wire, without slave, function and byte count
 */
export function decodeRegisters(request: ReadRequest, data: Buffer): DecodedRegisters {
  const values: Record<string, unknown> = {}
  const problems: DecodedRegisters['problems'] = []
  for (const register of request.registers) {
    const value = readRegister(register, data, register.address - request.address)
    if (typeof value === 'string') problems.push({ identifier: register.identifier, detail: value })
    else values[register.identifier] = register.coerce(typeof value === 'bigint' ? String(value) : value)
  }
  return { values, problems }
}

/**
 * The value at a place (registers or coils from the start of the data), or what is wrong with it. Whole numbers that a
 * number does not hold exactly are bigints.
 */
export function readRegister(register: Register, data: Buffer, at: number): number | bigint | boolean | string {
  if (register.function <= 2) {
    const byte = data[at >> 3]
    return byte === undefined ? 'no data' : ((byte >> (at & 7)) & 1) === 1
  }
  const from = at * 2
  if (from + register.size * 2 > data.length) return 'no data'
  const bytes = reorder(data.subarray(from, from + register.size * 2), register.byteOrder)
  const raw = rawOf(register, bytes)
  if (typeof raw === 'bigint') return wide(raw, register)
  if (typeof raw !== 'number') return raw
  return Number.isFinite(raw) ? register.linear.toValue(raw) : 'not a finite number'
}

/** 64 bits: digits where a number has too few of them; scaled they cannot be read exactly. */
function wide(raw: bigint, { linear }: Register): number | bigint | string {
  const small = Number(raw)
  if (Number.isSafeInteger(small)) return linear.toValue(small)
  return linear.plain ? raw : 'more digits than a number holds'
}

function rawOf({ dataType, bit }: Register, bytes: Buffer): number | bigint | boolean | string {
  switch (dataType) {
    case 'bool':
    case 'uint16':
      return bytes.readUInt16BE(0)
    case 'bits16':
      return bit === null ? bytes.readUInt16BE(0) : ((bytes.readUInt16BE(0) >> bit) & 1) === 1
    case 'int16':
      return bytes.readInt16BE(0)
    case 'int32':
      return bytes.readInt32BE(0)
    case 'uint32':
      return bytes.readUInt32BE(0)
    case 'int64':
      return bytes.readBigInt64BE(0)
    case 'uint64':
      return bytes.readBigUInt64BE(0)
    case 'float32':
      return shortest(bytes.readFloatBE(0))
    case 'float64':
      return bytes.readDoubleBE(0)
    case 'bcd16':
    case 'bcd32':
      return readBcd(bytes) ?? 'not BCD'
  }
}

/** Packed decimal digits, high first; undefined when one is above 9. */
export function readBcd(bytes: Uint8Array): number | undefined {
  let value = 0
  for (const byte of bytes) {
    const high = byte >> 4
    const low = byte & 15
    if (high > 9 || low > 9) return undefined
    value = value * 100 + high * 10 + low
  }
  return value
}

/** A 32 bit float with no more digits than it has: 21.6 rather than 21.600000381469727. */
export function shortest(value: number): number {
  if (Number.isInteger(value) || !Number.isFinite(value)) return value
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return short
  }
  return Number(value.toPrecision(9))
}
