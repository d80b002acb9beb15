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
  scope: Type.Optional(Type.String({ description: 'Rights of an API key, separated by spaces' })),
})
export type TokenReply = Static<typeof TokenReply>

/** application/x-www-form-urlencoded, Basic client authentication. */
export const TokenRequest = Type.Object({
  grant_type: Type.String({ maxLength: 64 }),
  username: Type.Optional(Type.String({ maxLength: 128 })),
  password: Type.Optional(Type.String({ maxLength: 256 })),
  captcha_id: Type.Optional(Type.String({ maxLength: 256, description: 'Asked for with auth.captcha_required' })),
  captcha: Type.Optional(Type.String({ maxLength: 16 })),
  phone: Type.Optional(Type.String({ maxLength: 32 })),
  code: Type.Optional(Type.String({ maxLength: 16 })),
  refresh_token: Type.Optional(Type.String({ maxLength: 512 })),
  thingwrightAppId: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Of the company whose end user signs in, where the host does not say it',
    }),
  ),
  client_id: Type.Optional(
    Type.String({ maxLength: 128, description: 'Beginning of an API key, for client_credentials without Basic' }),
  ),
  client_secret: Type.Optional(Type.String({ maxLength: 256, description: 'The whole API key' })),
  ticket: Type.Optional(Type.String({ maxLength: 128, description: 'Of a sign-in that stands half open' })),
  method: Type.Optional(Type.String({ maxLength: 16 })),
  new_password: Type.Optional(Type.String({ maxLength: 256 })),
  challenge_id: Type.Optional(Type.String({ maxLength: 64 })),
  response: Type.Optional(Type.String({ maxLength: 16_384, description: 'Answer of a passkey, JSON' })),
})

export const MeView = Type.Object({
  id: Id,
  username: Type.String(),
  displayName: Type.String(),
  phone: Nullable(Type.String()),
  email: Nullable(Type.String()),
  kind: Words(['member', 'operator', 'end_user']),
  locale: Words(['zh', 'en']),
  permissions: Type.Array(Type.String()),
  menuPermissions: Type.Array(Type.String(), {
    description: 'Keys (route addresses) of the menu entries the caller may open',
  }),
  roles: Type.Array(Type.Object({ key: Type.String(), name: Type.String(), ename: Type.String() })),
  dataScope: Type.Object(
    {
      kind: Words(['all', 'limited']),
      groupIds: Type.Array(Id),
      productIds: Type.Array(Id),
      own: Type.Boolean(),
    },
    {
      description:
        'What of the company the caller sees: all, or these groups and everything below them, these products, what the caller created',
    },
  ),
  company: Type.Object({
    id: Id,
    appId: Type.String(),
    name: Type.String(),
    status: Words(['inactive', 'frozen', 'expired', 'trial', 'active', 'grace']),
    expiresAt: Nullable(IsoTime),
    daysLeft: Nullable(
      Type.Integer({ description: 'Days of its calendar until the account ends: 0 on the day itself' }),
    ),
    timeZone: Type.String(),
  }),
  endUser: Type.Optional(
    Type.Object(
      {
        rights: Type.Array(Type.String()),
        deviceLimit: Nullable(Type.Integer()),
        enteredBy: Nullable(Type.String({ description: 'The member of the company who works as him' })),
      },
      { description: 'A customer of the company' },
    ),
  ),
  support: Type.Optional(
    Type.Object(
      { mayWrite: Type.Boolean(), expiresAt: IsoTime },
      { description: 'An operator of the platform, inside this company with its consent' },
    ),
  ),
})
export type MeView = Static<typeof MeView>

const captchaFields = {
  captchaId: Type.Optional(Type.String({ maxLength: 256 })),
  captcha: Type.Optional(Type.String({ maxLength: 16 })),
}
const Password = Type.String({ minLength: 1, maxLength: 256 })
const PhoneNumber = Type.String({ minLength: 5, maxLength: 20 })
const Code = Type.String({ minLength: 1, maxLength: 16 })

/** JSON body of /oauth/register. */
export const RegisterRequest = Type.Object(
  {
    companyName: Type.String({ minLength: 2, maxLength: 64 }),
    username: Type.String({ minLength: 3, maxLength: 32 }),
    phone: PhoneNumber,
    code: Code,
    password: Password,
    acceptTerms: Type.Boolean(),
  },
  { additionalProperties: false },
)
export type RegisterRequest = Static<typeof RegisterRequest>

