import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type CompanyFileView, LICENCE_BYTES } from '@thingwright/contracts/company.contract'
import { actorId, type Ctx } from '../../lib/context.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { StreamReply, type UploadedFile } from '../../lib/http.ts'
import { newId } from '../../lib/ids.ts'
import { imageType } from './branding.ts'
import * as repo from './verification.repo.ts'

/** What is needed of the object store (modules/media/object-store.port.ts). */
export interface CompanyFileStore {
  put(key: string, body: Buffer | Readable, options: { contentType: string; size?: number }): Promise<void>
  get(key: string): Promise<{ body: Readable; size: number; contentType: string } | null>
  remove(key: string): Promise<void>
}

/** A company keeps at most so many of them, so that nobody fills the store this way. */
const MAX_FILES = 50

/**
 * Takes a document in: an image or PDF by its first bytes, whatever its name says.
 * @throws AppError company.file_invalid, company.too_many_files
 */
export async function addFile(
  scope: TenantScope,
  ctx: Ctx,
  store: CompanyFileStore,
  file: UploadedFile,
): Promise<repo.FileRow> {
  const bytes = await buffer(file.body)
  const contentType = bytes.subarray(0, 5).toString('latin1') === '%PDF-' ? 'application/pdf' : imageType(bytes)
  if (!contentType || bytes.length > LICENCE_BYTES)
    throw new AppError('company.file_invalid', { params: { limit: LICENCE_BYTES / 1024 ** 2 } })
  if ((await repo.countFiles(scope)) >= MAX_FILES)
    throw new AppError('company.too_many_files', { params: { limit: MAX_FILES } })
  const id = newId(ctx.now)
  const objectKey = `company/${scope.tenantId}/licence/${id}`
  await store.put(objectKey, bytes, { contentType, size: bytes.length })
  return repo.insertFile(scope, {
    id,
    name: file.fileName.slice(0, 128) || 'licence',
    contentType,
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest(),
    objectKey,
    createdBy: actorId(ctx.actor),
  })
}

/** The document as an answer. @throws AppError company.file_not_found */
export async function openFile(store: CompanyFileStore, row: repo.FileRow | undefined): Promise<StreamReply> {
  const found = row && (await store.get(row.objectKey))
  if (!row || !found) throw new AppError('company.file_not_found')
  return new StreamReply(found.body, row.contentType, row.name)
}

export function toFileView(row: repo.FileRow): CompanyFileView {
  return {
    id: row.id,
    name: row.name,
    contentType: row.contentType,
    size: Number(row.size),
    createdAt: row.createdAt.toISOString(),
  }
}
