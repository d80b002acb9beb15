import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { holdable, part, sql } from '../../lib/sql/statement.ts'

export interface InvitationRow {
  id: string
  tenantId: string
  companyName: string
  companyKind: 'platform' | 'company'
  channel: 'mail' | 'sms'
  address: string
  displayName: string
  roleIds: string[]
  groupId: string | null
  locale: 'zh' | 'en'
  invitedBy: string | null
  inviterName: string | null
  sentCount: number
  sentAt: Date
  expiresAt: Date
}

const INVITATION = part`select i.id, i.tenant_id as "tenantId", t.name as "companyName", t.kind as "companyKind", i.channel, i.address,
  i.display_name as "displayName", i.role_ids as "roleIds", i.group_id as "groupId", i.locale, i.invited_by as "invitedBy",
  coalesce(nullif(l.display_name, ''), l.username) as "inviterName", i.sent_count as "sentCount", i.sent_at as "sentAt", i.expires_at as "expiresAt"
  from invitations i join tenants t on t.id = i.tenant_id left join logins l on l.id = i.invited_by
  where i.accepted_at is null and i.revoked_at is null`

const INSERT_INVITATION = sql`insert into invitations (id, tenant_id, channel, address, display_name, role_ids, group_id, locale, token_hash, invited_by, sent_at, created_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $12)`

export async function insertInvitation(
  scope: TenantScope,
  row: {
    id: string
    channel: 'mail' | 'sms'
    address: string
    displayName: string
    roleIds: string[]
    groupId: string | null
    locale: string
    tokenHash: Buffer
    invitedBy: string | null
    at: Date
    expiresAt: Date
  },
): Promise<void> {
  await scope.run(INSERT_INVITATION, [
    row.id,
    scope.tenantId,
    row.channel,
    row.address,
    row.displayName,
    row.roleIds,
    row.groupId,
    row.locale,
    row.tokenHash,
    row.invitedBy,
    row.at,
    row.expiresAt,
  ])
}

const LOCK_INVITATION = sql<InvitationRow>`${INVITATION} and i.tenant_id = $1 and i.id = $2 for update of i`

/** An open invitation of the company, held until the transaction ends. */
export async function lockInvitation(scope: TenantScope, id: string): Promise<InvitationRow | undefined> {
  return (await scope.run(LOCK_INVITATION, [scope.tenantId, id])).rows[0]
}

const RENEW_INVITATION = sql`update invitations set token_hash = $3, sent_at = $4, expires_at = $5, sent_count = sent_count + 1, version = version + 1, updated_at = now()
  where tenant_id = $1 and id = $2`

/** A new link for an invitation; the one before is good no more. */
export async function renewInvitation(
  scope: TenantScope,
  id: string,
  link: { tokenHash: Buffer; at: Date; expiresAt: Date },
): Promise<void> {
  await scope.run(RENEW_INVITATION, [scope.tenantId, id, link.tokenHash, link.at, link.expiresAt])
}

const REVOKE_INVITATION = sql`update invitations set revoked_at = $3, version = version + 1, updated_at = now() where tenant_id = $1 and id = $2`

export async function revokeInvitation(scope: TenantScope, id: string, at: Date): Promise<void> {
  await scope.run(REVOKE_INVITATION, [scope.tenantId, id, at])
}

const INVITATION_BY_TOKEN = holdable(
  sql<InvitationRow>`${INVITATION} and i.token_hash = $1 and i.expires_at > $2`,
  part`for update of i`,
)

/** The open invitation behind a link, whichever company's. @param lock of two who accept at once one is first */
export async function invitationByToken(
  scope: SystemScope,
  tokenHash: Buffer,
  at: Date,
  lock = false,
): Promise<InvitationRow | undefined> {
  return (await scope.run(lock ? INVITATION_BY_TOKEN.held : INVITATION_BY_TOKEN.free, [tokenHash, at])).rows[0]
}

const MARK_ACCEPTED = sql`update invitations set accepted_at = $2, accepted_by = $3, updated_at = now() where id = $1`

export async function markAccepted(scope: SystemScope, id: string, loginId: string, at: Date): Promise<void> {
  await scope.run(MARK_ACCEPTED, [id, at, loginId])
}
