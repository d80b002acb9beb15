import { createWebhookAdapter } from '../../adapters/subscription-target/webhook/webhook-target.ts'
import { dataScopeOf } from '../../lib/context.ts'
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import { createAlarmsModule } from '../../modules/alarms/index.ts'
import { createCloudPagesModule, pageActions } from '../../modules/cloud-pages/index.ts'
import { createCommandsModule } from '../../modules/commands/index.ts'
import { createDeviceIdentityModule } from '../../modules/device-identity/index.ts'
import { createDeviceBatches, createDeviceImports, type DeviceCustomers } from '../../modules/devices/index.ts'
import { createDiagnosisModule } from '../../modules/diagnosis/index.ts'
import { createOtaModule } from '../../modules/ota/index.ts'
import { createSubscriptionsModule } from '../../modules/subscriptions/index.ts'
import { createTimedTasksModule, sceneAction } from '../../modules/timed-tasks/index.ts'
import { createTriggersModule } from '../../modules/triggers/index.ts'
import type { ContainerOptions } from '../container-options.ts'
import { triggerPast, triggerWebhook } from '../trigger-wiring.ts'
import type { CompanyModules } from './company.ts'
import type { Foundations } from './foundations.ts'
import type { PeopleModules } from './people.ts'
import type { ThingModules } from './things.ts'
import { watchOf } from './watch-of.ts'

export type DeviceWorkModules = ReturnType<typeof createDeviceWorkModules>

/** What people do with devices: many at once, their ways in, commands, firmware, why they do not arrive, who gets their data. */
export function createDeviceWorkModules(
  options: ContainerOptions,
  base: Foundations,
  { company, notifications }: CompanyModules,
  { groups, products, devices, telemetry }: ThingModules,
  { identity, tasks, currentActor }: PeopleModules,
  /** Owners of devices: the module of end users, once it is made. */
  customers: () => DeviceCustomers,
) {
  const { database, gateway, objectStore, secretKey, secrets, now } = base
  const { inbox } = notifications
  const { quotas, service: tenants } = company
  const { requireFreshProof } = identity.security
  const shared = {
    database,
    gateway,
    groups: groups.service,
    products: products.service,
    quotas,
    tasks,
  }
  const deviceBatches = createDeviceBatches({
    ...shared,
    purge: telemetry.purge,
    renumber: telemetry.renumber,
    requireFreshProof,
    logger: base.logger,
  })
  const deviceImports = createDeviceImports({
    ...shared,
    secrets,
    store: objectStore,
    storeImported: telemetry.storeImported,
    // Made after this chapter; asked when a table is read.
    customers: {
      find: (scope, text) => customers().find(scope, text),
      assign: (scope, ctx, userId, deviceIds) => customers().assign(scope, ctx, userId, deviceIds),
    },
  })
  const deviceIdentity = createDeviceIdentityModule({
    database,
    gateway,
    secrets,
    devices: devices.service,
    requireFreshProof,
    inbox,
  })
  // One count for all: what the gateway lets in, as the page of the flow shows it day by day.
  quotas.countedBy('messagesPerDay', deviceIdentity.flow.messagesToday)
  quotas.countedBy('pointsPerDay', deviceIdentity.flow.pointsToday)
  quotas.countedBy('messagesPerSecond', deviceIdentity.flow.peakToday)
  const subscriptions = createSubscriptionsModule({
    database,
    queuePool: options.queuePool ?? database.telemetry,
    adapters: {
      webhook: createWebhookAdapter({ allow: options.outboundAllow ?? [], now }),
      ...options.subscriptionTargets,
    },
    mqtt: () => ({ host: options.addresses().host, port: options.addresses().mqttPort }),
    outboundAllow: options.outboundAllow ?? [],
    box: createCryptoBox(secretKey, 'subscriptions'),
    inbox,
    latest: (ctx, deviceId) => telemetry.service.latest(ctx, deviceId),
    lastEvent: async (ctx, deviceId) => (await telemetry.service.events(ctx, deviceId, { limit: 1 })).items[0] ?? null,
    scopeNow: async (tenantId, loginId) => {
      const maker = await identity.service.makerNow(tenantId, loginId)
      if (maker === undefined) return undefined
      return maker?.permissions.has('subscription:write') ? dataScopeOf(maker) : null
    },
    logger: base.logOf('subscriptions'),
  })
  const commands = createCommandsModule({
    database,
    gateway,
    requireFreshProof,
    currentActor,
    now,
    logger: base.logOf('commands'),
  })
  const diagnosis = createDiagnosisModule({
    database,
    passRaw: commands.passRaw,
    linkPorts: () => gateway.linkPorts?.() ?? Promise.resolve(null),
    gateway: options.probes ?? { probe: async () => null, watchFrames: () => undefined },
    addresses: options.addresses,
    async behind() {
      const gauges = await options.behind?.()
      if (!gauges) return null
      // Named like metrics: consumer_store_behind.
      return Object.fromEntries(
        Object.entries(gauges).map(([name, rows]) => [name.replace(/^consumer_(.+)_behind$/, '$1'), rows]),
      )
    },
    watch: (ctx, deviceId) => watchOf(ctx, deviceId, { alarms, triggers }),
    async messagesQuota(ctx) {
      const limit = (await tenants.settings(ctx.tenantId)).quotas.messagesPerDay
      return limit === null ? null : { used: await deviceIdentity.flow.messagesToday(ctx.tenantId), limit }
    },
  })
  const ota = createOtaModule({
    database,
    store: objectStore,
    secretKey,
    gateway,
    inbox,
    requireFreshProof,
    currentActor,
    baseUrl: () => options.addresses().httpUrl,
    now,
    logger: base.logOf('firmware'),
  })
  const alarms = createAlarmsModule({
    logger: base.logOf('alarms'),
    database,
    inbox,
    timeZone: async tenantId => (await tenants.get(tenantId)).timeZone,
    now,
  })
  const triggers = createTriggersModule({
    database,
    alarms: alarms.ofTriggers,
    inbox,
    box: createCryptoBox(secretKey, 'triggers'),
    outboundAllow: options.outboundAllow ?? [],
    ownerNow: identity.service.makerNow,
    past: triggerPast(telemetry.service, devices.service),
    sendCommand: async (ctx, deviceId, command) =>
      (await commands.service.create(ctx, deviceId, command, 'trigger')).id,
    postWebhook: triggerWebhook(createWebhookAdapter({ allow: options.outboundAllow ?? [], now }), now),
    actions: [sceneAction(database, now), ...pageActions(database)],
    logger: base.logOf('triggers'),
    now,
  })
  const timedTasks = createTimedTasksModule({
    database,
    intake: commands.intake,
    gateway,
    timeZone: async tenantId => (await tenants.get(tenantId)).timeZone,
    ownerNow: identity.service.makerNow,
    logger: base.logOf('timed-tasks'),
    now,
  })
  const cloudPages = createCloudPagesModule({
    database,
    box: createCryptoBox(secretKey, 'cloud-pages'),
    outboundAllow: options.outboundAllow ?? [],
    telemetry: telemetry.service,
    commands: commands.service,
    alarms: alarms.service,
    timedTasks: timedTasks.service,
    timeZone: async tenantId => (await tenants.get(tenantId)).timeZone,
    ownerNow: identity.service.makerNow,
    logger: base.logOf('cloud-pages'),
    now,
  })
  return {
    alarms,
    cloudPages,
    triggers,
    timedTasks,
    deviceIdentity,
    deviceBatches,
    deviceImports,
    subscriptions,
    commands,
    diagnosis,
    ota,
  }
}
