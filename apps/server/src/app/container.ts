import { createMessageChannels } from '../adapters/message-channel/channels.ts'
import { createChannelHttp } from '../adapters/message-channel/http-channel.ts'
import { createWebPush, pushKeysOf } from '../adapters/message-channel/web-push.ts'
import { createWechatHttp } from '../adapters/wechat/wechat-http.ts'
import { createCryptoBox, deriveKey } from '../lib/crypto/crypto-box.ts'
import { createIdempotency } from '../lib/database/idempotency.ts'
import type { ModuleParts } from '../lib/module.ts'
import { createAppletMessages, createPlatformClient, createPlatformOf } from '../modules/apps/index.ts'
import { NO_SIMULATORS } from '../modules/contacts/index.ts'
import { createMessageUnits } from '../modules/purchase-orders/index.ts'
import { exportsNoted } from '../modules/tasks/index.ts'
import { createApiCaller } from './api-caller.ts'
import { createCarriers } from './carriers.ts'
import type { ContainerOptions } from './container-options.ts'
import { FURTHER_MODULES } from './further-modules.ts'
import { createLns, createLnsFeeds } from './lns.ts'
import { createPaymentClients } from './payment-providers.ts'
import { createTelecomPlatforms } from './telecom-platforms.ts'
import { createVideo, createVideoMedia } from './video.ts'
import { createAssistantModules } from './wiring/assistant.ts'
import { createCompanyModules } from './wiring/company.ts'
import { createDeskModules } from './wiring/desk.ts'
import { createDeviceWorkModules } from './wiring/device-work.ts'
import { createFoundations } from './wiring/foundations.ts'
import { createPeopleModules } from './wiring/people.ts'
import { createThingModules } from './wiring/things.ts'

/** Every module of the API process, wired once: for the server, the demo and tests. */
export type Container = ReturnType<typeof createContainer>

/** Puts the modules together, chapter by chapter: each knows the chapters before it. */
export function createContainer(options: ContainerOptions) {
  const base = createFoundations(options)
  const company = createCompanyModules(base)
  const things = createThingModules(options, base, company)
  const people = createPeopleModules(options, base, company, things)
  const work = createDeviceWorkModules(options, base, company, things, people, () => desk.endUsers.customers)
  const api = createApiCaller({ logger: base.logOf('api-caller'), onRefused: people.audit.refusals.note })
  const messageChannels = createMessageChannels({ allow: options.outboundAllow ?? [], now: base.now })
  const webPush = createWebPush({
    http: createChannelHttp({ allow: options.outboundAllow ?? [] }),
    keys: pushKeysOf(deriveKey(options.secretKey, 'web-push')),
    consoleUrl: () => options.publicUrl ?? options.addresses().httpUrl,
    now: base.now,
  })
  const wechat = createWechatHttp({ allow: options.outboundAllow ?? [] })
  const appletClient = createPlatformClient({
    database: base.database,
    http: wechat,
    platforms: createPlatformOf(options.wechatPlatform ?? null),
    box: createCryptoBox(options.secretKey, 'wechat-applets'),
    now: base.now,
  })
  const further = FURTHER_MODULES.map(({ name, create }) =>
    create({
      database: base.database,
      logger: base.logOf(name),
      inbox: company.notifications.inbox,
      quotas: company.company.quotas,
      groups: things.groups,
      products: things.products,
      devices: things.devices,
      telemetry: things.telemetry,
      commands: work.commands,
      alarms: work.alarms,
      triggers: work.triggers,
      tasks: people.tasks,
      gateway: base.gateway,
      objectStore: base.objectStore,
      mail: base.mail,
      sms: base.sms,
      messageChannels,
      webPush,
      units: createMessageUnits({ database: base.database, now: base.now }),
      simulators: options.simulators ?? NO_SIMULATORS,
      timeZone: async tenantId => (await company.company.service.get(tenantId)).timeZone,
      paymentClients: createPaymentClients({ outboundAllow: options.outboundAllow ?? [], now: base.now }),
      carriers: createCarriers({ outboundAllow: options.outboundAllow ?? [], now: base.now }),
      runScript: things.runScript,
      lns: createLns({ outboundAllow: options.outboundAllow ?? [], now: base.now }),
      loraFeed: createLnsFeeds({ outboundAllow: options.outboundAllow ?? [] }),
      telecomPlatforms: createTelecomPlatforms({ outboundAllow: options.outboundAllow ?? [], now: base.now }),
      platformLink: { report: async report => (await options.probes?.probe('platform', report)) ?? null },
      wechat,
      appletClient,
      appletMessages: createAppletMessages({ database: base.database, client: appletClient }),
      publicUrl: options.publicUrl ?? null,
      video: createVideo({ outboundAllow: options.outboundAllow ?? [], now: base.now }),
      videoMedia: createVideoMedia({ outboundAllow: options.outboundAllow ?? [] }),
      seal: purpose => createCryptoBox(options.secretKey, purpose),
      addresses: options.addresses,
      outboundAllow: options.outboundAllow ?? [],
      requireFreshProof: people.identity.security.requireFreshProof,
      currentActor: people.currentActor,
      ownerNow: people.identity.service.makerNow,
      admitCustomer: people.identity.admitCustomer,
      admitApplet: people.identity.admitApplet,
      secureCookie: options.secureCookie,
      api,
      cloudPages: work.cloudPages,
      now: base.now,
      dependents: () => modules.flatMap(module => module.dependents ?? []),
      attention: () => modules.flatMap(module => module.attention ?? []),
    }),
  )
  const desk = createDeskModules(options, base, company, things, people, work, api, () => modules)
  const asking = createAssistantModules(options, base, company, people, api)

  const { currentActor, ...ofPeople } = people
  const { runScript: _, ...ofThings } = things
  const modules: ModuleParts[] = [company, ofThings, ofPeople, work, further, desk, asking].flatMap(chapter =>
    Object.values<ModuleParts>(chapter),
  )
  for (const source of modules.flatMap(module => module.approvalSources ?? [])) desk.operator.approvals.register(source)
  for (const { hears } of modules) if (hears) base.news.hear(hears)
  const bound = modules.flatMap(module => module.routes ?? [])
  const routes = exportsNoted(people.tasks.service)(bound)
  // Exports that the server makes through its own API are part of a task, which the task centre lists already.
  api.serve(bound)

  return {
    ...company,
    ...ofThings,
    ...ofPeople,
    ...work,
    ...desk,
    ...asking,
    modules,
    routes,
    api,
    news: base.news,
    identity: people.identity.service,
    security: people.identity.security,
    idempotency: createIdempotency(base.database, createCryptoBox(options.secretKey, 'idempotency')),
    objectStore: base.objectStore,
  }
}
