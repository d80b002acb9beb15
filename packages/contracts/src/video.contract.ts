import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Name, Nullable, Ok, Version, Words } from './common.ts'
import { route } from './route.ts'
import { CONNECTION_STATES } from './sim-cards.words.ts'
import {
  PLAYBACK_SOURCES,
  PTZ_DIRECTIONS,
  PTZ_SPEEDS,
  STREAM_KINDS,
  VIDEO_SOURCES,
  VIDEO_STATES,
} from './video.words.ts'

const strict = { additionalProperties: false } as const
const tag = 'Video'

export const VideoAccountView = Type.Object({
  id: Id,
  name: Type.String(),
  appKey: Type.String(),
  baseUrl: Type.String(),
  /** The simulated vendor of the demo company. */
  simulated: Type.Boolean(),
  state: Words(CONNECTION_STATES),
  /** The vendor's own code and words of the last request that failed. */
  fault: Nullable(Type.Object({ code: Type.String(), text: Type.String() })),
  tokenExpiresAt: Nullable(IsoTime),
  testedAt: Nullable(IsoTime),
  syncedAt: Nullable(IsoTime),
  channels: Type.Integer(),
  version: Type.Integer(),
})
export type VideoAccountView = Static<typeof VideoAccountView>

export const VideoChannelView = Type.Object({
  id: Id,
  source: Words(VIDEO_SOURCES),
  accountId: Nullable(Id),
  accountName: Nullable(Type.String()),
  /** Serial of the camera or recorder; none of an address. */
  serial: Nullable(Type.String()),
  channelNo: Nullable(Type.Integer()),
  name: Type.String(),
  model: Type.String(),
  state: Words(VIDEO_STATES),
  /** Its picture needs the verification code. */
  encrypted: Nullable(Type.Boolean()),
  /** The code is stored: live addresses are asked for with it. */
  hasCode: Type.Boolean(),
  /** It reports what it sees move; null: not said. */
  armed: Nullable(Type.Boolean()),
  /** Of an address: what is played. */
  streamUrl: Nullable(Type.String()),
  deviceId: Nullable(Id),
  deviceName: Nullable(Type.String()),
  snapshotAt: Nullable(IsoTime),
  /** Its newest picture, for `/api/v1/video/snapshots/{id}/picture`; null: there is none. */
  cover: Nullable(Id),
  syncedAt: Nullable(IsoTime),
  version: Type.Integer(),
  createdAt: IsoTime,
})
export type VideoChannelView = Static<typeof VideoChannelView>

export const StreamView = Type.Object({
  /** Of this server: it relays what the vendor sends, and no vendor's address or token reaches a browser. */
  url: Type.String(),
  kind: Words(STREAM_KINDS),
  /** The address is of no use afterwards. */
  expiresAt: Nullable(IsoTime),
})
export type StreamView = Static<typeof StreamView>

export const PresetView = Type.Object({ id: Id, index: Type.Integer(), name: Type.String() })
export type PresetView = Static<typeof PresetView>

export const SnapshotView = Type.Object({
  id: Id,
  channelId: Id,
  at: IsoTime,
  by: Type.String(),
  /** The alarm that it was taken for; null: none. */
  alarmId: Nullable(Id),
})
export type SnapshotView = Static<typeof SnapshotView>

const Secret = Type.String({ minLength: 1, maxLength: 200 })
const Url = Type.String({ format: 'uri', maxLength: 400 })
const filters = {
  accountId: Type.Optional(Id),
  source: Type.Optional(Words(VIDEO_SOURCES)),
  state: Type.Optional(Words(VIDEO_STATES)),
  bound: Type.Optional(Words(['yes', 'no'])),
  deviceId: Type.Optional(Id),
}
const serial = Type.String({ pattern: '^[A-Za-z0-9]{6,16}$' })

