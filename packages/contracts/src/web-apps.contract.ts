import { type Static, Type } from 'typebox'
import {
  CERTIFICATE_STATES,
  PORTAL_IMAGE_KB,
  PORTAL_IMAGES,
  PORTAL_LANGUAGES,
  PORTAL_MENUS_MOST,
  PORTAL_SECTIONS,
} from './apps.words.ts'
import { Id, IdParams, IsoTime, Nullable, Ok, Version, Words } from './common.ts'
import { route } from './route.ts'

const closed = { additionalProperties: false } as const
const tag = 'Apps'
const base = '/api/v1/web-apps'
const read = { tag, permission: 'app:read', wholeCompany: true } as const
const write = { tag, permission: 'app:write', wholeCompany: true } as const

const PortalMenu = Type.Object(
  {
    section: Words(PORTAL_SECTIONS),
    page: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', description: 'Suffix of the cloud page' })),
    zh: Type.Optional(Type.String({ maxLength: 16, description: 'Another name than the usual one; a page has none' })),
    en: Type.Optional(Type.String({ maxLength: 24 })),
  },
  closed,
)
const Suffix = Type.String({ pattern: '^[a-z0-9](?:[a-z0-9-]{1,30}[a-z0-9])$', minLength: 3, maxLength: 32 })
const Host = Type.String({ maxLength: 253, description: 'A domain name that points to this server' })

export const CertificateView = Type.Object({
  subject: Type.String(),
  issuer: Type.String(),
  names: Type.Array(Type.String()),
  from: IsoTime,
  to: IsoTime,
  fingerprint: Type.String(),
  selfSigned: Type.Boolean(),
  state: Words(CERTIFICATE_STATES),
})
export type CertificateView = Static<typeof CertificateView>

const facts = {
  name: Type.String({ minLength: 1, maxLength: 32, pattern: '\\S' }),
  nameEn: Type.String({ maxLength: 48 }),
  colour: Nullable(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })),
  copyright: Type.String({ maxLength: 100 }),
  icp: Type.String({ maxLength: 40, description: 'Number of the ICP record, shown below the sign-in' }),
  language: Words(PORTAL_LANGUAGES),
  menus: Type.Array(PortalMenu, { minItems: 1, maxItems: PORTAL_MENUS_MOST }),
  home: Type.String({
    maxLength: 80,
    pattern: '^(?:devices|alarms|account|page/[A-Za-z0-9_-]{1,64})$',
    description: 'What opens first: one of the menu',
  }),
}

export const WebAppView = Type.Object({
  id: Id,
  suffix: Suffix,
  ...facts,
  host: Nullable(Host),
  enabled: Type.Boolean(),
  images: Type.Array(Words(PORTAL_IMAGES)),
  certificate: Nullable(CertificateView),
  path: Type.String({ description: 'Where the portal is on every host of this installation' }),
  url: Nullable(Type.String({ description: 'Where it is on its own host' })),
  version: Type.Integer(),
  createdAt: IsoTime,
  updatedAt: IsoTime,
})
export type WebAppView = Static<typeof WebAppView>

export const PortalView = Type.Object({
  suffix: Suffix,
  appId: Type.String({ description: 'Whose end users sign in here' }),
  ...facts,
  images: Type.Array(Words(PORTAL_IMAGES)),
  stamp: Type.String({ description: 'Changes with every change: a part of the addresses of images' }),
})
export type PortalView = Static<typeof PortalView>

const HostCheck = Type.Object({
  resolves: Type.Boolean(),
  addresses: Type.Array(Type.String()),
  alias: Nullable(Type.String({ description: 'What its CNAME names' })),
  reached: Type.Boolean({ description: 'Whether the portal answered there' }),
  said: Type.String({ description: 'What went wrong, as it was said' }),
})

const PortalParams = Type.Object({ suffix: Type.String({ maxLength: 64 }) })
const open = { tag: 'Portals', permission: 'public' } as const

