import { accountContract } from '@thingwright/contracts/company.contract'
import { companyContract } from '@thingwright/contracts/identity.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { TenantsModule } from './tenants.module.ts'
import { accountState } from './tenants.service.ts'

export function tenantsRoutes(module: Omit<TenantsModule, 'routes'>): BoundRoute[] {
  const { service, company, quotas, verification, support } = module
  return [
    bind(companyContract.status, async ctx => accountState((await service.get(ctx.tenantId)).status)),
    bind(accountContract.get, ctx => company.get(ctx)),
    bind(accountContract.state, ctx => company.state(ctx)),
    bind(accountContract.update, (ctx, { body }) => company.update(ctx, body)),
    bind(accountContract.setBranding, (ctx, { body }) => company.setBranding(ctx, body)),
    bind(accountContract.branding, (_, { query }) => company.branding(query.app)),
    bind(accountContract.setRetention, (ctx, { body }) => company.setRetention(ctx, body)),
    bind(accountContract.usage, async ctx => ({ items: await quotas.usage(ctx) })),
    bind(accountContract.verification, ctx => verification.get(ctx)),
    bind(accountContract.addFile, (ctx, _, { file }) => verification.addFile(ctx, file)),
    bind(accountContract.file, (ctx, { params }) => verification.file(ctx, params.id)),
    bind(accountContract.submitVerification, (ctx, { body }) => verification.submit(ctx, body)),
    bind(accountContract.supportGrants, ctx => support.list(ctx)),
    bind(accountContract.grantSupport, (ctx, { body }) => support.grant(ctx, body)),
    bind(accountContract.endSupport, (ctx, { params }) => support.end(ctx, params.id)),
  ]
}
