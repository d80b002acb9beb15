import { type Static, Type } from 'typebox'
import { APPLET_MODES, APPLET_STATES, APPLET_VERSION_STATES } from './apps.words.ts'
import { Id, IdParams, IsoTime, Nullable, Ok, Words } from './common.ts'
import { route } from './route.ts'
import { TemplateFields } from './wechat-followers.contract.ts'

const closed = { additionalProperties: false } as const
const tag = 'WeChat mini-program'
const base = '/api/v1/wechat-applets'
const read = { tag, permission: 'app:read', wholeCompany: true } as const
const write = { tag, permission: 'app:write', wholeCompany: true } as const

export const AppletInfo = Type.Object({
  name: Type.String(),
  avatar: Type.String(),
  principal: Type.String({ description: 'Who owns it' }),
  userName: Type.String({ description: 'Its original id, gh_…' }),
  verified: Type.Boolean(),
  status: Type.String({ description: 'Service status as WeChat numbers it; empty: normal' }),
  categories: Type.Array(Type.String()),
  requestDomains: Type.Array(Type.String()),
  socketDomains: Type.Array(Type.String()),
  uploadDomains: Type.Array(Type.String()),
  downloadDomains: Type.Array(Type.String()),
  privacy: Type.Boolean({ description: 'It has a privacy guide' }),
})
export type AppletInfo = Static<typeof AppletInfo>

export const AppletView = Type.Object({
  id: Id,
  mode: Words(APPLET_MODES),
  state: Words(APPLET_STATES),
  appId: Nullable(Type.String()),
  permissions: Type.Array(Type.Integer(), { description: 'Numbers of the permission sets that were granted' }),
  info: Nullable(AppletInfo),
  infoAt: Nullable(IsoTime),
  fault: Nullable(Type.String({ description: 'What WeChat said when the authorisation ended' })),
  authorizedAt: Nullable(IsoTime),
  version: Type.Integer(),
})
export type AppletView = Static<typeof AppletView>

export const AppletPlatform = Type.Object({
  configured: Type.Boolean({ description: 'The operator has set WECHAT_PLATFORM' }),
  simulated: Type.Boolean({ description: 'It is the product’s own simulator of WeChat: nothing reaches the real one' }),
  appId: Nullable(Type.String()),
  eventUrl: Type.String({ description: 'Where WeChat sends its tickets' }),
  ticketAt: Nullable(IsoTime),
  ready: Type.Boolean({ description: 'A ticket of the last twelve hours is there' }),
})
export type AppletPlatform = Static<typeof AppletPlatform>

export const AppletVersionView = Type.Object({
  id: Id,
  templateId: Type.String(),
  userVersion: Type.String(),
  userDesc: Type.String(),
  state: Words(APPLET_VERSION_STATES),
  reason: Nullable(Type.String()),
  submittedAt: Nullable(IsoTime),
  decidedAt: Nullable(IsoTime),
  releasedAt: Nullable(IsoTime),
  byName: Type.String(),
  createdAt: IsoTime,
})
export type AppletVersionView = Static<typeof AppletVersionView>

const MessageTemplate = Type.Object({
  id: Type.String({ description: 'priTmplId' }),
  title: Type.String(),
  fields: TemplateFields,
})

const Tester = Type.Object({ id: Id, wechatId: Type.String(), createdAt: IsoTime })
const VersionParams = Type.Object({ id: Id, versionId: Id })
const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '\\S' })

