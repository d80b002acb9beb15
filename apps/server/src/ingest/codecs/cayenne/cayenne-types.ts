/** Data types of Cayenne LPP: the numbers of IPSO objects less 3200, with sizes and resolutions as published. */
export interface CayenneType {
  readonly code: number
  readonly name: string
  readonly size: number
  readonly read: (bytes: Buffer, at: number) => unknown
  /** Writes a value; absent: devices are never sent this type. */
  readonly write?: (value: number, bytes: Buffer) => void
}

const uint =
  (size: number, per = 1) =>
  (bytes: Buffer, at: number) =>
    bytes.readUIntBE(at, size) / per
const int =
  (size: number, per = 1) =>
  (bytes: Buffer, at: number) =>
    bytes.readIntBE(at, size) / per
const putUint =
  (size: number, per = 1) =>
  (value: number, bytes: Buffer) =>
    void bytes.writeUIntBE(Math.round(value * per), 0, size)
const putInt =
  (size: number, per = 1) =>
  (value: number, bytes: Buffer) =>
    void bytes.writeIntBE(Math.round(value * per), 0, size)

const unsigned = (code: number, name: string, size: number, per = 1): CayenneType => ({
  code,
  name,
  size,
  read: uint(size, per),
  write: putUint(size, per),
})
const signed = (code: number, name: string, size: number, per = 1): CayenneType => ({
  code,
  name,
  size,
  read: int(size, per),
  write: putInt(size, per),
})
const axes = (code: number, name: string, per: number): CayenneType => ({
  code,
  name,
  size: 6,
  read: (bytes, at) => ({
    x: bytes.readInt16BE(at) / per,
    y: bytes.readInt16BE(at + 2) / per,
    z: bytes.readInt16BE(at + 4) / per,
  }),
})

export const CAYENNE_TYPES: readonly CayenneType[] = [
  unsigned(0, 'digital_input', 1),
  unsigned(1, 'digital_output', 1),
  signed(2, 'analog_input', 2, 100),
  signed(3, 'analog_output', 2, 100),
  unsigned(100, 'generic', 4),
  unsigned(101, 'illuminance', 2),
  unsigned(102, 'presence', 1),
  signed(103, 'temperature', 2, 10),
  unsigned(104, 'humidity', 1, 2),
  axes(113, 'accelerometer', 1_000),
  unsigned(115, 'barometer', 2, 10),
  unsigned(116, 'voltage', 2, 100),
  unsigned(117, 'current', 2, 1_000),
  unsigned(118, 'frequency', 4),
  unsigned(120, 'percentage', 1),
  signed(121, 'altitude', 2),
  unsigned(125, 'concentration', 2),
  unsigned(128, 'power', 2),
  unsigned(130, 'distance', 4, 1_000),
  unsigned(131, 'energy', 4, 1_000),
  unsigned(132, 'direction', 2),
  unsigned(133, 'time', 4),
  axes(134, 'gyrometer', 100),
  {
    code: 135,
    name: 'colour',
    size: 3,
    read: (bytes, at) => ({ r: bytes[at], g: bytes[at + 1], b: bytes[at + 2] }),
  },
  {
    code: 136,
    name: 'gps',
    size: 9,
    read: (bytes, at) => ({
      lng: bytes.readIntBE(at + 3, 3) / 10_000,
      lat: bytes.readIntBE(at, 3) / 10_000,
      alt: bytes.readIntBE(at + 6, 3) / 100,
    }),
  },
  unsigned(142, 'switch', 1),
]

export const BY_CODE: ReadonlyMap<number, CayenneType> = new Map(CAYENNE_TYPES.map(type => [type.code, type]))
export const BY_NAME: ReadonlyMap<string, CayenneType> = new Map(CAYENNE_TYPES.map(type => [type.name, type]))
