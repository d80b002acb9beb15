import { Readable } from 'node:stream'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { type HttpInfo, StreamReply } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import { byteRange } from './byte-range.ts'
import type { Images } from './images.ts'
import * as repo from './media.repo.ts'
import { ofStore, thumbKeyOf } from './media-intake.ts'
import type { MediaLinks } from './media-links.ts'
import type { ObjectStore } from './object-store.port.ts'

export interface LinkQuery {
  e?: number
  s?: string
  download?: '0' | '1'
}

export interface MediaServing {
  /** The bytes of a material. @throws AppError media.not_found, media.link_expired, request.range_invalid */
  open(id: string, query: LinkQuery, now: number, http: HttpInfo): Promise<StreamReply>
  /** Its small picture, made on the first request. @throws AppError media.not_found, media.link_expired */
  openThumb(id: string, query: LinkQuery, now: number, http: HttpInfo): Promise<StreamReply>
}

/** Whatever the bytes are, as a page of their own they can run and load nothing. */
const CSP = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox"

export function createMediaServing(deps: {
  database: Database
  store: ObjectStore
  links: MediaLinks
  images: Images
  logger: Logger
}): MediaServing {
  const { database, store, links, images, logger } = deps
  const making = new Map<string, Promise<string>>()

  /** A wrong or expired address gets the same answer whether or not the material exists. */
  async function find(id: string, query: LinkQuery, now: number): Promise<repo.ServedRow> {
    const link = links.check(id, query.e, query.s, now)
    const row = await database.withSystemScope('media', scope => repo.servedMedia(scope, id))
    if (row && (row.public || link === 'valid')) return row
    throw new AppError(row && link === 'expired' ? 'media.link_expired' : 'media.not_found')
  }

  function describe(row: repo.ServedRow, tag: string, http: HttpInfo): boolean {
    http.setHeader('etag', tag)
    http.setHeader('cache-control', row.public ? 'public, max-age=300' : 'private, max-age=600')
    http.setHeader('content-security-policy', CSP)
    http.setHeader('cross-origin-resource-policy', row.public ? 'cross-origin' : 'same-origin')
    const known = http.headers['if-none-match']
    return typeof known === 'string' && known.split(',').some(each => each.trim().replace(/^W\//, '') === tag)
  }

  /** Key of the small picture; '' when none can be made of the bytes. */
  async function thumbKey(row: repo.ServedRow): Promise<string> {
    if (row.thumb_key !== null) return row.thumb_key
    const under = making.get(row.object_key)
    if (under) return under
    const made = makeThumb(row).finally(() => making.delete(row.object_key))
    making.set(row.object_key, made)
    return made
  }

  async function makeThumb(row: repo.ServedRow): Promise<string> {
    const object = await store.get(row.object_key)
    if (!object) throw new AppError('media.not_found')
    let key = ''
    try {
      const picture = await images.thumbnail(object.body)
      key = thumbKeyOf(row.object_key)
      await store.put(key, picture, { contentType: 'image/webp', size: picture.length })
    } catch (error) {
      if (key !== '') throw error
      logger.info({ err: error, key: row.object_key }, 'no small picture can be made')
    }
    const kept = await database.withSystemScope('media', scope => repo.setThumb(scope, row.object_key, key))
    // The bytes were removed meanwhile: nobody would ever remove their small picture.
    if (!kept && key !== '') await store.remove(key)
    return key
  }

  return {
    async open(id, query, now, http) {
      const row = await find(id, query, now)
      const tag = `"${row.sha256.toString('hex').slice(0, 32)}"`
      const size = Number(row.size)
      const download = row.kind === 'file' || query.download === '1'
      if (describe(row, tag, http)) return nothingNew(row.content_type)
      const ifRange = http.headers['if-range']
      const wanted = ifRange === undefined || ifRange === tag ? byteRange(text(http.headers.range), size) : null
      if (wanted === 'none') {
        http.setHeader('content-range', `bytes */${size}`)
        throw new AppError('request.range_invalid')
      }
      const object = await store.get(row.object_key, wanted ?? undefined).catch(error => {
        throw ofStore(error)
      })
      if (!object) {
        logger.error({ key: row.object_key, media: id }, 'the bytes of a material are missing from the store')
        throw new AppError('media.not_found')
      }
      http.setHeader('accept-ranges', 'bytes')
      http.setHeader('content-length', String(wanted ? wanted.end - wanted.start + 1 : size))
      if (wanted) http.setHeader('content-range', `bytes ${wanted.start}-${wanted.end}/${size}`)
      if (!download) http.setHeader('content-disposition', `inline; filename*=UTF-8''${encodeURIComponent(row.name)}`)
      const type = row.kind === 'svg' ? `${row.content_type}; charset=utf-8` : row.content_type
      return new StreamReply(object.body, type, download ? row.name : undefined, wanted ? 206 : 200)
    },

    async openThumb(id, query, now, http) {
      const row = await find(id, query, now)
      if (row.kind !== 'image') throw new AppError('media.not_found')
      const tag = `"t-${row.sha256.toString('hex').slice(0, 32)}"`
      if (describe(row, tag, http)) return nothingNew('image/webp')
      const key = await thumbKey(row)
      const object = key === '' ? null : await store.get(key)
      if (!object) throw new AppError('media.not_found')
      http.setHeader('content-length', String(object.size))
      return new StreamReply(object.body, 'image/webp')
    },
  }
}

const nothingNew = (contentType: string) => new StreamReply(Readable.from([]), contentType, undefined, 304)
const text = (header: string | string[] | undefined) => (typeof header === 'string' ? header : undefined)
