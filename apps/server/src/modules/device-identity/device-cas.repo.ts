import type { TenantScope } from '../../lib/database/database.ts'
import { holdable, part, sql } from '../../lib/sql/statement.ts'

export interface CaRow {
  id: string
  name: string
  certificate: string
  subject: string
  fingerprint: string
  notBefore: Date
  notAfter: Date
  state: 'unproven' | 'active' | 'disabled'
  proofCode: string | null
  keyKept: boolean
  devices: number
  createdAt: Date
}

const CA = part`a.id, a.name, a.certificate, a.subject, a.fingerprint, a.not_before as "notBefore",
  a.not_after as "notAfter", a.state, a.proof_code as "proofCode", a.key_cipher is not null as "keyKept",
  a.created_at as "createdAt",
  (select count(*)::int from device_certificates c where c.ca_id = a.id and c.state = 'active' and c.not_after > now()) as devices`

const LIST_CAS = sql<CaRow>`select ${CA} from device_cas a order by a.created_at desc, a.id`

export async function listCas(scope: TenantScope): Promise<CaRow[]> {
  return (await scope.run(LIST_CAS)).rows
}

const FIND_CA = holdable(sql<CaRow>`select ${CA} from device_cas a where a.id = $1`, part`for update of a`)

/** @param lock this transaction changes it */
export async function findCa(scope: TenantScope, id: string, lock = false): Promise<CaRow | undefined> {
  const { rows } = await scope.run(lock ? FIND_CA.held : FIND_CA.free, [id])
  return rows[0]
}

const KEY_OF_CA = sql<{ key: Buffer | null }>`select key_cipher as key from device_cas where id = $1`

export async function keyOfCa(scope: TenantScope, id: string): Promise<Buffer | null> {
  return (await scope.run(KEY_OF_CA, [id])).rows[0]?.key ?? null
}

export interface NewCa {
  id: string
  name: string
  certificate: string
  subject: string
  subjectHash: Buffer
  fingerprint: string
  notBefore: Date
  notAfter: Date
  state: CaRow['state']
  proofCode: string | null
  keyCipher: Buffer | null
}

const LOCK = sql`select pg_advisory_xact_lock(hashtextextended($1, 0))`

const COUNT_DEVICE_CAS = sql<{ count: number }>`select count(*)::int as count from device_cas`

/** One at a time adds to a company: the number of authorities is bounded. */
export async function countCasForUpdate(scope: TenantScope): Promise<number> {
  await scope.run(LOCK, [`device_cas:${scope.tenantId}`])
  const { rows } = await scope.run(COUNT_DEVICE_CAS)
  return rows[0]!.count
}

const INSERT_CA = sql`insert into device_cas (id, tenant_id, name, certificate, subject, subject_hash, fingerprint, not_before, not_after,
    state, proof_code, key_cipher)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`

export async function insertCa(scope: TenantScope, ca: NewCa): Promise<void> {
  await scope.run(INSERT_CA, [
    ca.id,
    scope.tenantId,
    ca.name,
    ca.certificate,
    ca.subject,
    ca.subjectHash,
    ca.fingerprint,
    ca.notBefore,
    ca.notAfter,
    ca.state,
    ca.proofCode,
    ca.keyCipher,
  ])
}

const SET_CA_STATE = sql`update device_cas set state = $2, proof_code = null where id = $1`

export async function setCaState(scope: TenantScope, id: string, state: CaRow['state']): Promise<void> {
  await scope.run(SET_CA_STATE, [id, state])
}

const DELETE_CA = sql`delete from device_cas where id = $1`

export async function deleteCa(scope: TenantScope, id: string): Promise<void> {
  await scope.run(DELETE_CA, [id])
}

const DEVICES_OF_CA = sql<{
  num: number
}>`select distinct d.num from device_certificates c join devices d on d.id = c.device_id
  where c.ca_id = $1 and c.state = 'active'`

/** Devices that hold a certificate of the authority: who they are once it counts no more. */
export async function devicesOfCa(scope: TenantScope, id: string): Promise<number[]> {
  const { rows } = await scope.run(DEVICES_OF_CA, [id])
  return rows.map(row => row.num)
}

export interface AuthorityRow {
  id: string
  tenant_id: string
  name: string
  certificate: string
  subject: string
  not_after: Date
  state: CaRow['state']
  revoked: boolean
}

const AUTHORITIES_OF = sql<AuthorityRow>`select a.id, a.tenant_id, a.name, a.certificate, a.subject, a.not_after, a.state,
    exists (select 1 from device_certificates c where c.ca_id = a.id and c.serial = $2 and c.state = 'revoked') as revoked
  from device_cas a where a.subject_hash = $1`

/** The company's own authorities of a name. */
export async function authoritiesOf(scope: TenantScope, subjectHash: Buffer, serial: string): Promise<AuthorityRow[]> {
  const { rows } = await scope.run(AUTHORITIES_OF, [subjectHash, serial])
  return rows
}

