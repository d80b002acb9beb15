import { Words } from '@thingwright/contracts/common'
import { MESSAGE_CHANNELS, TEMPLATE_EVENTS } from '@thingwright/contracts/contacts.words'
import { Type } from 'typebox'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { type TransferSource, transferSource, within } from '../../lib/transfer-source.ts'
import * as repo from './templates.repo.ts'
import type { TemplatesService } from './templates.service.ts'

const LOCALES = ['zh', 'en'] as const
const Line = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 128 }),
  channel: Words(MESSAGE_CHANNELS),
  event: Words(TEMPLATE_EVENTS),
  locale: Words(LOCALES),
  subject: Type.String({ maxLength: 200 }),
  body: Type.String({ minLength: 1, maxLength: 4_000 }),
  code: Type.String({ maxLength: 64, pattern: '^[A-Za-z0-9_-]*$' }),
})

/**
 * The words of messages that a company wrote itself, in its file. What a carrier said of them stays at home: it was said
 * to that company.
 */
export function templatesTransfer(
  database: Database,
  serviceOf: (database: Database) => TemplatesService,
): TransferSource {
  const known = async (
    scope: TenantScope,
    { channel, event, locale }: Pick<repo.TemplateValues, 'channel' | 'event' | 'locale'>,
  ) => (await repo.list(scope)).find(row => row.channel === channel && row.event === event && row.locale === locale)
  return transferSource({
    kind: 'message_templates',
    permissions: ['contact:write'],
    line: Line,
    pack: async scope =>
      (await repo.list(scope)).map(({ channel, event, locale, subject, body, code }) => ({
        name: `${channel} / ${event} / ${locale}`,
        channel: channel as (typeof MESSAGE_CHANNELS)[number],
        event,
        locale,
        subject,
        body,
        code,
      })),
    async bring(scope, ctx, { name: _, subject, body, code, ...key }, { existing }) {
      const found = await known(scope, key)
      if (found && existing === 'keep') return { what: 'kept', id: null }
      const templates = serviceOf(within(database, scope))
      await templates.set(ctx, key, { version: found?.version ?? 0, subject, body, code })
      return { what: found ? 'replaced' : 'created', id: null }
    },
  })
}
