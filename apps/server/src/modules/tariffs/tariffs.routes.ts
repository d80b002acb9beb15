import { Readable } from 'node:stream'
import {
  merchantNoticesContract as notices,
  merchantAccountsContract as ofMerchants,
} from '@thingwright/contracts/merchant-accounts.contract'
import {
  meterAccountsContract as ofAccounts,
  billingRunsContract as ofRuns,
  meterStatementsContract as ofStatements,
  ownMetersContract as own,
} from '@thingwright/contracts/meter-statements.contract'
import { metersContract as ofMeters } from '@thingwright/contracts/meters.contract'
import {
  meterPaymentsContract as ofPayments,
  meterSettingsContract as ofSettings,
  ownPaymentsContract as ownPayments,
} from '@thingwright/contracts/prepaid.contract'
import { tariffsContract as of } from '@thingwright/contracts/tariffs.contract'
import type { Database } from '../../lib/database/database.ts'
import { type BoundRoute, bind, StreamReply } from '../../lib/http.ts'
import { type AccountsService, ownId } from './accounts.service.ts'
import { meterBill } from './bill.ts'
import type { BillingService } from './billing.service.ts'
import { exportMeters, exportStatements } from './exports.ts'
import type { MerchantPayments } from './merchant-payments.service.ts'
import type { MerchantsService } from './merchants.service.ts'
import type { MetersService } from './meters.service.ts'
import type { MeterPaymentsService } from './payments.service.ts'
import type { RunsService } from './runs.service.ts'
import type { StatementsService } from './statements.service.ts'
import type { TariffsService } from './tariffs.service.ts'

export function tariffsRoutes(deps: {
  database: Database
  tariffs: TariffsService
  meters: MetersService
  billing: BillingService
  statements: StatementsService
  runs: RunsService
  accounts: AccountsService
  payments: MeterPaymentsService
  merchants: MerchantsService
  merchantPayments: MerchantPayments
  timeZone(tenantId: string): Promise<string>
}): BoundRoute[] {
  const { tariffs, meters, billing, statements, runs, accounts, payments, merchants, merchantPayments } = deps
  return [
    bind(of.list, (ctx, { query }) => tariffs.list(ctx, query)),
    bind(of.create, (ctx, { body }) => tariffs.create(ctx, body)),
    bind(of.get, (ctx, { params }) => tariffs.get(ctx, params.id)),
    bind(of.update, (ctx, { params, body }) => tariffs.update(ctx, params.id, body)),
    bind(of.addVersion, (ctx, { params, body }) => tariffs.addVersion(ctx, params.id, body)),
    bind(of.removeVersion, (ctx, { params }) => tariffs.removeVersion(ctx, params.id, params.versionId)),
    bind(of.remove, (ctx, { params }) => tariffs.remove(ctx, params.id)),
    bind(ofMeters.list, (ctx, { query }) => meters.list(ctx, query)),
    bind(ofMeters.export, (ctx, { query }) => exportMeters(deps, ctx, query)),
    bind(ofMeters.create, (ctx, { body }) => meters.create(ctx, body)),
    bind(ofMeters.get, (ctx, { params }) => meters.get(ctx, params.id)),
    bind(ofMeters.update, (ctx, { params, body }) => meters.update(ctx, params.id, body)),
    bind(ofMeters.addReset, (ctx, { params, body }) => meters.addReset(ctx, params.id, body)),
    bind(ofMeters.removeReset, (ctx, { params }) => meters.removeReset(ctx, params.id, params.resetId)),
    bind(ofMeters.readings, (ctx, { params, query }) => meters.readings(ctx, params.id, query)),
    bind(ofMeters.preview, async (ctx, { params, query }) =>
      billing.preview(ctx, params.id, query.month, await deps.timeZone(ctx.tenantId)),
    ),
    bind(ofMeters.remove, (ctx, { params }) => meters.remove(ctx, params.id)),
    bind(ofStatements.list, (ctx, { query }) => statements.list(ctx, query)),
    bind(ofStatements.export, (ctx, { query }) => exportStatements(deps, ctx, query)),
    bind(ofStatements.get, (ctx, { params }) => statements.get(ctx, params.id)),
    bind(ofStatements.bill, (ctx, { params }) => meterBill(deps, ctx, params.id)),
    bind(ofStatements.void, (ctx, { params, body }) => statements.void(ctx, params.id, body)),
    bind(ofRuns.list, ctx => runs.list(ctx)),
    bind(ofRuns.create, (ctx, { body }) => runs.create(ctx, body)),
    bind(ofAccounts.list, (ctx, { query }) => accounts.list(ctx, query)),
    bind(ofAccounts.get, (ctx, { params }) => accounts.get(ctx, params.endUserId)),
    bind(ofAccounts.entries, (ctx, { params, query }) => accounts.entries(ctx, params.endUserId, query)),
    bind(own.account, ctx => accounts.own(ctx)),
    bind(own.statements, (ctx, { query }) => statements.list(ctx, { ...query, endUserId: ownId(ctx) })),
    bind(own.statement, (ctx, { params }) => statements.get(ctx, params.id, ownId(ctx))),
    bind(own.bill, (ctx, { params }) => meterBill(deps, ctx, params.id, ownId(ctx))),
    bind(own.entries, (ctx, { query }) => accounts.entries(ctx, ownId(ctx), query)),
    bind(ofSettings.get, ctx => payments.settings(ctx)),
    bind(ofSettings.set, (ctx, { body }) => payments.setSettings(ctx, body)),
    bind(ofPayments.record, (ctx, { params, body }) => payments.record(ctx, params.endUserId, body)),
    bind(ofPayments.cutoffs, (ctx, { query }) => accounts.cutoffs(ctx, query)),
    bind(ownPayments.ways, async ctx => {
      const { online } = await payments.settings(ctx)
      return {
        online,
        providers: online === 'merchant' ? await merchants.kinds(ctx.tenantId) : [],
        cutoffs: (await accounts.cutoffs(ctx, { endUserId: ownId(ctx) }, true)).items,
      }
    }),
    bind(ownPayments.pay, (ctx, { body }) => payments.pay(ctx, body)),
    bind(ownPayments.payment, (ctx, { params }) => payments.payment(ctx, params.id)),
    bind(ofMerchants.list, ctx => merchants.list(ctx)),
    bind(ofMerchants.set, (ctx, { params, body }) => merchants.set(ctx, params.kind, body)),
    bind(ofMerchants.test, (ctx, { params }) => merchants.test(ctx, params.kind)),
    bind(ofMerchants.remove, (ctx, { params }) => merchants.remove(ctx, params.kind)),
    bind(notices.wechat, async (_, { params, body }, { headers }) => {
      await merchantPayments.take('wechat', params.tenantId, { headers, body })
      return plain('')
    }),
    bind(notices.alipay, async (_, { params, body }, { headers }) => {
      await merchantPayments.take('alipay', params.tenantId, { headers, body })
      return plain('success')
    }),
    bind(ownPayments.simulate, (ctx, { params, body }) => payments.simulate(ctx, params.id, body.outcome)),
  ]
}

const plain = (text: string) => new StreamReply(Readable.from([Buffer.from(text)]), 'text/plain; charset=utf-8')
