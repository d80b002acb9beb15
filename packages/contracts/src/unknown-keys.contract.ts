import { type Static, Type } from 'typebox'
import { IdParams, IsoTime, JsonObject, Nullable, Ok, Words } from './common.ts'
import { route } from './route.ts'

/** A key that devices of a product sent and its published model does not know. */
export const UnknownKeyView = Type.Object({
  key: Type.String({
    description:
      'below a struct key.field; of an event event/{identifier}/key, of the output of a service service/{identifier}/key',
  }),
  /** Where the key belongs to; null: to the properties. */
  of: Nullable(Type.Object({ kind: Words(['event', 'service']), identifier: Type.String() })),
  samples: Type.Array(Type.String(), { description: 'the last values as JSON, newest last' }),
  seen: Type.Integer(),
  deviceNo: Type.String({ description: 'the device that sent it last' }),
  firstAt: IsoTime,
  lastAt: IsoTime,
  /** Ready to be put into the thing model, where `of` says; null: the key cannot be an identifier. */
  property: Nullable(JsonObject),
  inDraft: Type.Boolean({ description: 'the draft of the model knows it already' }),
})
export type UnknownKeyView = Static<typeof UnknownKeyView>

export const unknownKeysContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/products/{id}/unknown-keys',
    tag: 'Products',
    summary: 'Keys that devices sent and the thing model does not know, the newest first, at most 200',
    permission: 'product:read',
    params: IdParams,
    response: Type.Object({ items: Type.Array(UnknownKeyView) }),
  }),
  clear: route({
    method: 'DELETE',
    path: '/api/v1/products/{id}/unknown-keys',
    tag: 'Products',
    summary: 'Empties the list; what devices go on sending comes again',
    permission: 'product:write',
    audit: 'product.unknown_keys_clear',
    params: IdParams,
    response: Ok,
  }),
}
