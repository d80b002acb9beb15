import { WEB_ROUTES } from '@thingwright/contracts/web-routes'
import { createLogSms } from '../adapters/sms/log/log-sms.ts'
import { tryUplink } from '../ingest/try-uplink.ts'
import type { Ctx } from '../lib/context.ts'
import { createCryptoBox } from '../lib/crypto-box.ts'
import type { Database } from '../lib/database.ts'
import type { GatewayPort } from '../lib/gateway-port.ts'
import type { BoundRoute } from '../lib/http.ts'
import { createIdempotency, type Idempotency } from '../lib/idempotency.ts'
import type { ChangedCommand } from '../lib/ipc.ts'
import type { Logger } from '../lib/log.ts'
import { sanitiseSvg } from '../lib/svg.ts'
import { createAuditModule } from '../modules/audit/index.ts'
import { type CommandsModule, createCommandsModule } from '../modules/commands/index.ts'
import {
  countDevicesByGroup,
  countDevicesByProduct,
  createDevicesModule,
  type DeviceAddresses,
  type DevicesModule,
  describeDevices,
  onlineDeviceNums,
} from '../modules/devices/index.ts'
import { createGroupsModule, type GroupsModule } from '../modules/groups/index.ts'
import {
  createIdentityService,
  createSmsCodes,
  createTokens,
  type IdentityService,
  identityRoutes,
} from '../modules/identity/index.ts'
import { createMenusService, menusRoutes } from '../modules/menus/index.ts'
import { countProductsByGroup, createProductsModule, type ProductsModule } from '../modules/products/index.ts'
import { createTelemetryModule, type TelemetryModule } from '../modules/telemetry/index.ts'
import { createTenantsService, tenantsRoutes } from '../modules/tenants/index.ts'

export interface ContainerOptions {
  database: Database
  gateway: GatewayPort
  secretKey: string
  logger: Logger
  addresses(): DeviceAddresses
  /** Commands whose rows changed, after the commit. */
  onCommandsChanged(changed: ChangedCommand[]): void
  demo: boolean
  secureCookie: boolean
}

/** Every service of the API process, wired once. */
export interface Container {
  routes: BoundRoute[]
  identity: IdentityService
  groups: GroupsModule
  products: ProductsModule
  devices: DevicesModule
  telemetry: TelemetryModule
  commands: CommandsModule
  idempotency: Idempotency
}

export function createContainer(options: ContainerOptions): Container {
  const { database, gateway, secretKey, logger } = options
  const now = () => Date.now()
  const secrets = createCryptoBox(secretKey, 'device-secret')

  const tenants = createTenantsService(database)
  const sms = createLogSms(logger.child({ part: 'sms' }), now)
  const smsCodes = createSmsCodes(database, sms, secretKey, now)
  const menuKeys = WEB_ROUTES.filter(route => route.limits).map(route => route.path)
  const built = new Set(WEB_ROUTES.filter(route => route.built).map(route => route.path))
  const identity = createIdentityService({
    database,
    tenants,
    tokens: createTokens(secretKey, now),
    smsCodes,
    menuKeys,
    now,
  })
  const menus = createMenusService({
    database,
    isBuilt: path => built.has(path),
    menuPermissions: async (ctx: Ctx) => (await identity.me(ctx)).menuPermissions,
    sanitiseIcon: svg => sanitiseSvg(svg) ?? '',
  })

  const groups = createGroupsModule({
    database,
    countObjects: { device: countDevicesByGroup, product: countProductsByGroup },
  })
  const telemetry = createTelemetryModule({ database })
  const products = createProductsModule({
    database,
    groups: groups.service,
    gateway,
    devices: { countByProduct: countDevicesByProduct, onlineNums: onlineDeviceNums },
    tryUplink,
    readRefusedFrames: telemetry.readRefusedFrames,
    describeDevices,
  })
  const devices = createDevicesModule({
    database,
    groups: groups.service,
    products: products.service,
    gateway,
    secrets,
    addresses: options.addresses,
    readShadow: telemetry.readShadow,
    purge: telemetry.purge,
    logger,
  })
  const commands = createCommandsModule({ database, gateway, onChanged: options.onCommandsChanged })
  const audit = createAuditModule({ database })

  return {
    identity,
    groups,
    products,
    devices,
    telemetry,
    commands,
    idempotency: createIdempotency(database, createCryptoBox(secretKey, 'idempotency')),
    routes: [
      ...identityRoutes({ identity, smsCodes, sms, secureCookie: options.secureCookie, demo: options.demo }),
      ...tenantsRoutes(tenants),
      ...menusRoutes(menus),
      ...groups.routes,
      ...products.routes,
      ...devices.routes,
      ...telemetry.routes,
      ...commands.routes,
      ...audit.routes,
    ],
  }
}
