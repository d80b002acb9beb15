import type { EndUserView } from '@thingwright/contracts/end-users.contract'
import { END_USER_MEDIA_BYTES, type EndUserRight, wholeRights } from '@thingwright/contracts/end-users.words'
import { type Ctx, customerOf } from '../../lib/context.ts'
import type { EndUserRow } from './end-users.repo.ts'
import { standingOfLine } from './standing.ts'

/** An end user as the caller may see him: who is one himself sees nobody above him, and no right that he lacks. */
export function toView({ actor }: Ctx, row: EndUserRow): EndUserView {
  const standing = standingOfLine(
    row.line.map(link => ({ ...link, expiresAt: link.expiresAt === null ? null : new Date(link.expiresAt) })),
  )
  const caller = customerOf(actor)
  const rights = standing.rights.filter(right => !caller || caller.rights.includes(right))
  return {
    id: row.id,
    username: row.username,
    name: row.name,
    phone: row.phone,
    email: row.email,
    company: row.company,
    contactName: row.contactName,
    address: row.address,
    remark: row.remark,
    logoId: row.logoId,
    locale: row.locale,
    groupId: row.groupId,
    groupName: row.groupName,
    state: row.state,
    parent: row.parentId === null || row.parentName === null ? null : { id: row.parentId, name: row.parentName },
    level: row.path.length,
    package: row.packageId === null ? null : { id: row.packageId, name: row.packageName ?? '' },
    ownRights: row.ownRights === null ? null : wholeRights(row.ownRights),
    rights: rights as EndUserRight[],
    deviceQuota: row.deviceQuota,
    deviceLimit: row.deviceQuota ?? row.packageQuota,
    mediaQuota: row.mediaQuota,
    mediaLimit: row.mediaQuota ?? row.packageMediaQuota ?? END_USER_MEDIA_BYTES,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    devices: { total: row.devices, online: row.online },
    openAlarms: row.openAlarms,
    smsLeft: row.smsLeft,
    subUsers: row.subUsers,
    lastSignInAt: row.lastSignInAt?.toISOString() ?? null,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
  }
}

/** What the operation log keeps of an end user. */
export function auditFacts(row: EndUserRow): Record<string, unknown> {
  const { username, name, phone, email, company, contactName, address, remark, locale, groupId, parentId, packageId } =
    row
  return {
    username,
    name,
    phone,
    email,
    company,
    contactName,
    address,
    remark,
    locale,
    groupId,
    parentId,
    packageId,
    rights: row.ownRights,
    deviceQuota: row.deviceQuota,
    mediaQuota: row.mediaQuota,
    expiresAt: row.expiresAt?.toISOString() ?? null,
  }
}
