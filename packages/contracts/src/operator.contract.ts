import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Nullable, Ok, Version, Words } from './common.ts'
import { CompanyFileView, CompanyStatus, CompanyView, UsageView, VerificationStatus } from './company.contract.ts'
import { CompanyQuotas } from './company-settings.ts'
import { TokenReply } from './identity.contract.ts'
import { LEVELS } from './levels.words.ts'
import { ANNOUNCEMENT_STATES, OPENING_STATES } from './operator.words.ts'
import { route } from './route.ts'
import { TaskState, TaskView } from './tasks.contract.ts'

export const CompanyRow = Type.Object({
  id: Id,
  appId: Type.String(),
  name: Type.String(),
  kind: Words(['platform', 'company']),
  status: CompanyStatus,
  expiresAt: Nullable(IsoTime),
  graceEndsAt: Nullable(IsoTime),
  verification: VerificationStatus,
  contactName: Type.String(),
  contactPhone: Type.String(),
  devices: Type.Integer(),
  members: Type.Integer(),
  lastActivityAt: Nullable(IsoTime),
  createdAt: IsoTime,
})
export type CompanyRow = Static<typeof CompanyRow>

export const CompanyDetail = Type.Object({
  company: Type.Object({
    ...CompanyView.properties,
    kind: Words(['platform', 'company']),
    frozenReason: Nullable(Type.String()),
    graceDays: Nullable(Type.Integer()),
  }),
  quotas: CompanyQuotas,
  usage: Type.Array(UsageView),
  owners: Type.Array(
    Type.Object({
      id: Id,
      username: Type.String(),
      displayName: Type.String(),
      phone: Nullable(Type.String()),
      lastLoginAt: Nullable(IsoTime),
    }),
  ),
  support: Nullable(Type.Object({ mayWrite: Type.Boolean(), expiresAt: IsoTime })),
})
export type CompanyDetail = Static<typeof CompanyDetail>

const Both = Type.Object({ zh: Type.String(), en: Type.String() })

/** One thing that waits for an operator's word, whatever module brings it. */
export const ApprovalView = Type.Object({
  id: Id,
  kind: Type.String(),
  kindTitle: Both,
  title: Type.String(),
  tenantId: Id,
  companyName: Type.String(),
  facts: Type.Array(Type.Object({ label: Both, value: Type.String() })),
  files: Type.Array(CompanyFileView),
  state: Words(['open', 'accepted', 'refused']),
  reason: Nullable(Type.String()),
  submittedBy: Type.String(),
  submittedAt: IsoTime,
  decidedBy: Nullable(Type.String()),
  decidedAt: Nullable(IsoTime),
})
export type ApprovalView = Static<typeof ApprovalView>

export const HealthView = Type.Object({
  at: IsoTime,
  version: Type.String(),
  node: Type.String(),
  uptimeSeconds: Type.Integer(),
  components: Type.Array(
    Type.Object({
      key: Type.String({ description: 'database, gateway, lanes, consumers, disk, listeners, tasks, memory' }),
      state: Words(['ok', 'warning', 'down']),
      facts: Type.Array(
        Type.Object({
          key: Type.String(),
          value: Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'] }),
          unit: Type.Optional(Words(['bytes', 'ms', 'rows', 'count', 'text', 'seconds'])),
        }),
      ),
    }),
  ),
})
export type HealthView = Static<typeof HealthView>

export const OperatorTask = Type.Object({ ...TaskView.properties, tenantId: Id, companyName: Type.String() })
export type OperatorTask = Static<typeof OperatorTask>

export const AnnouncementView = Type.Object({
  id: Id,
  status: Words(ANNOUNCEMENT_STATES),
  level: Words(LEVELS),
  title: Both,
  text: Both,
  statuses: Nullable(Type.Array(CompanyStatus)),
  tenantIds: Nullable(Type.Array(Id)),
  publishedAt: Nullable(IsoTime),
  expiresAt: Nullable(IsoTime),
  createdBy: Type.String(),
  version: Type.Integer(),
  createdAt: IsoTime,
})
export type AnnouncementView = Static<typeof AnnouncementView>

const AnnouncementBody = {
  level: Words(LEVELS),
  title: Type.Object(
    { zh: Type.String({ minLength: 1, maxLength: 80 }), en: Type.String({ minLength: 1, maxLength: 120 }) },
    { additionalProperties: false },
  ),
  text: Type.Object(
    { zh: Type.String({ maxLength: 2000 }), en: Type.String({ maxLength: 3000 }) },
    { additionalProperties: false },
  ),
  statuses: Nullable(Type.Array(CompanyStatus, { minItems: 1, maxItems: 6, uniqueItems: true })),
  tenantIds: Nullable(Type.Array(Id, { minItems: 1, maxItems: 500, uniqueItems: true })),
  expiresAt: Nullable(IsoTime),
}