export const wechatAppletsContract = {
  list: route({
    ...read,
    method: 'GET',
    path: base,
    summary: 'The mini-program of the company, and how the platform is that publishes it',
    response: Type.Object({ items: Type.Array(AppletView), platform: AppletPlatform }),
  }),
  authorize: route({
    ...write,
    method: 'POST',
    path: `${base}/authorize`,
    summary: 'Begins an authorisation: its owner opens the address and scans with WeChat',
    audit: 'wechat_applet.authorize',
    response: Type.Object({ url: Type.String(), mobileUrl: Type.String(), expiresAt: IsoTime }),
  }),
  setOwn: route({
    ...write,
    method: 'PUT',
    path: `${base}/own`,
    summary: 'Uses the company’s own app id and secret; its code is uploaded with WeChat’s own tools',
    audit: 'wechat_applet.own',
    body: Type.Object(
      {
        appId: Type.String({ pattern: '^wx[0-9a-zA-Z]{16}$' }),
        appSecret: Type.String({ minLength: 16, maxLength: 64, pattern: '^[0-9A-Za-z]+$' }),
      },
      closed,
    ),
    response: AppletView,
  }),
  refresh: route({
    ...write,
    method: 'POST',
    path: `${base}/{id}/refresh`,
    summary: 'Asks WeChat what it knows of the mini-program and how its audit stands',
    audit: 'wechat_applet.reread',
    params: IdParams,
    response: AppletView,
  }),
  setDomains: route({
    ...write,
    method: 'PUT',
    path: `${base}/{id}/domains`,
    summary: 'Sets the server domains of the mini-program at WeChat',
    audit: 'wechat_applet.domains',
    params: IdParams,
    body: Type.Object(
      { host: Type.String({ pattern: '^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$', minLength: 4, maxLength: 253 }) },
      closed,
    ),
    response: AppletView,
  }),
  remove: route({
    ...write,
    method: 'DELETE',
    path: `${base}/{id}`,
    summary: 'Forgets the mini-program here; at WeChat its owner ends the authorisation himself',
    audit: 'wechat_applet.remove',
    params: IdParams,
    response: Ok,
  }),
  templates: route({
    ...read,
    method: 'GET',
    path: `${base}/{id}/templates`,
    summary: 'Templates of the platform that code can be uploaded from',
    params: IdParams,
    response: Type.Object({
      items: Type.Array(Type.Object({ id: Type.String(), version: Type.String(), description: Type.String() })),
    }),
  }),
  messageTemplates: route({
    ...read,
    method: 'GET',
    path: `${base}/{id}/message-templates`,
    summary: 'Templates of subscribe messages that the mini-program has at WeChat, asked now',
    params: IdParams,
    response: Type.Object({ items: Type.Array(MessageTemplate) }),
  }),
  versions: route({
    ...read,
    method: 'GET',
    path: `${base}/{id}/versions`,
    summary: 'Versions of the code, the newest first, at most 100',
    params: IdParams,
    response: Type.Object({ items: Type.Array(AppletVersionView) }),
  }),
  upload: route({
    ...write,
    method: 'POST',
    path: `${base}/{id}/versions`,
    summary: 'Uploads code of a template with the company’s own settings as the trial version',
    audit: 'wechat_applet.upload',
    status: 201,
    params: IdParams,
    body: Type.Object(
      {
        templateId: Type.String({ pattern: '^\\d{1,12}$' }),
        userVersion: Type.String({ pattern: '^[0-9A-Za-z.]{1,64}$' }),
        userDesc: Type.String({ maxLength: 100 }),
        ext: Type.Optional(
          Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 512 }), {
            description: 'Values of `ext` in ext.json beside server and portal',
          }),
        ),
      },
      closed,
    ),
    response: AppletVersionView,
  }),
  package: route({
    ...read,
    method: 'GET',
    path: `${base}/{id}/package`,
    summary: 'The mini-program’s source for WeChat’s developer tools, with app id, server and portal filled in (zip)',
    params: IdParams,
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  trialQr: route({
    ...read,
    method: 'GET',
    path: `${base}/{id}/trial-qr`,
    summary: 'The QR code of the trial version',
    params: IdParams,
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  submit: route({
    ...write,
    method: 'POST',
    path: `${base}/{id}/versions/{versionId}/submit`,
    summary: 'Submits the uploaded version to WeChat’s audit',
    audit: 'wechat_applet.submit',
    params: VersionParams,
    body: Type.Object({ note: Type.Optional(Text(200)) }, closed),
    response: AppletVersionView,
  }),
  undo: route({
    ...write,
    method: 'POST',
    path: `${base}/{id}/versions/{versionId}/undo`,
    summary: 'Withdraws the version from the audit, once a day and ten times a month',
    audit: 'wechat_applet.undo',
    params: VersionParams,
    response: AppletVersionView,
  }),
  release: route({
    ...write,
    method: 'POST',
    path: `${base}/{id}/versions/{versionId}/release`,
    summary: 'Releases the version that passed the audit to everybody',
    audit: 'wechat_applet.release',
    params: VersionParams,
    response: AppletVersionView,
  }),
  rollback: route({
    ...write,
    method: 'POST',
    path: `${base}/{id}/rollback`,
    summary: 'Goes back to the version that was released before',
    audit: 'wechat_applet.revert',
    params: IdParams,
    response: Type.Object({ items: Type.Array(AppletVersionView) }),
  }),
  testers: route({
    ...read,
    method: 'GET',
    path: `${base}/{id}/testers`,
    summary: 'Who may open the trial version',
    params: IdParams,
    response: Type.Object({ items: Type.Array(Tester) }),
  }),
  addTester: route({
    ...write,
    method: 'POST',
    path: `${base}/{id}/testers`,
    summary: 'Lets somebody open the trial version',
    audit: 'wechat_applet.tester',
    status: 201,
    params: IdParams,
    body: Type.Object({ wechatId: Type.String({ pattern: '^[A-Za-z][-_A-Za-z0-9]{5,19}$' }) }, closed),
    response: Tester,
  }),
  removeTester: route({
    ...write,
    method: 'DELETE',
    path: `${base}/{id}/testers/{testerId}`,
    summary: 'He may not any more',
    audit: 'wechat_applet.tester',
    params: Type.Object({ id: Id, testerId: Id }),
    response: Ok,
  }),
}

const SignedQuery = Type.Object({
  signature: Type.Optional(Type.String({ maxLength: 64 })),
  timestamp: Type.Optional(Type.String({ maxLength: 32 })),
  nonce: Type.Optional(Type.String({ maxLength: 64 })),
  encrypt_type: Type.Optional(Type.String({ maxLength: 16 })),
  msg_signature: Type.Optional(Type.String({ maxLength: 64 })),
})
const Xml = Type.String({ maxLength: 262_144 })

export const wechatPlatformCallbacksContract = {
  events: route({
    method: 'POST',
    path: '/callbacks/wechat-platform/events',
    tag,
    summary: 'Tickets and authorisations that WeChat tells the third-party platform',
    permission: 'public',
    audit: { none: 'what it changes has lines of its own' },
    query: SignedQuery,
    body: Xml,
    response: Type.String(),
    produces: 'text/plain',
  }),
  messages: route({
    method: 'POST',
    path: '/callbacks/wechat-platform/{appId}/messages',
    tag,
    summary: 'What WeChat tells of a mini-program, such as the end of an audit',
    permission: 'public',
    audit: { none: 'what it changes has lines of its own' },
    params: Type.Object({ appId: Type.String({ maxLength: 64 }) }),
    query: SignedQuery,
    body: Xml,
    response: Type.String(),
    produces: 'text/plain',
  }),
  back: route({
    method: 'GET',
    path: '/callbacks/wechat-platform/back/{nonce}',
    tag,
    summary: 'Where WeChat sends the owner back with the code of his authorisation',
    permission: 'public',
    params: Type.Object({ nonce: Type.String({ maxLength: 64 }) }),
    query: Type.Object({
      auth_code: Type.Optional(Type.String({ maxLength: 512 })),
      expires_in: Type.Optional(Type.String({ maxLength: 16 })),
    }),
    response: Type.String(),
    produces: 'text/html',
  }),
}
