import type { LabelField } from '@thingwright/contracts/format-schemas'

export type Endian = NonNullable<LabelField['endian']>

/** The bytes in the order big-endian, or back: every order is its own inverse. Orders of words need whole words. */
export function toBigEndian(bytes: Buffer, endian: Endian): Buffer {
  const words = bytes.length % 2 === 0
  if (endian === 'big' || bytes.length < 2 || (endian === 'big_swap' && !words)) return bytes
  if (endian === 'little' || !words) return Buffer.from(bytes).reverse()
  if (endian === 'big_swap') return Buffer.from(bytes).swap16()
  return Buffer.from(bytes).reverse().swap16()
}
