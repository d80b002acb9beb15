import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { InvoiceFileView } from '@thingwright/contracts/invoices.contract'
import { INVOICE_FILE_BYTES } from '@thingwright/contracts/money.words'
import type { Ctx } from '../../lib/context.ts'
import { AppError } from '../../lib/errors.ts'
import { StreamReply, type UploadedFile } from '../../lib/http.ts'
import { newId } from '../../lib/ids.ts'
import type { Runner } from '../../lib/sql/statement.ts'
import { imageType } from '../tenants/index.ts'
import * as repo from './invoices.repo.ts'

/** What is needed of the object store (modules/media/object-store.port.ts). */
export interface InvoiceFileStore {
  put(key: string, body: Buffer | Readable, options: { contentType: string; size?: number }): Promise<void>
  get(key: string): Promise<{ body: Readable; size: number; contentType: string } | null>
}

/** A company keeps at most so many documents of qualifications, and an invoice so many files. */
const MAX_DOCUMENTS = 50
const MAX_FILES = 10

/** What a file is by its first bytes, whatever its name says; OFD is a ZIP whose name ends in .ofd (GB/T 33190). */
function typeOf(bytes: Buffer, name: string, isInvoice: boolean): string | null {
  if (bytes.subarray(0, 5).toString('latin1') === '%PDF-') return 'application/pdf'
  if (!isInvoice) return imageType(bytes)
  const isZip = bytes.subarray(0, 4).equals(Buffer.from([0x50, 0x4b, 3, 4]))
  if (isZip && /\.ofd$/i.test(name)) return 'application/ofd'
  if (
    /^\s*<(\?xml|[A-Za-z])/.test(
      bytes
        .subarray(0, 256)
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
    )
  )
    return 'application/xml'
  return null
}

/**
 * Takes a document in: of a qualification an image or PDF, of an invoice a PDF, OFD or XML.
 * @throws AppError invoice.file_invalid, invoice.too_many_files
 */
export async function addFile(
  scope: Runner,
  ctx: Ctx,
  store: InvoiceFileStore,
  of: { tenantId: string; invoiceId: string | null },
  upload: UploadedFile,
): Promise<repo.FileRow> {
  const bytes = await buffer(upload.body)
  const contentType = typeOf(bytes, upload.fileName, of.invoiceId !== null)
  if (!contentType || bytes.length > INVOICE_FILE_BYTES)
    throw new AppError('invoice.file_invalid', { params: { limit: INVOICE_FILE_BYTES / 1024 ** 2 } })
  const limit = of.invoiceId === null ? MAX_DOCUMENTS : MAX_FILES
  if ((await repo.countFiles(scope, of.tenantId, of.invoiceId)) >= limit)
    throw new AppError('invoice.too_many_files', { params: { limit } })
  const id = newId(ctx.now)
  const objectKey = `company/${of.tenantId}/invoices/${id}`
  await store.put(objectKey, bytes, { contentType, size: bytes.length })
  const name = upload.fileName.slice(0, 128) || 'invoice'
  return repo.insertFile(scope, { id, ...of, name, contentType, size: bytes.length, objectKey })
}

/** The document as an answer. @throws AppError invoice.file_not_found */
export async function openFile(store: InvoiceFileStore, row: repo.FileRow | undefined): Promise<StreamReply> {
  const found = row && (await store.get(row.objectKey))
  if (!row || !found) throw new AppError('invoice.file_not_found')
  return new StreamReply(found.body, row.contentType, row.name)
}

export const toFileView = (row: repo.FileRow): InvoiceFileView => ({
  id: row.id,
  name: row.name,
  contentType: row.contentType,
  size: row.size,
  createdAt: row.createdAt.toISOString(),
})