const DEVICE_BY_CERTIFICATE = sql<{
  name: string
  productKey: string
}>`select d.name, o.product_key as "productKey" from devices d join product_names o on o.id = d.product_id
  where d.device_no = $1 and d.recycled_at is null and ($2::text is null or o.product_key = $2) limit 2`

export async function deviceByCertificate(
  scope: TenantScope,
  productKey: string | null,
  deviceNo: string,
): Promise<{ name: string; productKey: string }[]> {
  const { rows } = await scope.run(DEVICE_BY_CERTIFICATE, [deviceNo, productKey])
  return rows
}

// ───────────── certificates of devices ─────────────

export interface CertificateRow {
  id: string
  caId: string
  caName: string
  serial: string
  subject: string
  notAfter: Date | null
  state: 'active' | 'revoked'
  createdAt: Date
}

const CERTIFICATE = part`c.id, c.ca_id as "caId", a.name as "caName", c.serial, c.subject, c.not_after as "notAfter", c.state,
  c.created_at as "createdAt"`

const CERTIFICATES_OF_DEVICE = sql<CertificateRow>`select ${CERTIFICATE} from device_certificates c join device_cas a on a.id = c.ca_id
  where c.device_id = $1 order by c.created_at desc, c.id limit 50`

/** The latest first, at most 50. */
export async function certificatesOfDevice(scope: TenantScope, deviceId: string): Promise<CertificateRow[]> {
  const { rows } = await scope.run(CERTIFICATES_OF_DEVICE, [deviceId])
  return rows
}

const FIND_CERTIFICATE = sql<CertificateRow>`select ${CERTIFICATE} from device_certificates c join device_cas a on a.id = c.ca_id
  where c.device_id = $1 and c.id = $2`

export async function findCertificate(
  scope: TenantScope,
  deviceId: string,
  id: string,
): Promise<CertificateRow | undefined> {
  const { rows } = await scope.run(FIND_CERTIFICATE, [deviceId, id])
  return rows[0]
}

const INSERT_CERTIFICATE = sql`insert into device_certificates (id, tenant_id, ca_id, device_id, serial, subject, fingerprint, not_before, not_after)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

export async function insertCertificate(
  scope: TenantScope,
  row: {
    id: string
    caId: string
    deviceId: string
    serial: string
    subject: string
    fingerprint: string
    notBefore: Date
    notAfter: Date
  },
): Promise<void> {
  await scope.run(INSERT_CERTIFICATE, [
    row.id,
    scope.tenantId,
    row.caId,
    row.deviceId,
    row.serial,
    row.subject,
    row.fingerprint,
    row.notBefore,
    row.notAfter,
  ])
}

const REVOKE_CERTIFICATE = sql`update device_certificates set state = 'revoked', revoked_at = now() where id = $1 and state = 'active'`

export async function revokeCertificate(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REVOKE_CERTIFICATE, [id])
}

const INSERT_DEVICE_CERTIFICATES = sql<{
  device_id: string | null
}>`insert into device_certificates (id, tenant_id, ca_id, serial, subject, state, revoked_at)
  values ($1, $2, $3, $4, '', 'revoked', now())
  on conflict (ca_id, serial) do update set state = 'revoked', revoked_at = coalesce(device_certificates.revoked_at, now())
  returning device_id`

const SELECT_DEVICES = sql<{ num: number }>`select num from devices where id = $1`

/** Revokes by serial number, also what was not made here. @returns the number of its device, where that is known */
export async function revokeSerial(
  scope: TenantScope,
  id: string,
  caId: string,
  serial: string,
): Promise<number | null> {
  const { rows } = await scope.run(INSERT_DEVICE_CERTIFICATES, [id, scope.tenantId, caId, serial])
  const device = rows[0]?.device_id
  if (!device) return null
  const found = await scope.run(SELECT_DEVICES, [device])
  return found.rows[0]?.num ?? null
}

// ───────────── ends that come near ─────────────

const WARN_OF_CAS = sql<{ name: string; notAfter: Date }>`update device_cas set warned_at = now()
  where tenant_id = $1 and state = 'active' and warned_at is null and not_after < $2
  returning name, not_after as "notAfter"`

/** Authorities in use that end before then and of which nobody was told; told from now on. */
export async function warnOfCas(scope: TenantScope, until: Date): Promise<{ name: string; notAfter: Date }[]> {
  const { rows } = await scope.run(WARN_OF_CAS, [scope.tenantId, until])
  return rows
}

const WARN_OF_CERTIFICATES = sql<{ deviceId: string; name: string; notAfter: Date }>`with told as (
    update device_certificates set warned_at = now()
    where tenant_id = $1 and state = 'active' and warned_at is null and not_after < $2
    returning device_id, not_after)
  select d.id as "deviceId", d.name, told.not_after as "notAfter" from told
  join devices d on d.id = told.device_id and d.recycled_at is null order by told.not_after, d.id`

/** The same of devices' certificates; the first end first. */
export async function warnOfCertificates(
  scope: TenantScope,
  until: Date,
): Promise<{ deviceId: string; name: string; notAfter: Date }[]> {
  const { rows } = await scope.run(WARN_OF_CERTIFICATES, [scope.tenantId, until])
  return rows
}
