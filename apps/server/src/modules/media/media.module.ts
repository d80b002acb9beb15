import type { Database } from '../../lib/database/database.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import type { ModuleParts } from '../../lib/module.ts'
import { createImages, type Images } from './images.ts'
import * as repo from './media.repo.ts'
import { mediaRoutes } from './media.routes.ts'
import { mediaFound } from './media.search.ts'
import { createMediaService, type MediaQuota, type MediaService } from './media.service.ts'
import { createMediaExport } from './media-export.ts'
import { createMediaFoldersService, type MediaFoldersService } from './media-folders.service.ts'
import { createIntake } from './media-intake.ts'
import { createMediaLinks } from './media-links.ts'
import { createMediaServing, type MediaServing } from './media-serving.ts'
import type { ObjectStore } from './object-store.port.ts'

/** Longer than any upload takes: an object that belongs to nobody for so long never will. */
const LEFTOVER_MS = 60 * 60_000

export interface MediaModule extends ModuleParts {
  service: MediaService
  folders: MediaFoldersService
  serving: MediaServing
  routes: BoundRoute[]
  /** Removes objects left by uploads and removals that were cut off. @returns how many */
  sweep(now: number): Promise<number>
}

export interface MediaModuleDeps {
  database: Database
  store: ObjectStore
  quota: MediaQuota
  secretKey: string
  logger: Logger
  images?: Images
}

export function createMediaModule(deps: MediaModuleDeps): MediaModule {
  const { database, store, quota, logger } = deps
  const images = deps.images ?? createImages()
  const links = createMediaLinks(deps.secretKey)
  const intake = createIntake({ database, store, images, logger })
  const service = createMediaService({ database, quota, links, intake })
  const folders = createMediaFoldersService(database)
  const serving = createMediaServing({ database, store, links, images, logger })
  async function sweep(now: number): Promise<number> {
    const keys = await database.withSystemScope('media', scope =>
      repo.leftoversBefore(scope, new Date(now - LEFTOVER_MS)),
    )
    await intake.discard(keys)
    return keys.length
  }
  return {
    service,
    folders,
    serving,
    routes: mediaRoutes(service, folders, serving, createMediaExport(service)),
    sweep,
    search: [mediaFound(service)],
    sweeps: [{ name: 'clearing objects that belong to nothing', run: sweep }],
  }
}
