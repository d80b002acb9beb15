import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, Json, JsonObject, Nullable, Version, Words } from './common.ts'
import { CommandToEncode, FormatBody } from './format-schemas.ts'
import { UP_CHANNELS } from './formats.words.ts'
import { ProductDetail } from './products.contract.ts'
import { route } from './route.ts'

/** How `payload` is written. base64 and hex are bytes, text is UTF-8. */
const Encoding = Words(['text', 'hex', 'base64'], { description: 'text when absent' })
const Port = Type.Integer({ minimum: 0, maximum: 255, description: 'LoRaWAN port and the like' })

/** A part of a frame that the format recognised, for colouring it. */
export const RecognisedField = Type.Object({
  /** Property, or null: head, separator, checksum … */
  identifier: Nullable(Type.String()),
  /** value, time, device, head, tail, separator, checksum, condition, command, ignore. */
  role: Type.String(),
  type: Type.String(),
  /** Byte offset from the start of the frame. */
  at: Type.Integer(),
  length: Type.Integer(),
  hex: Type.String(),
  /** As read, after scale and offset; null where there is none. */
  value: Json,
})
export type RecognisedField = Static<typeof RecognisedField>

export const TryReply = Type.Object({
  ok: Type.Boolean(),
  /** What would be stored. A row of an event carries its identifier, one of a sub-device its number. */
  rows: Type.Array(
    Type.Object({
      ts: Type.Integer(),
      quality: Type.String(),
      values: JsonObject,
      event: Type.Optional(Type.String()),
      sub: Type.Optional(Type.String()),
    }),
  ),
  /** Why the payload would be refused; null when it would be taken. */
  reason: Nullable(Type.String()),
  path: Nullable(Type.String()),
  detail: Nullable(Json),
  /**
   * Upwards: keys that the model does not know, named as in the list of unknown keys. They are left out, or, where the
   * product refuses such messages, why this one is refused.
   */
  unknown: Type.Array(Type.String()),
  /** Upwards: what would be left out while the rest is taken, and why. */
  leftOut: Type.Array(Type.Object({ reason: Type.String(), path: Type.String(), detail: Type.String() })),
  /** label, cayenne, modbus: what stands where, also of a frame that is refused as far as it was read. */
  fields: Type.Array(RecognisedField),
  /** Downwards: the frames that would be sent. */
  frames: Type.Array(Type.Object({ hex: Type.String(), text: Nullable(Type.String()) })),
  /** script: what console.log wrote, at most 50 lines. */
  logs: Type.Array(Type.String()),
  /** script: milliseconds the call took. */
  tookMs: Nullable(Type.Number()),
})
export type TryReply = Static<typeof TryReply>

/** A frame kept with the product, with what it must become. */
export const FormatSample = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 64 }),
    direction: Words(['up', 'down']),
    encoding: Encoding,
    /** The frame: up what the device sends, down what must come out (when empty, any frame passes). */
    payload: Type.String({ maxLength: 16384 }),
    port: Type.Optional(Port),
    /** Of direction down: what is asked. */
    command: Type.Optional(CommandToEncode),
    /**
     * Of direction up: property → value that must come out (others may come besides); absent: any values pass.
     * Numbers are equal within 1e-6 of their size.
     */
    expected: Type.Optional(JsonObject),
    /** Of direction up: the refusal that must come instead of values. */
    expectedReason: Type.Optional(Type.String({ maxLength: 64 })),
  },
  { additionalProperties: false },
)
export type FormatSample = Static<typeof FormatSample>

export const SampleResult = Type.Object({
  name: Type.String(),
  ok: Type.Boolean(),
  /** What is wrong, one line per difference: "temperature: 21.5, expected 21.6". */
  problems: Type.Array(Type.String()),
  result: TryReply,
})
export type SampleResult = Static<typeof SampleResult>

const upTrial = {
  direction: Type.Optional(Words(['up', 'down'], { description: 'up when absent' })),
  channel: Type.Optional(
    Words(UP_CHANNELS, {
      description:
        'raw (default): through the format; property, event: the standard JSON topics, which no format touches',
    }),
  ),
  identifier: Type.Optional(Type.String({ maxLength: 64, description: 'Of channel event' })),
  payload: Type.Optional(Type.String({ maxLength: 262144 })),
  encoding: Type.Optional(Encoding),
  port: Type.Optional(Port),
  /** Of direction down. */
  command: Type.Optional(CommandToEncode),
}

