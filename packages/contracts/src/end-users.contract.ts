import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Name, Nullable, Ok, Version, Words } from './common.ts'
import { BrandingView, Colour } from './company.contract.ts'
import { END_USER_PAGES, END_USER_RIGHTS, END_USER_STATES, HANDOVER_MOST } from './end-users.words.ts'
import { route } from './route.ts'
import { SessionView, SignInEventView } from './security-schemas.ts'

export * from './end-users.words.ts'

const closed = { additionalProperties: false } as const
const base = '/api/v1/end-users'
const tag = 'End users'
const packages = '/api/v1/user-packages'

const Rights = Type.Array(Words(END_USER_RIGHTS), {
  maxItems: END_USER_RIGHTS.length,
  description: 'view comes with every other',
})
const MenuKeys = Type.Array(Words(END_USER_PAGES as readonly string[]), {
  maxItems: 64,
  description: 'Addresses of pages that are shown; null: all that the rights open',
})
const Quota = Type.Integer({ minimum: 0, maximum: 1_000_000 })
/** Bytes of materials: at most 1 TB. */
const MediaQuota = Type.Integer({ minimum: 0, maximum: 1_099_511_627_776 })
const Person = Type.Object({ id: Id, name: Type.String() })

export const UserPackageView = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  rights: Rights,
  menuKeys: Nullable(MenuKeys),
  deviceQuota: Nullable(Quota),
  mediaQuota: Nullable({ ...MediaQuota, description: 'Bytes of materials of each end user; null: 100 MB' }),
  users: Type.Integer({ description: 'How many end users have it' }),
  version: Type.Integer(),
  createdAt: IsoTime,
})
export type UserPackageView = Static<typeof UserPackageView>

export const EndUserView = Type.Object({
  id: Id,
  username: Type.String(),
  name: Type.String(),
  phone: Nullable(Type.String()),
  email: Nullable(Type.String()),
  company: Type.String(),
  contactName: Type.String(),
  address: Type.String(),
  remark: Type.String(),
  logoId: Nullable(Id),
  locale: Words(['zh', 'en']),
  groupId: Nullable(Id),
  groupName: Nullable(Type.String()),
  state: Words(END_USER_STATES),
  parent: Nullable(Person),
  level: Type.Integer({ minimum: 1, maximum: 5 }),
  package: Nullable(Person),
  ownRights: Nullable({ ...Rights, description: 'His own instead of those of his package' }),
  rights: {
    ...Rights,
    description: 'What he has in the end: those of his package or his own, without what those above him lack',
  },
  deviceQuota: Nullable({ ...Quota, description: 'His own; null: that of his package' }),
  deviceLimit: Nullable({ ...Quota, description: 'What holds in the end; null: none' }),
  mediaQuota: Nullable({ ...MediaQuota, description: 'Bytes of his own materials; null: that of his package' }),
  mediaLimit: { ...MediaQuota, description: 'What holds in the end: 100 MB where neither he nor his package has one' },
  expiresAt: Nullable(IsoTime),
  devices: Type.Object({ total: Type.Integer(), online: Type.Integer() }),
  openAlarms: Type.Integer(),
  smsLeft: Nullable(
    Type.Integer({
      description:
        'Text messages that the company has left, for all of its customers together; null: it offers none to them',
    }),
  ),
  subUsers: Type.Integer({ description: 'Below him, however deep' }),
  lastSignInAt: Nullable(IsoTime),
  version: Type.Integer(),
  createdAt: IsoTime,
})
export type EndUserView = Static<typeof EndUserView>

const editable = {
  name: Type.Optional(Name),
  phone: Type.Optional(Nullable(Type.String({ maxLength: 20 }))),
  email: Type.Optional(Nullable(Type.String({ maxLength: 254 }))),
  company: Type.Optional(Type.String({ maxLength: 128 })),
  contactName: Type.Optional(Type.String({ maxLength: 64, description: 'Whom the company speaks to' })),
  address: Type.Optional(Type.String({ maxLength: 256 })),
  remark: Type.Optional(Type.String({ maxLength: 1000 })),
  logoId: Type.Optional(Nullable(Id)),
  locale: Type.Optional(Words(['zh', 'en'])),
  groupId: Type.Optional(Nullable(Id)),
  packageId: Type.Optional(Nullable(Id)),
  rights: Type.Optional(Nullable({ ...Rights, description: 'His own; null: those of his package' })),
  deviceQuota: Type.Optional(Nullable(Quota)),
  mediaQuota: Type.Optional(Nullable(MediaQuota)),
  expiresAt: Type.Optional(Nullable(IsoTime)),
  parentId: Type.Optional(Nullable(Id)),
}

