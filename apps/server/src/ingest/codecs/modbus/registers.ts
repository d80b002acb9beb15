import type { ByteOrder, ModbusRegister, RegisterType } from '@thingwright/contracts/format-schemas'
import type { CompiledModel } from '@thingwright/thing-model'
import { type Linear, linear } from '../shared/linear.ts'
import { type Coerce, coercionOf } from '../shared/property-value.ts'

export type ReadFunction = 1 | 2 | 3 | 4

/** One line of a register table, ready to read and write. */
export interface Register {
  readonly identifier: string
  readonly function: ReadFunction
  readonly address: number
  /** Registers (functions 3, 4) or coils (1, 2) that the value takes. */
  readonly size: number
  readonly dataType: RegisterType
  readonly byteOrder: ByteOrder
  readonly bit: number | null
  readonly linear: Linear
  readonly coerce: Coerce
  /** The slave of this line; null: the device's own. */
  readonly slave: number | null
  readonly write: 'auto' | 'single' | 'multiple' | 'none'
}

const WORDS: Readonly<Record<RegisterType, number>> = {
  bool: 1,
  int16: 1,
  uint16: 1,
  bits16: 1,
  bcd16: 1,
  int32: 2,
  uint32: 2,
  float32: 2,
  bcd32: 2,
  float64: 4,
  int64: 4,
  uint64: 4,
}

/** Registers that a data type takes. */
export const wordsOf = (type: RegisterType): number => WORDS[type]

/** Register table → lines ready to use. The table was checked when the format was saved. */
export function compileRegisters(table: readonly ModbusRegister[], model: CompiledModel): Register[] {
  return table.map(line => {
    const bits = line.function <= 2
    return {
      identifier: line.identifier,
      function: line.function as ReadFunction,
      address: line.address,
      size: bits ? 1 : WORDS[line.dataType],
      dataType: bits ? 'bool' : line.dataType,
      byteOrder: line.byteOrder ?? 'ABCD',
      bit: line.dataType === 'bits16' && !bits ? (line.bit ?? null) : null,
      linear: linear(line.scale, line.offset),
      coerce: coercionOf(model, line.identifier),
      slave: line.slave ?? null,
      write: line.function === 2 || line.function === 4 ? 'none' : (line.write ?? 'auto'),
    }
  })
}

/** Puts the bytes of registers into the order ABCD…, or back: every order is its own inverse. */
export function reorder(bytes: Buffer, order: ByteOrder): Buffer {
  if (order === 'ABCD') return bytes
  const ordered = Buffer.from(bytes)
  if (order === 'DCBA') return ordered.reverse()
  if (order === 'BADC') return ordered.swap16()
  // CDAB: words the other way round.
  const size = bytes.length
  for (let i = 0; i < size; i += 2) ordered.writeUInt16BE(bytes.readUInt16BE(size - 2 - i), i)
  return ordered
}
