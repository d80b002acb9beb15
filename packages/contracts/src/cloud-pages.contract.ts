import { type Static, Type } from 'typebox'
import { PAGE_CONTROLS, PAGE_KINDS, PAGE_STATES, PAGE_VISIBILITIES, SUFFIX_PATTERN } from './cloud-pages.words.ts'
import { Empty, Id, IdParams, IsoTime, Json, listOf, listQuery, Name, Nullable, Ok, Version, Words } from './common.ts'
import { route } from './route.ts'
import { QUALITIES } from './telemetry.words.ts'

const closed = { additionalProperties: false } as const
const base = '/api/v1/pages'
const tag = 'Pages'
const read = { tag, permission: 'page:read' } as const
const write = { tag, permission: 'page:write' } as const

const Suffix = Type.String({ pattern: SUFFIX_PATTERN, description: 'The address is page/{suffix}' })
const Scene = Type.Unknown({ description: 'The document of the page, as packages/scene describes it' })
const Passcode = Type.String({ minLength: 4, maxLength: 32 })
const Pin = Type.String({ pattern: '^[0-9]{4,12}$', description: '4 to 12 digits' })

export const PageView = Type.Object({
  id: Id,
  name: Type.String(),
  suffix: Type.String(),
  kind: Words(PAGE_KINDS),
  state: Words(PAGE_STATES),
  visibility: Words(PAGE_VISIBILITIES),
  control: Words(PAGE_CONTROLS),
  roleIds: Type.Array(Id),
  hasPasscode: Type.Boolean(),
  hasPin: Type.Boolean(),
  width: Type.Integer(),
  height: Type.Integer(),
  nodes: Type.Integer(),
  cover: Nullable(Type.String({ description: 'A small picture of it as SVG' })),
  publishedNo: Nullable(Type.Integer({ description: 'The version that visitors see' })),
  publishedAt: Nullable(IsoTime),
  /** The draft differs from what visitors see. */
  changed: Type.Boolean(),
  views: Type.Integer(),
  ownerId: Nullable(Id),
  ownerName: Type.String(),
  oldSuffixes: Type.Array(Type.String(), { description: 'Addresses that lead here since the suffix was changed' }),
  version: Type.Integer(),
  createdAt: IsoTime,
  updatedAt: IsoTime,
})
export type PageView = Static<typeof PageView>

export const PageDetail = Type.Object({ ...PageView.properties, scene: Scene })
export type PageDetail = Static<typeof PageDetail>

export const PageVersionView = Type.Object({
  no: Type.Integer(),
  note: Type.String(),
  nodes: Type.Integer(),
  byName: Type.String(),
  createdAt: IsoTime,
  current: Type.Boolean(),
  added: Type.Integer({ description: 'Elements that the version before did not have' }),
  removed: Type.Integer(),
  changed: Type.Integer(),
})
export type PageVersionView = Static<typeof PageVersionView>

export const PageLinkView = Type.Object({
  id: Id,
  name: Type.String(),
  expiresAt: IsoTime,
  state: Words(['valid', 'expired', 'revoked']),
  byName: Type.String(),
  createdAt: IsoTime,
  lastUsedAt: Nullable(IsoTime),
})
export type PageLinkView = Static<typeof PageLinkView>

export const PageValues = Type.Record(
  Type.String(),
  Type.Object({ v: Json, ts: Type.Integer(), q: Words(QUALITIES) }),
  { description: 'By role.point, as bindings name them' },
)
export type PageValues = Static<typeof PageValues>

/** A page as it was at a moment. */
export const PagePast = Type.Object({
  ts: Type.Integer({ description: 'Epoch ms: the moment asked for, or now when that lies ahead' }),
  values: PageValues,
  alarms: Type.Array(
    Type.Object({
      id: Id,
      level: Type.Integer(),
      name: Type.String(),
      device: Type.String(),
      raisedAt: Type.String(),
      acknowledged: Type.Boolean(),
    }),
    { description: 'Open at that moment, the newest first' },
  ),
})
export const PagePastQuery = Type.Object({
  ts: Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000, description: 'Epoch ms' }),
})

const filters = {
  q: listQuery.q,
  sort: listQuery.sort,
  state: Type.Optional(Words(PAGE_STATES)),
  kind: Type.Optional(Words(PAGE_KINDS)),
  visibility: Type.Optional(Words(PAGE_VISIBILITIES)),
  userId: Type.Optional(Id),
}

