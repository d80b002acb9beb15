import { Readable } from 'node:stream'
import { OTA_JOB_ENDS, type OtaJobState } from '@thingwright/contracts/firmware-schemas'
import type { Database } from '../../../lib/database/database.ts'
import { AppError } from '../../../lib/errors.ts'
import { type HttpInfo, StreamReply } from '../../../lib/http.ts'
import type { Logger } from '../../../lib/log.ts'
import { byteRange, type ObjectStore } from '../../media/index.ts'
import * as repo from './download.repo.ts'
import type { DownloadLinks } from './download-links.ts'
import { paced } from './paced.ts'

export interface DownloadService {
  /**
   * The bytes of the package that an address was made for, or a part of them (RFC 9110 §14).
   * @throws AppError firmware.link_invalid, firmware.link_expired, request.range_invalid
   */
  open(token: string, now: number, http: HttpInfo): Promise<StreamReply>
}

export interface DownloadServiceDeps {
  database: Database
  store: ObjectStore
  links: DownloadLinks
  logger: Logger
}

/**
 * A device has a reason to ask for bytes: a notice was made for it, and it is not at its end. A pending job with an attempt
 * counts: the device may ask before the word that its notice left is written down, and goes on by itself after a failure.
 */
export function isUnderWay({ state, attempt }: Pick<repo.DownloadRow, 'state' | 'attempt'>): boolean {
  return state !== 'to_confirm' && attempt > 0 && !OTA_JOB_ENDS.includes(state as OtaJobState)
}

export function createDownloadService({ database, store, links, logger }: DownloadServiceDeps): DownloadService {
  async function find(token: string, now: number): Promise<repo.DownloadRow> {
    const claim = links.read(token)
    const job = claim && (await database.withSystemScope('ota', scope => repo.downloadOf(scope, claim.jobId)))
    // A wrong or expired address gets the same answer whether or not the job exists.
    if (!job || !links.fits(token, { ...claim, packageId: job.package_id })) throw new AppError('firmware.link_invalid')
    const isOver = claim.expires * 1000 <= now || claim.attempt !== (job.attempt & 0xffff) || !isUnderWay(job)
    if (isOver) throw new AppError('firmware.link_expired')
    return job
  }

  return {
    async open(token, now, http) {
      const job = await find(token, now)
      const tag = `"${job.sha256.toString('hex')}"`
      http.setHeader('etag', tag)
      http.setHeader('accept-ranges', 'bytes')
      http.setHeader('cache-control', 'private, no-transform')
      const ifRange = http.headers['if-range']
      const { range } = http.headers
      const asked = typeof range === 'string' && (ifRange === undefined || ifRange === tag) ? range : undefined
      const wanted = byteRange(asked, job.size)
      if (wanted === 'none') {
        http.setHeader('content-range', `bytes */${job.size}`)
        throw new AppError('request.range_invalid')
      }
      http.setHeader('content-length', String(wanted ? wanted.end - wanted.start + 1 : job.size))
      if (wanted) http.setHeader('content-range', `bytes ${wanted.start}-${wanted.end}/${job.size}`)
      const status = wanted ? 206 : 200
      const type = 'application/octet-stream'
      if (http.method === 'HEAD') return new StreamReply(Readable.from([]), type, job.file_name, status)
      const object = await store.get(job.object_key, wanted ?? undefined)
      if (!object) {
        logger.error({ key: job.object_key, job: job.id }, 'the bytes of a firmware package are missing from the store')
        throw new AppError('firmware.link_invalid')
      }
      return new StreamReply(paced(object.body, job.device_kilobytes), type, job.file_name, status)
    },
  }
}
