import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, Json, listOf, listQuery, Name, Nullable, Ok, Version, Words } from './common.ts'
import { NotificationRecordView, QuietHours } from './contacts.contract.ts'
import { CHANNEL_KINDS, CHANNEL_PROVIDERS, PERSONAL_CHANNELS } from './contacts.words.ts'
import { route } from './route.ts'

const closed = { additionalProperties: false }
const tag = 'Contacts'
const base = '/api/v1/notification-channels'

const Setting = Type.String({ maxLength: 1024 })
const Settings = Type.Record(Type.String({ maxLength: 32 }), Setting)

export const NotificationChannelView = Type.Object({
  id: Id,
  name: Type.String(),
  kind: Words(CHANNEL_KINDS),
  provider: Words(CHANNEL_PROVIDERS),
  config: Type.Record(Type.String(), Type.String()),
  secrets: Type.Array(Type.String(), {
    description: 'Names of the secrets that are kept; their values are never shown',
  }),
  simulated: Type.Boolean({ description: 'Goes to a simulator of this server: nobody receives it' }),
  enabled: Type.Boolean(),
  fault: Nullable(
    Type.String({ description: 'The provider refused the account: nothing is sent until it is changed' }),
  ),
  callbackPath: Nullable(Type.String({ description: 'Where the provider reports what became of messages' })),
  version: Type.Integer(),
  createdAt: IsoTime,
})
export type NotificationChannelView = Static<typeof NotificationChannelView>

const values = {
  config: Type.Optional(Settings),
  secrets: Type.Optional(Settings),
  enabled: Type.Optional(Type.Boolean()),
}

/** `email`, `sms`, `voice`, `wechat` and `inbox`, or the id of a robot or webhook. */
const Way = Type.String({
  maxLength: 36,
  pattern: '^(inbox|email|sms|voice|wechat|push|applet|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$',
})
const Level = Type.Integer({ minimum: 1, maximum: 5 })

export const NotificationPolicy = Type.Object({
  levels: Type.Array(Type.Object({ level: Level, channels: Type.Array(Way, { maxItems: 20 }) }, closed), {
    maxItems: 5,
    description: 'How alarms of each level leave; a level that is missing tells nobody',
  }),
  escalation: Type.Array(
    Type.Object(
      {
        afterMinutes: Type.Integer({ minimum: 1, maximum: 10_080 }),
        minLevel: Level,
        contactIds: Type.Array(Id, { maxItems: 100 }),
        groupIds: Type.Array(Id, { maxItems: 100 }),
        channels: Type.Array(Way, { minItems: 1, maxItems: 20 }),
      },
      closed,
    ),
    { maxItems: 10, description: 'Who is told when nobody acknowledged, until somebody does or it is over' },
  ),
  recovery: Type.Boolean({ description: 'Whoever was told of an alarm is told when it is over' }),
  quiet: Nullable(QuietHours),
  customerWays: Type.Optional(
    Type.Array(Words(PERSONAL_CHANNELS), {
      maxItems: PERSONAL_CHANNELS.length,
      description: 'Ways that contacts of end users can use, of those of the level; left out: as before',
    }),
  ),
})
export type NotificationPolicy = Static<typeof NotificationPolicy>
const PolicyView = Type.Object({
  ...NotificationPolicy.properties,
  customerWays: Type.Array(Words(PERSONAL_CHANNELS)),
  version: Type.Integer(),
})
export type NotificationPolicyView = Static<typeof PolicyView>

const TriggerMessages = {
  repeatMinutes: Nullable(Type.Integer({ minimum: 1, maximum: 10_080, description: 'Told again until acknowledged' })),
  perDay: Nullable(Type.Integer({ minimum: 1, maximum: 1000, description: 'Messages a day to each receiver' })),
  contactIds: Type.Array(Id, { maxItems: 100, description: 'With groupIds empty: whoever is told of the level' }),
  groupIds: Type.Array(Id, { maxItems: 100 }),
}
const TriggerMessagesView = Type.Object({ ...TriggerMessages, version: Type.Integer() })
export type TriggerMessagesView = Static<typeof TriggerMessagesView>

export const ContactGroupView = Type.Object({
  id: Id,
  name: Type.String(),
  contactIds: Type.Array(Id),
  version: Type.Integer(),
  createdAt: IsoTime,
})
export type ContactGroupView = Static<typeof ContactGroupView>
const Members = Type.Array(Id, { maxItems: 500 })

