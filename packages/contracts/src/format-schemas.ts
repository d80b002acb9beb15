import { type Static, Type } from 'typebox'
import { JsonObject, Words } from './common.ts'
import {
  BYTE_ORDERS,
  CHECKSUM_KINDS,
  ENDIANS,
  FIELD_ROLES,
  FIELD_TYPES,
  FORMAT_KINDS,
  JSON_TYPES,
  REGISTER_TYPES,
  TIME_UNITS,
  UNMAPPED,
  WRITE_FUNCTIONS,
} from './formats.words.ts'

export { ENDIANS } from './formats.words.ts'

/**
 * How the payloads of a product's devices become values, as stored in `products.format`: one object, whose `kind` says
 * which of the other fields it may have. What crosses the API is {@link FormatBody} (every field of every kind, each
 * checked by itself); the server then checks that the fields fit the kind and answers 422 `format.invalid` with the
 * path of each mistake. In code a format is the union {@link ProductFormat}.
 */
export type FormatKind = (typeof FORMAT_KINDS)[number]

const Identifier = Type.String({ maxLength: 64, description: 'Property of the thing model' })
const Scale = Type.Number({ description: 'value = raw * scale + offset; 1 when absent' })
const Offset = Type.Number({ description: 'value = raw * scale + offset; 0 when absent' })
const JsonPath = Type.String({
  minLength: 1,
  maxLength: 200,
  description: '`data1`, `$.a.b[0]`, `a["b c"]`; with `rows`: relative to the element, from `$` absolute',
})
const Hex = Type.String({ maxLength: 512, pattern: '^([0-9a-fA-F]{2}[ ]?)*$', description: 'Pairs of hex digits' })

/* ---- json ---- */

export const JsonValue = Type.Object(
  {
    path: JsonPath,
    identifier: Identifier,
    type: Type.Optional(
      Words(JSON_TYPES, {
        description: 'auto (default): a text that is a number becomes one where the property is a number',
      }),
    ),
    scale: Type.Optional(Scale),
    offset: Type.Optional(Offset),
  },
  { additionalProperties: false },
)
export const JsonTime = Type.Object(
  { path: JsonPath, unit: Type.Optional(Words(TIME_UNITS)) },
  { additionalProperties: false },
)
const json = {
  values: Type.Optional(
    Type.Array(JsonValue, { maxItems: 500, description: 'json: absent = property/post JSON of the device protocol' }),
  ),
  flags: Type.Optional(
    Type.Array(
      Type.Object(
        { sensorId: Identifier, flag: Type.String({ minLength: 1, maxLength: 200 }) },
        { additionalProperties: false },
      ),
      {
        maxItems: 500,
        description:
          'json: read/write flags as the TLINK family writes them: a name in the message, or the flag of an element of sensorDatas',
      },
    ),
  ),
  rows: Type.Optional(
    Type.String({ maxLength: 200, description: 'json: path of an array; each element is a reading' }),
  ),
  time: Type.Optional(JsonTime),
  device: Type.Optional(Type.String({ maxLength: 200, description: 'json: path of the sub-device number' })),
  unmapped: Type.Optional(
    Words(UNMAPPED, {
      description: 'json: what becomes of top-level fields without a mapping; take = as property of the same name',
    }),
  ),
}

/* ---- label ---- */

export type FieldType = (typeof FIELD_TYPES)[number]

export type ChecksumKind = (typeof CHECKSUM_KINDS)[number]

