import type { PortalImage, PortalSection } from '@thingwright/contracts/apps.words'
import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface WebAppRow {
  id: string
  tenantId: string
  suffix: string
  host: string | null
  name: string
  nameEn: string
  colour: string | null
  copyright: string
  icp: string
  language: 'auto' | 'zh' | 'en'
  menus: { section: PortalSection; page?: string; zh?: string; en?: string }[]
  home: string
  enabled: boolean
  certificate: string | null
  keyCipher: Buffer | null
  images: PortalImage[]
  version: number
  createdAt: Date
  updatedAt: Date
}

export type WebAppValues = Pick<
  WebAppRow,
  | 'suffix'
  | 'host'
  | 'name'
  | 'nameEn'
  | 'colour'
  | 'copyright'
  | 'icp'
  | 'language'
  | 'menus'
  | 'home'
  | 'enabled'
  | 'certificate'
  | 'keyCipher'
>

const COLUMNS = part`w.id, w.tenant_id as "tenantId", w.suffix, w.host, w.name, w.name_en as "nameEn", w.colour, w.copyright, w.icp, w.language,
  w.menus, w.home, w.enabled, w.certificate, w.key_cipher as "keyCipher", w.version, w.created_at as "createdAt", w.updated_at as "updatedAt",
  array(select i.kind from web_app_images i where i.app_id = w.id order by i.kind) as images`

const LIST = sql<WebAppRow>`select ${COLUMNS} from web_apps w where w.tenant_id = $1`

/** The portal of the company of the scope, or none. */
export async function list(scope: TenantScope): Promise<WebAppRow[]> {
  return (await scope.run(LIST, [scope.tenantId])).rows
}

const FIND = sql<WebAppRow>`select ${COLUMNS} from web_apps w where w.id = $1`

export async function find(scope: TenantScope, id: string): Promise<WebAppRow | undefined> {
  return (await scope.run(FIND, [id])).rows[0]
}

const INSERT = sql`insert into web_apps (id, tenant_id, name, suffix) values ($1, $2, $3, $4)`

export async function insert(
  scope: TenantScope,
  id: string,
  { name, suffix }: Pick<WebAppRow, 'name' | 'suffix'>,
): Promise<void> {
  await scope.run(INSERT, [id, scope.tenantId, name, suffix])
}

const UPDATE = sql<{
  id: string
}>`update web_apps set suffix = $3, host = $4, name = $5, name_en = $6, colour = $7, copyright = $8, icp = $9,
    language = $10, menus = $11, home = $12, enabled = $13, certificate = $14, key_cipher = $15, version = version + 1, updated_at = now()
  where id = $1 and version = $2 returning id`

/** @returns false when it has another version by now */
export async function update(scope: TenantScope, id: string, version: number, v: WebAppValues): Promise<boolean> {
  const { rows } = await scope.run(UPDATE, [
    id,
    version,
    v.suffix,
    v.host,
    v.name,
    v.nameEn,
    v.colour,
    v.copyright,
    v.icp,
    v.language,
    JSON.stringify(v.menus),
    v.home,
    v.enabled,
    v.certificate,
    v.keyCipher,
  ])
  return rows.length > 0
}

const REMOVE = sql`delete from web_apps where id = $1`

export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE, [id])
}

const SET_IMAGE = sql`insert into web_app_images (app_id, tenant_id, kind, content_type, bytes) values ($1, $2, $3, $4, $5)
  on conflict (app_id, kind) do update set content_type = excluded.content_type, bytes = excluded.bytes`
const REMOVE_IMAGE = sql`delete from web_app_images where app_id = $1 and kind = $2`

export async function setImage(
  scope: TenantScope,
  id: string,
  kind: PortalImage,
  image: { type: string; bytes: Buffer } | null,
): Promise<void> {
  if (image) await scope.run(SET_IMAGE, [id, scope.tenantId, kind, image.type, image.bytes])
  else await scope.run(REMOVE_IMAGE, [id, kind])
}

// What anybody may ask for

export interface PortalRow extends WebAppRow {
  appId: string
}

const OF_SUFFIX = sql<PortalRow>`select ${COLUMNS}, t.app_id as "appId" from web_apps w join tenants t on t.id = w.tenant_id
  where w.suffix = $1 and w.enabled`
const OF_HOST = sql<PortalRow>`select ${COLUMNS}, t.app_id as "appId" from web_apps w join tenants t on t.id = w.tenant_id
  where w.host = $1 and w.enabled`

/** An enabled portal by its suffix. */
export async function ofSuffix(scope: SystemScope, suffix: string): Promise<PortalRow | undefined> {
  return (await scope.run(OF_SUFFIX, [suffix])).rows[0]
}

/** An enabled portal by its host. */
export async function ofHost(scope: SystemScope, host: string): Promise<PortalRow | undefined> {
  return (await scope.run(OF_HOST, [host])).rows[0]
}

const IMAGE = sql<{
  type: string
  bytes: Buffer
}>`select content_type as type, bytes from web_app_images where app_id = $1 and kind = $2`

export async function image(
  scope: SystemScope,
  id: string,
  kind: PortalImage,
): Promise<{ type: string; bytes: Buffer } | undefined> {
  return (await scope.run(IMAGE, [id, kind])).rows[0]
}

const CERTIFICATE = sql<HostCertificate>`select id, version, certificate, key_cipher as "keyCipher" from web_apps
  where host = $1 and enabled and certificate is not null and key_cipher is not null`

export interface HostCertificate {
  id: string
  version: number
  certificate: string | null
  keyCipher: Buffer | null
}

/** The certificate that a host is served with. */
export async function certificateOf(scope: SystemScope, host: string): Promise<HostCertificate | undefined> {
  return (await scope.run(CERTIFICATE, [host])).rows[0]
}

const TAKEN = sql<{ taken: boolean }>`select exists (select from web_apps where suffix = $1) as taken`

export async function isSuffixTaken(scope: SystemScope, suffix: string): Promise<boolean> {
  return (await scope.run(TAKEN, [suffix])).rows[0]!.taken
}

const IMAGES = sql<{
  kind: PortalImage
  type: string
  bytes: Buffer
}>`select kind, content_type as type, bytes from web_app_images
  where app_id = $1 order by kind`

export async function imagesOf(scope: TenantScope, id: string) {
  return (await scope.run(IMAGES, [id])).rows
}
