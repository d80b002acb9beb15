import { createHash } from 'node:crypto'
import type { ProductDetail, ProductView } from '@thingwright/contracts/products.contract'
import { diffModels, type ThingModel } from '@thingwright/thing-model'
import type { ProductRow } from './products.rows.ts'
import type { DeviceCounts } from './products.service.ts'

/** Characters of a format that stand in the log as they are. */
const LOGGED_FORMAT = 4_000

export const NO_DEVICES: DeviceCounts = { total: 0, online: 0, recycled: 0 }

export function toView(row: ProductRow, counts: DeviceCounts): ProductView {
  return {
    id: row.id,
    productKey: row.productKey,
    name: row.name,
    description: row.description,
    category: row.category,
    icon: row.icon,
    linkType: row.linkType as ProductView['linkType'],
    nodeType: row.nodeType,
    status: row.status,
    offlineDelaySeconds: row.offlineDelaySeconds,
    groupId: row.groupId,
    format: row.format,
    unknownKeys: row.unknownKeys,
    lenientTypes: row.lenientTypes,
    badValues: row.badValues,
    modelVersion: row.modelVersion,
    modelChanged: row.modelChanged,
    deviceCount: counts.total,
    onlineCount: counts.online,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    deletedAt: row.deletedAt?.toISOString() ?? null,
  }
}

export function toDetail(row: ProductRow, counts: DeviceCounts): ProductDetail {
  return {
    ...toView(row, counts),
    thingModel: { ...row.draftModel },
    publishedModel: row.publishedModel ? { ...row.publishedModel } : null,
  }
}

/** What the operation log keeps of a product; models stand in it as what changed in them. */
export function auditFacts(row: ProductRow): Record<string, unknown> {
  return {
    name: row.name,
    description: row.description,
    category: row.category,
    linkType: row.linkType,
    nodeType: row.nodeType,
    status: row.status,
    offlineDelaySeconds: row.offlineDelaySeconds,
    groupId: row.groupId,
    format: formatFacts(row.format),
    unknownKeys: row.unknownKeys,
    lenientTypes: row.lenientTypes,
    badValues: row.badValues,
    modelVersion: row.modelVersion,
    iconLength: row.icon.length,
  }
}

/** A format as the log keeps it: a long one (a script, a large table) by its size and hash. */
function formatFacts(format: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(format)
  if (text.length <= LOGGED_FORMAT) return format
  const sha256 = createHash('sha256').update(text).digest('hex')
  return { kind: format.kind, characters: text.length, sha256 }
}

/** The changes that lead from one model to another, as the contract lists them. */
export function toDiff(from: ThingModel, to: ThingModel) {
  const { added, removed, changed } = diffModels(from, to)
  return {
    changes: [...removed, ...changed, ...added].map(item => ({
      kind: item.change,
      of: item.kind,
      identifier: item.identifier,
      breaking: item.breaking.length > 0,
      detail: { attributes: item.attributes, breaking: item.breaking },
    })),
  }
}