/** By a code sent to the phone, or by a link sent to the mail address. */
export const ResetPasswordRequest = Type.Object(
  {
    phone: Type.Optional(PhoneNumber),
    code: Type.Optional(Code),
    token: Type.Optional(Type.String({ maxLength: 128 })),
    password: Password,
  },
  { additionalProperties: false },
)
export type ResetPasswordRequest = Static<typeof ResetPasswordRequest>

export const identityContract = {
  captcha: route({
    method: 'GET',
    path: '/oauth/captcha',
    tag: 'Sign-in',
    summary: 'A picture with five letters, good for one answer within five minutes',
    permission: 'public',
    response: Type.Object({ captchaId: Type.String(), image: Type.String({ description: 'SVG' }) }),
    anyAccountState: true,
  }),
  register: route({
    method: 'POST',
    path: '/oauth/register',
    tag: 'Sign-in',
    summary: 'Registers a company with a 30-day trial and its owner; replies like /oauth/token',
    permission: 'public',
    audit: { none: 'written by the service: the company does not exist before' },
    body: RegisterRequest,
    response: TokenReply,
    anyAccountState: true,
  }),
  resetPassword: route({
    method: 'POST',
    path: '/oauth/reset-password',
    tag: 'Sign-in',
    summary: 'Sets a new password, proven by a code on the phone or a link by mail; ends all sessions of the login',
    permission: 'public',
    audit: { none: 'written by the service, which knows whose password it is' },
    body: ResetPasswordRequest,
    response: Ok,
    anyAccountState: true,
  }),
  resetLink: route({
    method: 'POST',
    path: '/oauth/reset-link',
    tag: 'Sign-in',
    summary: 'Mails a link for a new password, if the address belongs to a login; the answer does not say so',
    permission: 'public',
    audit: { none: 'nobody is signed in' },
    body: Type.Object(
      { email: Type.String({ minLength: 3, maxLength: 254 }), ...captchaFields },
      { additionalProperties: false },
    ),
    response: Ok,
    anyAccountState: true,
  }),
  changePhone: route({
    method: 'POST',
    path: '/api/v1/me/phone',
    tag: 'Sign-in',
    summary: 'Binds a phone by a code sent to it (purpose bind); asks for a fresh proof',
    permission: 'signed-in',
    audit: 'profile.phone',
    anyAccountState: true,
    body: Type.Object({ phone: PhoneNumber, code: Code }, { additionalProperties: false }),
    response: MeView,
  }),
  emailCode: route({
    method: 'POST',
    path: '/api/v1/me/email/code',
    tag: 'Sign-in',
    summary: 'Sends a code to a mail address that is to be bound',
    permission: 'signed-in',
    audit: { none: 'nothing changes' },
    anyAccountState: true,
    body: Type.Object({ email: Type.String({ minLength: 3, maxLength: 254 }) }, { additionalProperties: false }),
    response: Type.Object({ ok: Type.Boolean(), retryAfterSeconds: Type.Integer() }),
  }),
  changeEmail: route({
    method: 'POST',
    path: '/api/v1/me/email',
    tag: 'Sign-in',
    summary: 'Binds a mail address by a code sent to it; asks for a fresh proof',
    permission: 'signed-in',
    audit: 'profile.email',
    anyAccountState: true,
    body: Type.Object(
      { email: Type.String({ minLength: 3, maxLength: 254 }), code: Code },
      { additionalProperties: false },
    ),
    response: MeView,
  }),
  simulatedMail: route({
    method: 'GET',
    path: '/oauth/simulated-mail',
    tag: 'Sign-in',
    summary: 'Mails the simulated mail server “sent” (demo installations only, else 404)',
    permission: 'public',
    response: Type.Object({
      items: Type.Array(Type.Object({ to: Type.String(), subject: Type.String(), text: Type.String(), at: IsoTime })),
    }),
    anyAccountState: true,
  }),
  token: route({
    method: 'POST',
    path: '/oauth/token',
    tag: 'Sign-in',
    summary: 'Password, SMS-code, refresh and (for API keys) client_credentials grants',
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
      purpose: Words(['sign_in', 'register', 'reset', 'bind'], {
        description: 'register and reset take a captcha; bind takes a bearer token',
      }),
      ...captchaFields,
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
