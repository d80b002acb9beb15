import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, Nullable, Ok, Version, Words } from './common.ts'
import { VERIFICATION_STATES } from './company.words.ts'
import { CompanyRetention } from './company-settings.ts'
import { route } from './route.ts'

export const CompanyStatus = Words(['inactive', 'frozen', 'expired', 'trial', 'active', 'grace'])
export const VerificationStatus = Words(VERIFICATION_STATES)

const Text = (maxLength: number) => Type.String({ maxLength })
export const Colour = Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })

/** What takes the place of the product's own title, mark and colour for a company. */
export const BrandingView = Type.Object({
  title: Type.String({ description: 'Empty: the product’s own' }),
  titleEn: Type.String(),
  logo: Type.String({ description: 'data: reference of an image, empty for the product’s mark' }),
  colour: Nullable(Colour),
})
export type BrandingView = Static<typeof BrandingView>

export const CompanyView = Type.Object({
  id: Id,
  appId: Type.String(),
  name: Type.String(),
  status: CompanyStatus,
  expiresAt: Nullable(IsoTime),
  graceEndsAt: Nullable(IsoTime),
  timeZone: Type.String(),
  contactName: Type.String(),
  contactPhone: Type.String(),
  contactEmail: Type.String(),
  industry: Type.String(),
  region: Type.String(),
  branding: BrandingView,
  verification: VerificationStatus,
  retention: CompanyRetention,
  version: Type.Integer(),
  createdAt: IsoTime,
})
export type CompanyView = Static<typeof CompanyView>

export const UsageView = Type.Object({
  kind: Words(['devices', 'products', 'members', 'mediaBytes', 'messagesPerDay', 'messagesPerSecond', 'pointsPerDay']),
  used: Type.Integer(),
  limit: Nullable(Type.Integer()),
  level: Words(['ok', 'warning', 'full']),
})
export type UsageView = Static<typeof UsageView>

export const CompanyFileView = Type.Object({
  id: Id,
  name: Type.String(),
  contentType: Type.String(),
  size: Type.Integer(),
  createdAt: IsoTime,
})
export type CompanyFileView = Static<typeof CompanyFileView>

export const VerificationView = Type.Object({
  id: Id,
  status: Words(['in_review', 'verified', 'rejected']),
  legalName: Type.String(),
  creditCode: Type.String(),
  legalPerson: Type.String(),
  note: Type.String(),
  files: Type.Array(CompanyFileView),
  reason: Nullable(Type.String()),
  submittedBy: Type.String(),
  submittedAt: IsoTime,
  decidedBy: Nullable(Type.String()),
  decidedAt: Nullable(IsoTime),
})
export type VerificationView = Static<typeof VerificationView>

export const SupportGrantView = Type.Object({
  id: Id,
  mayWrite: Type.Boolean(),
  grantedBy: Type.String(),
  grantedAt: IsoTime,
  expiresAt: IsoTime,
  endedAt: Nullable(IsoTime),
})
export type SupportGrantView = Static<typeof SupportGrantView>

/** A licence document is at most this big. */
export const LICENCE_BYTES = 10 * 1024 * 1024

const company = { tag: 'Company' } as const

