import { systemContext } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { SearchSource } from '../../lib/found.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import { defineModule, type ModuleParts } from '../../lib/module.ts'
import type { MailPort } from '../notifications/index.ts'
import { AlarmMails } from './alarm-mails.ts'
import { type ContactCodes, createContactCodes } from './contact-codes.service.ts'
import words from './contact-words.json' with { type: 'json' }
import { contactsRoutes } from './contacts.routes.ts'
import { type ContactsService, createContactsService } from './contacts.service.ts'
import { contactsTools } from './contacts.tools.ts'
import * as repo from './records.repo.ts'

export interface ContactsNeeds {
  database: Database
  mail: MailPort
  logger: Logger
  addresses(): { httpUrl: string }
  now(): number
}

export interface ContactsModule extends ModuleParts {
  service: ContactsService
  codes: ContactCodes
  mails: AlarmMails
  routes: BoundRoute[]
}

const KEEP_RECORDS_MS = 180 * 86_400_000

export function createContactsModule(needs: ContactsNeeds): ContactsModule {
  const { database } = needs
  const service = createContactsService(needs)
  const codes = createContactCodes(needs)
  const mails = new AlarmMails({ ...needs, consoleUrl: () => needs.addresses().httpUrl })
  return {
    service,
    codes,
    mails,
    routes: contactsRoutes(database, service, codes),
    search: [found(service)],
    hears: { 'alarms.changed': ({ ids }) => mails.tell(ids) },
    runs: [{ name: 'mails about alarms', phase: 'address', start: () => mails.start(), stop: () => mails.stop() }],
    sweeps: [
      {
        name: 'records of messages about alarms',
        run: now => database.withSystemScope('alarms', scope => repo.forget(scope, new Date(now - KEEP_RECORDS_MS))),
      },
    ],
    async gauges() {
      const { count, oldest } = await database.withSystemScope('alarms', scope => repo.waiting(scope))
      return {
        alarm_mails_waiting: count,
        alarm_mails_lag_seconds: oldest ? Math.max(0, (needs.now() - oldest.getTime()) / 1_000) : 0,
      }
    },
  }
}

const found = (service: ContactsService): SearchSource => ({
  kind: 'contact',
  permission: 'contact:read',
  find: async (ctx, q, limit) =>
    (await service.list(ctx, { q, limit })).items.map(item => ({
      id: item.id,
      title: item.name,
      subtitle: item.email,
      link: `/admin/alarme?q=${encodeURIComponent(item.name)}`,
    })),
})

export const contactsModule = defineModule({
  name: 'contacts',
  tools: contactsTools,
  create: createContactsModule,
  async seedDemo(database: Database, tenantId: string) {
    const ctx = systemContext(tenantId, 'demo')
    const service = createContactsService({ database })
    if ((await service.list(ctx, { limit: 1 })).items.length > 0) return
    // Nobody verified them: the demo company mails nobody.
    await service.create(ctx, { name: words.zh.demo, email: 'duty@example.com', minLevel: 3 })
    await service.create(ctx, { name: words.en.demo, email: 'night@example.com', minLevel: 4, locale: 'en' })
  },
})