export const PlatformSettingsView = Type.Object(
  {
    contact: Type.Object(
      {
        name: Type.String({ maxLength: 64 }),
        phone: Type.String({ maxLength: 32, pattern: '^[0-9+() -]*$' }),
        email: Type.String({ maxLength: 128, pattern: '^$|^[^@\\s]+@[^@\\s]+$' }),
      },
      { additionalProperties: false },
    ),
    trialDays: Type.Integer({ minimum: 1, maximum: 365 }),
  },
  { additionalProperties: false },
)
export type PlatformSettingsView = Static<typeof PlatformSettingsView>

const desk = { tag: 'Operator' } as const
const companyFilter = {
  status: Type.Optional(CompanyStatus),
  verification: Type.Optional(VerificationStatus),
}

export const operatorContract = {
  companies: route({
    ...desk,
    method: 'GET',
    path: '/api/v1/operator/companies',
    summary: 'Every company. Sorts: createdAt, name, expiresAt',
    permission: 'operator:use',
    query: Type.Object({ ...listQuery, ...companyFilter }),
    response: listOf(CompanyRow),
  }),
  exportCompanies: route({
    ...desk,
    method: 'GET',
    path: '/api/v1/operator/companies/export',
    summary: 'The same as a table file',
    permission: 'operator:use',
    query: Type.Object({ q: listQuery.q, sort: listQuery.sort, ...companyFilter, format: Words(['csv', 'xlsx']) }),
    produces: 'application/octet-stream',
    response: Type.Unknown(),
  }),
  company: route({
    ...desk,
    method: 'GET',
    path: '/api/v1/operator/companies/{id}',
    summary: 'One company with its usage and owners',
    permission: 'operator:use',
    params: IdParams,
    response: CompanyDetail,
  }),
  createCompany: route({
    ...desk,
    method: 'POST',
    path: '/api/v1/operator/companies',
    summary: 'Makes a company with its owner; the password is in this answer only',
    permission: 'operator:write',
    audit: 'operator.create',
    status: 201,
    body: Type.Object(
      {
        name: Type.String({ minLength: 1, maxLength: 64, pattern: '\\S' }),
        username: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_.-]{2,31}$' }),
        displayName: Type.Optional(Type.String({ maxLength: 64 })),
        status: Words(OPENING_STATES),
        expiresAt: Nullable(IsoTime),
      },
      { additionalProperties: false },
    ),
    response: Type.Object({ id: Id, username: Type.String(), password: Type.String() }),
  }),
  setTerm: route({
    ...desk,
    method: 'POST',
    path: '/api/v1/operator/companies/{id}/term',
    summary: 'Activates a company or extends its term; null: without an end',
    permission: 'operator:write',
    audit: 'operator.term',
    params: IdParams,
    body: Type.Object(
      {
        status: Words(['trial', 'active']),
        expiresAt: Nullable(IsoTime),
        graceDays: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 90 }))),
      },
      { additionalProperties: false },
    ),
    response: CompanyDetail,
  }),
  freeze: route({
    ...desk,
    method: 'POST',
    path: '/api/v1/operator/companies/{id}/freeze',
    summary: 'Freezes a company: its people are told the reason, its devices are no longer let in',
    permission: 'operator:write',
    audit: 'operator.freeze',
    params: IdParams,
    body: Type.Object(
      { reason: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }) },
      { additionalProperties: false },
    ),
    response: CompanyDetail,
  }),
  unfreeze: route({
    ...desk,
    method: 'POST',
    path: '/api/v1/operator/companies/{id}/unfreeze',
    summary: 'Gives a frozen company back the state it had',
    permission: 'operator:write',
    audit: 'operator.unfreeze',
    params: IdParams,
    response: CompanyDetail,
  }),
  setQuotas: route({
    ...desk,
    method: 'PATCH',
    path: '/api/v1/operator/companies/{id}/quotas',
    summary: 'How much a company may hold; null: no limit',
    permission: 'operator:write',
    audit: 'operator.quotas',
    params: IdParams,
    body: Type.Partial(CompanyQuotas, { additionalProperties: false }),
    response: CompanyDetail,
  }),
  enter: route({
    ...desk,
    method: 'POST',
    path: '/api/v1/operator/companies/{id}/enter',
    summary: 'A session of 15 minutes inside a company that lets support in',
    permission: 'operator:write',
    audit: 'operator.enter',
    params: IdParams,
    response: TokenReply,
  }),
  approvals: route({
    ...desk,
    method: 'GET',
    path: '/api/v1/operator/approvals',
    summary: 'What waits for a decision, oldest first, or what was decided, newest first; 200 at most',
    permission: 'operator:use',
    query: Type.Object({ state: Words(['open', 'decided']), kind: Type.Optional(Type.String({ maxLength: 64 })) }),
    response: Type.Object({
      items: Type.Array(ApprovalView),
      kinds: Type.Array(Type.Object({ kind: Type.String(), title: Both })),
    }),
  }),
  decide: route({
    ...desk,
    method: 'POST',
    path: '/api/v1/operator/approvals/{kind}/{id}/decision',
    summary: 'Accepts or refuses; a refusal says why',
    permission: 'operator:write',
    audit: 'operator.decide',
    params: Type.Object({ kind: Type.String({ maxLength: 64 }), id: Id }),
    body: Type.Object(
      { accept: Type.Boolean(), reason: Type.String({ maxLength: 500 }) },
      { additionalProperties: false },
    ),
    response: ApprovalView,
  }),
  approvalFile: route({
    ...desk,
    method: 'GET',
    path: '/api/v1/operator/approvals/{kind}/{id}/files/{fileId}',
    summary: 'A document of an approval',
    permission: 'operator:use',
    params: Type.Object({ kind: Type.String({ maxLength: 64 }), id: Id, fileId: Id }),
    produces: 'application/octet-stream',
    response: Type.Unknown(),
  }),
  health: route({
    ...desk,
    method: 'GET',
    path: '/api/v1/operator/health',
    summary: 'How every component is',
    permission: 'operator:use',
    response: HealthView,
  }),
  jobs: route({
    ...desk,
    method: 'GET',
    path: '/api/v1/operator/tasks',
    summary: 'Background tasks of every company, newest first',
    permission: 'operator:use',
    query: Type.Object({
      limit: listQuery.limit,
      cursor: listQuery.cursor,
      tenantId: Type.Optional(Id),
      state: Type.Optional(TaskState),
      kind: Type.Optional(Type.String({ maxLength: 64 })),
    }),
    response: listOf(OperatorTask),
  }),
  cancelJob: route({
    ...desk,
    method: 'POST',
    path: '/api/v1/operator/tasks/{id}/cancel',
    summary: 'Stops a company’s task',
    permission: 'operator:write',
    audit: 'task.cancel',
    params: IdParams,
    response: TaskView,
  }),
  retryJob: route({
    ...desk,
    method: 'POST',
    path: '/api/v1/operator/tasks/{id}/retry',
    summary: 'Starts a failed or cancelled task again for whoever started it',
    permission: 'operator:write',
    audit: 'task.start',
    status: 201,
    params: IdParams,
    response: TaskView,
  }),
  announcements: route({
    ...desk,
    method: 'GET',
    path: '/api/v1/operator/announcements',
    summary: 'Announcements, newest first',
    permission: 'announcement:write',
    query: Type.Object({
      limit: listQuery.limit,
      cursor: listQuery.cursor,
      status: Type.Optional(Words(ANNOUNCEMENT_STATES)),
    }),
    response: listOf(AnnouncementView),
  }),
  createAnnouncement: route({
    ...desk,
    method: 'POST',
    path: '/api/v1/operator/announcements',
    summary: 'Writes a draft',
    permission: 'announcement:write',
    audit: 'announcement.create',
    status: 201,
    body: Type.Object(AnnouncementBody, { additionalProperties: false }),
    response: AnnouncementView,
  }),
  updateAnnouncement: route({
    ...desk,
    method: 'PUT',
    path: '/api/v1/operator/announcements/{id}',
    summary: 'Changes a draft',
    permission: 'announcement:write',
    audit: 'announcement.update',
    params: IdParams,
    body: Type.Object({ version: Version, ...AnnouncementBody }, { additionalProperties: false }),
    response: AnnouncementView,
  }),
  publishAnnouncement: route({
    ...desk,
    method: 'POST',
    path: '/api/v1/operator/announcements/{id}/publish',
    summary: 'Shows a draft to its companies, as banner and in the inbox',
    permission: 'announcement:write',
    audit: 'announcement.publish',
    params: IdParams,
    response: AnnouncementView,
  }),
  withdrawAnnouncement: route({
    ...desk,
    method: 'POST',
    path: '/api/v1/operator/announcements/{id}/withdraw',
    summary: 'Takes a published announcement back',
    permission: 'announcement:write',
    audit: 'announcement.withdraw',
    params: IdParams,
    response: AnnouncementView,
  }),
  removeAnnouncement: route({
    ...desk,
    method: 'DELETE',
    path: '/api/v1/operator/announcements/{id}',
    summary: 'Deletes a draft or a withdrawn announcement',
    permission: 'announcement:write',
    audit: 'announcement.remove',
    params: IdParams,
    response: Ok,
  }),
  settings: route({
    ...desk,
    method: 'GET',
    path: '/api/v1/operator/settings',
    summary: 'Settings of the installation',
    permission: 'operator:use',
    response: PlatformSettingsView,
  }),
  setSettings: route({
    ...desk,
    method: 'PUT',
    path: '/api/v1/operator/settings',
    summary: 'Changes settings of the installation',
    permission: 'operator:write',
    audit: 'operator.settings',
    body: PlatformSettingsView,
    response: PlatformSettingsView,
  }),
}

export const announcementsContract = {
  current: route({
    method: 'GET',
    path: '/api/v1/announcements',
    tag: 'Company',
    summary: 'What the platform announces to the caller’s company now',
    permission: 'signed-in',
    anyAccountState: true,
    response: Type.Object({
      items: Type.Array(
        Type.Object({
          id: Id,
          level: Words(LEVELS),
          title: Both,
          text: Both,
          publishedAt: IsoTime,
          expiresAt: Nullable(IsoTime),
        }),
      ),
    }),
  }),
}
