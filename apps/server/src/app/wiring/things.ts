import { createFormatTools } from '../../ingest/formats/format-tools.ts'
import { newAccessToken } from '../../lib/crypto/device-credentials.ts'
import { templateUsage } from '../../modules/commands/index.ts'
import {
  countDevicesByGroup,
  countDevicesByProduct,
  createDevicesModule,
  describeDevices,
  giveTokens,
  onlineDeviceNums,
  overlayUsage,
} from '../../modules/devices/index.ts'
import { mediaLimitOf } from '../../modules/end-users/index.ts'
import { createGroupsModule } from '../../modules/groups/index.ts'
import { createMediaModule } from '../../modules/media/index.ts'
import { createProductLibraryModule } from '../../modules/product-library/index.ts'
import { countProductsByGroup, createProductsModule } from '../../modules/products/index.ts'
import { createTelemetryModule } from '../../modules/telemetry/index.ts'
import type { ContainerOptions } from '../container-options.ts'
import type { CompanyModules } from './company.ts'
import type { Foundations } from './foundations.ts'

export type ThingModules = ReturnType<typeof createThingModules>

/** What a company has: files, groups, products, devices and their data. */
export function createThingModules(options: ContainerOptions, base: Foundations, { company }: CompanyModules) {
  const { database, gateway, secrets } = base
  const { quotas, service: tenants } = company
  const media = createMediaModule({
    database,
    store: base.objectStore,
    quota: {
      hold: quotas.hold,
      limit: async scope => (await tenants.settingsIn(scope)).quotas.mediaBytes,
      ofUser: mediaLimitOf,
    },
    secretKey: base.secretKey,
    logger: base.logOf('media'),
  })
  quotas.countedBy('mediaBytes', media.service.usedBytes)
  const groups = createGroupsModule({
    database,
    countObjects: { device: countDevicesByGroup, product: countProductsByGroup },
  })
  const telemetry = createTelemetryModule({
    database,
    messageLogHours: async tenantId => (await tenants.settings(tenantId)).retention.messageLogHours,
  })
  const formatTools = createFormatTools(base.logOf('formats'))
  const products = createProductsModule({
    database,
    groups: groups.service,
    quotas,
    gateway,
    devices: {
      countByProduct: countDevicesByProduct,
      onlineNums: onlineDeviceNums,
      giveTokens: (scope, productId) => giveTokens(scope, productId, id => newAccessToken(secrets, id)),
    },
    usages: [overlayUsage, templateUsage],
    ...(options.ownPorts ? { ownPorts: options.ownPorts } : {}),
    formatTools,
    framing: formatTools.framing,
    readRefusedFrames: telemetry.readRefusedFrames,
    describeDevices,
  })
  const devices = createDevicesModule({
    database,
    groups: groups.service,
    products: products.service,
    quotas,
    gateway,
    secrets,
    addresses: options.addresses,
    mapTiles: options.mapTiles ?? null,
    readShadow: telemetry.readShadow,
    purge: telemetry.purge,
    logger: base.logger,
  })
  const productLibrary = createProductLibraryModule({
    database,
    products: products.service,
    formats: products.format,
    links: products.link,
    templates: async () => (await import('../../db/library/index.ts')).PRODUCT_LIBRARY,
  })
  return { media, groups, telemetry, products, devices, productLibrary, runScript: formatTools.script }
}