const DeviceIds = Type.Array(Id, {
  minItems: 1,
  maxItems: HANDOVER_MOST,
  description: 'More than 500 are handed over by a task of the task centre',
})
const how = {
  withHistory: Type.Optional(Type.Boolean({ description: 'Whether the new owner sees what was before; true' })),
  withTriggers: Type.Optional(
    Type.Boolean({ description: 'Whether the triggers of the owner before go with their devices; false: they pause' }),
  ),
}

export const HandoverResult = Type.Object({
  done: Type.Integer(),
  /** Devices that were his already. */
  unchanged: Type.Integer(),
  paused: Type.Array(Person, { description: 'Triggers that stopped because a device of theirs went' }),
  taskId: Nullable({ ...Id, description: 'The task that does it, where there are many' }),
})
export type HandoverResult = Static<typeof HandoverResult>

export const HandoverView = Type.Object({
  id: Id,
  deviceId: Id,
  deviceName: Nullable(Type.String()),
  deviceNo: Nullable(Type.String()),
  from: Nullable(Person),
  to: Nullable(Person),
  withHistory: Type.Boolean(),
  withTriggers: Type.Boolean(),
  paused: Type.Array(Person),
  byName: Type.String(),
  at: IsoTime,
})
export type HandoverView = Static<typeof HandoverView>

const listFilters = {
  state: Type.Optional(Words(END_USER_STATES)),
  packageId: Type.Optional(Id),
  groupId: Type.Optional(Id),
  parentId: Type.Optional({ ...Id, description: 'Those right below this one' }),
  under: Type.Optional({ ...Id, description: 'This one and everybody below' }),
  top: Type.Optional(Words(['1'], { description: 'Those without anybody above' })),
}

const OwnBrandingView = Type.Object({
  own: { ...BrandingView, description: 'What the caller set; empty where nothing was' },
  shown: { ...BrandingView, description: 'What the console looks like: own, of those above, of the company' },
  mayChange: Type.Boolean({ description: 'The end user was granted branding' }),
})

