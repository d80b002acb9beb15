import type { Database } from '../../lib/database/database.ts'
import type { BoundRoute } from '../../lib/http.ts'
import { defineModule, type ModuleParts } from '../../lib/module.ts'
import type { Inbox } from '../notifications/index.ts'
import { becameLow, findWallet } from './ledger.repo.ts'
import { yuan } from './ledger.ts'
import { createMoneyExports } from './money-export.ts'
import words from './money-words.json' with { type: 'json' }
import { walletsRoutes } from './wallets.routes.ts'
import { createWalletsService, type WalletsService } from './wallets.service.ts'

export interface WalletsNeeds {
  database: Database
  inbox: Inbox
}

export interface WalletsModule extends ModuleParts {
  service: WalletsService
  routes: BoundRoute[]
}

export function createWalletsModule({ database, inbox }: WalletsNeeds): WalletsModule {
  const service = createWalletsService({ database })
  return {
    service,
    routes: walletsRoutes(database, service, createMoneyExports(database, service)),
    watchCompany: tenantId =>
      database.withTenant({ tenantId }, async scope => {
        if (!(await becameLow(scope, tenantId))) return
        const wallet = (await findWallet(scope, tenantId))!
        const params = { available: yuan(wallet.availableFen), line: yuan(wallet.warnFen ?? 0) }
        const fill = (text: string) => text.replace('{available}', params.available).replace('{line}', params.line)
        const { zh, en } = words['low.text']
        await inbox.notify(scope, {
          tenantId,
          to: { permission: 'money:read' },
          kind: 'wallet.low',
          title: words['low.title'],
          text: { zh: fill(zh), en: fill(en) },
          link: '/cost/account/AccountAssets',
          level: 'warning',
        })
      }),
  }
}

export const walletsModule = defineModule({
  name: 'wallets',
  create: createWalletsModule,
})
