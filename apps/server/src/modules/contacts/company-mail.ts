import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import type { MailAttachment, MailPort } from '../notifications/index.ts'
import { type ChannelAdapters, ChannelError, type Simulators } from './channel.port.ts'
import { CHANNELS_SEAL, ChannelSecrets } from './channel-secrets.ts'
import * as queue from './queue.repo.ts'

/** One mail of a company, with what is attached to it. */
export interface CompanyMailMessage {
  /** The same at every try. */
  id: string
  to: string
  subject: string
  text: string
  attachments: readonly MailAttachment[]
}

/** Mails of a company that are no messages about alarms. */
export interface CompanyMail {
  /** @throws ChannelError, MailError when it was not taken */
  send(tenantId: string, message: CompanyMailMessage): Promise<void>
}

/** Sends by the company's own mail channel where it has one, else by the operator's mail server. */
export function createCompanyMail(deps: {
  database: Database
  mail: MailPort
  messageChannels: ChannelAdapters
  simulators: Simulators
  seal(purpose: string): CryptoBox
}): CompanyMail {
  const secrets = new ChannelSecrets(deps.seal(CHANNELS_SEAL))
  return {
    async send(tenantId, message) {
      const account = await deps.database.withSystemScope('alarms', scope =>
        queue.accountOf(scope, tenantId, 'email', null),
      )
      const { id, to, subject, text, attachments } = message
      if (!account) {
        await deps.mail.send({ to, subject, text, attachments, messageId: `${id}@thingwright` })
        return
      }
      if (account.fault) throw new ChannelError('never', account.fault)
      const name = `${account.kind}.${account.provider}`
      const adapter = deps.messageChannels[name]
      if (!adapter) throw new ChannelError('never', 'no_account')
      if (account.simulated && !deps.simulators.available) throw new ChannelError('never', 'no_simulator')
      const near = account.simulated ? await deps.simulators.account(name, account.id, null) : null
      await adapter.send(
        {
          kind: account.kind,
          provider: account.provider,
          config: { ...near?.config, ...account.config },
          secrets: { ...near?.secrets, ...secrets.open(account.id, account.secrets) },
          simulator: near?.address ?? null,
        },
        { id, to, subject, text, attachments, link: null, code: '', params: [], data: {} },
      )
    },
  }
}
