import type pg from 'pg'
import type { Authority } from '../../lib/crypto/client-certificate.ts'
import { part, runOn, sql } from '../../lib/sql/statement.ts'

/** A device by the two words that the directory knows it by. */
export interface DeviceName {
  productKey: string
  deviceNo: string
}

export interface SecretRow {
  num: number
  id: string
  secret_cipher: Buffer
  previous_secret_cipher: Buffer | null
  previous_secret_until: Date | null
}

/** What sign-in asks of the database beyond the directory, bound to the telemetry role's pool. */
export interface IdentityQueries {
  /** Owners of access tokens by their SHA-256 in hex; also of the previous token within its time. */
  tokenOwners(hashes: readonly string[]): Promise<Map<string, DeviceName>>
  /** Devices of this number whose product takes the bare number; at most two, for two are already not one. */
  bareNumber(deviceNo: string): Promise<DeviceName[]>
  /** Devices of this number in a company; at most two. */
  inCompany(tenantId: string, deviceNo: string): Promise<DeviceName[]>
  secrets(nums: readonly number[]): Promise<Map<number, SecretRow>>
  /** Authorities of the issuer's name, of whatever company; a signature tells which. */
  authorities(subjectHash: Buffer, serial: string): Promise<Authority[]>
}

const NAME = part`p.product_key as "productKey", d.device_no as "deviceNo"`

const TOKEN_OWNERS = sql<DeviceName & { hash: Buffer }>`select ${NAME}, k.hash from unnest($1::bytea[]) as k (hash)
  join devices d on d.access_token_hash = k.hash or (d.previous_token_hash = k.hash and d.previous_token_until > now())
  join products p on p.id = d.product_id and p.deleted_at is null`.named('identity-tokens')

const BARE_NUMBER =
  sql<DeviceName>`select ${NAME} from devices d join products p on p.id = d.product_id and p.deleted_at is null
  where d.device_no = $1 and d.recycled_at is null
    and p.link -> 'register' ->> 'kind' in ('text', 'hex', 'regex', 'json') limit 2`.named('identity-bare-number')

const IN_COMPANY =
  sql<DeviceName>`select ${NAME} from devices d join products p on p.id = d.product_id and p.deleted_at is null
  where d.device_no = $2 and d.tenant_id = $1 and d.recycled_at is null limit 2`.named('identity-in-company')

const SECRETS = sql<SecretRow>`select num, id, secret_cipher, previous_secret_cipher, previous_secret_until from devices
  where num = any ($1::int[])`.named('identity-secrets')

const AUTHORITIES = sql<Authority>`select a.tenant_id, a.certificate, a.not_after, a.state,
    exists (select 1 from device_certificates c
      where c.ca_id = a.id and c.serial = $2 and c.state = 'revoked') as revoked
  from device_cas a where a.subject_hash = $1 limit 16`.named('identity-authorities')

export function identityQueries(db: pg.Pool): IdentityQueries {
  return {
    async tokenOwners(hashes) {
      const { rows } = await runOn(db, TOKEN_OWNERS, [hashes.map(hash => Buffer.from(hash, 'hex'))])
      return new Map(rows.map(({ hash, ...name }) => [hash.toString('hex'), name]))
    },
    async bareNumber(deviceNo) {
      const { rows } = await runOn(db, BARE_NUMBER, [deviceNo])
      return rows
    },
    async inCompany(tenantId, deviceNo) {
      const { rows } = await runOn(db, IN_COMPANY, [tenantId, deviceNo])
      return rows
    },
    async secrets(nums) {
      const { rows } = await runOn(db, SECRETS, [nums])
      return new Map(rows.map(row => [row.num, row]))
    },
    async authorities(subjectHash, serial) {
      const { rows } = await runOn(db, AUTHORITIES, [subjectHash, serial])
      return rows
    },
  }
}
