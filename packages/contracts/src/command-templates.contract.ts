import { type Static, Type } from 'typebox'
import { CommandRules, TemplateBody } from './command-schemas.ts'
import { Id, IdParams, IsoTime, JsonObject, Nullable, Ok, Version } from './common.ts'
import { route } from './route.ts'

const closed = { additionalProperties: false }

export const CommandTemplateView = Type.Object({
  id: Id,
  productId: Id,
  code: Type.String(),
  name: Type.String(),
  description: Type.String(),
  body: TemplateBody,
  place: Type.Integer(),
  version: Type.Integer(),
  createdAt: IsoTime,
  updatedAt: IsoTime,
})
export type CommandTemplateView = Static<typeof CommandTemplateView>

export const CommandScheduleView = Type.Object({
  id: Id,
  productId: Id,
  templateId: Id,
  templateName: Type.String(),
  params: JsonObject,
  everySeconds: Type.Integer(),
  enabled: Type.Boolean(),
  lastRunAt: Nullable(IsoTime),
  sent: Type.Integer({ description: 'Devices asked in the last period' }),
  skipped: Type.Integer({ description: 'Devices that had not answered the one before' }),
  errorCode: Nullable(Type.String()),
  version: Type.Integer(),
})
export type CommandScheduleView = Static<typeof CommandScheduleView>

export const CommandRulesView = Type.Object({
  rules: CommandRules,
  pinSet: Type.Boolean(),
  version: Type.Integer(),
})
export type CommandRulesView = Static<typeof CommandRulesView>

const facts = {
  code: Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_.-]+$' }),
  name: Type.String({ minLength: 1, maxLength: 64 }),
  description: Type.Optional(Type.String({ maxLength: 500 })),
  body: TemplateBody,
}
const ScheduleFacts = {
  params: Type.Optional(JsonObject),
  everySeconds: Type.Integer({ minimum: 5, maximum: 86_400 }),
  enabled: Type.Optional(Type.Boolean()),
}
const TemplateParams = Type.Object({ id: Id, templateId: Id })
const ScheduleParams = Type.Object({ id: Id, scheduleId: Id })
const base = '/api/v1/products/{id}/command-templates'
const schedules = '/api/v1/products/{id}/command-schedules'

/** What a command would send, before it is sent. */
export const CommandPreview = Type.Object({
  kind: Type.String(),
  identifier: Nullable(Type.String()),
  params: JsonObject,
  hex: Nullable(Type.String({ description: 'The bytes; null where the gateway encodes the values' })),
  expects: Nullable(JsonObject),
})
export type CommandPreview = Static<typeof CommandPreview>

