import type { Locale } from '../../lib/context.ts'
import type { Logger } from '../../lib/log.ts'
import type { SmsPort } from '../notifications/index.ts'
import mails from './security-mails.json' with { type: 'json' }
import words from './security-words.json' with { type: 'json' }

export interface Mailer {
  send(mail: { to: string; subject: string; text: string }): Promise<void>
}

export type MailKind = keyof (typeof mails)['zh']

export interface SecurityMessages {
  /** Tells by mail; nobody waits for it, and a mail that cannot be sent is a line in the log. */
  mail(to: string | null, kind: MailKind, locale: Locale, params: Record<string, string>): void
  /** Hands a code to the carrier. @throws when it was not taken */
  code(
    channel: 'sms' | 'mail',
    target: string,
    locale: Locale,
    params: { code: string; minutes: string },
  ): Promise<void>
}

export function createSecurityMessages(sms: SmsPort, mailer: Mailer, logger: Logger): SecurityMessages {
  const compose = (kind: MailKind, locale: Locale, params: Record<string, string>) => ({
    subject: fill(mails[locale][kind].subject, params),
    text: fill(mails[locale][kind].text, params),
  })
  return {
    mail(to, kind, locale, params) {
      if (!to) return
      mailer
        .send({ to, ...compose(kind, locale, params) })
        .catch((error: unknown) => logger.warn({ err: error, kind }, 'security mail not sent'))
    },
    async code(channel, target, locale, params) {
      if (channel === 'sms') await sms.send({ phone: target, kind: 'security_code', params, locale })
      else await mailer.send({ to: target, ...compose('code', locale, params) })
    },
  }
}

/** A notice for the inbox, in both languages. */
export function noticeWords(
  kind: keyof typeof words,
  params: Record<string, string>,
): { title: { zh: string; en: string }; text: { zh: string; en: string } } {
  const { title, text } = words[kind]
  return { title, text: { zh: fill(text.zh, params), en: fill(text.en, params) } }
}

function fill(text: string, params: Record<string, string>): string {
  return text.replace(/\{(\w+)\}/g, (_, key: string) => params[key] ?? '')
}