export const accountContract = {
  get: route({
    ...company,
    method: 'GET',
    path: '/api/v1/company',
    summary: 'The company: profile, branding, state, how long its data is kept',
    permission: 'company:read',
    response: CompanyView,
  }),
  state: route({
    ...company,
    method: 'GET',
    path: '/api/v1/company/state',
    summary: 'State of the company account in words, and whom to ask; also for a company that is not active',
    permission: 'signed-in',
    anyAccountState: true,
    response: Type.Object({
      status: CompanyStatus,
      accountState: Type.Integer({ minimum: 0, maximum: 2 }),
      name: Type.String(),
      expiresAt: Nullable(IsoTime),
      graceEndsAt: Nullable(IsoTime),
      daysLeft: Nullable(Type.Integer({ description: 'Days of its calendar until it ends: 0 on the day itself' })),
      graceDaysLeft: Nullable(Type.Integer()),
      frozenReason: Nullable(Type.String()),
      takesData: Type.Boolean({ description: 'Whether devices are let in' }),
      contact: Type.Object({ name: Type.String(), phone: Type.String(), email: Type.String() }),
    }),
  }),
  update: route({
    ...company,
    method: 'PATCH',
    path: '/api/v1/company',
    summary: 'Changes the profile',
    permission: 'company:write',
    wholeCompany: true,
    audit: 'company.update',
    body: Type.Object(
      {
        version: Version,
        name: Type.Optional(Type.String({ minLength: 1, maxLength: 64, pattern: '\\S' })),
        contactName: Type.Optional(Text(64)),
        contactPhone: Type.Optional(Type.String({ maxLength: 32, pattern: '^[0-9+() -]*$' })),
        contactEmail: Type.Optional(Type.String({ maxLength: 128, pattern: '^$|^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$' })),
        industry: Type.Optional(Text(64)),
        region: Type.Optional(Text(64)),
        timeZone: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      },
      { additionalProperties: false },
    ),
    response: CompanyView,
  }),
  setBranding: route({
    ...company,
    method: 'PUT',
    path: '/api/v1/company/branding',
    summary: 'Title, logo and colour that replace the product’s own; the colour must be readable under white text',
    permission: 'company:write',
    wholeCompany: true,
    audit: 'company.branding',
    body: Type.Object(
      {
        version: Version,
        title: Text(32),
        titleEn: Text(48),
        logo: Type.String({ maxLength: 140_000, description: 'data:image/png, jpeg, webp or svg+xml; at most 100 KB' }),
        colour: Nullable(Colour),
      },
      { additionalProperties: false },
    ),
    response: CompanyView,
  }),
  branding: route({
    ...company,
    method: 'GET',
    path: '/api/v1/branding',
    summary: 'Branding of the company with this app id, for its sign-in page; empty for an unknown one',
    permission: 'public',
    query: Type.Object({ app: Type.String({ minLength: 1, maxLength: 64 }) }),
    response: BrandingView,
    anyAccountState: true,
  }),
  setRetention: route({
    ...company,
    method: 'PATCH',
    path: '/api/v1/company/retention',
    summary: 'How long each kind of data is kept',
    permission: 'company:write',
    wholeCompany: true,
    audit: 'company.retention',
    body: Type.Partial(CompanyRetention, { additionalProperties: false }),
    response: CompanyView,
  }),
  usage: route({
    ...company,
    method: 'GET',
    path: '/api/v1/company/usage',
    summary: 'What is used of each quota',
    permission: 'company:read',
    response: Type.Object({ items: Type.Array(UsageView) }),
  }),
  verification: route({
    ...company,
    method: 'GET',
    path: '/api/v1/company/verification',
    summary: 'Licence verification: its state and everything handed in, newest first',
    permission: 'company:read',
    response: Type.Object({ status: VerificationStatus, items: Type.Array(VerificationView) }),
  }),
  addFile: route({
    ...company,
    method: 'POST',
    path: '/api/v1/company/files',
    summary: 'Uploads a licence document (PNG, JPEG, WebP, PDF)',
    permission: 'company:write',
    wholeCompany: true,
    audit: 'company.file',
    status: 201,
    upload: { maxBytes: LICENCE_BYTES },
    response: CompanyFileView,
  }),
  file: route({
    ...company,
    method: 'GET',
    path: '/api/v1/company/files/{id}',
    summary: 'A licence document',
    permission: 'company:read',
    params: IdParams,
    produces: 'application/octet-stream',
    response: Type.Unknown(),
  }),
  submitVerification: route({
    ...company,
    method: 'POST',
    path: '/api/v1/company/verification',
    summary: 'Hands the licence in; again after a refusal or when something changed',
    permission: 'company:write',
    wholeCompany: true,
    audit: 'company.verify',
    status: 201,
    body: Type.Object(
      {
        legalName: Type.String({ minLength: 2, maxLength: 100, pattern: '\\S' }),
        creditCode: Type.String({ minLength: 18, maxLength: 18 }),
        legalPerson: Text(64),
        note: Text(500),
        fileIds: Type.Array(Id, { minItems: 1, maxItems: 5, uniqueItems: true }),
      },
      { additionalProperties: false },
    ),
    response: VerificationView,
  }),
  supportGrants: route({
    ...company,
    method: 'GET',
    path: '/api/v1/company/support-access',
    summary: 'Whom the company let in from the platform, and for how long',
    permission: 'company:write',
    wholeCompany: true,
    response: Type.Object({ items: Type.Array(SupportGrantView) }),
  }),
  grantSupport: route({
    ...company,
    method: 'POST',
    path: '/api/v1/company/support-access',
    summary: 'Lets the platform’s operators in for some hours; reading only unless writing is allowed',
    permission: 'company:write',
    wholeCompany: true,
    audit: 'company.support_grant',
    status: 201,
    body: Type.Object(
      { hours: Type.Integer({ minimum: 1, maximum: 72 }), mayWrite: Type.Boolean() },
      { additionalProperties: false },
    ),
    response: SupportGrantView,
  }),
  endSupport: route({
    ...company,
    method: 'DELETE',
    path: '/api/v1/company/support-access/{id}',
    summary: 'Ends an access at once, with the sessions that use it',
    permission: 'company:write',
    wholeCompany: true,
    audit: 'company.support_end',
    params: IdParams,
    response: Ok,
  }),
}
