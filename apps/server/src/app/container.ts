import { join } from 'node:path'
import { WEB_ROUTES } from '@thingwright/contracts/web-routes'
import { createOpenAiLlm } from '../adapters/llm/openai/openai-llm.ts'
import { createLogMail } from '../adapters/mail/log/log-mail.ts'
import { createSmtpMail } from '../adapters/mail/smtp/smtp-mail.ts'
import { createFsObjectStore } from '../adapters/object-store/fs/fs-object-store.ts'
import { createS3ObjectStore } from '../adapters/object-store/s3/s3-object-store.ts'
import { createLogSms } from '../adapters/sms/log/log-sms.ts'
import { createWebhookAdapter } from '../adapters/subscription-target/webhook/webhook-target.ts'
import { seedCompany, seedMenu } from '../db/seeds/minimal/minimal.seed.ts'
import { createFormatTools } from '../ingest/formats/format-tools.ts'
import { type Actor, type Ctx, dataScopeOf } from '../lib/context.ts'
import { createCryptoBox } from '../lib/crypto-box.ts'
import { newAccessToken } from '../lib/device-credentials.ts'
import { AppError } from '../lib/errors.ts'
import type { BoundRoute } from '../lib/http.ts'
import { createIdempotency, type Idempotency } from '../lib/idempotency.ts'
import { sanitiseSvg } from '../lib/svg.ts'
import { createAddressesModule } from '../modules/addresses/index.ts'
import { type AssistantModule, createAssistantModule, mcpRoutes, outgoingTexts } from '../modules/assistant/index.ts'
import { type AuditModule, createAuditModule } from '../modules/audit/index.ts'
import { type CommandsModule, createCommandsModule, templateUsage } from '../modules/commands/index.ts'
import { createConsentsModule } from '../modules/consents/index.ts'
import { createDeveloperModule, type DeveloperModule, ownedApiKeys } from '../modules/developer/index.ts'
import { createDeviceIdentityModule, type DeviceIdentityModule } from '../modules/device-identity/index.ts'
import {
  countDevicesByGroup,
  countDevicesByProduct,
  createDeviceBatches,
  createDeviceImports,
  createDevicesModule,
  type DevicesModule,
  describeDevices,
  giveTokens,
  giveTokensWhereWanted,
  onlineDeviceNums,
  overlayUsage,
  ownedDevices,
} from '../modules/devices/index.ts'
import { createDiagnosisModule, type DiagnosisModule } from '../modules/diagnosis/index.ts'
import { createGroupsModule, type GroupsModule } from '../modules/groups/index.ts'
import {
  clientOf,
  createIdentityModule,
  hashPassword,
  type IdentityService,
  placeOf,
  type SecurityModule,
} from '../modules/identity/index.ts'
import { createMediaModule, type MediaModule, type ObjectStore } from '../modules/media/index.ts'
import { createMembersModule } from '../modules/members/index.ts'
import { createMenuEditor, createMenusService, menusRoutes } from '../modules/menus/index.ts'
import { createNotificationsModule, type NotificationsModule } from '../modules/notifications/index.ts'
import { createOperatorModule, type OperatorModule } from '../modules/operator/index.ts'
import { createOtaModule, type OtaModule } from '../modules/ota/index.ts'
import { createProductLibraryModule } from '../modules/product-library/index.ts'
import {
  countProductsByGroup,
  createProductsModule,
  ownedProducts,
  type ProductsModule,
} from '../modules/products/index.ts'
import { createRolesModule, type RolesModule } from '../modules/roles/index.ts'
import { createSavedViewsModule, ownedSavedViews } from '../modules/saved-views/index.ts'
import { createSearchModule } from '../modules/search/index.ts'
import { createSubscriptionsModule, type SubscriptionsModule } from '../modules/subscriptions/index.ts'
import { createTasksModule, exportsNoted, ownedTasks, type TasksModule } from '../modules/tasks/index.ts'
import { createTelemetryModule, type TelemetryModule } from '../modules/telemetry/index.ts'
import { createTenantsModule, type TenantsModule } from '../modules/tenants/index.ts'
import { createTlinkCompatModule } from '../modules/tlink-compat/index.ts'
import { createTransferModule } from '../modules/transfer/index.ts'
import { type ApiCaller, createApiCaller } from './api-caller.ts'
import { FINDERS, TOOLS } from './assistant-tools.ts'
import type { ContainerOptions } from './container-options.ts'
import { deviceHistory } from './device-history.ts'
import { searchSources } from './search-sources.ts'