export const endUsersContract = {
  ownBranding: route({
    method: 'GET',
    path: '/api/v1/me/branding',
    tag,
    summary: 'Title, logo and colour of the caller’s console',
    permission: 'signed-in',
    anyAccountState: true,
    response: OwnBrandingView,
  }),
  setOwnBranding: route({
    method: 'PUT',
    path: '/api/v1/me/branding',
    tag,
    summary: 'Title, logo and colour of an end user’s own console, for those who were granted it, and for those below',
    permission: 'signed-in',
    audit: 'end_user.branding',
    body: Type.Object(
      {
        title: Type.String({ maxLength: 32 }),
        titleEn: Type.String({ maxLength: 48 }),
        logo: Type.String({ maxLength: 140_000, description: 'data:image/png, jpeg, webp or svg+xml; at most 100 KB' }),
        colour: Nullable(Colour),
      },
      closed,
    ),
    response: OwnBrandingView,
  }),
  list: route({
    method: 'GET',
    path: base,
    tag,
    summary: 'End users that the caller may see. Sorts: createdAt, name, lastSignInAt, expiresAt',
    permission: 'end-user:read',
    query: Type.Object({ ...listQuery, ...listFilters }),
    response: listOf(EndUserView),
  }),
  counts: route({
    method: 'GET',
    path: `${base}/counts`,
    tag,
    summary: 'How many end users the caller may see: all, signed in within 7 days, and in which state',
    permission: 'end-user:read',
    response: Type.Object({
      total: Type.Integer(),
      active7d: Type.Integer({ description: 'Signed in within the last 7 days' }),
      invited: Type.Integer(),
      frozen: Type.Integer(),
      expired: Type.Integer(),
      expiring30d: Type.Integer({ description: 'Not expired, but in the next 30 days' }),
    }),
  }),
  export: route({
    method: 'GET',
    path: `${base}/export`,
    tag,
    summary: 'The end users of the filters as a file',
    permission: 'end-user:read',
    query: Type.Object({ q: listQuery.q, sort: listQuery.sort, ...listFilters, format: Words(['csv', 'xlsx']) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  create: route({
    method: 'POST',
    path: base,
    tag,
    summary:
      'Makes an end user. Without a password he is invited: the answer holds the link that sets it, which also goes to his mail address or phone when invite is true',
    permission: 'end-user:write',
    audit: 'end_user.create',
    status: 201,
    body: Type.Object(
      {
        ...editable,
        name: Name,
        username: Type.String({ minLength: 1, maxLength: 64 }),
        password: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
        invite: Type.Optional(Type.Boolean()),
        inviteHours: Type.Optional(Type.Integer({ minimum: 1, maximum: 24 })),
      },
      closed,
    ),
    example: { body: { name: 'North Water', username: 'north-water', rights: ['view', 'control'] } },
    response: Type.Object({
      ...EndUserView.properties,
      inviteLink: Type.Optional(Type.String({ description: 'Shown here and by invite, never again' })),
      sentTo: Type.Optional(Type.String({ description: 'Where the invitation went, masked' })),
    }),
  }),
  get: route({
    method: 'GET',
    path: `${base}/{id}`,
    tag,
    summary: 'One end user',
    permission: 'end-user:read',
    params: IdParams,
    response: EndUserView,
  }),
  update: route({
    method: 'PATCH',
    path: `${base}/{id}`,
    tag,
    summary: 'Changes an end user; rights that are taken back stop with his next request',
    permission: 'end-user:write',
    audit: 'end_user.update',
    params: IdParams,
    body: Type.Object({ version: Version, ...editable }, closed),
    example: { params: { id: '{{create.id}}' }, body: { version: '{{create.version}}', remark: 'North' } },
    response: EndUserView,
  }),
  invite: route({
    method: 'POST',
    path: `${base}/{id}/invite`,
    tag,
    summary:
      'A link with which the end user sets his password, shown once; sent to him where he has a mail address or phone. Links made before are worth nothing',
    permission: 'end-user:write',
    audit: 'end_user.invite',
    params: IdParams,
    body: Type.Object({ hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 24 })) }, closed),
    example: { params: { id: '{{create.id}}' }, body: {} },
    response: Type.Object({ link: Type.String(), sentTo: Nullable(Type.String()), expiresAt: IsoTime }),
  }),
  freeze: route({
    method: 'POST',
    path: `${base}/{id}/freeze`,
    tag,
    summary: 'Nobody of him and below him signs in until he is taken back; his devices go on',
    permission: 'end-user:write',
    audit: 'end_user.freeze',
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: EndUserView,
  }),
  unfreeze: route({
    method: 'POST',
    path: `${base}/{id}/unfreeze`,
    tag,
    summary: 'Lets a frozen end user sign in again',
    permission: 'end-user:write',
    audit: 'end_user.unfreeze',
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: EndUserView,
  }),
  sessions: route({
    method: 'GET',
    path: `${base}/{id}/sessions`,
    tag,
    summary: 'Where the end user is signed in',
    permission: 'end-user:read',
    params: IdParams,
    response: Type.Object({ items: Type.Array(SessionView) }),
  }),
  endSessions: route({
    method: 'POST',
    path: `${base}/{id}/sessions/end`,
    tag,
    summary: 'Ends the sessions of an end user',
    permission: 'end-user:write',
    audit: 'end_user.end_sessions',
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: Type.Object({ ended: Type.Integer() }),
  }),
  signIns: route({
    method: 'GET',
    path: `${base}/{id}/sign-ins`,
    tag,
    summary: 'When and from where the end user signed in or was refused, newest first',
    permission: 'end-user:read',
    params: IdParams,
    query: Type.Object({ limit: listQuery.limit, cursor: listQuery.cursor }),
    response: listOf(SignInEventView),
  }),
  enter: route({
    method: 'POST',
    path: `${base}/{id}/enter`,
    tag,
    summary:
      'A token of 15 minutes with which a member works as the end user; he is named beside everything done with it',
    permission: 'end-user:enter',
    audit: 'end_user.enter',
    params: IdParams,
    response: Type.Object({
      access_token: Type.String(),
      token_type: Words(['bearer']),
      expires_in: Type.Integer(),
      id: Id,
      username: Type.String(),
      thingwrightAppId: Type.String(),
    }),
  }),
  assign: route({
    method: 'POST',
    path: `${base}/{id}/devices`,
    tag,
    summary: 'Gives devices to an end user, whoever had them; with what was before unless withHistory is false',
    permission: 'end-user:write',
    audit: 'end_user.assign_devices',
    params: IdParams,
    body: Type.Object({ deviceIds: DeviceIds, ...how }, closed),
    response: HandoverResult,
  }),
  takeBack: route({
    method: 'POST',
    path: `${base}/{id}/devices/take-back`,
    tag,
    summary: 'Takes devices back from an end user and those below him; triggers that watch them pause and are listed',
    permission: 'end-user:write',
    audit: 'end_user.take_back',
    params: IdParams,
    body: Type.Object({ deviceIds: DeviceIds }, closed),
    response: HandoverResult,
  }),
  transfer: route({
    method: 'POST',
    path: `${base}/{id}/transfer`,
    tag,
    summary: 'Hands devices of an end user over to another one; without deviceIds all that are his',
    permission: 'end-user:write',
    audit: 'end_user.transfer_devices',
    params: IdParams,
    body: Type.Object({ to: Id, deviceIds: Type.Optional(DeviceIds), ...how }, closed),
    response: HandoverResult,
  }),
  handovers: route({
    method: 'GET',
    path: `${base}/{id}/handovers`,
    tag,
    summary: 'Devices that went to or from the end user, newest first',
    permission: 'end-user:read',
    params: IdParams,
    query: Type.Object({ limit: listQuery.limit, cursor: listQuery.cursor }),
    response: listOf(HandoverView),
  }),
  health: route({
    method: 'GET',
    path: `${base}/{id}/health`,
    tag,
    summary: 'What is wrong with the devices of an end user: those that are offline, each with what the doctor says',
    permission: 'end-user:read',
    params: IdParams,
    response: Type.Object({
      total: Type.Integer(),
      online: Type.Integer(),
      openAlarms: Type.Integer(),
      deviceLimit: Nullable(Type.Integer()),
      expiresAt: Nullable(IsoTime),
      offline: Type.Array(
        Type.Object({ deviceId: Id, name: Type.String(), since: Nullable(IsoTime), finding: Type.String() }),
        { description: 'At most 20, the longest silent first' },
      ),
    }),
  }),
  remove: route({
    method: 'DELETE',
    path: `${base}/{id}`,
    tag,
    summary: 'Removes an end user who has nobody below him; his devices go back to who stands above him',
    permission: 'end-user:write',
    audit: 'end_user.remove',
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: Ok,
  }),
}

const packageFields = {
  description: Type.Optional(Type.String({ maxLength: 512 })),
  menuKeys: Type.Optional(Nullable(MenuKeys)),
  deviceQuota: Type.Optional(Nullable(Quota)),
  mediaQuota: Type.Optional(Nullable(MediaQuota)),
}

export const userPackagesContract = {
  list: route({
    method: 'GET',
    path: packages,
    tag,
    summary: 'Packages of rights for end users, by name',
    permission: 'end-user:read',
    response: Type.Object({ items: Type.Array(UserPackageView) }),
  }),
  create: route({
    method: 'POST',
    path: packages,
    tag,
    summary: 'Makes a package of rights',
    permission: 'end-user:write',
    audit: 'user_package.create',
    status: 201,
    body: Type.Object({ name: Name, rights: Rights, ...packageFields }, closed),
    example: { body: { name: 'Basic', rights: ['view'] } },
    response: UserPackageView,
  }),
  update: route({
    method: 'PATCH',
    path: `${packages}/{id}`,
    tag,
    summary: 'Changes a package; what its end users may do is different with their next request',
    permission: 'end-user:write',
    audit: 'user_package.update',
    params: IdParams,
    body: Type.Object(
      { version: Version, name: Type.Optional(Name), rights: Type.Optional(Rights), ...packageFields },
      closed,
    ),
    example: {
      params: { id: '{{create.id}}' },
      body: { version: '{{create.version}}', rights: ['view', 'control'] },
    },
    response: UserPackageView,
  }),
  remove: route({
    method: 'DELETE',
    path: `${packages}/{id}`,
    tag,
    summary: 'Removes a package that nobody has',
    permission: 'end-user:write',
    audit: 'user_package.remove',
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: Ok,
  }),
}
