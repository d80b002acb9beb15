import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Name, Ok, Version } from './common.ts'
import { route } from './route.ts'
import { triggerFields } from './trigger-schemas.ts'

const closed = { additionalProperties: false } as const
const base = '/api/v1/trigger-presets'
const tag = 'Triggers'
const write = { tag, permission: 'trigger:write', wholeCompany: true } as const

const { scope: _, ...ruleFields } = triggerFields

/** A trigger without its devices: those of the product to which the preset is applied. */
export const PresetTrigger = Type.Object(
  { name: Name, description: Type.Optional(Type.String({ maxLength: 512 })), ...ruleFields },
  closed,
)
export type PresetTrigger = Static<typeof PresetTrigger>

export const TriggerPresetView = Type.Object({
  id: Id,
  name: Type.String(),
  note: Type.String(),
  triggers: Type.Array(PresetTrigger),
  version: Type.Integer(),
  createdAt: IsoTime,
})
export type TriggerPresetView = Static<typeof TriggerPresetView>

const Triggers = Type.Array(PresetTrigger, { minItems: 1, maxItems: 50 })
const Note = Type.String({ maxLength: 512 })

const PresetOutcome = Type.Object({ trigger: Type.String(), productId: Id, productName: Type.String() })

export const triggerPresetsContract = {
  list: route({
    method: 'GET',
    path: base,
    tag,
    summary: 'Bundles of triggers that are applied to products, by name',
    permission: 'trigger:read',
    wholeCompany: true,
    query: Type.Object({ ...listQuery }),
    response: listOf(TriggerPresetView),
  }),
  create: route({
    ...write,
    method: 'POST',
    path: base,
    summary: 'Keeps triggers as a preset: those that are given, or copies of some that exist. Secrets are left out',
    audit: 'trigger_preset.create',
    status: 201,
    body: Type.Object(
      {
        name: Name,
        note: Type.Optional(Note),
        triggers: Type.Optional(Triggers),
        triggerIds: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 50, uniqueItems: true })),
      },
      closed,
    ),
    example: {
      body: { name: 'Pumps', triggers: [{ name: 'Away', kind: 'offline_for', minutes: 10, alarm: { level: 3 } }] },
    },
    response: TriggerPresetView,
  }),
  update: route({
    ...write,
    method: 'PATCH',
    path: `${base}/{id}`,
    summary: 'Changes a preset; triggers that were made from it stay as they are',
    audit: 'trigger_preset.update',
    params: IdParams,
    body: Type.Object(
      {
        version: Version,
        name: Type.Optional(Name),
        note: Type.Optional(Note),
        triggers: Type.Optional(Triggers),
      },
      closed,
    ),
    example: { params: { id: '{{create.id}}' }, body: { version: '{{create.version}}', name: 'All pumps' } },
    response: TriggerPresetView,
  }),
  apply: route({
    ...write,
    method: 'POST',
    path: `${base}/{id}/apply`,
    summary: 'Makes the triggers of a preset for products. One that a product has by that name already is left alone',
    audit: 'trigger_preset.apply',
    params: IdParams,
    body: Type.Object({ productIds: Type.Array(Id, { minItems: 1, maxItems: 20, uniqueItems: true }) }, closed),
    response: Type.Object({
      made: Type.Array(Type.Object({ ...PresetOutcome.properties, id: Id })),
      there: Type.Array(PresetOutcome),
      failed: Type.Array(Type.Object({ ...PresetOutcome.properties, code: Type.String(), message: Type.String() })),
    }),
  }),
  remove: route({
    ...write,
    method: 'DELETE',
    path: `${base}/{id}`,
    summary: 'Removes a preset; triggers that were made from it stay',
    audit: 'trigger_preset.remove',
    params: IdParams,
    response: Ok,
  }),
}
