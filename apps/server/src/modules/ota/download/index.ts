import { firmwareDownloadContract } from '@thingwright/contracts/firmware-download.contract'
import type { Database } from '../../../lib/database/database.ts'
import { type BoundRoute, bind } from '../../../lib/http.ts'
import type { Logger } from '../../../lib/log.ts'
import type { ObjectStore } from '../../media/index.ts'
import type { FirmwareDesk } from '../firmware.port.ts'
import { createDownloadService } from './download.service.ts'
import { createDownloadLinks, type DownloadLinks } from './download-links.ts'
import { createFirmwareDesk } from './firmware-desk.ts'

export type { DownloadGrant, DownloadLinks } from './download-links.ts'

export interface FirmwareDownloads {
  routes: BoundRoute[]
  /** Makes the addresses of notices. */
  links: DownloadLinks
  /** Answers the gateway. */
  desk: FirmwareDesk
}

export interface FirmwareDownloadsDeps {
  database: Database
  store: ObjectStore
  secretKey: string
  logger: Logger
  /** What a device that asks by itself is to install: the payload of its notice; null: nothing. */
  pull: FirmwareDesk['pull']
}

/** How devices get the bytes of packages: over HTTPS with ranges, and in chunks through the gateway. */
export function createFirmwareDownloads({ secretKey, pull, ...deps }: FirmwareDownloadsDeps): FirmwareDownloads {
  const links = createDownloadLinks(secretKey)
  const service = createDownloadService({ ...deps, links })
  return {
    routes: [
      bind(firmwareDownloadContract.download, (ctx, { params }, http) => service.open(params.token, ctx.now, http)),
    ],
    links,
    desk: createFirmwareDesk({ ...deps, pull }),
  }
}
