import { crc32 } from 'node:zlib'
import type { Checksum } from '@thingwright/contracts/command-schemas'

/** CRC16-Modbus (polynomial 0xA001 reflected, start 0xFFFF), MODBUS over Serial Line 1.02 §6.2.2. */
export function crc16Modbus(bytes: Buffer): number {
  let crc = 0xffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xa001 : crc >>> 1
  }
  return crc
}

/** CRC16-CCITT-FALSE (polynomial 0x1021, start 0xFFFF). */
export function crc16Ccitt(bytes: Buffer): number {
  let crc = 0xffff
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff
  }
  return crc
}

/** The bytes of a checksum, as they stand behind what they are of. */
export function checksumOf(kind: Checksum, bytes: Buffer): Buffer {
  const words = (value: number, littleEndian: boolean) => {
    const out = Buffer.alloc(2)
    if (littleEndian) out.writeUInt16LE(value)
    else out.writeUInt16BE(value)
    return out
  }
  switch (kind) {
    case 'none':
      return Buffer.alloc(0)
    case 'crc16_modbus_lohi':
      return words(crc16Modbus(bytes), true)
    case 'crc16_modbus_hilo':
      return words(crc16Modbus(bytes), false)
    case 'crc16_ccitt':
      return words(crc16Ccitt(bytes), false)
    case 'crc32_be':
    case 'crc32_le': {
      const out = Buffer.alloc(4)
      if (kind === 'crc32_be') out.writeUInt32BE(crc32(bytes))
      else out.writeUInt32LE(crc32(bytes))
      return out
    }
    case 'sum8':
      return Buffer.from([bytes.reduce((sum, byte) => (sum + byte) & 0xff, 0)])
    case 'xor8':
      return Buffer.from([bytes.reduce((sum, byte) => sum ^ byte, 0)])
  }
}

/** Whether the last bytes of a frame are the checksum of those before them. */
export function endsWithChecksum(kind: Checksum, frame: Buffer): boolean {
  const length = checksumOf(kind, Buffer.alloc(0)).length
  if (frame.length <= length) return length === 0
  const at = frame.length - length
  return checksumOf(kind, frame.subarray(0, at)).equals(frame.subarray(at))
}
