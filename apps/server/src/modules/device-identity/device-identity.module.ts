import type { BoundRoute } from '../../lib/http.ts'
import type { ModuleParts } from '../../lib/module.ts'
import { createDeviceCasService, type DeviceCasDeps, type DeviceCasService } from './device-cas.service.ts'
import { createDeviceCertificatesService, type DeviceCertificatesService } from './device-certificates.service.ts'
import { deviceIdentityRoutes } from './device-identity.routes.ts'
import {
  createDeviceIdentityService,
  type DeviceIdentityService,
  type IdentityDeps,
} from './device-identity.service.ts'
import { createExpiryWatch, type ExpiryWatch, type ExpiryWatchDeps } from './expiry-watch.ts'
import { createFlowUsage, type FlowUsage } from './flow-usage.repo.ts'
import {
  createProductIdentityService,
  type ProductIdentityDeps,
  type ProductIdentityService,
} from './product-identity.service.ts'
import {
  createRegistrationsService,
  type RegistrationsDeps,
  type RegistrationsService,
} from './registrations.service.ts'

export type DeviceIdentityDeps = IdentityDeps &
  ProductIdentityDeps &
  RegistrationsDeps &
  DeviceCasDeps &
  ExpiryWatchDeps

export interface DeviceIdentityModule extends ModuleParts {
  service: DeviceIdentityService
  products: ProductIdentityService
  registrations: RegistrationsService
  cas: DeviceCasService
  certificates: DeviceCertificatesService
  /** What the gateway counted of a company. */
  flow: FlowUsage
  expiry: ExpiryWatch
  routes: BoundRoute[]
}

export function createDeviceIdentityModule(deps: DeviceIdentityDeps): DeviceIdentityModule {
  const service = createDeviceIdentityService(deps)
  const products = createProductIdentityService(deps)
  const registrations = createRegistrationsService(deps)
  const cas = createDeviceCasService(deps)
  const certificates = createDeviceCertificatesService(deps)
  const flow = createFlowUsage(deps.database)
  const routes = deviceIdentityRoutes({ service, products, registrations, cas, certificates, flow })
  const expiry = createExpiryWatch(deps)
  return {
    service,
    products,
    registrations,
    cas,
    certificates,
    flow,
    expiry,
    routes,
    // Certificates that end soon.
    watchCompany: (tenantId, now) => expiry.watch(tenantId, now),
  }
}
