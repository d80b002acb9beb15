import { CHECKSUM_KINDS, ENDIANS, FORMAT_KINDS, WRITE_FUNCTIONS } from '@thingwright/contracts/formats.words'

export {
  BYTE_ORDERS,
  FIELD_ROLES,
  FIELD_TYPES,
  JSON_TYPES,
  REGISTER_TYPES,
  TIME_UNITS,
} from '@thingwright/contracts/formats.words'

import type {
  FormatBody,
  FormatKind,
  LabelField,
  LabelFrame,
  ModbusRegister,
} from '@thingwright/contracts/format-schemas'

export type { FormatBody, FormatKind, LabelField, LabelFrame, ModbusRegister }
export type JsonValue = NonNullable<FormatBody['values']>[number]
export type CayenneChannel = NonNullable<FormatBody['channels']>[number]
export type Endian = (typeof ENDIANS)[number]

export const KINDS = FORMAT_KINDS
export const FIELD_ENDIANS = ENDIANS
export const CHECKSUMS = CHECKSUM_KINDS
export const WRITES = WRITE_FUNCTIONS

/** Bytes of a field whose type fixes them; 0: as long as is said. */
export const TYPE_BYTES: Partial<Record<LabelField['type'], number>> = {
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int24: 3,
  uint24: 3,
  int32: 4,
  uint32: 4,
  int64: 8,
  uint64: 8,
  float32: 4,
  float64: 8,
  bit: 1,
  time_s: 4,
  time_ms: 8,
  time_bcd: 6,
}

/** What each kind starts with. */
export function emptyFormat(kind: FormatKind): FormatBody {
  switch (kind) {
    case 'label':
      return { kind, label: '[H:#],[D?],[S:,],[D?],[T:#]', fields: [] }
    case 'modbus':
      return { kind, registers: [] }
    case 'script':
      return { kind, source: SCRIPT_TEMPLATES.chirpstack }
    case 'cayenne':
      return { kind, channels: [] }
    default:
      return { kind: 'json' }
  }
}

export const SCRIPT_TEMPLATES = {
  chirpstack: `function decodeUplink(input) {
  // input.bytes, input.fPort, input.variables
  const b = input.bytes
  return {
    data: {
      temperature: ((b[0] << 24 >> 16) | b[1]) / 10,
      humidity: b[2],
    },
  }
}

function encodeDownlink(input) {
  // input.data: the properties to set, or {service, params}
  return { bytes: [0x01, input.data.switch ? 1 : 0] }
}
`,
  alibaba: `function rawDataToProtocol(bytes) {
  return {
    method: 'thing.event.property.post',
    version: '1.0',
    params: { temperature: bytes[0] },
  }
}

function protocolToRawData(json) {
  return [0x01, json.params.switch ? 1 : 0]
}
`,
  plain: `function decode(bytes, context) {
  // context.deviceNo, context.at, context.port
  return { temperature: bytes[0] / 2 }
}

function encode(command, context) {
  return [0x01, command.params.switch ? 1 : 0]
}
`,
} as const

/** The identifiers that a format gives values to. */
export function identifiersOf(format: FormatBody): Set<string> {
  const found = new Set<string>()
  const add = (identifier: string | undefined) => {
    if (identifier) found.add(identifier)
  }
  if (format.kind === 'json') for (const row of format.values ?? []) add(row.identifier)
  if (format.kind === 'label') {
    for (const identifier of format.fields ?? []) add(identifier)
    for (const frame of format.frames ?? [])
      for (const field of frame.fields) if ((field.role ?? 'value') === 'value' && !frame.event) add(field.identifier)
  }
  if (format.kind === 'modbus') for (const register of format.registers ?? []) add(register.identifier)
  if (format.kind === 'cayenne') for (const channel of format.channels ?? []) add(channel.identifier)
  return found
}

/** Whether the format says itself which properties it fills; a script and plain JSON do not. */
export function namesProperties(format: FormatBody): boolean {
  if (format.kind === 'script') return false
  if (format.kind === 'json') return (format.values?.length ?? 0) > 0
  return format.kind !== 'cayenne' || (format.channels?.length ?? 0) > 0
}

/** Data fields that a protocol label asks for, in order. */
export function dataFieldsOf(label: string): number {
  return label.match(/\[D[^\]]*\]/g)?.length ?? 0
}

/** Pairs of hex digits of a text that may be hex (spaces, 0x, commas between pairs), or null. */
export function asHex(text: string): string | null {
  const digits = text.replace(/0x/gi, '').replace(/[\s,;:-]/g, '')
  return digits.length > 0 && digits.length % 2 === 0 && /^[0-9a-f]+$/i.test(digits) ? digits.toLowerCase() : null
}

/** Bytes of what a person pasted. */
export function bytesOf(payload: string, encoding: 'text' | 'hex'): Uint8Array | null {
  if (encoding === 'text') return new TextEncoder().encode(payload)
  const hex = asHex(payload)
  return hex === null ? null : Uint8Array.from(hex.match(/../g) ?? [], pair => Number.parseInt(pair, 16))
}
