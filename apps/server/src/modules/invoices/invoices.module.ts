import { dataScopeOf } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { SearchSource } from '../../lib/found.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import { defineModule, type ModuleParts } from '../../lib/module.ts'
import type { Inbox, MailPort } from '../notifications/index.ts'
import { qualificationApprovals } from './invoice.approvals.ts'
import { createInvoiceDesk, type InvoiceDesk } from './invoice-desk.service.ts'
import type { InvoiceFileStore } from './invoice-files.ts'
import { seedInvoices } from './invoices.demo.ts'
import { invoicesRoutes } from './invoices.routes.ts'
import { createInvoicesService, type InvoicesService } from './invoices.service.ts'
import { invoicesTools } from './invoices.tools.ts'
import { createQualifications, type QualificationsService } from './qualifications.service.ts'

export interface InvoicesNeeds {
  database: Database
  objectStore: InvoiceFileStore
  mail: MailPort
  inbox: Inbox
  logger: Logger
  addresses(): { httpUrl: string }
}

export interface InvoicesModule extends ModuleParts {
  service: InvoicesService
  qualifications: QualificationsService
  desk: InvoiceDesk
  routes: BoundRoute[]
}

export function createInvoicesModule(needs: InvoicesNeeds): InvoicesModule {
  const { database } = needs
  const deps = { ...needs, store: needs.objectStore, consoleUrl: () => needs.addresses().httpUrl }
  const service = createInvoicesService(deps)
  const qualifications = createQualifications(needs)
  const desk = createInvoiceDesk(deps)
  return {
    service,
    qualifications,
    desk,
    routes: invoicesRoutes({ database, service, qualifications, desk }),
    approvalSources: [qualificationApprovals(desk)],
    search: [found(service)],
  }
}

const found = (service: InvoicesService): SearchSource => ({
  kind: 'invoice',
  permission: 'money:read',
  async find(ctx, q, limit) {
    // Money is the whole company's, as its routes say.
    if (dataScopeOf(ctx.actor).kind !== 'all') return []
    return (await service.list(ctx, { q, limit })).items.map(item => ({
      id: item.id,
      title: item.number ?? item.no,
      subtitle: item.title,
      link: `/invoice/InvoiceList?id=${item.id}`,
    }))
  },
})

/** Invoices over what companies paid. */
export const invoicesModule = defineModule({
  name: 'invoices',
  tools: invoicesTools,
  create: createInvoicesModule,
  seedDemo: (database: Database, tenantId: string) => seedInvoices(database, tenantId),
})
