import type { ChecksumKind } from '@thingwright/contracts/format-schemas'

/** Table of a reflected CRC. */
function reflectedTable(polynomial: number): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte
    for (let i = 0; i < 8; i++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1
    return crc >>> 0
  })
}

const MODBUS = reflectedTable(0xa001)
const CRC32 = reflectedTable(0xedb88320)
const CCITT = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8
  for (let i = 0; i < 8; i++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff
  return crc
})

/** CRC-16/MODBUS (polynomial 8005 reflected, start FFFF); on the wire the low byte goes first. */
export function crc16Modbus(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let crc = 0xffff
  for (let i = from; i < to; i++) crc = (crc >>> 8) ^ MODBUS[(crc ^ bytes[i]!) & 0xff]!
  return crc
}

/** CRC-16/CCITT-FALSE (polynomial 1021, start FFFF). */
export function crc16Ccitt(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let crc = 0xffff
  for (let i = from; i < to; i++) crc = ((crc << 8) & 0xffff) ^ CCITT[((crc >>> 8) ^ bytes[i]!) & 0xff]!
  return crc
}

/** CRC-32 of ISO-HDLC, as in zip and Ethernet. */
export function crc32(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let crc = 0xffffffff
  for (let i = from; i < to; i++) crc = (crc >>> 8) ^ CRC32[(crc ^ bytes[i]!) & 0xff]!
  return (crc ^ 0xffffffff) >>> 0
}

/** Lowest eight bits of the sum. */
export function sum8(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let sum = 0
  for (let i = from; i < to; i++) sum = (sum + bytes[i]!) & 0xff
  return sum
}

export function xor8(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let sum = 0
  for (let i = from; i < to; i++) sum ^= bytes[i]!
  return sum
}

/** How a checksum is computed, and how many bytes it takes. */
export const CHECKSUMS: Readonly<
  Record<ChecksumKind, { size: 1 | 2 | 4; of: (bytes: Uint8Array, from?: number, to?: number) => number }>
> = {
  sum8: { size: 1, of: sum8 },
  xor8: { size: 1, of: xor8 },
  crc16_modbus: { size: 2, of: crc16Modbus },
  crc16_ccitt: { size: 2, of: crc16Ccitt },
  crc32: { size: 4, of: crc32 },
}
