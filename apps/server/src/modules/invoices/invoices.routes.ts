import {
  invoiceDeskContract as deskContract,
  invoicesContract as of,
  invoiceQualificationsContract as ofQualifications,
  invoiceTitlesContract as ofTitles,
} from '@thingwright/contracts/invoices.contract'
import type { Database } from '../../lib/database/database.ts'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { InvoiceDesk } from './invoice-desk.service.ts'
import { exportInvoices } from './invoice-export.ts'
import type { InvoicesService } from './invoices.service.ts'
import type { QualificationsService } from './qualifications.service.ts'

export function invoicesRoutes(deps: {
  database: Database
  service: InvoicesService
  qualifications: QualificationsService
  desk: InvoiceDesk
}): BoundRoute[] {
  const { service, qualifications, desk } = deps
  return [
    bind(of.list, (ctx, { query }) => service.list(ctx, query)),
    bind(of.export, (ctx, { query }) => exportInvoices(deps, ctx, query)),
    bind(of.account, ctx => service.account(ctx)),
    bind(of.setAccount, (ctx, { body }) => service.setAccount(ctx, body)),
    bind(of.sources, (ctx, { query }) => service.sources(ctx, query)),
    bind(of.addFile, (ctx, _, { file }) => service.addFile(ctx, file)),
    bind(of.file, (ctx, { params }) => service.file(ctx, params.id)),
    bind(of.create, (ctx, { body }) => service.create(ctx, body)),
    bind(of.get, (ctx, { params }) => service.get(ctx, params.id)),
    bind(of.withdraw, (ctx, { params }) => service.withdraw(ctx, params.id)),
    bind(of.reverse, (ctx, { params, body }) => service.reverse(ctx, params.id, body)),
    bind(of.send, (ctx, { params, body }) => service.send(ctx, params.id, body)),
    bind(ofTitles.list, ctx => qualifications.titles(ctx)),
    bind(ofTitles.create, (ctx, { body }) => qualifications.addTitle(ctx, body)),
    bind(ofTitles.remove, (ctx, { params }) => qualifications.removeTitle(ctx, params.id)),
    bind(ofQualifications.list, ctx => qualifications.list(ctx)),
    bind(ofQualifications.create, (ctx, { body }) => qualifications.create(ctx, body)),
    bind(ofQualifications.update, (ctx, { params, body }) => qualifications.update(ctx, params.id, body)),
    bind(ofQualifications.choose, (ctx, { params }) => qualifications.choose(ctx, params.id)),
    bind(ofQualifications.expire, (ctx, { params }) => qualifications.expire(ctx, params.id)),
    bind(deskContract.list, (ctx, { query }) => desk.list(ctx, query)),
    bind(deskContract.get, (ctx, { params }) => desk.get(ctx, params.id)),
    bind(deskContract.addFile, (ctx, { params }, { file }) => desk.addFile(ctx, params.id, file)),
    bind(deskContract.file, (_, { params }) => desk.file(params.id, params.fileId)),
    bind(deskContract.act, (ctx, { params, body }) => desk.act(ctx, params.id, body)),
  ]
}
