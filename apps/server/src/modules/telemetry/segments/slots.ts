import { ByteReader, ByteWriter } from './bytes.ts'

/** Five minutes: the finest roll-up. */
export const SLOT_MS = 300_000

/** Count, sum and extremes of the values of one five-minute slot of the hour. */
export interface Slot {
  slot: number
  n: number
  sum: number
  min: number
  max: number
}

export function slotsOf(offsets: readonly number[], values: readonly number[]): Slot[] {
  const slots: Slot[] = []
  let current: Slot | undefined
  for (let i = 0; i < offsets.length; i++) {
    const slot = Math.floor(offsets[i]! / SLOT_MS)
    const value = values[i]!
    if (current?.slot !== slot) {
      current = { slot, n: 1, sum: value, min: value, max: value }
      slots.push(current)
      continue
    }
    current.n++
    current.sum += value
    if (value < current.min) current.min = value
    if (value > current.max) current.max = value
  }
  return slots
}

const writer = new ByteWriter(512)

export function packSlots(slots: readonly Slot[]): Buffer {
  writer.reset()
  for (const { slot, n, sum, min, max } of slots) {
    writer.byte(slot)
    writer.varint(n)
    writer.double(sum)
    writer.double(min)
    writer.double(max)
  }
  return writer.take()
}

export function unpackSlots(bytes: Buffer): Slot[] {
  const reader = new ByteReader(bytes)
  const slots: Slot[] = []
  while (!reader.isAtEnd) {
    slots.push({
      slot: reader.byte(),
      n: reader.varint(),
      sum: reader.double(),
      min: reader.double(),
      max: reader.double(),
    })
  }
  return slots
}