export const commandTemplatesContract = {
  list: route({
    method: 'GET',
    path: base,
    tag: 'Commands',
    summary: 'Named commands of a product, in their order (at most 200)',
    permission: 'product:read',
    params: IdParams,
    response: Type.Object({ items: Type.Array(CommandTemplateView) }),
  }),
  create: route({
    method: 'POST',
    path: base,
    tag: 'Commands',
    summary: 'Makes a named command',
    permission: 'product:write',
    audit: 'command_template.create',
    status: 201,
    params: IdParams,
    body: Type.Object(facts, closed),
    response: CommandTemplateView,
  }),
  update: route({
    method: 'PUT',
    path: `${base}/{templateId}`,
    tag: 'Commands',
    summary: 'Replaces a named command',
    permission: 'product:write',
    audit: 'command_template.update',
    params: TemplateParams,
    body: Type.Object({ ...facts, version: Version }, closed),
    response: CommandTemplateView,
  }),
  remove: route({
    method: 'DELETE',
    path: `${base}/{templateId}`,
    tag: 'Commands',
    summary: 'Removes a named command and its periodic reads',
    permission: 'product:write',
    audit: 'command_template.remove',
    params: TemplateParams,
    response: Ok,
  }),
  duplicate: route({
    method: 'POST',
    path: `${base}/{templateId}/duplicate`,
    tag: 'Commands',
    summary: 'Makes a copy of a named command behind it',
    permission: 'product:write',
    audit: 'command_template.create',
    status: 201,
    params: TemplateParams,
    response: CommandTemplateView,
  }),
  order: route({
    method: 'PUT',
    path: `${base}/order`,
    tag: 'Commands',
    summary: 'Puts the named commands into this order',
    permission: 'product:write',
    audit: 'command_template.order',
    params: IdParams,
    body: Type.Object({ ids: Type.Array(Id, { maxItems: 200 }) }, closed),
    response: Ok,
  }),
  preview: route({
    method: 'POST',
    path: `${base}/preview`,
    tag: 'Commands',
    summary: 'The bytes that a named command would send, without sending them',
    permission: 'product:read',
    audit: { none: 'changes nothing' },
    params: IdParams,
    body: Type.Object({ body: TemplateBody, params: Type.Optional(JsonObject), deviceId: Type.Optional(Id) }, closed),
    response: CommandPreview,
  }),
  ofDevice: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/command-templates',
    tag: 'Commands',
    summary: 'What can be sent to a device: named commands, and what its product says about commands',
    permission: 'device:read',
    params: IdParams,
    response: Type.Object({ items: Type.Array(CommandTemplateView), rules: CommandRules, pinSet: Type.Boolean() }),
  }),
  rules: route({
    method: 'GET',
    path: '/api/v1/products/{id}/command-rules',
    tag: 'Commands',
    summary: 'Expiry, collapse, danger, interlocks and read-back of a product’s commands',
    permission: 'product:read',
    params: IdParams,
    response: CommandRulesView,
  }),
  setRules: route({
    method: 'PUT',
    path: '/api/v1/products/{id}/command-rules',
    tag: 'Commands',
    summary: 'Replaces what the product says about its commands',
    permission: 'product:write',
    audit: 'product.command_rules',
    params: IdParams,
    body: Type.Object(
      {
        rules: CommandRules,
        pin: Type.Optional(
          Nullable(Type.String({ pattern: '^[0-9]{4,12}$', description: 'Absent: as it is; null: no PIN' })),
        ),
        currentPin: Type.Optional(
          Type.String({
            pattern: '^[0-9]{4,12}$',
            description: 'The PIN that is set: wanted to replace or remove it, or to take its protection off a command',
          }),
        ),
        version: Version,
      },
      closed,
    ),
    response: CommandRulesView,
  }),
  schedules: route({
    method: 'GET',
    path: schedules,
    tag: 'Commands',
    summary: 'Periodic reads of a product',
    permission: 'product:read',
    params: IdParams,
    response: Type.Object({ items: Type.Array(CommandScheduleView) }),
  }),
  addSchedule: route({
    method: 'POST',
    path: schedules,
    tag: 'Commands',
    summary: 'Sends a named command every so often to the devices of the product that are online',
    permission: 'product:write',
    audit: 'command_schedule.create',
    status: 201,
    params: IdParams,
    body: Type.Object({ templateId: Id, ...ScheduleFacts }, closed),
    response: CommandScheduleView,
  }),
  setSchedule: route({
    method: 'PUT',
    path: `${schedules}/{scheduleId}`,
    tag: 'Commands',
    summary: 'Changes a periodic read',
    permission: 'product:write',
    audit: 'command_schedule.update',
    params: ScheduleParams,
    body: Type.Object({ ...ScheduleFacts, version: Version }, closed),
    response: CommandScheduleView,
  }),
  removeSchedule: route({
    method: 'DELETE',
    path: `${schedules}/{scheduleId}`,
    tag: 'Commands',
    summary: 'Ends a periodic read',
    permission: 'product:write',
    audit: 'command_schedule.remove',
    params: ScheduleParams,
    response: Ok,
  }),
}
