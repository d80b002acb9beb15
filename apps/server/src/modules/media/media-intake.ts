import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { MEDIA_LIMITS, type MediaKind } from '@thingwright/contracts/media.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { sanitiseDrawing } from '../../lib/files/svg-drawing.ts'
import type { UploadedFile } from '../../lib/http.ts'
import { newId } from '../../lib/ids.ts'
import type { Logger } from '../../lib/log.ts'
import type { Images } from './images.ts'
import * as repo from './media.repo.ts'
import { type ObjectStore, ObjectStoreError } from './object-store.port.ts'
import { SNIFF_BYTES, sniff } from './sniff.ts'

/** Bytes that lie in the store and belong to nobody yet: `media_leftovers` knows them. */
export interface TakenIn {
  objectKey: string
  kind: MediaKind
  contentType: string
  sha256: Buffer
  size: number
  width: number | null
  height: number | null
}

export interface Intake {
  /**
   * Streams a file into the store, looking at it on the way.
   * @throws AppError media.empty, media.kind_mismatch, media.too_large, media.svg_invalid, media.too_many_pixels,
   * media.unreadable, media.store_full, media.store_unavailable
   */
  take(ctx: Ctx, file: UploadedFile, expect: MediaKind | undefined): Promise<TakenIn>
  /** Removes objects that belong to nobody; what cannot be removed now is left for the sweep. */
  discard(objectKeys: readonly string[]): Promise<void>
}

export interface IntakeDeps {
  database: Database
  store: ObjectStore
  images: Images
  logger: Logger
}

export function createIntake({ database, store, images, logger }: IntakeDeps): Intake {
  async function discard(objectKeys: readonly string[]): Promise<void> {
    for (const key of objectKeys) {
      try {
        // Asked again, because a commit may have succeeded although its answer was lost: then the bytes are in use.
        if (!(await database.withSystemScope('media', scope => repo.isLeftover(scope, key)))) continue
        await store.remove(key)
        await store.remove(thumbKeyOf(key))
        await database.withSystemScope('media', scope => repo.forgetLeftover(scope, key))
      } catch (error) {
        logger.warn({ err: error, key }, 'an object that nobody needs could not be removed')
      }
    }
  }

  return {
    async take(ctx, file, expect) {
      const { head, whole } = await peek(file.body)
      if (head.length === 0) throw new AppError('media.empty')
      const { kind, contentType } = sniff(head)
      if (expect !== undefined && expect !== kind) {
        file.body.destroy()
        throw new AppError('media.kind_mismatch', { params: { kind, expected: expect } })
      }
      const objectKey = `media/${ctx.tenantId}/${newId(ctx.now)}`
      await database.withTenant({ tenantId: ctx.tenantId }, scope => repo.noteLeftover(scope, objectKey))
      try {
        const hash = createHash('sha256')
        let size = 0
        const body = bounded(kind, whole, chunk => {
          hash.update(chunk)
          size += chunk.length
        })
        if (kind === 'svg') {
          const clean = await cleanDrawing(body)
          await store.put(objectKey, clean, { contentType, size: clean.length })
          const sha256 = createHash('sha256').update(clean).digest()
          return { objectKey, kind, contentType, sha256, size: clean.length, width: null, height: null }
        }
        await store.put(objectKey, Readable.from(body, { objectMode: false }), { contentType })
        const measures = kind === 'image' ? await measure(objectKey, contentType) : { width: null, height: null }
        return { objectKey, kind, contentType, sha256: hash.digest(), size, ...measures }
      } catch (error) {
        file.body.destroy()
        await discard([objectKey])
        throw ofStore(error)
      }
    },
    discard,
  }

  async function measure(key: string, contentType: string): Promise<{ width: number; height: number }> {
    const object = await store.get(key)
    if (!object) throw new AppError('media.store_unavailable')
    return images.measure(object.body, contentType)
  }
}

/** A small picture lies beside its bytes and goes with them. */
export function thumbKeyOf(objectKey: string): string {
  return `${objectKey}-thumb`
}

/** Errors of the store in the words of the API. */
export function ofStore(error: unknown): unknown {
  if (!(error instanceof ObjectStoreError)) return error
  if (error.problem === 'no_room') return new AppError('media.store_full', { cause: error })
  return new AppError('media.store_unavailable', { cause: error, retryAfterSeconds: 5 })
}

/** Reads as much as is needed to see what it is, and gives everything back as one stream. */
async function peek(body: Readable): Promise<{ head: Buffer; whole: AsyncIterable<Buffer> }> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const read: Buffer[] = []
  let length = 0
  while (length < SNIFF_BYTES) {
    const { value, done } = await chunks.next()
    if (done) break
    read.push(value)
    length += value.length
  }
  const head = Buffer.concat(read)
  return {
    head,
    whole: (async function* () {
      yield head
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
    })(),
  }
}

async function* bounded(
  kind: MediaKind,
  body: AsyncIterable<Buffer>,
  seen: (chunk: Buffer) => void,
): AsyncGenerator<Buffer> {
  const limit = MEDIA_LIMITS[kind]
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > limit) throw new AppError('media.too_large', { params: { kind, limit: limit / 1024 / 1024 } })
    seen(chunk)
    yield chunk
  }
}

/** @throws AppError media.svg_invalid */
async function cleanDrawing(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch (error) {
    throw new AppError('media.svg_invalid', { cause: error })
  }
  const clean = sanitiseDrawing(text)
  if (clean === null) throw new AppError('media.svg_invalid')
  return Buffer.from(clean)
}