export const cloudPagesContract = {
  list: route({
    method: 'GET',
    path: base,
    summary: 'Cloud pages that the caller may see. Sorts: createdAt, updatedAt, name, views',
    ...read,
    query: Type.Object({ ...listQuery, ...filters }),
    response: listOf(PageView),
  }),
  export: route({
    method: 'GET',
    path: `${base}/export`,
    summary: 'The pages of the filters as a file',
    ...read,
    query: Type.Object({ ...filters, format: Words(['csv', 'xlsx']) }),
    response: Empty,
    produces: 'application/octet-stream',
  }),
  create: route({
    method: 'POST',
    path: base,
    summary: 'Makes a page: empty, or with a document (a file, a template, a copy)',
    ...write,
    audit: 'page.create',
    status: 201,
    body: Type.Object(
      { name: Name, suffix: Suffix, kind: Type.Optional(Words(PAGE_KINDS)), scene: Type.Optional(Scene) },
      closed,
    ),
    response: PageDetail,
  }),
  get: route({
    method: 'GET',
    path: `${base}/{id}`,
    summary: 'One page with its draft',
    ...read,
    params: IdParams,
    response: PageDetail,
  }),
  update: route({
    method: 'PATCH',
    path: `${base}/{id}`,
    summary: 'Changes name, address and who may see and work it. A changed address keeps leading here',
    ...write,
    audit: 'page.update',
    params: IdParams,
    body: Type.Object(
      {
        version: Version,
        name: Type.Optional(Name),
        suffix: Type.Optional(Suffix),
        visibility: Type.Optional(Words(PAGE_VISIBILITIES)),
        control: Type.Optional(Words(PAGE_CONTROLS)),
        roleIds: Type.Optional(Type.Array(Id, { maxItems: 50 })),
        passcode: Type.Optional(Nullable(Passcode)),
        pin: Type.Optional(Nullable(Pin)),
      },
      closed,
    ),
    response: PageView,
  }),
  remove: route({
    method: 'DELETE',
    path: `${base}/{id}`,
    summary: 'Removes a page with its versions',
    ...write,
    audit: 'page.remove',
    params: IdParams,
    response: Ok,
  }),
  batch: route({
    method: 'POST',
    path: `${base}/batch`,
    summary: 'Withdraws or removes several pages; what refuses is said with its reason',
    ...write,
    audit: 'page.batch',
    body: Type.Object(
      { ids: Type.Array(Id, { minItems: 1, maxItems: 100 }), action: Words(['withdraw', 'remove']) },
      closed,
    ),
    response: Type.Object({
      done: Type.Integer(),
      failed: Type.Array(Type.Object({ id: Id, code: Type.String(), message: Type.String() })),
    }),
  }),
  saveDraft: route({
    method: 'PUT',
    path: `${base}/{id}/draft`,
    summary: 'Saves the draft. 409 when somebody else saved it meanwhile',
    ...write,
    audit: 'page.draft',
    params: IdParams,
    body: Type.Object(
      { version: Version, scene: Scene, cover: Type.Optional(Type.String({ maxLength: 60_000 })) },
      closed,
    ),
    response: PageView,
  }),
  publish: route({
    method: 'POST',
    path: `${base}/{id}/publish`,
    summary: 'Shows the draft to visitors as a new version',
    ...write,
    audit: 'page.publish',
    params: IdParams,
    body: Type.Object({ note: Type.Optional(Type.String({ maxLength: 200 })) }, closed),
    response: PageView,
  }),
  withdraw: route({
    method: 'POST',
    path: `${base}/{id}/withdraw`,
    summary: 'Takes the page from visitors; open ones are cut off within seconds',
    ...write,
    audit: 'page.withdraw',
    params: IdParams,
    response: PageView,
  }),
  versions: route({
    method: 'GET',
    path: `${base}/{id}/versions`,
    summary: 'What was published, the newest first, each with what differs from the one before',
    ...read,
    params: IdParams,
    query: Type.Object({ limit: listQuery.limit, cursor: listQuery.cursor }),
    response: listOf(PageVersionView),
  }),
  version: route({
    method: 'GET',
    path: `${base}/{id}/versions/{no}`,
    summary: 'The document of a version',
    ...read,
    params: Type.Object({ id: Id, no: Type.Integer({ minimum: 1, maximum: 1_000_000 }) }),
    response: Type.Object({ no: Type.Integer(), scene: Scene }),
  }),
  restore: route({
    method: 'POST',
    path: `${base}/{id}/versions/{no}/restore`,
    summary: 'Makes a version the draft again; visitors see it when that is published',
    ...write,
    audit: 'page.restore',
    params: Type.Object({ id: Id, no: Type.Integer({ minimum: 1, maximum: 1_000_000 }) }),
    response: PageDetail,
  }),
  links: route({
    method: 'GET',
    path: `${base}/{id}/links`,
    summary: 'Signed links of a page',
    ...read,
    params: IdParams,
    response: Type.Object({ items: Type.Array(PageLinkView) }),
  }),
  createLink: route({
    method: 'POST',
    path: `${base}/{id}/links`,
    summary: 'Makes a signed link; it is shown this once',
    ...write,
    audit: 'page.link_create',
    status: 201,
    params: IdParams,
    body: Type.Object({ name: Name, days: Type.Integer({ minimum: 1, maximum: 366 }) }, closed),
    response: Type.Object({ ...PageLinkView.properties, path: Type.String({ description: 'page/{suffix}?link=…' }) }),
  }),
  revokeLink: route({
    method: 'DELETE',
    path: `${base}/{id}/links/{linkId}`,
    summary: 'Ends a signed link; who came by it is cut off',
    ...write,
    audit: 'page.link_revoke',
    params: Type.Object({ id: Id, linkId: Id }),
    response: Ok,
  }),
  values: route({
    method: 'GET',
    path: `${base}/{id}/values`,
    summary: 'Values of the draft now, with the rights of the caller: the editor shows them',
    ...read,
    params: IdParams,
    response: Type.Object({ values: PageValues }),
  }),
  past: route({
    method: 'GET',
    path: `${base}/{id}/past`,
    tag,
    summary: 'Values of the draft as they were at a moment: of each property the last one at or before it',
    permission: 'telemetry:read',
    params: IdParams,
    query: PagePastQuery,
    response: PagePast,
  }),
}