export const videoAccountsContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/video/accounts',
    tag,
    summary: 'EZVIZ accounts of the company',
    permission: 'video:configure',
    wholeCompany: true,
    response: Type.Object({ items: Type.Array(VideoAccountView) }),
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/video/accounts',
    tag,
    summary: 'Connects one; the secret is stored encrypted and never shown again',
    permission: 'video:configure',
    wholeCompany: true,
    audit: 'video_account.create',
    status: 201,
    body: Type.Object({ name: Name, appKey: Secret, appSecret: Secret, baseUrl: Type.Optional(Url) }, strict),
    response: VideoAccountView,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/v1/video/accounts/{id}',
    tag,
    summary: 'Changes it',
    permission: 'video:configure',
    wholeCompany: true,
    audit: 'video_account.update',
    params: IdParams,
    body: Type.Object(
      {
        version: Version,
        name: Type.Optional(Name),
        appKey: Type.Optional(Secret),
        appSecret: Type.Optional(Secret),
        baseUrl: Type.Optional(Url),
        disabled: Type.Optional(Type.Boolean()),
      },
      strict,
    ),
    response: VideoAccountView,
  }),
  test: route({
    method: 'POST',
    path: '/api/v1/video/accounts/{id}/test',
    tag,
    summary: 'Asks for a new token: what the vendor says stands in the answer',
    permission: 'video:configure',
    wholeCompany: true,
    audit: 'video_account.test',
    params: IdParams,
    response: VideoAccountView,
  }),
  sync: route({
    method: 'POST',
    path: '/api/v1/video/accounts/{id}/sync',
    tag,
    summary: 'Reads all channels of the account: new ones are added, names and states follow',
    permission: 'video:write',
    wholeCompany: true,
    audit: 'video_account.sync',
    params: IdParams,
    response: Type.Object({ channels: Type.Integer(), added: Type.Integer(), gone: Type.Integer() }),
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/v1/video/accounts/{id}',
    tag,
    summary: 'Disconnects it; its channels leave the list, nothing changes at the vendor',
    permission: 'video:configure',
    wholeCompany: true,
    audit: 'video_account.remove',
    params: IdParams,
    response: Ok,
  }),
  addDevice: route({
    method: 'POST',
    path: '/api/v1/video/devices',
    tag,
    summary: 'Adds a camera or recorder to the account by its serial and verification code',
    permission: 'video:write',
    wholeCompany: true,
    audit: 'video_channel.create',
    status: 201,
    body: Type.Object(
      { accountId: Id, serial, code: Type.String({ pattern: '^[A-Za-z0-9]{6}$' }), name: Type.Optional(Name) },
      strict,
    ),
    response: Type.Object({ items: Type.Array(VideoChannelView) }),
  }),
}

