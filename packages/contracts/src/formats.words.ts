export const FORMAT_KINDS = ['json', 'label', 'modbus', 'script', 'cayenne'] as const

export const JSON_TYPES = ['auto', 'number', 'string', 'bool', 'json'] as const

export const TIME_UNITS = ['auto', 'ms', 's', 'iso'] as const

export const FIELD_TYPES = [
  'ascii', // decimal number written as text
  'ascii_hex', // hexadecimal number written as text
  'int8',
  'uint8',
  'int16',
  'uint16',
  'int24',
  'uint24',
  'int32',
  'uint32',
  'int64',
  'uint64',
  'float32',
  'float64',
  'bcd',
  'bit', // one bit of the byte(s) at `at`: boolean
  'bits', // `bits` bits from `bit` on: unsigned integer
  'string',
  'hex', // bytes as hex text
  'nmea', // GPS sentence (RMC, GGA, GLL) or its "ddmm.mmmm,N,dddmm.mmmm,E" part → {lng, lat}
  'time_s', // unsigned seconds since 1970
  'time_ms',
  'time_bcd', // YYMMDDhhmmss in BCD, local time of `timeZone`
  'time_text', // ISO 8601, YYYY-MM-DD hh:mm:ss or YYYYMMDDhhmmss text
] as const

export const FIELD_ROLES = ['value', 'time', 'device', 'ignore'] as const

export const ENDIANS = ['big', 'little', 'big_swap', 'little_swap'] as const

export const CHECKSUM_KINDS = ['sum8', 'xor8', 'crc16_modbus', 'crc16_ccitt', 'crc32'] as const

export const REGISTER_TYPES = [
  'bool', // one coil or discrete input (functions 1 and 2)
  'int16',
  'uint16',
  'bits16', // 16 bits read and written bit by bit: with `bit` a boolean, without the whole word
  'int32',
  'uint32',
  'float32',
  'int64',
  'uint64',
  'float64',
  'bcd16',
  'bcd32',
] as const

export const BYTE_ORDERS = ['ABCD', 'BADC', 'CDAB', 'DCBA'] as const

export const WRITE_FUNCTIONS = ['auto', 'single', 'multiple', 'none'] as const

export const UNMAPPED = ['ignore', 'refuse', 'take'] as const

export const UP_CHANNELS = ['raw', 'property', 'event'] as const
