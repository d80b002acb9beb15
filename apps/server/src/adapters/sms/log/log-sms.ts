import type { Logger } from '../../../lib/log.ts'
import { createOutbox } from '../../../lib/message-outbox.ts'
import type { SmsMessage, SmsPort } from '../../../modules/notifications/sms.port.ts'
import texts from './sms-texts.json' with { type: 'json' }

/**
 * The carrier of an installation without one: keeps the last texts, for the demo's panel and in a file of their own. The
 * log says that there was one, and nothing of what it says: codes are in it.
 * @param file null: none
 */
export function createLogSms(logger: Logger, now: () => number, file: string | null = null): SmsPort {
  const sent = createOutbox<{ phone: string; text: string; at: string }>(file)
  return {
    async send(message: SmsMessage) {
      const text = texts[message.locale][message.kind].replace(
        /\{(\w+)\}/g,
        (_, key: string) => message.params[key] ?? '',
      )
      await sent.add({ phone: message.phone, text, at: new Date(now()).toISOString() })
      logger.info({ phone: message.phone, kind: message.kind, ...(file === null ? {} : { file }) }, 'simulated SMS')
    },
    outbox: () => [...sent.kept],
  }
}