export const LabelField = Type.Object(
  {
    role: Type.Optional(
      Words(FIELD_ROLES, {
        description:
          'value (default): a property. time: the time of the frame. device: number of the sub-device. ignore: only marked',
      }),
    ),
    identifier: Type.Optional(Identifier),
    type: Words(FIELD_TYPES),
    at: Type.Optional(
      Type.Integer({
        minimum: -8192,
        maximum: 8191,
        description: 'First byte; negative counts from the end. Binary frames',
      }),
    ),
    index: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 255,
        description: 'Which piece between separators. Text frames (with `separator`)',
      }),
    ),
    length: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 8192,
        description:
          'Bytes; of types with a length of their own not needed; 0 or absent = to the end of piece or frame',
      }),
    ),
    endian: Type.Optional(
      Words(ENDIANS, { description: 'big (default) ABCD, little DCBA, big_swap BADC, little_swap CDAB' }),
    ),
    bit: Type.Optional(Type.Integer({ minimum: 0, maximum: 63 })),
    bits: Type.Optional(Type.Integer({ minimum: 1, maximum: 53 })),
    scale: Type.Optional(Scale),
    offset: Type.Optional(Offset),
  },
  { additionalProperties: false },
)
export type LabelField = Static<typeof LabelField>

export const LabelChecksum = Type.Object(
  {
    kind: Words(CHECKSUM_KINDS),
    at: Type.Integer({ minimum: -8192, maximum: 8191, description: 'First byte of the sum; negative from the end' }),
    from: Type.Optional(Type.Integer({ minimum: 0, maximum: 8191, description: 'First byte that counts; 0' })),
    to: Type.Optional(
      Type.Integer({
        minimum: -8192,
        maximum: 8191,
        description: 'First byte that counts no more; absent = `at`; negative from the end',
      }),
    ),
    endian: Type.Optional(Words(['big', 'little'], { description: 'little (default for crc16_modbus), else big' })),
    text: Type.Optional(Type.Boolean({ description: 'The sum is written as hex digits' })),
  },
  { additionalProperties: false },
)
export type LabelChecksum = Static<typeof LabelChecksum>

export const LabelFrame = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: 64 })),
    when: Type.Optional(
      Type.Array(
        Type.Object(
          {
            at: Type.Integer({ minimum: -8192, maximum: 8191 }),
            hex: Hex,
          },
          { additionalProperties: false },
        ),
        {
          maxItems: 16,
          description: 'The frame is of this kind when all of these bytes stand there (head, type byte, tail)',
        },
      ),
    ),
    length: Type.Optional(Type.Integer({ minimum: 1, maximum: 8192, description: 'Exact length in bytes' })),
    head: Type.Optional(Hex),
    tail: Type.Optional(Hex),
    separator: Type.Optional(Hex),
    event: Type.Optional(Type.String({ maxLength: 64, description: 'The fields are parameters of this event' })),
    /** Makes this a frame that is sent: for these properties, or for this service. */
    command: Type.Optional(
      Type.Object(
        {
          kind: Words(['property_set', 'service']),
          identifier: Type.Optional(Type.String({ maxLength: 64, description: 'Of a service' })),
        },
        { additionalProperties: false },
      ),
    ),
    fields: Type.Array(LabelField, { maxItems: 200 }),
    checksum: Type.Optional(LabelChecksum),
  },
  { additionalProperties: false },
)
export type LabelFrame = Static<typeof LabelFrame>

const label = {
  label: Type.Optional(
    Type.String({
      maxLength: 1000,
      description:
        'label: `[H:#],[D?],[S:,],[D?],[T:#]`: H head, D? data field, D4 data of 4 characters, S separator, T tail; `0x68` in place of text is bytes',
    }),
  ),
  fields: Type.Optional(
    Type.Array(Identifier, {
      maxItems: 200,
      description: 'label: properties of the data fields in order; empty = skipped',
    }),
  ),
  frames: Type.Optional(
    Type.Array(LabelFrame, {
      maxItems: 32,
      description: 'label: kinds of frame; the first whose conditions hold counts',
    }),
  ),
  timeZone: Type.Optional(
    Type.String({ maxLength: 6, pattern: '^[+-]\\d\\d:\\d\\d$', description: 'label: of device times; +08:00' }),
  ),
}

/* ---- modbus ---- */

export type RegisterType = (typeof REGISTER_TYPES)[number]
export type ByteOrder = (typeof BYTE_ORDERS)[number]