export const webAppsContract = {
  list: route({
    ...read,
    method: 'GET',
    path: base,
    summary: 'The portal of the company for its end users; empty before it is made',
    response: Type.Object({ items: Type.Array(WebAppView) }),
  }),
  create: route({
    ...write,
    method: 'POST',
    path: base,
    summary: 'Makes the portal, switched off: it is shown when it is enabled',
    audit: 'web_app.create',
    status: 201,
    body: Type.Object({ name: facts.name, suffix: Suffix }, closed),
    example: { body: { name: 'Pumps', suffix: 'pumps' } },
    response: WebAppView,
  }),
  update: route({
    ...write,
    method: 'PATCH',
    path: `${base}/{id}`,
    summary: 'Changes brand, menus, home page, host or whether it is shown',
    audit: 'web_app.update',
    params: IdParams,
    body: Type.Object(
      {
        name: Type.Optional(facts.name),
        nameEn: Type.Optional(facts.nameEn),
        colour: Type.Optional(facts.colour),
        copyright: Type.Optional(facts.copyright),
        icp: Type.Optional(facts.icp),
        language: Type.Optional(facts.language),
        menus: Type.Optional(facts.menus),
        home: Type.Optional(facts.home),
        suffix: Type.Optional(Suffix),
        host: Type.Optional(Nullable(Host)),
        enabled: Type.Optional(Type.Boolean()),
        version: Version,
      },
      closed,
    ),
    example: {
      params: { id: '{{create.id}}' },
      body: {
        nameEn: 'Pumps',
        copyright: '2026 Pumps Ltd',
        host: 'portal.pumps.example',
        enabled: true,
        version: '{{create.version}}',
      },
    },
    response: WebAppView,
  }),
  setImage: route({
    ...write,
    method: 'PUT',
    path: `${base}/{id}/images/{kind}`,
    summary: 'Sets the logo, favicon or background of the sign-in page; null removes it',
    audit: 'web_app.image',
    params: Type.Object({ id: Id, kind: Words(PORTAL_IMAGES) }),
    body: Type.Object(
      {
        data: Nullable(
          Type.String({
            maxLength: Math.ceil((PORTAL_IMAGE_KB.background * 1024 * 4) / 3) + 100,
            description: 'A data URL: PNG, JPEG, WebP or SVG',
          }),
        ),
      },
      closed,
    ),
    example: {
      params: { id: '{{create.id}}', kind: 'logo' },
      body: {
        data: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      },
    },
    response: WebAppView,
  }),
  setCertificate: route({
    ...write,
    method: 'PUT',
    path: `${base}/{id}/certificate`,
    summary: 'Stores the certificate of the host with its key; the key is never shown again',
    audit: 'web_app.certificate',
    params: IdParams,
    body: Type.Object(
      {
        certificate: Type.String({ minLength: 1, maxLength: 65_536, description: 'PEM, its own first' }),
        key: Type.String({ minLength: 1, maxLength: 16_384, description: 'PEM, without a password' }),
      },
      closed,
    ),
    response: WebAppView,
  }),
  removeCertificate: route({
    ...write,
    method: 'DELETE',
    path: `${base}/{id}/certificate`,
    summary: 'Removes the certificate: the host is served without it',
    audit: 'web_app.certificate',
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: WebAppView,
  }),
  checkHost: route({
    ...write,
    method: 'POST',
    path: `${base}/{id}/check`,
    summary: 'Looks whether the host names this server and whether the portal answers there',
    audit: { none: 'it looks and changes nothing' },
    params: IdParams,
    response: HostCheck,
  }),
  remove: route({
    ...write,
    method: 'DELETE',
    path: `${base}/{id}`,
    summary: 'Removes the portal with its images and certificate',
    audit: 'web_app.remove',
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: Ok,
  }),
}

export const portalsContract = {
  here: route({
    ...open,
    method: 'GET',
    path: '/api/v1/public/portal',
    summary: 'The portal that has the host of the request; 404 on every other host',
    response: PortalView,
  }),
  get: route({
    ...open,
    method: 'GET',
    path: '/api/v1/public/portals/{suffix}',
    summary: 'What the sign-in page of a portal shows; 404 also on the host of another portal',
    params: PortalParams,
    response: PortalView,
  }),
  image: route({
    ...open,
    method: 'GET',
    path: '/api/v1/public/portals/{suffix}/images/{kind}',
    summary: 'An image of the portal',
    params: Type.Object({ suffix: Type.String({ maxLength: 64 }), kind: Words(PORTAL_IMAGES) }),
    query: Type.Object({ v: Type.Optional(Type.String({ maxLength: 40 })) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  manifest: route({
    ...open,
    method: 'GET',
    path: '/api/v1/public/portals/{suffix}/manifest',
    summary: 'The web app manifest with which the portal can be installed',
    params: PortalParams,
    response: Type.String(),
    produces: 'application/manifest+json',
  }),
}
