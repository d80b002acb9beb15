import { systemContext } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import { createInvoiceDesk } from './invoice-desk.service.ts'
import words from './invoice-words.json' with { type: 'json' }
import { createInvoicesService } from './invoices.service.ts'
import * as qualifications from './qualifications.repo.ts'
import { createQualifications } from './qualifications.service.ts'

/** A qualification that was approved, an invoice that was rejected, one that waits. */
export async function seedInvoices(database: Database, tenantId: string): Promise<void> {
  const ctx = systemContext(tenantId, 'demo')
  const store = { put: async () => undefined, get: async () => null }
  const mail = { send: async () => undefined, outbox: () => null }
  const deps = {
    database,
    store,
    mail,
    inbox: { notify: async () => undefined },
    logger: silentLogger,
    consoleUrl: () => '',
  }
  const service = createInvoicesService(deps)
  if ((await service.list(ctx, { limit: 1 })).items.length > 0) return
  const { items } = await service.sources(ctx, { limit: 10 })
  const { limitFen, minFen } = await service.account(ctx)
  const source = items.find(one => one.openFen >= minFen * 3 && one.openFen <= limitFen)
  if (!source) return
  const desk = createInvoiceDesk(deps)
  const { title, address, bank } = words.demo
  const id = newId()
  await database.withTenant(ctx, async scope => {
    const facts = {
      title: title.zh,
      taxNo: '91350100M000100Y43',
      address: address.zh,
      phone: '0591-12345678',
      bank: bank.zh,
      bankAccount: '6222000000000000',
      fileIds: [],
    }
    await qualifications.insert(scope, id, tenantId, facts, { name: 'demo', at: new Date() })
    await qualifications.decide(scope, id, { state: 'approved', reason: null, by: 'demo', at: new Date() })
  })
  await createQualifications({ database }).addTitle(ctx, { kind: 'person', title: title.en, isDefault: true })
  const ask = (amountFen: number) =>
    service.create(ctx, { type: 'special', qualificationId: id, orders: [{ orderId: source.orderId, amountFen }] })
  const first = await ask(minFen)
  await desk.act(ctx, first.id, { action: 'accept', version: first.version })
  await ask(minFen)
}
