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

const MessageTemplate = Type.Object(
  {
    code: Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_-]+$', description: 'Its id at WeChat' }),
    body: Type.Optional(
      Type.String({
        maxLength: 2000,
        description: 'Fields as name=value, one a line; absent: the words of the channel',
      }),
    ),
  },
  closed,
)
/** Templates at WeChat of alarms of a preset, instead of those of the company. */
export const TriggerTemplates = Type.Object(
  { wechat: Type.Optional(MessageTemplate), applet: Type.Optional(MessageTemplate) },
  { ...closed, description: 'Message templates of the official account and of the mini-program for its alarms' },
)
export type TriggerTemplates = Static<typeof TriggerTemplates>

export const TriggerPresetView = Type.Object({
  id: Id,
  name: Type.String(),
  note: Type.String(),
  triggers: Type.Array(PresetTrigger),
  templates: TriggerTemplates,
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
        templates: Type.Optional(TriggerTemplates),
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
    summary: 'Changes a preset; triggers that were made from it keep their rules and take its message templates',
    audit: 'trigger_preset.update',
    params: IdParams,
    body: Type.Object(
      {
        version: Version,
        name: Type.Optional(Name),
        note: Type.Optional(Note),
        triggers: Type.Optional(Triggers),
        templates: Type.Optional(TriggerTemplates),
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
