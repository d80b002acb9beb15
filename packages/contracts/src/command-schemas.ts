import { type Static, Type } from 'typebox'
import {
  CHECKSUMS,
  COMMAND_CONFIRMS,
  CONDITION_OPERATORS,
  DANGER_LEVELS,
  LONGEST_TIMEOUT_MS,
} from './commands.words.ts'
import { Id, Json, JsonObject, Words } from './common.ts'

const closed = { additionalProperties: false }

export const CommandConfirm = Words(COMMAND_CONFIRMS, {
  description:
    'What ends a command well: the answer, the reported property, or that it left. auto: an answer, or that it left where nothing can answer',
})

/** How long an answer is waited for. */
export const Timeout = Type.Optional(
  Type.Integer({
    minimum: 500,
    maximum: LONGEST_TIMEOUT_MS,
    description: 'How long an answer is waited for: 10 s, of a LoRaWAN device 2 h',
  }),
)

const Identifier = Type.String({ minLength: 1, maxLength: 64 })

/** Something that must hold of the device's latest values. A property that was never reported holds nothing. */
export const CommandCondition = Type.Object(
  {
    identifier: Identifier,
    operator: Words(CONDITION_OPERATORS),
    value: Type.Union([Type.Number(), Type.String({ maxLength: 128 }), Type.Boolean()]),
    maxAgeSeconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 2_592_000, description: 'An older value holds nothing' }),
    ),
  },
  closed,
)
export type CommandCondition = Static<typeof CommandCondition>

export const CommandDanger = Type.Object(
  {
    level: Words(DANGER_LEVELS, {
      description: 'A second yes, the PIN of the product, or a fresh proof of who it is',
    }),
    text: Type.Optional(Type.String({ maxLength: 200, description: 'What the person is asked' })),
    roleIds: Type.Optional(Type.Array(Id, { maxItems: 20, description: 'Only holders of one of these roles' })),
  },
  closed,
)
export type CommandDanger = Static<typeof CommandDanger>

export const CommandGuard = {
  danger: Type.Optional(CommandDanger),
  interlock: Type.Optional(Type.Array(CommandCondition, { maxItems: 10 })),
}

export const FeatureRule = Type.Object(
  {
    ...CommandGuard,
    confirm: Type.Optional(CommandConfirm),
    tolerance: Type.Optional(
      Type.Number({ minimum: 0, description: 'How far the reported value may be from the wanted one' }),
    ),
    readBack: Type.Optional(
      Type.Object(
        {
          property: Identifier,
          param: Type.Optional(Identifier),
          value: Type.Optional(Json),
        },
        { ...closed, description: 'Of a service: which property must become what (a parameter, or a value)' },
      ),
    ),
  },
  closed,
)
export type FeatureRule = Static<typeof FeatureRule>

/** What a product says about the commands of its devices. */
export const CommandRules = Type.Object(
  {
    expirySeconds: Type.Optional(
      Type.Integer({ minimum: 60, maximum: 2_592_000, description: 'How long a command waits for its device; 24 h' }),
    ),
    collapse: Type.Optional(
      Type.Boolean({ description: 'Only the latest wish per property waits in the queue; true when absent' }),
    ),
    confirm: Type.Optional(CommandConfirm),
    timeoutMs: Timeout,
    retries: Type.Optional(Type.Integer({ minimum: 0, maximum: 5 })),
    properties: Type.Optional(Type.Record(Identifier, FeatureRule, { maxProperties: 500 })),
    services: Type.Optional(Type.Record(Identifier, FeatureRule, { maxProperties: 100 })),
    raw: Type.Optional(Type.Object(CommandGuard, closed)),
  },
  closed,
)
export type CommandRules = Static<typeof CommandRules>

export const Checksum = Words(CHECKSUMS)
export type Checksum = Static<typeof Checksum>