/** Every service of the API process, wired once. */
export interface Container {
  routes: BoundRoute[]
  /** The same routes, called from inside as somebody. */
  api: ApiCaller
  identity: IdentityService
  groups: GroupsModule
  products: ProductsModule
  devices: DevicesModule
  deviceIdentity: DeviceIdentityModule
  telemetry: TelemetryModule
  commands: CommandsModule
  ota: OtaModule
  developer: DeveloperModule
  diagnosis: DiagnosisModule
  notifications: NotificationsModule
  idempotency: Idempotency
  objectStore: ObjectStore
  media: MediaModule
  tasks: TasksModule
  audit: AuditModule
  company: TenantsModule
  operator: OperatorModule
  roles: RolesModule
  security: SecurityModule
  subscriptions: SubscriptionsModule
  assistant: AssistantModule
}

export function createContainer(options: ContainerOptions): Container {
  const { database, gateway, secretKey, logger } = options
  const now = () => Date.now()
  const secrets = createCryptoBox(secretKey, 'device-secret')

  const notifications = createNotificationsModule({ database, onChanged: options.onInboxChanged })
  const objectStore = options.objectStore
    ? createS3ObjectStore(options.objectStore)
    : createFsObjectStore(options.uploadsDir)
  /** The rights of a person now, for work that goes on after his request. */
  async function currentActor(tenantId: string, actor: Actor): Promise<Actor | null> {
    if (actor.kind === 'system') return actor
    if (actor.kind === 'apiKey') return developer.actorNow(tenantId, actor.keyId)
    const support = actor.kind === 'operator' ? actor.support : undefined
    if (support) return support.expiresAt > now() ? actor : null
    return identity.actorNow(tenantId, actor.loginId)
  }
  const tasks = createTasksModule({
    database,
    files: objectStore,
    logger: logger.child({ part: 'tasks' }),
    onChange: change => options.onTaskChanged?.(change),
    currentActor,
    now,
  })
  const company = createTenantsModule({
    database,
    inbox: notifications.inbox,
    store: objectStore,
    // Who is signed in carries the state of his company.
    onChanged: () => identity.forget(),
  })
  const tenants = company.service
  const outboxFile = (kind: string) => (options.outboxDir ? join(options.outboxDir, `${kind}.ndjson`) : null)
  const sms = createLogSms(logger.child({ part: 'sms' }), now, outboxFile('sms'))
  const mail = options.mail
    ? createSmtpMail(options.mail)
    : createLogMail(logger.child({ part: 'mail' }), now, outboxFile('mail'))
  const menuKeys = WEB_ROUTES.filter(route => route.limits).map(route => route.path)
  const built = new Set(WEB_ROUTES.filter(route => route.built).map(route => route.path))
  const identityModule = createIdentityModule({
    database,
    tenants,
    support: company.support,
    // Programs stand on people: their keys ask for people's rights, and people's sign-in lets their keys in.
    apiKeys: {
      authenticate: (key, origin) => developer.gate.authenticate(key, origin),
      authenticateToken: (claims, origin) => developer.gate.authenticateToken(claims, origin),
      grant: (credentials, ip) => developer.gate.grant(credentials, ip),
      forgetOwner: loginId => developer.gate.forgetOwner(loginId),
    },
    sms,
    mail,
    inbox: notifications.inbox,
    createCompany: seedCompany,
    secretKey,
    logger: logger.child({ part: 'identity' }),
    menuKeys,
    publicUrl: () => options.addresses().httpUrl,
    fixedUrl: options.publicUrl ?? null,
    outboundAllow: options.outboundAllow ?? [],
    links: {
      holdMember: tenantId => database.withTenant({ tenantId }, scope => company.quotas.hold(scope, 'members')),
      onCompanyFrozen: () => identity.forget(),
      async onCompanyPurged(tenantId) {
        await devices.lifecycle.purgePending()
        for (const folder of ['media', 'tasks', 'company', 'firmware'])
          for await (const { key } of objectStore.list(`${folder}/${tenantId}/`)) await objectStore.remove(key)
      },
    },
    secureCookie: options.secureCookie,
    demo: options.demo,
    now,
  })
  const identity = identityModule.service
  const developer = createDeveloperModule({
    database,
    logger: logger.child({ part: 'developer' }),
    requireFreshProof: identityModule.security.requireFreshProof,
    inbox: notifications.inbox,
    onKeysChanged: ids => options.onKeysChanged?.(ids),
    addresses: options.addresses,
    ownPorts: options.ownPorts ?? null,
    deviceCertificate: () => options.deviceCertificate?.() ?? null,
    appId: async tenantId => (await tenants.get(tenantId)).appId,
    now,
  })
  const menus = createMenusService({
    database,
    isBuilt: path => built.has(path),
    menuKeys,
    menuPermissions: async (ctx: Ctx) => (await identity.me(ctx)).menuPermissions,
    sanitiseIcon: svg => sanitiseSvg(svg) ?? '',
  })
  const menuEditor = createMenuEditor({
    database,
    devFlag: options.devFlag ?? false,
    isBuilt: path => built.has(path),
    cleanIcon: sanitiseSvg,
    seed: seedMenu,
    onChanged: () => options.onMenuChanged?.(),
  })
  const roles = createRolesModule({
    database,
    menuKeys,
    menuFor: menus.menuFor,
    menuChoices: menus.choices,
    onRightsChanged(loginIds) {
      for (const loginId of loginIds) identity.forget(loginId)
      tasks.runner.recheck()
      subscriptions.catalogue.changed()
      options.onRightsChanged?.(loginIds)
    },
  })

  const media = createMediaModule({
    database,
    store: objectStore,
    quota: {
      hold: company.quotas.hold,
      limit: async scope => (await tenants.settingsIn(scope)).quotas.mediaBytes,
    },
    secretKey,
    logger: logger.child({ part: 'media' }),
  })
  company.quotas.countedBy('mediaBytes', media.service.usedBytes)
  const groups = createGroupsModule({
    database,
    countObjects: { device: countDevicesByGroup, product: countProductsByGroup },
  })
  const telemetry = createTelemetryModule({
    database,
    messageLogHours: async tenantId => (await tenants.settings(tenantId)).retention.messageLogHours,
  })
  const formatTools = createFormatTools(logger.child({ part: 'formats' }))
  const products = createProductsModule({
    database,
    groups: groups.service,
    quotas: company.quotas,
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
    quotas: company.quotas,
    gateway,
    secrets,
    addresses: options.addresses,
    readShadow: telemetry.readShadow,
    purge: telemetry.purge,
    logger,
  })
  const productLibrary = createProductLibraryModule({
    database,
    products: products.service,
    formats: products.format,
    links: products.link,
    templates: async () => (await import('../db/library/index.ts')).PRODUCT_LIBRARY,
  })
  const deviceBatches = createDeviceBatches({
    database,
    gateway,
    groups: groups.service,
    products: products.service,
    quotas: company.quotas,
    tasks,
    purge: telemetry.purge,
    renumber: telemetry.renumber,
    requireFreshProof: identityModule.security.requireFreshProof,
    logger,
  })
  const deviceImports = createDeviceImports({
    database,
    gateway,
    groups: groups.service,
    products: products.service,
    quotas: company.quotas,
    secrets,
    store: objectStore,
    storeImported: telemetry.storeImported,
    tasks,
  })
  const deviceIdentity = createDeviceIdentityModule({
    database,
    gateway,
    secrets,
    devices: devices.service,
    requireFreshProof: identityModule.security.requireFreshProof,
    inbox: notifications.inbox,
  })
  // One count for all: what the gateway lets in, as the page of the flow shows it day by day.
  company.quotas.countedBy('messagesPerDay', deviceIdentity.flow.messagesToday)
  company.quotas.countedBy('pointsPerDay', deviceIdentity.flow.pointsToday)
  company.quotas.countedBy('messagesPerSecond', deviceIdentity.flow.peakToday)
  const subscriptions = createSubscriptionsModule({
    database,
    queuePool: options.queuePool ?? database.telemetry,
    adapters: {
      webhook: createWebhookAdapter({ allow: options.outboundAllow ?? [], now }),
      ...options.subscriptionTargets,
    },
    outboundAllow: options.outboundAllow ?? [],
    box: createCryptoBox(secretKey, 'subscriptions'),
    inbox: notifications.inbox,
    latest: (ctx, deviceId) => telemetry.service.latest(ctx, deviceId),
    lastEvent: async (ctx, deviceId) => (await telemetry.service.events(ctx, deviceId, { limit: 1 })).items[0] ?? null,
    onAccountEnded: id => options.onAccountEnded?.(id),
    scopeNow: async (tenantId, loginId) => {
      const maker = await identity.makerNow(tenantId, loginId)
      if (maker === undefined) return undefined
      return maker?.permissions.has('subscription:write') ? dataScopeOf(maker) : null
    },
    logger: logger.child({ part: 'subscriptions' }),
  })
  const members = createMembersModule({
    database,
    groups: groups.service,
    identity: identityModule,
    quotas: company.quotas,
    inbox: notifications.inbox,
    mail,
    sms,
    owned: [ownedDevices, ownedProducts, ownedSavedViews, ownedTasks, ownedApiKeys, subscriptions.owned],
    publicUrl: () => options.addresses().httpUrl,
    logger: logger.child({ part: 'members' }),
  })
  const commands = createCommandsModule({
    database,
    gateway,
    onChanged: options.onCommandsChanged,
    requireFreshProof: identityModule.security.requireFreshProof,
    currentActor,
    now,
    logger: logger.child({ part: 'commands' }),
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
    inbox: notifications.inbox,
    onCommandsChanged: options.onCommandsChanged,
    requireFreshProof: identityModule.security.requireFreshProof,
    currentActor,
    baseUrl: () => options.addresses().httpUrl,
    now,
    logger: logger.child({ part: 'firmware' }),
  })
  const transfer = createTransferModule({
    database,
    tasks,
    tenants,
    store: objectStore,
    secretKey,
    secrets,
    giveTokens: (scope, productIds) => giveTokensWhereWanted(scope, productIds, id => newAccessToken(secrets, id)),
    version: options.version ?? 'unknown',
    gateway,
    quotas: company.quotas,
    history: deviceHistory(products.service, telemetry.service),
    addMaterial: media.service.upload,
    roles: roles.service,
    requireFreshProof: identityModule.security.requireFreshProof,
  })
  const operator = createOperatorModule({
    database,
    inbox: notifications.inbox,
    quotas: company.quotas,
    support: company.support,
    verification: company.verification,
    tasks: tasks.service,
    makeCompany: seedCompany,
    hashPassword,
    supportToken: identity.supportToken,
    onChanged: () => identity.forget(),
    health: options.health ?? (() => Promise.reject(new AppError('server.unavailable'))),
  })
  const savedViews = createSavedViewsModule({ database })
  const search = createSearchModule(searchSources({ devices, products, members, roles, media }))
  const audit = createAuditModule({
    database,
    secretKey,
    logger: logger.child({ part: 'audit' }),
    placeOf,
    clientOf: userAgent => clientOf(userAgent).name,
    retentionDays: async tenantId => (await tenants.settings(tenantId)).retention.auditDays,
    startTask: tasks.service.startIn,
    registerTask: tasks.register,
    now,
  })
  const assistant = createAssistantModule({
    database,
    secretKey,
    logger: logger.child({ part: 'assistant' }),
    tools: TOOLS,
    finders: FINDERS,
    llm: createOpenAiLlm({ outboundAllow: options.outboundAllow ?? [] }),
    installation: options.llm ?? null,
    inbox: notifications.inbox,
    outboundAllow: options.outboundAllow ?? [],
    callApi: (ctx, call) => api.call(ctx, call),
    currentActor,
    timeZone: async tenantId => (await tenants.get(tenantId)).timeZone,
    companyName: async tenantId => (await tenants.get(tenantId)).name,
    onRefused: audit.refusals.note,
    graceMs: options.replyGraceMs,
    now,
  })

  const routes: BoundRoute[] = exportsNoted(tasks.service)([
    ...identityModule.routes,
    ...members.routes,
    ...company.routes,
    ...operator.routes,
    ...transfer.routes,
    ...menusRoutes(menus, menuEditor),
    ...roles.routes,
    ...media.routes,
    ...createAddressesModule({ database }).routes,
    ...createConsentsModule({ database }).routes,
    ...groups.routes,
    ...products.routes,
    ...productLibrary.routes,
    ...devices.routes,
    ...deviceIdentity.routes,
    ...deviceBatches.routes,
    ...deviceImports.routes,
    ...telemetry.routes,
    ...commands.routes,
    ...diagnosis.routes,
    ...developer.routes,
    ...ota.routes,
    ...audit.routes,
    ...notifications.routes,
    ...savedViews.routes,
    ...subscriptions.routes,
    ...assistant.routes,
    ...mcpRoutes({
      registry: assistant.registry,
      isOff: assistant.isOff,
      callApi: (ctx, call) => api.call(ctx, call),
      outgoing: tenantId => outgoingTexts(database, tenantId),
      timeZone: async tenantId => (await tenants.get(tenantId)).timeZone,
      onRefused: audit.refusals.note,
      version: options.version ?? 'unknown',
      publicUrl: options.publicUrl ?? null,
      logger: logger.child({ part: 'mcp' }),
      now,
    }),
    ...search.routes,
    ...tasks.routes,
    ...createTlinkCompatModule({
      database,
      identity,
      devices: devices.service,
      lifecycle: devices.lifecycle,
      products: products.service,
      telemetry: telemetry.service,
      commands: commands.service,
    }).routes,
  ])
  const api = createApiCaller({
    routes: () => routes,
    logger: logger.child({ part: 'api-caller' }),
    onRefused: audit.refusals.note,
  })

  return {
    identity,
    groups,
    products,
    devices,
    deviceIdentity,
    telemetry,
    commands,
    ota,
    developer,
    diagnosis,
    notifications,
    objectStore,
    media,
    tasks,
    audit,
    company,
    operator,
    roles,
    security: identityModule.security,
    subscriptions,
    assistant,
    idempotency: createIdempotency(database, createCryptoBox(secretKey, 'idempotency')),
    routes,
    api,
  }
}
