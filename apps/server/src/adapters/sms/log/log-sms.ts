import type { Logger } from '../../../lib/log.ts'
import type { SmsMessage, SmsPort } from '../../../modules/notifications/sms.port.ts'
import texts from './sms-texts.json' with { type: 'json' }

const KEPT = 20

/** The carrier of an installation without one: writes to the log, and keeps the last texts for the demo's panel. */
export function createLogSms(logger: Logger, now: () => number): SmsPort {
  const sent: { phone: string; text: string; at: string }[] = []
  return {
    async send(message: SmsMessage) {
      const text = texts[message.locale][message.kind].replace(
        /\{(\w+)\}/g,
        (_, key: string) => message.params[key] ?? '',
      )
      sent.unshift({ phone: message.phone, text, at: new Date(now()).toISOString() })
      sent.length = Math.min(sent.length, KEPT)
      logger.info({ phone: message.phone, text }, 'simulated SMS')
    },
    outbox: () => [...sent],
  }
}
