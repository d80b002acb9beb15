import { transferContract } from '@thingwright/contracts/transfer.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { TransferService } from './transfer.service.ts'

export function transferRoutes(transfer: TransferService): BoundRoute[] {
  return [
    bind(transferContract.export, (ctx, { body }) => transfer.export(ctx, body)),
    bind(transferContract.upload, (ctx, _, { file }) => transfer.upload(ctx, file)),
    bind(transferContract.import, (ctx, { body }) => transfer.import(ctx, body)),
  ]
}
