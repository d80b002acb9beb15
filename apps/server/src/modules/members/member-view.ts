import type { MemberView } from '@thingwright/contracts/members.contract'
import { actorId, type Ctx } from '../../lib/context.ts'
import { lockedUntil } from '../identity/index.ts'
import { OWNER } from '../roles/index.ts'
import type { MemberRow } from './members.repo.ts'

export function toView(ctx: Ctx, row: MemberRow): MemberView {
  const until = lockedUntil(row.failures, row.lastFailureAt)
  return {
    id: row.id,
    state: row.state,
    username: row.username,
    displayName: row.displayName,
    phone: row.phone,
    email: row.email,
    roles: row.roles,
    group: row.groupId && row.groupName !== null ? { id: row.groupId, name: row.groupName } : null,
    isOwner: row.state !== 'invited' && row.roles.some(role => role.key === OWNER),
    isSelf: row.id === actorId(ctx.actor),
    lastSignInAt: row.lastSignInAt?.toISOString() ?? null,
    lockedUntil: until && until.getTime() > ctx.now ? until.toISOString() : null,
    leftAt: row.leftAt?.toISOString() ?? null,
    invitation: row.channel
      ? {
          channel: row.channel,
          invitedBy: row.invitedBy,
          sentAt: row.sentAt!.toISOString(),
          sentCount: row.sentCount!,
          expiresAt: row.expiresAt!.toISOString(),
          expired: row.expiresAt!.getTime() <= ctx.now,
        }
      : null,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
  }
}
