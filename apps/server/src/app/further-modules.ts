import type { FormatTools } from '../ingest/formats/format-tools.ts'
import type { AttentionSource } from '../lib/attention.ts'
import type { Actor, Ctx } from '../lib/context.ts'
import type { CryptoBox } from '../lib/crypto/crypto-box.ts'
import type { Database } from '../lib/database/database.ts'
import type { DependentObjects } from '../lib/dependents.ts'
import type { Logger } from '../lib/log.ts'
import type { ModuleDefinition } from '../lib/module.ts'
import { addressesModule } from '../modules/addresses/index.ts'
import type { AlarmsModule } from '../modules/alarms/index.ts'
import {
  type AdmitApplet,
  type AdmitCustomer,
  appsModule,
  type PlatformClient,
  type WechatHttp,
} from '../modules/apps/index.ts'
import { cardOrdersModule } from '../modules/card-orders/index.ts'
import type { CloudPagesModule } from '../modules/cloud-pages/index.ts'
import type { CommandsModule } from '../modules/commands/index.ts'
import { companyTransfersModule } from '../modules/company-transfers/index.ts'
import { consentsModule } from '../modules/consents/index.ts'
import {
  type AppletMessages,
  type ChannelAdapters,
  contactsModule,
  type Simulators,
  type UnitsPort,
  type WebPush,
} from '../modules/contacts/index.ts'
import type { GatewayPort } from '../modules/devices/gateway.port.ts'
import type { DevicesModule } from '../modules/devices/index.ts'
import { geofencesModule } from '../modules/geofences/index.ts'
import type { GroupsModule } from '../modules/groups/index.ts'
import { invoicesModule } from '../modules/invoices/index.ts'
import type { FeedFactory } from '../modules/lora/feed.port.ts'
import { loraModule } from '../modules/lora/index.ts'
import type { LnsFactory } from '../modules/lora/lns.port.ts'
import type { ObjectStore } from '../modules/media/index.ts'
import type { Inbox, MailPort, SmsPort } from '../modules/notifications/index.ts'
import type { ProductsModule } from '../modules/products/index.ts'
import { type PaymentClientFactory, purchaseOrdersModule } from '../modules/purchase-orders/index.ts'
import { reportsModule } from '../modules/reports/index.ts'
import { savedViewsModule } from '../modules/saved-views/index.ts'
import type { CarrierFactory } from '../modules/sim-cards/carrier.port.ts'
import { simCardsModule } from '../modules/sim-cards/index.ts'
import { statisticsModule } from '../modules/statistics/index.ts'
import { tariffsModule } from '../modules/tariffs/index.ts'
import type { TasksModule } from '../modules/tasks/index.ts'
import { telecomModule } from '../modules/telecom/index.ts'
import type { PlatformFactory } from '../modules/telecom/platform.port.ts'
import type { PlatformLink } from '../modules/telecom/platform-link.port.ts'
import type { TelemetryModule } from '../modules/telemetry/index.ts'
import type { QuotasService } from '../modules/tenants/index.ts'
import type { TriggersModule } from '../modules/triggers/index.ts'
import { videoModule } from '../modules/video/index.ts'
import type { MediaFetch, VideoFactory } from '../modules/video/video.port.ts'
import { walletsModule } from '../modules/wallets/index.ts'
import type { ApiCaller } from './api-caller.ts'
import type { ContainerOptions } from './container-options.ts'

/** What a module of the list below can ask for. It names what it takes of this in its own type. */
export interface FurtherNeeds {
  database: Database
  logger: Logger
  inbox: Inbox
  quotas: QuotasService
  groups: GroupsModule
  products: ProductsModule
  devices: DevicesModule
  telemetry: TelemetryModule
  commands: CommandsModule
  alarms: AlarmsModule
  triggers: TriggersModule
  tasks: TasksModule
  /** Sends changes to the gateway process. */
  gateway: GatewayPort
  objectStore: ObjectStore
  mail: MailPort
  sms: SmsPort
  /** Providers of messages about alarms. */
  messageChannels: ChannelAdapters
  /** Pushes messages to browsers. */
  webPush: WebPush
  /** Counts what leaves by the operator's carrier. */
  units: UnitsPort
  /** Simulators of providers that this server starts when they are needed. */
  simulators: Simulators
  /** IANA name of a company's time zone. */
  timeZone(tenantId: string): Promise<string>
  /** Clients of providers of payments. */
  paymentClients: PaymentClientFactory
  /** Clients of accounts at carriers of SIM cards. */
  carriers: CarrierFactory
  /** Runs a script that belongs to no product, in the sandbox of formats. */
  runScript: FormatTools['script']
  /** Clients of LoRaWAN network servers. */
  lns: LnsFactory
  /** Listeners to the brokers of LoRaWAN network servers. */
  loraFeed: FeedFactory
  /** Clients of keys at NB-IoT platforms. */
  telecomPlatforms: PlatformFactory
  /** Brings what such a platform says into the device path. */
  platformLink: PlatformLink
  /** WeChat's interface. */
  wechat: WechatHttp
  /** Speaks for mini-programs of companies at WeChat. */
  appletClient: PlatformClient
  /** Their subscribe messages. */
  appletMessages: AppletMessages
  /** Clients of accounts at vendors of cameras. */
  video: VideoFactory
  /** Reads streams of cameras. */
  videoMedia: MediaFetch
  /** Seals what must not be read in the database. @param purpose a name of the module's own, never changed */
  seal(purpose: string): CryptoBox
  /** Addresses of this server, once they are known. */
  addresses: ContainerOptions['addresses']
  /** PUBLIC_URL as it was set. */
  publicUrl: string | null
  /** Networks of OUTBOUND_ALLOW. */
  outboundAllow: readonly string[]
  /** @throws AppError when the caller has not shown just now that it is he */
  requireFreshProof(ctx: Ctx): Promise<void>
  /** The rights of a person or a program now, for work that goes on after the request; null: he may no longer act. */
  currentActor(tenantId: string, actor: Actor): Promise<Actor | null>
  /** The permissions of an owner now; null: he may no longer act; undefined: no member of the company. */
  ownerNow(tenantId: string, loginId: string): Promise<Actor | null | undefined>
  /** Lets an end user in who proved himself by WeChat, and gives the session to his browser. */
  admitCustomer: AdmitCustomer
  admitApplet: AdmitApplet
  /** Over https only may cookies be marked Secure. */
  secureCookie: boolean
  /** Calls the routes of the API from inside. */
  api: ApiCaller
  cloudPages: CloudPagesModule
  now(): number
  /** What stops when devices have another owner, of all modules, once all of them are made. */
  dependents(): readonly DependentObjects[]
  /** What all modules know that people should look at, once all of them are made. */
  attention(): readonly AttentionSource[]
}

/**
 * Modules that no other asks: one line here registers everything that such a module brings along. The demo is filled in
 * this order, so wallets and purchase orders stand before the modules that charge or invoice them.
 */
export const FURTHER_MODULES: readonly ModuleDefinition<FurtherNeeds>[] = [
  // One a line, so that two branches can add one each.
  companyTransfersModule,
  geofencesModule,
  appsModule,
  simCardsModule,
  loraModule,
  telecomModule,
  videoModule,
  contactsModule,
  purchaseOrdersModule,
  walletsModule,
  cardOrdersModule,
  invoicesModule,
  tariffsModule,
  addressesModule,
  consentsModule,
  savedViewsModule,
  statisticsModule,
  reportsModule,
]
