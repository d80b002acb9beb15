import { createHmac } from 'node:crypto'
import { deriveKey } from './crypto-box.ts'

/** A line of the operation log as it is stored, without its MAC. Times are UTC with six digits behind the second. */
export interface AuditLine {
  id: string
  tenantId: string
  at: string
  actorKind: string
  actorId: string | null
  actorName: string
  action: string
  objectType: string
  objectId: string | null
  objectName: string | null
  before: unknown
  after: unknown
  result: string
  ip: string | null
  requestId: string | null
  userAgent: string | null
}

/** The MAC of a line. */
export type LineSeal = (line: AuditLine) => Buffer

/** The key of lines' MACs: whoever writes lines, and whoever verifies them, derives it. */
export function auditLineKey(secretKey: string): Buffer {
  return deriveKey(secretKey, 'audit-line')
}

/** @param key derived from the installation's secret key for this purpose alone */
export function createLineSeal(key: Buffer): LineSeal {
  return line =>
    createHmac('sha256', key)
      .update(
        JSON.stringify([
          1,
          line.id.toLowerCase(),
          line.tenantId.toLowerCase(),
          line.at,
          line.actorKind,
          line.actorId?.toLowerCase() ?? null,
          line.actorName,
          line.action,
          line.objectType,
          line.objectId,
          line.objectName,
          sorted(line.before ?? null),
          sorted(line.after ?? null),
          line.result,
          line.ip,
          line.requestId,
          line.userAgent,
        ]),
      )
      .digest()
}

/** JSON whose keys stand in one order: PostgreSQL gives them back in its own. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}

/** A time as it is stored and sealed. */
export function lineTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z')
}
