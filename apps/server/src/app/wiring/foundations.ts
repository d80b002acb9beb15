import { join } from 'node:path'
import { createLogMail } from '../../adapters/mail/log/log-mail.ts'
import { createSmtpMail } from '../../adapters/mail/smtp/smtp-mail.ts'
import { createFsObjectStore } from '../../adapters/object-store/fs/fs-object-store.ts'
import { createS3ObjectStore } from '../../adapters/object-store/s3/s3-object-store.ts'
import { createLogSms } from '../../adapters/sms/log/log-sms.ts'
import { type CryptoBox, createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import type { Logger } from '../../lib/log.ts'
import { createNews, type News } from '../../lib/news.ts'
import type { GatewayPort } from '../../modules/devices/gateway.port.ts'
import type { ObjectStore } from '../../modules/media/index.ts'
import type { MailPort, SmsPort } from '../../modules/notifications/index.ts'
import type { ContainerOptions } from '../container-options.ts'

/** Services that every part of the wiring uses. */
export interface Foundations {
  /** Its transactions tell `news`. */
  database: Database
  news: News
  gateway: GatewayPort
  secretKey: string
  /** Seals the secrets of devices. */
  secrets: CryptoBox
  objectStore: ObjectStore
  sms: SmsPort
  mail: MailPort
  logger: Logger
  /** The log of one part. */
  logOf(part: string): Logger
  now(): number
}

export function createFoundations(options: ContainerOptions): Foundations {
  const { gateway, secretKey, logger } = options
  const now = () => Date.now()
  const logOf = (part: string) => logger.child({ part })
  const news = options.news ?? createNews(error => logger.error({ err: error }, 'news were not taken'))
  const outboxFile = (kind: string) => (options.outboxDir ? join(options.outboxDir, `${kind}.ndjson`) : null)
  return {
    database: options.database.telling(news),
    news,
    gateway,
    secretKey,
    secrets: createCryptoBox(secretKey, 'device-secret'),
    objectStore: options.objectStore
      ? createS3ObjectStore(options.objectStore)
      : createFsObjectStore(options.uploadsDir),
    sms: createLogSms(logOf('sms'), now, outboxFile('sms')),
    mail: options.mail ? createSmtpMail(options.mail) : createLogMail(logOf('mail'), now, outboxFile('mail')),
    logger,
    logOf,
    now,
  }
}
