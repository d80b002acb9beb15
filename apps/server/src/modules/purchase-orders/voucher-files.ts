import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { VOUCHER_FILE_BYTES } from '@thingwright/contracts/money.words'
import type { VoucherFileView } from '@thingwright/contracts/purchase-orders.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { StreamReply, type UploadedFile } from '../../lib/http.ts'
import { newId } from '../../lib/ids.ts'
import { imageType } from '../tenants/index.ts'
import * as repo from './voucher-files.repo.ts'

/** What is needed of the object store (modules/media/object-store.port.ts). */
export interface VoucherStore {
  put(key: string, body: Buffer | Readable, options: { contentType: string; size?: number }): Promise<void>
  get(key: string): Promise<{ body: Readable; size: number; contentType: string } | null>
}

/** A company keeps at most so many of them. */
const MOST = 1_000

export interface VoucherFiles {
  /** Takes a picture or PDF in, by its first bytes. @throws AppError payment.file_invalid, payment.too_many_files */
  add(ctx: Ctx, upload: UploadedFile): Promise<VoucherFileView>
  /** @throws AppError payment.file_not_found also for another company's */
  file(ctx: Ctx, id: string): Promise<StreamReply>
  /** Vouchers of a company, for the operator. */
  list(tenantId: string, ids: readonly string[]): Promise<VoucherFileView[]>
  /** The same for the operator, of a company. @throws AppError payment.file_not_found */
  ofCompany(tenantId: string, id: string): Promise<StreamReply>
}

export function createVoucherFiles({ database, store }: { database: Database; store: VoucherStore }): VoucherFiles {
  async function open(row: repo.VoucherFileRow | undefined): Promise<StreamReply> {
    const found = row && (await store.get(row.objectKey))
    if (!row || !found) throw new AppError('payment.file_not_found')
    return new StreamReply(found.body, row.contentType, row.name)
  }

  return {
    async add(ctx, upload) {
      const bytes = await buffer(upload.body)
      const isPdf = bytes.subarray(0, 5).toString('latin1') === '%PDF-'
      const contentType = isPdf ? 'application/pdf' : imageType(bytes)
      if (!contentType || bytes.length > VOUCHER_FILE_BYTES)
        throw new AppError('payment.file_invalid', { params: { limit: VOUCHER_FILE_BYTES / 1024 ** 2 } })
      return database.withTenant(ctx, async scope => {
        const { tenantId } = scope
        if ((await repo.countFiles(scope, tenantId)) >= MOST)
          throw new AppError('payment.too_many_files', { params: { limit: MOST } })
        const id = newId(ctx.now)
        const objectKey = `company/${tenantId}/vouchers/${id}`
        await store.put(objectKey, bytes, { contentType, size: bytes.length })
        const name = upload.fileName.slice(0, 128) || 'voucher'
        const row = await repo.insertFile(scope, { id, tenantId, name, contentType, size: bytes.length, objectKey })
        await recordAudit(scope, ctx, {
          action: 'payment.file',
          objectType: 'payment',
          objectId: id,
          objectName: name,
          after: { size: bytes.length, contentType },
        })
        return voucherView(row)
      })
    },

    file: (ctx, id) =>
      database.withTenant(ctx, async scope => open((await repo.filesOf(scope, scope.tenantId, [id]))[0])),

    list: (tenantId, ids) =>
      ids.length === 0
        ? Promise.resolve([])
        : database.withSystemScope('money', async scope => (await repo.filesOf(scope, tenantId, ids)).map(voucherView)),

    ofCompany: (tenantId, id) =>
      database.withSystemScope('money', async scope => open((await repo.filesOf(scope, tenantId, [id]))[0])),
  }
}

export const voucherView = (row: repo.VoucherFileRow): VoucherFileView => ({
  id: row.id,
  name: row.name,
  contentType: row.contentType,
  size: Number(row.size),
  createdAt: row.createdAt.toISOString(),
})
