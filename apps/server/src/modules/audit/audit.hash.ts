import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { type AuditLine, createLineSeal } from '../../lib/crypto/audit-line.ts'
import { part, type SqlPart } from '../../lib/sql/statement.ts'

/** What a company's chain begins with. */
export const GENESIS = Buffer.alloc(32)

/** Number of the way in which a line's content is written down; stored with its link. */
export const FORMAT = 1

/**
 * The content of a line as it is hashed: every column of audit_logs, in this order, as one JSON array that PostgreSQL
 * writes. Numbers and texts inside `before` and `after` keep all their digits, which a trip through JavaScript would
 * not promise. Written out here and not as a function of the database: who can change rows can change functions.
 * @param line alias of audit_logs in the statement
 */
export const contentSql = (line: SqlPart): SqlPart => part`jsonb_build_array(${line}.id, ${line}.tenant_id,
  to_char(${line}.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), ${line}.actor_kind, ${line}.actor_id,
  ${line}.actor_name, ${line}.action, ${line}.object_type, ${line}.object_id, ${line}.object_name, ${line}.before,
  ${line}.after, ${line}.result, ${line}.ip, ${line}.request_id, ${line}.user_agent)::text`

function place(seq: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(seq))
  return bytes
}

/** hash = SHA-256(hash before, seq as 8 bytes, content). */
export function linkHash(before: Buffer, seq: number, content: string): Buffer {
  return createHash('sha256').update(before).update(place(seq)).update(content).digest()
}

/**
 * A MAC over a place of a chain with the installation's key: whoever can write the database alone can make new hashes,
 * but no seal for them.
 */
export interface Seal {
  of(tenantId: string, seq: number, hash: Buffer, upto: Date | null): Buffer
  holds(seal: Buffer, tenantId: string, seq: number, hash: Buffer, upto: Date | null): boolean
  /** The same for the place up to which lines are from before lines had a MAC. */
  ofEpoch(tenantId: string, seq: number, hash: Buffer): Buffer
  /** Whether a line is as the application wrote it. */
  wrote(line: AuditLine, mac: Buffer): boolean
}

/**
 * @param key derived from the installation's secret key for this purpose alone
 * @param lineKey the key of the lines' own MACs
 */
export function createSeal(key: Buffer, lineKey: Buffer): Seal {
  const sealLine = createLineSeal(lineKey)
  const placed = (what: string, tenantId: string, seq: number, hash: Buffer) =>
    createHmac('sha256', key).update(tenantId.toLowerCase()).update(place(seq)).update(hash).update(what).digest()
  const same = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b)
  const of: Seal['of'] = (tenantId, seq, hash, upto) =>
    placed(upto ? String(upto.getTime()) : 'head', tenantId, seq, hash)
  return {
    of,
    holds: (seal, ...where) => same(seal, of(...where)),
    ofEpoch: (tenantId, seq, hash) => placed('epoch', tenantId, seq, hash),
    wrote: (line, mac) => same(mac, sealLine(line)),
  }
}

/** Columns of a line as its MAC covers them. @param line alias of audit_logs in the statement */
export const lineSql = (line: SqlPart): SqlPart => part`${line}.mac, ${line}.id, ${line}.tenant_id as "tenantId",
    to_char(${line}.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at,
    ${line}.actor_kind as "actorKind", ${line}.actor_id as "actorId", ${line}.actor_name as "actorName", ${line}.action,
    ${line}.object_type as "objectType", ${line}.object_id as "objectId", ${line}.object_name as "objectName",
    ${line}.before, ${line}.after, ${line}.result, ${line}.ip, ${line}.request_id as "requestId",
    ${line}.user_agent as "userAgent"`
