import { crc16Modbus } from '../shared/checksums.ts'
import { responseLength } from './pdu.ts'

/** A data unit with its address, as it crosses the wire. */
export interface Adu {
  /** Slave (unit) address. */
  slave: number
  pdu: Buffer
  /** Modbus TCP: number of the question that this answers. */
  transaction?: number
}

export type ParsedAdu =
  /** `length`: bytes that it took. */
  | { kind: 'frame'; adu: Adu; length: number }
  /** More bytes are needed. */
  | { kind: 'more' }
  /** These bytes cannot begin a frame. `skip` bytes may be thrown away. */
  | { kind: 'broken'; reason: 'checksum' | 'header'; skip: number }

const LONGEST_RTU = 256
const LONGEST_TCP_PDU = 253

/** Slave, data unit, checksum (Modbus over serial line 1.02 §2.5.1). */
export function buildRtu(slave: number, pdu: Buffer): Buffer {
  const adu = Buffer.alloc(pdu.length + 3)
  adu[0] = slave
  pdu.copy(adu, 1)
  adu.writeUInt16LE(crc16Modbus(adu, 0, adu.length - 2), adu.length - 2)
  return adu
}

/** Reads one answer from the start of the bytes; a stream has no gaps, so the length comes from the function code. */
export function parseRtu(bytes: Buffer): ParsedAdu {
  if (bytes.length < 2) return { kind: 'more' }
  const length = responseLength(bytes.subarray(1))
  if (length === null) {
    if (bytes.length < 3 && bytes[1]! >= 1 && bytes[1]! <= 4) return { kind: 'more' }
    return { kind: 'broken', reason: 'header', skip: 1 }
  }
  const total = length + 3
  if (total > LONGEST_RTU) return { kind: 'broken', reason: 'header', skip: 1 }
  if (bytes.length < total) return { kind: 'more' }
  if (crc16Modbus(bytes, 0, total - 2) !== bytes.readUInt16LE(total - 2))
    return { kind: 'broken', reason: 'checksum', skip: 1 }
  return { kind: 'frame', adu: { slave: bytes[0]!, pdu: bytes.subarray(1, 1 + length) }, length: total }
}

/** Transaction, protocol 0, length, unit, data unit (Modbus messaging on TCP/IP 1.0b §3.1.3). */
export function buildTcp(transaction: number, slave: number, pdu: Buffer): Buffer {
  const adu = Buffer.alloc(pdu.length + 7)
  adu.writeUInt16BE(transaction & 0xffff, 0)
  adu.writeUInt16BE(pdu.length + 1, 4)
  adu[6] = slave
  pdu.copy(adu, 7)
  return adu
}

/** Reads one frame of Modbus TCP from the start of the bytes. */
export function parseTcp(bytes: Buffer): ParsedAdu {
  if (bytes.length < 6) return { kind: 'more' }
  const length = bytes.readUInt16BE(4)
  // Whatever follows a wrong header cannot be found again: the connection has to be closed.
  if (bytes.readUInt16BE(2) !== 0 || length < 2 || length > LONGEST_TCP_PDU + 1)
    return { kind: 'broken', reason: 'header', skip: bytes.length }
  if (bytes.length < 6 + length) return { kind: 'more' }
  return {
    kind: 'frame',
    adu: { slave: bytes[6]!, pdu: bytes.subarray(7, 6 + length), transaction: bytes.readUInt16BE(0) },
    length: 6 + length,
  }
}