export const formatsContract = {
  setFormat: route({
    method: 'PUT',
    path: '/api/v1/products/{id}/format',
    tag: 'Formats',
    summary: 'How payloads become values; runs the samples first and refuses when one fails, unless forced',
    permission: 'product:write',
    audit: 'product.format',
    params: IdParams,
    body: Type.Object(
      {
        ...FormatBody.properties,
        force: Type.Optional(Type.Boolean({ description: 'Save although samples fail' })),
        version: Type.Optional(Version),
      },
      { additionalProperties: false },
    ),
    /** 422 format.invalid with fields; 409 format.samples_failed with params {failed, results: SampleResult[]}. */
    response: Type.Object({ ...ProductDetail.properties, samples: Type.Array(SampleResult) }),
  }),
  tryFormat: route({
    method: 'POST',
    path: '/api/v1/products/{id}/format/try',
    tag: 'Formats',
    summary: 'Runs one payload or command through format and thing model without storing or sending anything',
    permission: 'product:read',
    audit: { none: 'changes nothing' },
    params: IdParams,
    body: Type.Object(
      {
        ...upTrial,
        /** Instead of the saved format. */
        format: Type.Optional(FormatBody),
        draft: Type.Optional(Type.Boolean({ description: 'Against the draft of the thing model' })),
        deviceNo: Type.Optional(Type.String({ maxLength: 64 })),
      },
      { additionalProperties: false },
    ),
    response: TryReply,
  }),
  detectFormat: route({
    method: 'POST',
    path: '/api/v1/products/{id}/format/detect',
    tag: 'Formats',
    summary: 'Proposes formats for pasted frames, the likeliest first',
    permission: 'product:read',
    audit: { none: 'changes nothing' },
    params: IdParams,
    body: Type.Object(
      { payload: Type.String({ minLength: 1, maxLength: 65536 }), encoding: Type.Optional(Encoding) },
      { additionalProperties: false },
    ),
    response: Type.Object({
      proposals: Type.Array(
        Type.Object({
          /** What it looks like: json, label_text, label_binary, modbus_rtu, cayenne, nmea. */
          looksLike: Type.String(),
          /** 0 to 1. */
          confidence: Type.Number(),
          /** Ready for `try` and `PUT format`; identifiers are guesses or empty. */
          format: JsonObject,
          fields: Type.Array(RecognisedField),
        }),
      ),
    }),
  }),
  samples: route({
    method: 'GET',
    path: '/api/v1/products/{id}/format/samples',
    tag: 'Formats',
    summary: 'The sample library of the product',
    permission: 'product:read',
    params: IdParams,
    response: Type.Object({ items: Type.Array(FormatSample) }),
  }),
  setSamples: route({
    method: 'PUT',
    path: '/api/v1/products/{id}/format/samples',
    tag: 'Formats',
    summary: 'Replaces the sample library and says what the saved format makes of it',
    permission: 'product:write',
    audit: 'product.format_samples',
    params: IdParams,
    body: Type.Object({ items: Type.Array(FormatSample, { maxItems: 100 }) }, { additionalProperties: false }),
    response: Type.Object({ items: Type.Array(FormatSample), results: Type.Array(SampleResult) }),
  }),
  runSamples: route({
    method: 'POST',
    path: '/api/v1/products/{id}/format/samples/run',
    tag: 'Formats',
    summary: 'Runs the sample library through the saved or the given format',
    permission: 'product:read',
    audit: { none: 'changes nothing' },
    params: IdParams,
    body: Type.Object(
      {
        format: Type.Optional(FormatBody),
        draft: Type.Optional(Type.Boolean()),
        /** Instead of the saved library. */
        items: Type.Optional(Type.Array(FormatSample, { maxItems: 100 })),
      },
      { additionalProperties: false },
    ),
    response: Type.Object({ results: Type.Array(SampleResult) }),
  }),
  refusedFrames: route({
    method: 'GET',
    path: '/api/v1/products/{id}/refused-frames',
    tag: 'Formats',
    summary: 'The last 100 refused messages with their bytes',
    permission: 'product:read',
    params: IdParams,
    response: Type.Object({
      items: Type.Array(
        Type.Object({
          id: Type.String(),
          deviceId: Nullable(Id),
          deviceNo: Nullable(Type.String()),
          at: IsoTime,
          reason: Type.String(),
          detail: JsonObject,
          hex: Type.String(),
          text: Nullable(Type.String()),
        }),
      ),
    }),
  }),
}
