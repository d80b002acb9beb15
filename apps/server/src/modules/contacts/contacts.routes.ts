import { contactsContract } from '@thingwright/contracts/contacts.contract'
import type { Database } from '../../lib/database/database.ts'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { ContactCodes } from './contact-codes.service.ts'
import type { ContactsService } from './contacts.service.ts'
import { listRecords } from './records.service.ts'

export function contactsRoutes(database: Database, contacts: ContactsService, codes: ContactCodes): BoundRoute[] {
  return [
    bind(contactsContract.list, (ctx, { query }) => contacts.list(ctx, query)),
    bind(contactsContract.create, (ctx, { body }) => contacts.create(ctx, body)),
    bind(contactsContract.get, (ctx, { params }) => contacts.get(ctx, params.id)),
    bind(contactsContract.update, (ctx, { params, body }) => contacts.update(ctx, params.id, body)),
    bind(contactsContract.sendCode, (ctx, { params }) => codes.send(ctx, params.id)),
    bind(contactsContract.verify, (ctx, { params, body }) => codes.verify(ctx, params.id, body.code)),
    bind(contactsContract.remove, (ctx, { params }) => contacts.remove(ctx, params.id)),
    bind(contactsContract.records, (ctx, { query }) => listRecords(database, ctx, query)),
  ]
}