/** How the device's answer is recognised among its frames; everything said must hold. */
export const ReplyPattern = Type.Object(
  {
    equals: Type.Optional(Type.String({ maxLength: 1024, description: 'Hex, fields allowed' })),
    prefix: Type.Optional(Type.String({ maxLength: 1024, description: 'Hex, fields allowed' })),
    regex: Type.Optional(
      Type.String({
        maxLength: 128,
        description:
          'RE2, over the first 256 bytes as Latin-1 text; no back references, look-around, repeats over 1000',
      }),
    ),
    minLength: Type.Optional(Type.Integer({ minimum: 1, maximum: 8192 })),
    maxLength: Type.Optional(Type.Integer({ minimum: 1, maximum: 8192 })),
    checksum: Type.Optional(Checksum),
    carriesData: Type.Optional(
      Type.Boolean({ description: 'The answer holds readings: the product’s format reads it too' }),
    ),
  },
  closed,
)
export type ReplyPattern = Static<typeof ReplyPattern>

const Template = Type.String({ minLength: 1, maxLength: 8192 })

export const CommandPayload = Type.Union([
  Type.Object(
    {
      kind: Type.Literal('hex'),
      template: Template,
      checksum: Type.Optional(Checksum),
      checksumFrom: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 255, description: 'Bytes left out at the head' }),
      ),
      tail: Type.Optional(Type.String({ maxLength: 32, description: 'Hex behind the checksum' })),
    },
    { ...closed, description: 'Hex with fields such as {{speed*10:uint16be}}' },
  ),
  Type.Object(
    { kind: Type.Literal('text'), template: Template },
    { ...closed, description: 'Text with {{param}}; \\r \\n \\t \\xHH are read' },
  ),
  Type.Object(
    { kind: Type.Literal('json'), template: Json },
    { ...closed, description: 'JSON; a text that is just {{param}} becomes the value itself' },
  ),
  Type.Object(
    {
      kind: Type.Literal('modbus'),
      slave: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 247, description: 'Absent: the address of the device, else 1' }),
      ),
      function: Type.Unsafe<1 | 2 | 3 | 4 | 5 | 6 | 15 | 16>({ enum: [1, 2, 3, 4, 5, 6, 15, 16] }),
      address: Type.Integer({ minimum: 0, maximum: 65_535 }),
      quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 125, description: 'Of reads, and of coils in 15' })),
      data: Type.Optional(Type.String({ maxLength: 1024, description: 'Of writes: hex with fields' })),
      framing: Type.Optional(Words(['rtu', 'tcp'])),
    },
    closed,
  ),
  Type.Object(
    { kind: Type.Literal('property_set'), values: JsonObject },
    { ...closed, description: 'Property → value, or {{param}}' },
  ),
  Type.Object({ kind: Type.Literal('service'), identifier: Identifier, values: JsonObject }, closed),
])
export type CommandPayload = Static<typeof CommandPayload>

/** A parameter as the thing model writes those of a service, with a default. */
export const TemplateParam = Type.Object(
  {
    identifier: Identifier,
    name: Type.String({ minLength: 1, maxLength: 64 }),
    ename: Type.Optional(Type.String({ maxLength: 64 })),
    dataType: JsonObject,
    unit: Type.Optional(Type.String({ maxLength: 32 })),
    required: Type.Optional(Type.Boolean()),
    default: Type.Optional(Json),
    description: Type.Optional(Type.String({ maxLength: 200 })),
  },
  closed,
)
export type TemplateParam = Static<typeof TemplateParam>

export const TemplateBody = Type.Object(
  {
    params: Type.Array(TemplateParam, { maxItems: 32 }),
    payload: CommandPayload,
    expects: Type.Optional(ReplyPattern),
    confirm: Type.Optional(CommandConfirm),
    timeoutMs: Timeout,
    retries: Type.Optional(Type.Integer({ minimum: 0, maximum: 5 })),
    ...CommandGuard,
  },
  closed,
)
export type TemplateBody = Static<typeof TemplateBody>