export const ModbusRegister = Type.Object(
  {
    identifier: Identifier,
    function: Type.Integer({
      minimum: 1,
      maximum: 4,
      description: '1 coils, 2 discrete inputs, 3 holding, 4 input registers',
    }),
    address: Type.Integer({ minimum: 0, maximum: 65535, description: 'As on the wire, from 0' }),
    dataType: Words(REGISTER_TYPES),
    byteOrder: Type.Optional(Words(BYTE_ORDERS, { description: 'ABCD when absent' })),
    bit: Type.Optional(Type.Integer({ minimum: 0, maximum: 15, description: 'Of bits16; 0 is the lowest' })),
    scale: Type.Optional(Scale),
    offset: Type.Optional(Offset),
    slave: Type.Optional(Type.Integer({ minimum: 0, maximum: 247, description: 'Absent: the device’s own address' })),
    write: Type.Optional(
      Words(WRITE_FUNCTIONS, {
        description:
          'single: 05/06, multiple: 0F/10, auto (default): single where one is enough; functions 1 and 3 only',
      }),
    ),
  },
  { additionalProperties: false },
)
export type ModbusRegister = Static<typeof ModbusRegister>

const modbus = {
  registers: Type.Optional(Type.Array(ModbusRegister, { maxItems: 500, description: 'modbus' })),
}

/* ---- script ---- */

const script = {
  source: Type.Optional(
    Type.String({
      maxLength: 65536,
      description:
        'script: JavaScript with decodeUplink / encodeDownlink (ChirpStack), rawDataToProtocol / protocolToRawData (Alibaba), or decode / encode',
    }),
  ),
  variables: Type.Optional(
    Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 1000 }), {
      description: 'script: handed to the functions as input.variables',
    }),
  ),
}

/* ---- cayenne ---- */

export const CayenneChannel = Type.Object(
  {
    channel: Type.Integer({ minimum: 0, maximum: 255 }),
    type: Type.Optional(Type.String({ maxLength: 32, description: 'Name of the data type; absent: any' })),
    identifier: Identifier,
    scale: Type.Optional(Scale),
    offset: Type.Optional(Offset),
  },
  { additionalProperties: false },
)
export type CayenneChannel = Static<typeof CayenneChannel>

const cayenne = {
  channels: Type.Optional(
    Type.Array(CayenneChannel, {
      maxItems: 256,
      description:
        'cayenne: channel → property; a channel without a line is the property `{type}_{channel}` if there is one',
    }),
  ),
}

/* ---- all ---- */

export const FormatBody = Type.Object(
  { kind: Words(FORMAT_KINDS), ...json, ...label, ...modbus, ...script, ...cayenne },
  { additionalProperties: false },
)
export type FormatBody = Static<typeof FormatBody>

/** Which fields a kind may have. */
export const FORMAT_FIELDS: Readonly<Record<FormatKind, readonly string[]>> = {
  json: Object.keys(json),
  label: Object.keys(label),
  modbus: Object.keys(modbus),
  script: Object.keys(script),
  cayenne: Object.keys(cayenne),
}

type FieldsOf<K extends keyof FormatBody> = Pick<FormatBody, K>
export type JsonFormat = { kind: 'json' } & FieldsOf<'values' | 'flags' | 'rows' | 'time' | 'device' | 'unmapped'>
export type LabelFormat = { kind: 'label' } & FieldsOf<'label' | 'fields' | 'frames' | 'timeZone'>
export type ModbusFormat = { kind: 'modbus'; registers: ModbusRegister[] }
export type ScriptFormat = { kind: 'script'; source: string } & FieldsOf<'variables'>
export type CayenneFormat = { kind: 'cayenne' } & FieldsOf<'channels'>
export type ProductFormat = JsonFormat | LabelFormat | ModbusFormat | ScriptFormat | CayenneFormat

/** A command as a format encodes it. */
export const CommandToEncode = Type.Object(
  {
    kind: Words(['property_set', 'service']),
    identifier: Type.Optional(Type.String({ maxLength: 64, description: 'Of a service' })),
    params: JsonObject,
  },
  { additionalProperties: false },
)
