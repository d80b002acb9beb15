import { consentsContract } from '@thingwright/contracts/consents.contract'
import { DOCUMENTS } from '@thingwright/contracts/terms'
import type { Database } from '../../lib/database/database.ts'
import { type BoundRoute, bind } from '../../lib/http.ts'
import { defineModule } from '../../lib/module.ts'
import { type ConsentsService, createConsentsService } from './consents.service.ts'

export type { ConsentsService } from './consents.service.ts'

export interface ConsentsModule {
  service: ConsentsService
  routes: BoundRoute[]
}

/** @param documents version in force by document; the published ones unless a test says otherwise */
export function createConsentsModule({
  database,
  documents = DOCUMENTS,
}: {
  database: Database
  documents?: Readonly<Record<string, string>>
}): ConsentsModule {
  const service = createConsentsService(database, documents)
  return {
    service,
    routes: [
      bind(consentsContract.mine, ctx => service.mine(ctx)),
      bind(consentsContract.give, (ctx, { body }) => service.give(ctx, body)),
    ],
  }
}

export const consentsModule = defineModule({
  name: 'consents',
  create: ({ database }: { database: Database }) => createConsentsModule({ database }),
})
