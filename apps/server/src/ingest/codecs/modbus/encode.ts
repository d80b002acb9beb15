import { numberToWrite } from '../shared/property-value.ts'
import { type Register, reorder } from './registers.ts'

export type WriteFunction = 5 | 6 | 15 | 16

/** One write to a slave. */
export interface WriteRequest {
  readonly slave: number
  readonly function: WriteFunction
  readonly address: number
  /** Registers or coils. */
  readonly quantity: number
  /** Register bytes as on the wire; of coils packed bits, lowest first. Of `modify`: empty. */
  readonly data: Buffer
  /**
   * Only some bits of one register change: the writer reads it, writes `(word & and) | or` with function 6 (or 16), or
   * uses function 22, which does the same in the slave.
   */
  readonly modify?: { readonly and: number; readonly or: number }
  /** Lines of the table to read back, each with the value that must stand there afterwards. */
  readonly expect: readonly { register: Register; value: unknown }[]
}

export type EncodedWrite = { ok: true; writes: WriteRequest[] } | { ok: false; detail: string }

/**
 * Property values → writes, in the order of the parameters; bits of one register become one write.
 * @param slave the device's own address
 */
export function encodeWrite(
  registers: readonly Register[],
  params: Readonly<Record<string, unknown>>,
  slave: number,
): EncodedWrite {
  const writes: WriteRequest[] = []
  for (const [identifier, value] of Object.entries(params)) {
    const register = registers.find(line => line.identifier === identifier && line.write !== 'none')
    if (!register) return { ok: false, detail: `${identifier} has no register that can be written` }
    const write = writeOf(register, value, register.slave ?? slave)
    if (typeof write === 'string') return { ok: false, detail: `${identifier}: ${write}` }
    const same = writes.findIndex(
      other => other.modify && write.modify && other.slave === write.slave && other.address === write.address,
    )
    if (same === -1) writes.push(write)
    else writes[same] = together(writes[same]!, write)
  }
  return writes.length === 0 ? { ok: false, detail: 'nothing to write' } : { ok: true, writes }
}

function together(first: WriteRequest, second: WriteRequest): WriteRequest {
  return {
    ...first,
    modify: {
      and: first.modify!.and & second.modify!.and,
      or: (first.modify!.or & second.modify!.and) | second.modify!.or,
    },
    expect: [...first.expect, ...second.expect],
  }
}

function writeOf(register: Register, value: unknown, slave: number): WriteRequest | string {
  const number = WIDE.has(register.dataType) ? 0 : numberToWrite(value)
  if (number === undefined) return 'not a number'
  const { address } = register
  const expect = [{ register, value }]
  if (register.function === 1) {
    if (number !== 0 && number !== 1) return 'a coil is 0 or 1'
    const single = register.write !== 'multiple'
    return { slave, function: single ? 5 : 15, address, quantity: 1, data: Buffer.from([number]), expect }
  }
  if (register.bit !== null) {
    if (number !== 0 && number !== 1) return 'a bit is 0 or 1'
    const mask = 1 << register.bit
    const modify = { and: ~mask & 0xffff, or: number === 1 ? mask : 0 }
    return {
      slave,
      function: register.write === 'multiple' ? 16 : 6,
      address,
      quantity: 1,
      data: Buffer.alloc(0),
      modify,
      expect,
    }
  }
  const data = WIDE.has(register.dataType)
    ? wideBytes(register, value)
    : bytesOf(register, register.linear.toRaw(number))
  if (typeof data === 'string') return data
  const single = register.size === 1 && register.write !== 'multiple'
  if (!single && register.write === 'single') return 'takes more than one register, so it cannot be written singly'
  return { slave, function: single ? 6 : 16, address, quantity: register.size, data, expect }
}

const WIDE: ReadonlySet<string> = new Set(['int64', 'uint64'])

/** 64 bits from a number, or from digits that are more than a number holds. */
function wideBytes({ dataType, byteOrder, linear, size }: Register, value: unknown): Buffer | string {
  const exact = typeof value === 'string' && linear.plain && /^-?\d{1,20}$/.test(value) ? BigInt(value) : null
  const number = exact === null ? numberToWrite(value) : 0
  if (number === undefined) return 'not a number'
  const whole = exact === null ? Math.round(linear.toRaw(number)) : null
  if (whole !== null && !Number.isSafeInteger(whole)) return 'more digits than a number holds'
  const wanted = exact ?? BigInt(whole!)
  const fits = dataType === 'int64' ? BigInt.asIntN(64, wanted) : BigInt.asUintN(64, wanted)
  if (fits !== wanted) return `${wanted} does not fit ${dataType}`
  const bytes = Buffer.alloc(size * 2)
  if (dataType === 'int64') bytes.writeBigInt64BE(wanted)
  else bytes.writeBigUInt64BE(wanted)
  return reorder(bytes, byteOrder)
}

const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  bool: [0, 1],
  int16: [-0x8000, 0x7fff],
  uint16: [0, 0xffff],
  bits16: [0, 0xffff],
  int32: [-0x80000000, 0x7fffffff],
  uint32: [0, 0xffffffff],
  bcd16: [0, 9_999],
  bcd32: [0, 99_999_999],
}

function bytesOf({ dataType, size, byteOrder }: Register, raw: number): Buffer | string {
  const bytes = Buffer.alloc(size * 2)
  const range = RANGES[dataType]
  // Between two steps the nearer one is written.
  const whole = Math.round(raw)
  if (range && (whole < range[0] || whole > range[1])) return `${whole} is not between ${range[0]} and ${range[1]}`
  switch (dataType) {
    case 'float32':
      if (Math.abs(raw) > 3.4028234663852886e38) return 'beyond a 32 bit float'
      bytes.writeFloatBE(raw)
      break
    case 'float64':
      bytes.writeDoubleBE(raw)
      break
    case 'int16':
      bytes.writeInt16BE(whole)
      break
    case 'int32':
      bytes.writeInt32BE(whole)
      break
    case 'uint32':
      bytes.writeUInt32BE(whole)
      break
    case 'bcd16':
    case 'bcd32':
      bytes.write(String(whole).padStart(size * 4, '0'), 'hex')
      break
    default:
      bytes.writeUInt16BE(whole)
  }
  return reorder(bytes, byteOrder)
}
