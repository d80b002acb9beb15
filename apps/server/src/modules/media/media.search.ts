import { listAt, type SearchSource } from '../../lib/found.ts'
import type { MediaService } from './media.service.ts'

export const mediaFound = (media: Pick<MediaService, 'list'>): SearchSource => ({
  kind: 'media',
  permission: 'media:read',
  find: async (ctx, q, limit) =>
    (await media.list(ctx, { q, limit })).items.map(item => ({
      id: item.id,
      title: item.name,
      subtitle: item.contentType,
      link: listAt('/admin/material', item.name),
    })),
})
