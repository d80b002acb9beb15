import { type Static, Type } from 'typebox'
import { Id, IsoTime, Nullable, Words } from './common.ts'
import { SIGN_IN_RESULTS } from './security.words.ts'

/** The rules a company sets for its people's sign-in. Stored in tenants.settings.security. */
export const SecurityPolicy = Type.Object(
  {
    passwordMinLength: Type.Integer({ minimum: 8, maximum: 64 }),
    passwordMinClasses: Type.Integer({
      minimum: 1,
      maximum: 4,
      description: 'How many of: lower case, upper case, digits, other characters',
    }),
    passwordHistory: Type.Integer({ minimum: 0, maximum: 24, description: 'So many earlier passwords may not return' }),
    passwordExpiryDays: Type.Integer({ minimum: 0, maximum: 730, description: '0: passwords do not expire' }),
    secondFactorRequired: Type.Boolean({ description: 'Of everybody in the company; roles may ask for it alone' }),
    sessionHours: Type.Integer({ minimum: 1, maximum: 2160, description: 'A session ends at the latest after this' }),
    idleMinutes: Type.Integer({ minimum: 0, maximum: 1440, description: '0: a session does not end by being idle' }),
    ipAllowList: Type.Array(Type.String({ maxLength: 64 }), {
      maxItems: 100,
      description: 'Addresses and networks (CIDR); empty: from everywhere',
    }),
    noticeNewDevice: Type.Boolean({ description: 'Tell people of sign-ins from devices or networks not seen before' }),
  },
  { additionalProperties: false },
)
export type SecurityPolicy = Static<typeof SecurityPolicy>

/** What counts for a company that set nothing. */
export const DEFAULT_SECURITY_POLICY: SecurityPolicy = {
  passwordMinLength: 8,
  passwordMinClasses: 1,
  passwordHistory: 3,
  passwordExpiryDays: 0,
  secondFactorRequired: false,
  sessionHours: 720,
  idleMinutes: 0,
  ipAllowList: [],
  noticeNewDevice: true,
}

/** Ways to show that one is oneself, besides the password. */
export const FACTORS = ['totp', 'passkey', 'sms', 'mail', 'backup'] as const
export const Factor = Words(FACTORS)
export type Factor = Static<typeof Factor>
/** Ways to confirm that it is still the same person. */
export const ProofMethod = Words(['password', ...FACTORS])
export type ProofMethod = Static<typeof ProofMethod>

export const SessionView = Type.Object({
  id: Id,
  current: Type.Boolean(),
  client: Type.String({ description: 'Browser and system, or the program’s name' }),
  device: Words(['desktop', 'mobile', 'tablet', 'program', 'unknown']),
  clientId: Type.String(),
  ip: Nullable(Type.String()),
  place: Type.String({ description: 'this_machine, intranet, unknown' }),
  createdAt: IsoTime,
  lastSeenAt: IsoTime,
})
export type SessionView = Static<typeof SessionView>

export const SignInEventView = Type.Object({
  id: Id,
  at: IsoTime,
  loginId: Nullable(Id),
  username: Type.String(),
  method: Type.String(),
  result: Words(SIGN_IN_RESULTS),
  reason: Nullable(Type.String({ description: 'Error code of a refusal' })),
  ip: Nullable(Type.String()),
  place: Type.String(),
  client: Type.String(),
  newDevice: Type.Boolean(),
})
export type SignInEventView = Static<typeof SignInEventView>

export const PasskeyView = Type.Object({
  id: Id,
  name: Type.String(),
  synced: Type.Boolean({ description: 'Kept in a password manager rather than in one device' }),
  createdAt: IsoTime,
  lastUsedAt: Nullable(IsoTime),
})
export type PasskeyView = Static<typeof PasskeyView>

export const SecurityOverview = Type.Object({
  passwordChangedAt: Nullable(IsoTime),
  hasPassword: Type.Boolean(),
  phone: Nullable(Type.String({ description: 'Masked' })),
  email: Nullable(Type.String({ description: 'Masked' })),
  totp: Type.Boolean(),
  factors: Type.Array(Factor, { description: 'Turned on for the second step' }),
  factorsPossible: Type.Array(Factor),
  secondFactorRequired: Type.Boolean({ description: 'By the company or a role' }),
  backupCodesLeft: Type.Integer(),
  passkeys: Type.Array(PasskeyView),
  identities: Type.Array(Type.Object({ id: Id, issuer: Type.String(), label: Type.String(), createdAt: IsoTime })),
  ssoAvailable: Type.Boolean(),
  closing: Nullable(Type.Object({ dueAt: IsoTime })),
  mayCloseCompany: Type.Boolean(),
  closeOwnBlocked: Nullable(Words(['last_owner', 'operator'])),
  policy: Type.Pick(SecurityPolicy, [
    'passwordMinLength',
    'passwordMinClasses',
    'passwordHistory',
    'passwordExpiryDays',
    'sessionHours',
    'idleMinutes',
  ]),
})
export type SecurityOverview = Static<typeof SecurityOverview>

export const OidcSettings = Type.Object({
  enabled: Type.Boolean(),
  issuer: Type.String(),
  clientId: Type.String(),
  hasSecret: Type.Boolean(),
  scopes: Type.String(),
  domain: Type.String(),
  label: Type.String(),
  createMembers: Type.Boolean(),
  roleId: Nullable(Id),
  callbackUrl: Type.String(),
  version: Type.Integer(),
})
export type OidcSettings = Static<typeof OidcSettings>

/** How a member's sign-in is protected, for those who set the rules: no addresses, no keys. */
export const MemberSecurityView = Type.Object({
  factors: Type.Array(Factor, { description: 'Turned on for the second step' }),
  passkeys: Type.Integer(),
  backupCodesLeft: Type.Integer(),
  secondFactorRequired: Type.Boolean({ description: 'By the company or a role' }),
  passwordChangedAt: Nullable(IsoTime),
})
export type MemberSecurityView = Static<typeof MemberSecurityView>
