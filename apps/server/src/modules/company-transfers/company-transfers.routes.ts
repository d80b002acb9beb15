import { companyTransfersContract as contract } from '@thingwright/contracts/company-transfers.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { CompanyTransfersService } from './company-transfers.service.ts'

export function companyTransfersRoutes(transfers: CompanyTransfersService): BoundRoute[] {
  return [
    bind(contract.list, (ctx, { query }) => transfers.list(ctx, query)),
    bind(contract.create, (ctx, { body }) => transfers.offer(ctx, body)),
    bind(contract.find, (ctx, { body }) => transfers.find(ctx, body.code)),
    bind(contract.accept, (ctx, { body }) => transfers.accept(ctx, body)),
    bind(contract.get, (ctx, { params }) => transfers.get(ctx, params.id)),
    bind(contract.devices, (ctx, { params, query }) => transfers.devices(ctx, params.id, query)),
    bind(contract.withdraw, (ctx, { params }) => transfers.withdraw(ctx, params.id)),
  ]
}
