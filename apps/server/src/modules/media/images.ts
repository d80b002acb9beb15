import type { Readable } from 'node:stream'
import { MEDIA_MAX_PIXELS } from '@thingwright/contracts/media.contract'
import { AppError } from '../../lib/errors.ts'

/** Longest edge of a small picture, pixels. */
const THUMB_EDGE = 320
/** Given up after this, seconds: a picture made to be slow must not hold the only place. */
const TIMEOUT_SECONDS = 20

/** Looks at pictures and makes small ones, one at a time: each may take hundreds of megabytes while it is open. */
export interface Images {
  /** Reads the head of a picture. @throws AppError media.too_many_pixels, media.unreadable */
  measure(body: Readable, contentType: string): Promise<{ width: number; height: number }>
  /** A WebP that fits into 320 x 320, the first frame, upright. @throws when the bytes are no whole picture */
  thumbnail(body: Readable): Promise<Buffer>
}

export function createImages(): Images {
  let last: Promise<unknown> = Promise.resolve()
  const oneByOne = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }

  return {
    measure: (body, contentType) =>
      oneByOne(async () => {
        const picture = await open(body)
        try {
          const { width, height, format, compression } = await picture.metadata()
          const read = format === 'heif' && compression === 'av1' ? 'avif' : format
          if (!width || !height || `image/${read}` !== contentType) throw new AppError('media.unreadable')
          return { width, height }
        } catch (error) {
          throw /pixel limit/i.test(String(error))
            ? new AppError('media.too_many_pixels', { params: { limit: MEDIA_MAX_PIXELS / 1_000_000 }, cause: error })
            : error instanceof AppError
              ? error
              : new AppError('media.unreadable', { cause: error })
        } finally {
          body.destroy()
        }
      }),

    thumbnail: body =>
      oneByOne(async () => {
        const picture = await open(body)
        try {
          return await picture
            .rotate()
            .resize(THUMB_EDGE, THUMB_EDGE, { fit: 'inside', withoutEnlargement: true })
            .webp({ quality: 75 })
            .timeout({ seconds: TIMEOUT_SECONDS })
            .toBuffer()
        } finally {
          body.destroy()
        }
      }),
  }
}

/** The library is loaded by the first picture: a server without any stays small. */
async function open(body: Readable) {
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  sharp.concurrency(1)
  const picture = sharp({ limitInputPixels: MEDIA_MAX_PIXELS, failOn: 'error', sequentialRead: true })
  body.on('error', error => picture.destroy(error))
  body.pipe(picture)
  return picture
}
