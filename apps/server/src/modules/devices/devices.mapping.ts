import type { DeviceView, SessionView } from '@thingwright/contracts/devices.contract'
import type { Static } from 'typebox'
import type { DeviceRow } from './devices.repo.ts'
import type { SessionInfo } from './gateway.port.ts'

const iso = (time: Date | null) => time?.toISOString() ?? null

export function toView(row: DeviceRow): DeviceView {
  return {
    id: row.id,
    deviceNo: row.deviceNo,
    name: row.name,
    productId: row.productId,
    productKey: row.productKey,
    productName: row.productName,
    productIcon: row.productIcon,
    category: row.category,
    linkType: row.linkType,
    nodeType: row.nodeType,
    firmware: row.firmware,
    groupId: row.groupId,
    groupName: row.groupName,
    owner: row.ownerId === null ? null : { id: row.ownerId, name: row.ownerName ?? '' },
    tags: row.tags,
    attributes: row.attributes,
    description: row.description,
    location: row.location,
    lifecycle: row.lifecycle,
    link: row.link ?? 'never',
    alarmLevel: row.alarmLevel ?? 0,
    offlineDelaySeconds: row.offlineDelaySeconds,
    lastSeenAt: iso(row.lastSeenAt),
    onlineSince: iso(row.onlineSince),
    lastOfflineAt: iso(row.lastOfflineAt),
    lastOfflineReason: row.lastOfflineReason,
    activatedAt: iso(row.activatedAt),
    recycledAt: iso(row.recycledAt),
    version: row.version,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/** What the operation log keeps of a device. */
export function auditFacts(row: DeviceRow): Record<string, unknown> {
  return {
    productKey: row.productKey,
    deviceNo: row.deviceNo,
    name: row.name,
    groupId: row.groupId,
    tags: row.tags,
    attributes: row.attributes,
    description: row.description,
    location: row.location,
    lifecycle: row.lifecycle,
    offlineDelaySeconds: row.offlineDelaySeconds,
  }
}

export function toSessionView(session: SessionInfo): Static<typeof SessionView> {
  return { ...session, connectedAt: new Date(session.connectedAt).toISOString() }
}
