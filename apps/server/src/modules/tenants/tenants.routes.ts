import { companyContract } from '@thingwright/contracts/identity.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import { accountState, type TenantsService } from './tenants.service.ts'

export function tenantsRoutes(tenants: TenantsService): BoundRoute[] {
  return [bind(companyContract.status, async ctx => accountState((await tenants.get(ctx.tenantId)).status))]
}