export const videoChannelsContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/video/channels',
    tag,
    summary: 'Channels, by name; q: name, serial, device. Sorts: name, createdAt',
    permission: 'video:read',
    query: Type.Object({ ...listQuery, ...filters }),
    response: listOf(VideoChannelView),
  }),
  export: route({
    method: 'GET',
    path: '/api/v1/video/channels/export',
    tag,
    summary: 'The same as a file, at most 100,000',
    permission: 'video:read',
    query: Type.Object({ q: listQuery.q, sort: listQuery.sort, ...filters, format: Words(['csv', 'xlsx']) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  counts: route({
    method: 'GET',
    path: '/api/v1/video/channels/counts',
    tag,
    summary: 'How many channels there are, and how many of them are online, offline and bound to a device',
    permission: 'video:read',
    response: Type.Object({
      total: Type.Integer(),
      online: Type.Integer(),
      offline: Type.Integer(),
      bound: Type.Integer(),
    }),
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/video/channels/{id}',
    tag,
    summary: 'One of them',
    permission: 'video:read',
    params: IdParams,
    response: VideoChannelView,
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/video/channels',
    tag,
    summary: 'Adds a channel by the address of its HLS or HTTP-FLV stream, without a vendor',
    permission: 'video:write',
    audit: 'video_channel.create',
    status: 201,
    body: Type.Object({ name: Name, streamUrl: Url, deviceId: Type.Optional(Nullable(Id)) }, strict),
    response: VideoChannelView,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/v1/video/channels/{id}',
    tag,
    summary: 'Renames it, also at the vendor; binds it to a device; stores its verification code',
    permission: 'video:write',
    audit: 'video_channel.update',
    params: IdParams,
    body: Type.Object(
      {
        version: Version,
        name: Type.Optional(Name),
        streamUrl: Type.Optional(Url),
        deviceId: Type.Optional(Nullable(Id)),
        code: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 32 }))),
      },
      strict,
    ),
    response: VideoChannelView,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/v1/video/channels/{id}',
    tag,
    summary: 'Takes it from the list; with vendor=1 its device is removed from the account too',
    permission: 'video:write',
    audit: 'video_channel.remove',
    params: IdParams,
    query: Type.Object({ vendor: Type.Optional(Words(['0', '1'])) }),
    response: Ok,
  }),
  live: route({
    method: 'POST',
    path: '/api/v1/video/channels/{id}/live',
    tag,
    summary: 'A short-lived address of the live picture',
    permission: 'video:read',
    audit: { none: 'it changes nothing' },
    params: IdParams,
    body: Type.Object(
      { kind: Type.Optional(Words(STREAM_KINDS)), quality: Type.Optional(Words(['main', 'sub'])) },
      strict,
    ),
    response: StreamView,
  }),
  playback: route({
    method: 'POST',
    path: '/api/v1/video/channels/{id}/playback',
    tag,
    summary: 'A short-lived address (HTTP-FLV) of what was recorded, on the card or in the cloud',
    permission: 'video:read',
    audit: { none: 'it changes nothing' },
    params: IdParams,
    body: Type.Object({ from: IsoTime, to: IsoTime, source: Words(PLAYBACK_SOURCES) }, strict),
    response: StreamView,
  }),
  recordings: route({
    method: 'GET',
    path: '/api/v1/video/channels/{id}/recordings',
    tag,
    summary: 'When something was recorded within a day, the earliest first',
    permission: 'video:read',
    params: IdParams,
    query: Type.Object({ from: IsoTime, to: IsoTime, source: Words(PLAYBACK_SOURCES) }),
    response: Type.Object({ items: Type.Array(Type.Object({ from: IsoTime, to: IsoTime })) }),
  }),
  stream: route({
    method: 'GET',
    path: '/api/v1/video/channels/{id}/stream',
    tag,
    summary: 'The stream behind an address of live or playback; a playlist names further addresses of this kind',
    permission: 'video:read',
    params: IdParams,
    query: Type.Object({ u: Type.String({ minLength: 16, maxLength: 4_000 }) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  turn: route({
    method: 'POST',
    path: '/api/v1/video/channels/{id}/ptz',
    tag,
    summary: 'Begins to turn or zoom; it ends after ten seconds unless it is asked for again',
    permission: 'video:control',
    audit: 'video_channel.turn',
    params: IdParams,
    body: Type.Object({ direction: Words(PTZ_DIRECTIONS), speed: Type.Optional(Words(PTZ_SPEEDS)) }, strict),
    response: Type.Object({ stopsAt: IsoTime }),
  }),
  halt: route({
    method: 'DELETE',
    path: '/api/v1/video/channels/{id}/ptz',
    tag,
    summary: 'Stops turning',
    permission: 'video:control',
    audit: 'video_channel.halt',
    params: IdParams,
    response: Ok,
  }),
  arm: route({
    method: 'PUT',
    path: '/api/v1/video/channels/{id}/armed',
    tag,
    summary: 'Arms its device, which then reports what it sees move, or disarms it',
    permission: 'video:control',
    audit: 'video_channel.arm',
    params: IdParams,
    body: Type.Object({ armed: Type.Boolean() }, strict),
    response: VideoChannelView,
  }),
  presets: route({
    method: 'GET',
    path: '/api/v1/video/channels/{id}/presets',
    tag,
    summary: 'Positions that were stored',
    permission: 'video:read',
    params: IdParams,
    response: Type.Object({ items: Type.Array(PresetView) }),
  }),
  addPreset: route({
    method: 'POST',
    path: '/api/v1/video/channels/{id}/presets',
    tag,
    summary: 'Stores where the camera looks now',
    permission: 'video:control',
    audit: 'video_preset.create',
    status: 201,
    params: IdParams,
    body: Type.Object({ name: Name }, strict),
    response: PresetView,
  }),
  goPreset: route({
    method: 'POST',
    path: '/api/v1/video/channels/{id}/presets/{presetId}/go',
    tag,
    summary: 'Turns the camera to a stored position',
    permission: 'video:control',
    audit: 'video_channel.turn',
    params: Type.Object({ id: Id, presetId: Id }),
    response: Ok,
  }),
  removePreset: route({
    method: 'DELETE',
    path: '/api/v1/video/channels/{id}/presets/{presetId}',
    tag,
    summary: 'Forgets a position',
    permission: 'video:control',
    audit: 'video_preset.remove',
    params: Type.Object({ id: Id, presetId: Id }),
    response: Ok,
  }),
  snapshot: route({
    method: 'POST',
    path: '/api/v1/video/channels/{id}/snapshots',
    tag,
    summary: 'Takes a picture and keeps it',
    permission: 'video:control',
    audit: 'video_channel.snapshot',
    status: 201,
    params: IdParams,
    response: SnapshotView,
  }),
  snapshots: route({
    method: 'GET',
    path: '/api/v1/video/channels/{id}/snapshots',
    tag,
    summary: 'Pictures that were kept, the newest first',
    permission: 'video:read',
    params: IdParams,
    query: Type.Object({ limit: listQuery.limit, cursor: listQuery.cursor }),
    response: listOf(SnapshotView),
  }),
  ofAlarm: route({
    method: 'GET',
    path: '/api/v1/alarms/{id}/pictures',
    tag,
    summary: 'Pictures that cameras took for an alarm, the oldest first; at most 100',
    permission: 'video:read',
    params: IdParams,
    response: Type.Object({
      items: Type.Array(Type.Object({ ...SnapshotView.properties, channelName: Type.String() })),
    }),
  }),
  picture: route({
    method: 'GET',
    path: '/api/v1/video/snapshots/{id}/picture',
    tag,
    summary: 'A picture',
    permission: 'video:read',
    params: IdParams,
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
}
