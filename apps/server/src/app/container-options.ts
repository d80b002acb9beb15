import type { HealthView } from '@thingwright/contracts/operator.contract'
import type { LlmSettings, MailSettings, ObjectStoreSettings } from '../lib/config.ts'
import type { Database } from '../lib/database/database.ts'
import type { Logger } from '../lib/log.ts'
import type { MapTiles } from '../lib/map-tiles.ts'
import type { News } from '../lib/news.ts'
import type { WechatPlatformSettings } from '../modules/apps/index.ts'
import type { Simulators } from '../modules/contacts/index.ts'
import type { GatewayPort } from '../modules/devices/gateway.port.ts'
import type { DeviceAddresses } from '../modules/devices/index.ts'
import type { DiagnosisPort } from '../modules/diagnosis/diagnosis.port.ts'
import type { QueuePool, TargetAdapters } from '../modules/subscriptions/index.ts'

/** What the application is made with: its surroundings. */
export interface ContainerOptions {
  database: Database
  /** Receives the news of committed changes; absent: only the listeners of this container receive them. */
  news?: News
  gateway: GatewayPort
  /** The device path as people look into it; absent: as if it did not answer. */
  probes?: DiagnosisPort
  /** Rows that the consumers of the journal are behind. */
  behind?(): Promise<Record<string, number>>
  secretKey: string
  logger: Logger
  addresses(): DeviceAddresses
  /** Ports that products may claim for themselves (TCP_PORT_RANGE). */
  ownPorts?: { from: number; to: number }
  /** PEM of the certificate that devices meet; null: none was made yet. */
  deviceCertificate?(): string | null
  /** The specification's dev flag: the menu may be edited. */
  devFlag?: boolean
  demo: boolean
  secureCookie: boolean
  /** PUBLIC_URL as it was set. */
  publicUrl?: string | null
  /** CIDRs of OUTBOUND_ALLOW. */
  outboundAllow?: readonly string[]
  /** The third-party platform at WeChat that publishes mini-programs; null: none. */
  wechatPlatform?: WechatPlatformSettings | null
  /** Where maps take their tiles from; null: outlines. */
  mapTiles?: MapTiles | null
  /** Simulators of providers; absent: none. */
  simulators?: Simulators
  /** Targets of subscriptions beside the webhook. */
  subscriptionTargets?: TargetAdapters
  /** Connections of the queues of subscriptions; absent: those of the telemetry role. */
  queuePool?: QueuePool
  /** The way mails leave; null: they are only shown. */
  mail?: MailSettings | null
  /** Where uploads go; null: the folder. */
  objectStore: ObjectStoreSettings | null
  uploadsDir: string
  /** Where messages are kept that no carrier and no mail server takes; absent: in memory alone. */
  outboxDir?: string
  /** Version of the program, written into exports. */
  version?: string
  /** The model that answers companies without one of their own; null: the built-in engine. */
  llm?: LlmSettings | null
  /** How long a reply of the assistant outlives its connection (tests). */
  replyGraceMs?: number
  /** How every component is, for the operator's desk. */
  health?(): Promise<HealthView>
}
