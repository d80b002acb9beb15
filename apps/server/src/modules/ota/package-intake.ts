import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { FIRMWARE_MAX_BYTES } from '@thingwright/contracts/firmware-schemas'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { UploadedFile } from '../../lib/http.ts'
import { newId } from '../../lib/ids.ts'
import type { Logger } from '../../lib/log.ts'
import { type ObjectStore, ObjectStoreError } from '../media/index.ts'
import { checkFirmwareFile, firmwareFileName, HEAD_BYTES } from './firmware-file.ts'
import * as repo from './packages.repo.ts'

/** Bytes that lie in the store and belong to no package yet: `firmware_leftovers` knows them. */
export interface TakenIn {
  objectKey: string
  fileName: string
  size: number
  sha256: Buffer
}

export interface PackageIntake {
  /**
   * Streams a file into the store; it is looked at before its first byte is stored, and hashed on the way.
   * @param own what it must begin with; null: nothing
   * @throws AppError those of `checkFirmwareFile`, request.too_large, media.store_full, media.store_unavailable
   */
  take(ctx: Ctx, file: UploadedFile, own: Buffer | null): Promise<TakenIn>
  /** Removes objects that belong to nobody; what cannot be removed now is left for the sweep. */
  discard(objectKeys: readonly string[]): Promise<void>
}

export function createPackageIntake(deps: { database: Database; store: ObjectStore; logger: Logger }): PackageIntake {
  const { database, store, logger } = deps

  async function discard(objectKeys: readonly string[]): Promise<void> {
    for (const key of objectKeys) {
      try {
        // Asked again: a commit may have succeeded although its answer was lost, and then a package has the bytes.
        if (!(await database.withSystemScope('ota', scope => repo.isLeftover(scope, key)))) continue
        await store.remove(key)
        await database.withSystemScope('ota', scope => repo.forgetLeftover(scope, key))
      } catch (error) {
        logger.warn({ err: error, key }, 'a firmware file that nobody needs could not be removed')
      }
    }
  }

  return {
    async take(ctx, file, own) {
      const fileName = firmwareFileName(file.fileName)
      const { head, whole } = await peek(file.body)
      try {
        checkFirmwareFile(fileName, head, own)
      } catch (error) {
        file.body.destroy()
        throw error
      }
      const objectKey = `firmware/${ctx.tenantId}/${newId(ctx.now)}`
      await database.withTenant({ tenantId: ctx.tenantId }, scope => repo.noteLeftover(scope, objectKey))
      try {
        const hash = createHash('sha256')
        let size = 0
        const seen = async function* () {
          for await (const chunk of whole) {
            size += chunk.length
            if (size > FIRMWARE_MAX_BYTES)
              throw new AppError('request.too_large', { params: { limit: FIRMWARE_MAX_BYTES } })
            hash.update(chunk)
            yield chunk
          }
        }
        await store.put(objectKey, Readable.from(seen(), { objectMode: false }), {
          contentType: 'application/octet-stream',
        })
        return { objectKey, fileName, size, sha256: hash.digest() }
      } catch (error) {
        file.body.destroy()
        await discard([objectKey])
        throw ofStore(error)
      }
    },
    discard,
  }
}

/** Errors of the store in the words of the API. */
export function ofStore(error: unknown): unknown {
  if (!(error instanceof ObjectStoreError)) return error
  if (error.problem === 'no_room') return new AppError('media.store_full', { cause: error })
  return new AppError('media.store_unavailable', { cause: error, retryAfterSeconds: 5 })
}

/** Reads as much as is looked at, and gives everything back as one stream. */
async function peek(body: Readable): Promise<{ head: Buffer; whole: AsyncIterable<Buffer> }> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const read: Buffer[] = []
  let length = 0
  while (length < HEAD_BYTES) {
    const { value, done } = await chunks.next()
    if (done) break
    read.push(value)
    length += value.length
  }
  const all = Buffer.concat(read)
  return {
    head: all.subarray(0, HEAD_BYTES),
    whole: (async function* () {
      yield all
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
    })(),
  }
}