export const notificationChannelsContract = {
  list: route({
    method: 'GET',
    path: base,
    tag,
    summary: 'Accounts and robots through which messages about alarms leave, the newest first',
    permission: 'contact:read',
    query: Type.Object({ ...listQuery, kind: Type.Optional(Words(CHANNEL_KINDS)) }),
    response: listOf(NotificationChannelView),
  }),
  create: route({
    method: 'POST',
    path: base,
    tag,
    summary: 'Adds an account or a robot; its secrets are sealed and never shown again',
    permission: 'contact:write',
    audit: 'notification_channel.create',
    wholeCompany: true,
    status: 201,
    body: Type.Object(
      {
        name: Name,
        kind: Words(CHANNEL_KINDS),
        provider: Words(CHANNEL_PROVIDERS),
        simulated: Type.Optional(Type.Boolean({ description: 'Sends to the simulator of this server (DEMO)' })),
        ...values,
      },
      closed,
    ),
    example: {
      body: {
        name: 'Robot of the night shift',
        kind: 'dingtalk',
        provider: 'robot',
        secrets: { url: 'https://oapi.dingtalk.com/robot/send?access_token=0123456789abcdef', secret: 'SEC0000' },
      },
    },
    response: NotificationChannelView,
  }),
  get: route({
    method: 'GET',
    path: `${base}/{id}`,
    tag,
    summary: 'An account or a robot',
    permission: 'contact:read',
    params: IdParams,
    response: NotificationChannelView,
  }),
  update: route({
    method: 'PATCH',
    path: `${base}/{id}`,
    tag,
    summary: 'Changes it; secrets that are not named stay as they are',
    permission: 'contact:write',
    audit: 'notification_channel.update',
    wholeCompany: true,
    params: IdParams,
    body: Type.Object({ version: Version, name: Type.Optional(Name), ...values }, closed),
    example: {
      params: { id: '{{create.id}}' },
      body: { version: '{{create.version}}', name: 'Robot of the day shift' },
    },
    response: NotificationChannelView,
  }),
  test: route({
    method: 'POST',
    path: `${base}/{id}/test`,
    tag,
    summary: 'Sends one message through it now; what the provider said is in the record that is answered',
    permission: 'contact:write',
    audit: 'notification_channel.test',
    wholeCompany: true,
    params: IdParams,
    body: Type.Object({ to: Type.Optional(Type.String({ maxLength: 254 })) }, closed),
    example: { params: { id: '{{create.id}}' }, body: {} },
    response: NotificationRecordView,
  }),
  remove: route({
    method: 'DELETE',
    path: `${base}/{id}`,
    tag,
    summary: 'Removes it; what was sent stays in the records',
    permission: 'contact:write',
    audit: 'notification_channel.remove',
    wholeCompany: true,
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: Ok,
  }),
  policy: route({
    method: 'GET',
    path: '/api/v1/notification-policy',
    tag,
    summary: 'How alarms of each level leave, who is told when nobody acknowledges, quiet hours',
    permission: 'contact:read',
    response: PolicyView,
  }),
  setPolicy: route({
    method: 'PUT',
    path: '/api/v1/notification-policy',
    tag,
    summary: 'Sets the policy as a whole; version 0 where there was none',
    permission: 'contact:write',
    audit: 'notification_policy.update',
    wholeCompany: true,
    body: Type.Object(
      { ...NotificationPolicy.properties, version: Type.Integer({ minimum: 0, maximum: 2_147_483_647 }) },
      closed,
    ),
    example: {
      body: {
        levels: [{ level: 5, channels: ['email', 'inbox'] }],
        escalation: [],
        recovery: true,
        quiet: null,
        version: 0,
      },
    },
    response: PolicyView,
  }),
  triggerMessages: route({
    method: 'GET',
    path: '/api/v1/notification-triggers/{id}',
    tag,
    summary: 'Who is told of the alarms of a trigger, how often again, and how often a day',
    permission: 'contact:read',
    params: IdParams,
    response: TriggerMessagesView,
  }),
  setTriggerMessages: route({
    method: 'PUT',
    path: '/api/v1/notification-triggers/{id}',
    tag,
    summary: 'Sets who is told of the alarms of a trigger; version 0 where nothing was set',
    permission: 'contact:write',
    audit: 'notification_trigger.update',
    wholeCompany: true,
    params: IdParams,
    body: Type.Object({ ...TriggerMessages, version: Type.Integer({ minimum: 0, maximum: 2_147_483_647 }) }, closed),
    response: TriggerMessagesView,
  }),
  groups: route({
    method: 'GET',
    path: '/api/v1/contact-groups',
    tag,
    summary: 'Groups of contacts by name',
    permission: 'contact:read',
    query: Type.Object({ ...listQuery }),
    response: listOf(ContactGroupView),
  }),
  createGroup: route({
    method: 'POST',
    path: '/api/v1/contact-groups',
    tag,
    summary: 'Adds a group of contacts',
    permission: 'contact:write',
    audit: 'contact_group.create',
    wholeCompany: true,
    status: 201,
    body: Type.Object({ name: Name, contactIds: Members }, closed),
    example: { body: { name: 'Night shift', contactIds: [] } },
    response: ContactGroupView,
  }),
  updateGroup: route({
    method: 'PATCH',
    path: '/api/v1/contact-groups/{id}',
    tag,
    summary: 'Changes a group of contacts',
    permission: 'contact:write',
    audit: 'contact_group.update',
    wholeCompany: true,
    params: IdParams,
    body: Type.Object({ version: Version, name: Type.Optional(Name), contactIds: Type.Optional(Members) }, closed),
    example: {
      params: { id: '{{createGroup.id}}' },
      body: { version: '{{createGroup.version}}', name: 'Day shift' },
    },
    response: ContactGroupView,
  }),
  removeGroup: route({
    method: 'DELETE',
    path: '/api/v1/contact-groups/{id}',
    tag,
    summary: 'Removes a group; its contacts stay',
    permission: 'contact:write',
    audit: 'contact_group.remove',
    wholeCompany: true,
    params: IdParams,
    example: { params: { id: '{{createGroup.id}}' } },
    response: Ok,
  }),
  resend: route({
    method: 'POST',
    path: '/api/v1/notification-records/{id}/resend',
    tag,
    summary: 'Sends a message that failed or was cancelled once more, as a record of its own',
    permission: 'contact:write',
    audit: 'notification_record.resend',
    params: IdParams,
    response: NotificationRecordView,
  }),
  receipts: route({
    method: 'POST',
    path: '/callbacks/{vendor}/{connectionId}',
    tag,
    summary: 'For providers: what became of texts and calls; repeated receipts change nothing',
    permission: 'public',
    audit: { none: 'providers report, nobody acts' },
    params: Type.Object({ vendor: Words(['aliyun', 'tencent']), connectionId: Id }),
    body: Type.Unknown(),
    response: Json,
  }),
}
