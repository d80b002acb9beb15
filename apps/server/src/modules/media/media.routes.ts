import { mediaContract } from '@thingwright/contracts/media.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { MediaService } from './media.service.ts'
import type { MediaExport } from './media-export.ts'
import type { MediaFoldersService } from './media-folders.service.ts'
import type { MediaServing } from './media-serving.ts'

export function mediaRoutes(
  media: MediaService,
  folders: MediaFoldersService,
  serving: MediaServing,
  exportList: MediaExport,
): BoundRoute[] {
  return [
    bind(mediaContract.list, (ctx, { query }) => media.list(ctx, query)),
    bind(mediaContract.export, (ctx, { query }) => exportList(ctx, query)),
    bind(mediaContract.usage, (ctx, { query }) => media.usage(ctx, query.userId)),
    bind(mediaContract.get, (ctx, { params }) => media.get(ctx, params.id)),
    bind(mediaContract.upload, (ctx, { body }, { file }) => media.upload(ctx, body, file)),
    bind(mediaContract.replace, (ctx, { params, body }, { file }) => media.replace(ctx, params.id, body, file)),
    bind(mediaContract.update, (ctx, { params, body }) => media.update(ctx, params.id, body)),
    bind(mediaContract.remove, (ctx, { params }) => media.remove(ctx, params.id)),
    bind(mediaContract.batch, (ctx, { body }) => media.batch(ctx, body)),
    bind(mediaContract.removeMany, (ctx, { body }) => media.removeMany(ctx, body.ids)),
    bind(mediaContract.folders, (ctx, { query }) => folders.list(ctx, query.userId)),
    bind(mediaContract.createFolder, (ctx, { body }) => folders.create(ctx, body)),
    bind(mediaContract.updateFolder, (ctx, { params, body }) => folders.update(ctx, params.id, body)),
    bind(mediaContract.removeFolder, (ctx, { params }) => folders.remove(ctx, params.id)),
    bind(mediaContract.serve, (ctx, { params, query }, http) => serving.open(params.id, query, ctx.now, http)),
    bind(mediaContract.thumb, (ctx, { params, query }, http) => serving.openThumb(params.id, query, ctx.now, http)),
  ]
}
