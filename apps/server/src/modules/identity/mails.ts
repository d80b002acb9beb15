import type { Locale } from '../../lib/context.ts'
import type { Logger } from '../../lib/log.ts'
import type { MailPort } from '../notifications/index.ts'
import texts from './mail-texts.json' with { type: 'json' }

export type IdentityMail = keyof (typeof texts)['zh']

/** Mails about one's own sign-in. */
export interface IdentityMails {
  /** @throws when the mail was not taken */
  send(kind: IdentityMail, to: string, locale: Locale, params: Record<string, string>): Promise<void>
  /** For notices nobody waits for: a mail that was not taken is a line in the log. */
  tell(kind: IdentityMail, to: string, locale: Locale, params: Record<string, string>): void
}

export function createIdentityMails(mail: MailPort, logger: Logger): IdentityMails {
  const send: IdentityMails['send'] = (kind, to, locale, params) => {
    const text = texts[locale][kind]
    const fill = (template: string) => template.replace(/\{(\w+)\}/g, (_, key: string) => params[key] ?? '')
    return mail.send({ to, subject: fill(text.subject), text: fill(text.text) })
  }
  return {
    send,
    tell(kind, to, locale, params) {
      send(kind, to, locale, params).catch((error: unknown) => logger.warn({ err: error, kind }, 'mail was not taken'))
    },
  }
}
