import { type Static, Type } from 'typebox'
import { WECHAT_MODES, WECHAT_STEP_STATES, WECHAT_STEPS } from './apps.words.ts'
import { Id, IdParams, IsoTime, Nullable, Ok, Version, Words } from './common.ts'
import { route } from './route.ts'

const closed = { additionalProperties: false } as const
const tag = 'WeChat official account'
const base = '/api/v1/wechat-accounts'
const read = { tag, permission: 'app:read', wholeCompany: true } as const
const write = { tag, permission: 'app:write', wholeCompany: true } as const

const AppId = Type.String({ pattern: '^wx[0-9a-zA-Z]{16}$', description: 'wx and 16 characters' })
const Secret = Type.String({ minLength: 16, maxLength: 64, pattern: '^[0-9A-Za-z]+$' })
const Token = Type.String({ pattern: '^[A-Za-z0-9]{3,32}$', description: '3 to 32 letters and digits' })
const AesKey = Type.String({ pattern: '^[A-Za-z0-9]{43}$', description: '43 letters and digits' })

const StepView = Type.Object({
  step: Words(WECHAT_STEPS),
  state: Words(WECHAT_STEP_STATES),
  said: Type.String({ description: 'What WeChat answered, or what is missing' }),
  at: Nullable(IsoTime),
})
export type WechatStepView = Static<typeof StepView>

export const WechatAccountView = Type.Object({
  id: Id,
  name: Type.String(),
  appId: Type.String(),
  mode: Words(WECHAT_MODES),
  hasAesKey: Type.Boolean(),
  baseUrl: Type.String(),
  simulated: Type.Boolean(),
  callbackUrl: Type.String({ description: 'The server URL to enter at WeChat' }),
  steps: Type.Array(StepView),
  lastMessageAt: Nullable(IsoTime),
  version: Type.Integer(),
  createdAt: IsoTime,
})
export type WechatAccountView = Static<typeof WechatAccountView>

const BaseUrl = Type.String({ maxLength: 300, pattern: '^https?://[^\\s]+$' })

/** The bodies of WeChat's own requests: XML, and signed by the query. */
const CallbackQuery = Type.Object({
  signature: Type.Optional(Type.String({ maxLength: 64 })),
  timestamp: Type.Optional(Type.String({ maxLength: 32 })),
  nonce: Type.Optional(Type.String({ maxLength: 64 })),
  echostr: Type.Optional(Type.String({ maxLength: 256 })),
  encrypt_type: Type.Optional(Type.String({ maxLength: 16 })),
  msg_signature: Type.Optional(Type.String({ maxLength: 64 })),
  openid: Type.Optional(Type.String({ maxLength: 64 })),
})

export const wechatAccountsContract = {
  list: route({
    ...read,
    method: 'GET',
    path: base,
    summary: 'The official account of the company; empty before it is connected',
    response: Type.Object({
      items: Type.Array(WechatAccountView),
      address: Nullable(Type.String({ description: 'From where this server asks, for the IP list at WeChat' })),
    }),
  }),
  create: route({
    ...write,
    method: 'POST',
    path: base,
    summary: 'Connects an official account',
    audit: 'wechat_account.create',
    status: 201,
    body: Type.Object(
      {
        name: Type.String({ minLength: 1, maxLength: 64, pattern: '\\S' }),
        appId: AppId,
        appSecret: Secret,
        token: Token,
        aesKey: Type.Optional(AesKey),
        mode: Type.Optional(Words(WECHAT_MODES)),
        baseUrl: Type.Optional(BaseUrl),
      },
      closed,
    ),
    example: {
      body: {
        name: 'Pumps',
        appId: 'wx0123456789abcdef',
        appSecret: '0123456789abcdef0123456789abcdef',
        token: 'pumps2026',
        aesKey: 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG',
        mode: 'encrypted',
      },
    },
    response: WechatAccountView,
  }),
  update: route({
    ...write,
    method: 'PATCH',
    path: `${base}/{id}`,
    summary: 'Changes it; secrets that are left out stay as they are',
    audit: 'wechat_account.update',
    params: IdParams,
    body: Type.Object(
      {
        name: Type.Optional(Type.String({ minLength: 1, maxLength: 64, pattern: '\\S' })),
        appId: Type.Optional(AppId),
        appSecret: Type.Optional(Secret),
        token: Type.Optional(Token),
        aesKey: Type.Optional(AesKey),
        mode: Type.Optional(Words(WECHAT_MODES)),
        baseUrl: Type.Optional(BaseUrl),
        version: Version,
      },
      closed,
    ),
    example: {
      params: { id: '{{create.id}}' },
      body: { name: 'Pumps and valves', version: '{{create.version}}' },
    },
    response: WechatAccountView,
  }),
  test: route({
    ...write,
    method: 'POST',
    path: `${base}/{id}/test`,
    summary: 'Tests one step. What WeChat says against it stands in the answer and is no error of the request',
    audit: 'wechat_account.test',
    params: IdParams,
    body: Type.Object({ step: Words(WECHAT_STEPS) }, closed),
    example: { params: { id: '{{create.id}}' }, body: { step: 'credentials' } },
    response: WechatAccountView,
  }),
  remove: route({
    ...write,
    method: 'DELETE',
    path: `${base}/{id}`,
    summary: 'Disconnects it; the channel of messages it made goes as well',
    audit: 'wechat_account.remove',
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: Ok,
  }),
}

export const wechatCallbacksContract = {
  check: route({
    method: 'GET',
    path: '/callbacks/wechat/{id}',
    tag,
    summary: 'WeChat checks the server URL: answers `echostr` when the signature is right',
    permission: 'public',
    params: IdParams,
    query: CallbackQuery,
    response: Type.String(),
    produces: 'text/plain',
  }),
  take: route({
    method: 'POST',
    path: '/callbacks/wechat/{id}',
    tag,
    summary: 'A message or an event of a follower, plain or encrypted',
    permission: 'public',
    audit: { none: 'what a follower does has lines of its own' },
    params: IdParams,
    query: CallbackQuery,
    body: Type.String({ maxLength: 262_144 }),
    response: Type.String(),
    produces: 'text/plain',
  }),
}
