import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../lib/config.ts'
import type { ContainerOptions } from './container-options.ts'
import { VERSION } from './version.ts'

type FromConfig = Pick<
  ContainerOptions,
  | 'deviceCertificate'
  | 'ownPorts'
  | 'version'
  | 'devFlag'
  | 'demo'
  | 'secureCookie'
  | 'publicUrl'
  | 'outboundAllow'
  | 'mail'
  | 'llm'
  | 'wechatPlatform'
  | 'mapTiles'
  | 'objectStore'
  | 'uploadsDir'
  | 'outboxDir'
>

/** The settings of the installation that modules receive. */
export function containerSettings(config: Config, dataDir: string): FromConfig {
  return {
    deviceCertificate() {
      const file = config.tls?.certFile ?? join(dataDir, 'keys', 'mqtts-cert.pem')
      return existsSync(file) ? readFileSync(file, 'utf8') : null
    },
    ownPorts: config.tcpRange,
    version: VERSION,
    devFlag: config.devFlag,
    demo: config.demo,
    secureCookie: config.publicUrl?.startsWith('https:') ?? false,
    publicUrl: config.publicUrl,
    outboundAllow: config.outboundAllow,
    mail: config.mail,
    llm: config.llm,
    wechatPlatform: config.wechatPlatform,
    mapTiles: config.mapTiles,
    objectStore: config.objectStore,
    uploadsDir: join(dataDir, 'uploads'),
    outboxDir: join(dataDir, 'outbox'),
  }
}
