export { tenantsRoutes } from './tenants.routes.ts'
export {
  accountState,
  createTenantsService,
  type TenantStatus,
  type TenantsService,
  type TenantView,
} from './tenants.service.ts'
