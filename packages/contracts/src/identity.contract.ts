import { type Static, Type } from 'typebox'
import { Id, IsoTime, Nullable, Ok, Words } from './common.ts'
import { route } from './route.ts'

export const TokenReply = Type.Object({
  access_token: Type.String(),
  token_type: Words(['bearer']),
  expires_in: Type.Integer({ description: 'Seconds' }),
  id: Id,
  username: Type.String(),
  thingwrightAppId: Type.String(),
  refresh_token: Type.Optional(
    Type.String({ description: 'Absent for the client `web`, which gets the cookie tw_refresh' }),
  ),
})
export type TokenReply = Static<typeof TokenReply>

/** application/x-www-form-urlencoded, Basic client authentication. */
export const TokenRequest = Type.Object({
  grant_type: Type.String({ maxLength: 64 }),
  username: Type.Optional(Type.String({ maxLength: 128 })),
  password: Type.Optional(Type.String({ maxLength: 256 })),
  phone: Type.Optional(Type.String({ maxLength: 32 })),
  code: Type.Optional(Type.String({ maxLength: 16 })),
  refresh_token: Type.Optional(Type.String({ maxLength: 512 })),
})

export const MeView = Type.Object({
  id: Id,
  username: Type.String(),
  displayName: Type.String(),
  phone: Nullable(Type.String()),
  kind: Words(['member', 'operator', 'end_user']),
  locale: Words(['zh', 'en']),
  permissions: Type.Array(Type.String()),
  menuPermissions: Type.Array(Type.String(), {
    description: 'Keys (route addresses) of the menu entries the caller may open',
  }),
  roles: Type.Array(Type.Object({ key: Type.String(), name: Type.String(), ename: Type.String() })),
  company: Type.Object({
    id: Id,
    appId: Type.String(),
    name: Type.String(),
    status: Words(['inactive', 'frozen', 'expired', 'trial', 'active', 'grace']),
    expiresAt: Nullable(IsoTime),
    timeZone: Type.String(),
  }),
})
export type MeView = Static<typeof MeView>

export const identityContract = {
  token: route({
    method: 'POST',
    path: '/oauth/token',
    tag: 'Sign-in',
    summary: 'Password, SMS-code and refresh grants',
    permission: 'public',
    audit: { none: 'written by the service, which knows who signed in or failed' },
    body: TokenRequest,
    response: TokenReply,
    anyAccountState: true,
  }),
  smsCode: route({
    method: 'POST',
    path: '/oauth/sms-code',
    tag: 'Sign-in',
    summary: 'Sends a code to a phone',
    permission: 'public',
    audit: { none: 'nobody is signed in' },
    body: Type.Object({
      phone: Type.String({ minLength: 5, maxLength: 20 }),
      purpose: Words(['sign_in', 'register', 'reset', 'bind']),
    }),
    response: Type.Object({ ok: Type.Boolean(), retryAfterSeconds: Type.Integer() }),
    anyAccountState: true,
  }),
  revoke: route({
    method: 'POST',
    path: '/oauth/revoke',
    tag: 'Sign-in',
    summary: 'Ends the session the refresh token belongs to',
    permission: 'public',
    audit: { none: 'written by the service' },
    body: Type.Object({ refresh_token: Type.Optional(Type.String({ maxLength: 512 })) }),
    response: Ok,
    anyAccountState: true,
  }),
  me: route({
    method: 'GET',
    path: '/api/v1/me',
    tag: 'Sign-in',
    summary: 'The caller, his rights and his company',
    permission: 'signed-in',
    response: MeView,
    anyAccountState: true,
  }),
  updateMe: route({
    method: 'PATCH',
    path: '/api/v1/me',
    tag: 'Sign-in',
    summary: 'Changes the caller’s own profile',
    permission: 'signed-in',
    audit: 'profile.update',
    anyAccountState: true,
    body: Type.Object(
      { displayName: Type.Optional(Type.String({ maxLength: 64 })), locale: Type.Optional(Words(['zh', 'en'])) },
      { additionalProperties: false },
    ),
    response: MeView,
  }),
  simulatedSms: route({
    method: 'GET',
    path: '/oauth/simulated-sms',
    tag: 'Sign-in',
    summary: 'Messages the simulated SMS carrier “sent” (demo installations only, else 404)',
    permission: 'public',
    response: Type.Object({
      items: Type.Array(Type.Object({ phone: Type.String(), text: Type.String(), at: IsoTime })),
    }),
    anyAccountState: true,
  }),
}

export const companyContract = {
  status: route({
    method: 'GET',
    path: '/api/v1/company/status',
    tag: 'Company',
    summary: 'The bare number 0 (not activated), 1 (expired) or 2 (active)',
    permission: 'signed-in',
    anyAccountState: true,
    query: Type.Object({ userId: Type.Optional(Type.String({ maxLength: 64 })) }),
    response: Type.Integer({ minimum: 0, maximum: 2 }),
  }),
}

/** One entry of the side menu as the browser uses it. */
export interface MenuItem {
  id: string
  name: string
  ename: string
  icon: string
  path: string
  sort: number
  idPath: string
  jump: number
  order: number
  children: MenuItem[]
}

export const menusContract = {
  mine: route({
    method: 'GET',
    path: '/api/v1/menus',
    tag: 'Company',
    summary: 'The caller’s side menu',
    permission: 'signed-in',
    anyAccountState: true,
    response: Type.Object({ items: Type.Array(Type.Unsafe<MenuItem>({ type: 'object', additionalProperties: true })) }),
  }),
}
