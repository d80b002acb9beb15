import {
  deviceCasContract,
  deviceIdentityContract,
  productIdentityContract,
} from '@thingwright/contracts/device-identity.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { DeviceIdentityModule } from './device-identity.module.ts'

export function deviceIdentityRoutes(module: Omit<DeviceIdentityModule, 'routes' | 'expiry'>): BoundRoute[] {
  const { service, products, registrations, cas, certificates, flow } = module
  const product = productIdentityContract
  const ca = deviceCasContract
  const device = deviceIdentityContract
  return [
    bind(product.get, (ctx, { params }) => products.get(ctx, params.id)),
    bind(product.set, (ctx, { params, body }) => products.set(ctx, params.id, body)),
    bind(product.rotateSecret, (ctx, { params, body }) => products.rotateSecret(ctx, params.id, body)),
    bind(product.registrations, (ctx, { params, query }) => registrations.list(ctx, params.id, query)),
    bind(product.decide, (ctx, { params, body }) => registrations.decide(ctx, params.id, body)),
    bind(ca.list, ctx => cas.list(ctx)),
    bind(ca.add, (ctx, { body }) => cas.add(ctx, body)),
    bind(ca.generate, (ctx, { body }) => cas.generate(ctx, body)),
    bind(ca.prove, (ctx, { params, body }) => cas.prove(ctx, params.id, body.certificate)),
    bind(ca.setState, (ctx, { params, body }) => cas.setState(ctx, params.id, body.state)),
    bind(ca.revoke, (ctx, { params, body }) => cas.revoke(ctx, params.id, body.serial)),
    bind(ca.remove, (ctx, { params }) => cas.remove(ctx, params.id)),
    bind(ca.test, (ctx, { body }) => cas.test(ctx, body.certificate)),
    bind(device.companyFlow, ctx => flow.days(ctx)),
    bind(device.get, (ctx, { params }) => service.get(ctx, params.id)),
    bind(device.set, (ctx, { params, body }) => service.set(ctx, params.id, body)),
    bind(device.rotateToken, (ctx, { params, body }) => service.rotateToken(ctx, params.id, body)),
    bind(device.showToken, (ctx, { params }) => service.showToken(ctx, params.id)),
    bind(device.removeToken, (ctx, { params }) => service.removeToken(ctx, params.id)),
    bind(device.triple, (ctx, { params, body }) => service.triple(ctx, params.id, body)),
    bind(device.issueCertificate, (ctx, { params, body }) => certificates.issue(ctx, params.id, body)),
    bind(device.revokeCertificate, (ctx, { params }) => certificates.revoke(ctx, params.id, params.certificateId)),
  ]
}
