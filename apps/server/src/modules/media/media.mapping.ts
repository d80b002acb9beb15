import type { MediaUse, MediaView } from '@thingwright/contracts/media.contract'
import type { MediaRow, UseRow } from './media.repo.ts'
import type { MediaLinks } from './media-links.ts'

/** @param now epoch ms, for the addresses' end */
export function toView(row: MediaRow, links: MediaLinks, now: number): MediaView {
  const sha256 = row.sha256.toString('hex')
  const { url, thumbUrl } = links.sign(row.id, now, sha256.slice(0, 8))
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    contentType: row.content_type,
    size: Number(row.size),
    width: row.width,
    height: row.height,
    folderId: row.folder_id,
    tags: row.tags,
    public: row.public,
    uses: row.uses,
    sha256,
    url,
    thumbUrl: row.kind === 'image' ? thumbUrl : row.kind === 'svg' ? url : null,
    publicUrl: row.public ? `/media/${row.id}` : null,
    createdBy: row.created_by_name,
    version: row.version,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

export function toUse(row: UseRow): MediaUse {
  return { objectType: row.object_type, objectId: row.object_id, label: row.label, at: row.at.toISOString() }
}

/** What the operation log says of a material. */
export function facts(row: MediaRow): Record<string, unknown> {
  return {
    name: row.name,
    kind: row.kind,
    size: Number(row.size),
    folderId: row.folder_id,
    tags: row.tags,
    public: row.public,
    checksum: row.sha256.toString('hex'),
  }
}
