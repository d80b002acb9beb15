import type { BodyOf, ResponseOf } from '@thingwright/contracts'
import {
  type CatalogueItem,
  type CatalogueSpec,
  type catalogueContract,
  ExpansionSpec,
  PackSpec,
  PlanSpec,
  SimSpec,
} from '@thingwright/contracts/catalogue.contract'
import type { CatalogueKind } from '@thingwright/contracts/money.words'
import { Value } from 'typebox/value'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import * as repo from './catalogue.repo.ts'

type Contract = typeof catalogueContract

export interface CatalogueService {
  published(): Promise<ResponseOf<Contract['published']>>
  list(ctx: Ctx): Promise<ResponseOf<Contract['list']>>
  /** @throws AppError catalogue.sku_taken, catalogue.spec_invalid */
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<CatalogueItem>
  /** @throws AppError request.not_found, version.conflict, catalogue.spec_invalid */
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<CatalogueItem>
  prices(ctx: Ctx, id: string): Promise<ResponseOf<Contract['prices']>>
}

/** What the platform sells; the operator edits it, everybody reads what is published. */
export function createCatalogueService({ database }: { database: Database }): CatalogueService {
  return {
    published: () => database.withSystemScope('money', async scope => ({ items: await repo.published(scope) })),
    list: () => database.withSystemScope('money', async scope => ({ items: await repo.all(scope) })),
    create: (ctx, input) =>
      database.withSystemScope('money', async scope => {
        checkSpec(input.kind, input.spec)
        const item = await repo.insert(scope, { ...input, id: newId(ctx.now) })
        if (!item)
          throw new AppError('catalogue.sku_taken', {
            params: { sku: input.sku },
            fields: { sku: { code: 'catalogue.sku_taken', params: { sku: input.sku } } },
          })
        await repo.insertPrice(scope, newId(ctx.now), item.id, item.priceFen, actorName(ctx.actor) ?? '')
        await recordAudit(scope, ctx, {
          action: 'catalogue_item.create',
          objectType: 'catalogue_item',
          objectId: item.id,
          objectName: item.name,
          after: { sku: item.sku, priceFen: item.priceFen, state: item.state, spec: item.spec },
        })
        return item
      }),
    update: (ctx, id, { version, ...change }) =>
      database.withSystemScope('money', async scope => {
        const before = await repo.byId(scope, id)
        if (!before) throw new AppError('request.not_found')
        const next = { ...before, ...change } as CatalogueItem
        checkSpec(next.kind, next.spec)
        const after = await repo.update(scope, next, version)
        if (!after) throw new AppError('version.conflict', { params: { current: before } })
        if (after.priceFen !== before.priceFen)
          await repo.insertPrice(scope, newId(ctx.now), id, after.priceFen, actorName(ctx.actor) ?? '')
        await recordAudit(scope, ctx, {
          action: 'catalogue_item.update',
          objectType: 'catalogue_item',
          objectId: id,
          objectName: after.name,
          before: { priceFen: before.priceFen, state: before.state, spec: before.spec, name: before.name },
          after: { priceFen: after.priceFen, state: after.state, spec: after.spec, name: after.name },
        })
        return after
      }),
    prices: (_ctx, id) =>
      database.withSystemScope('money', async scope => {
        if (!(await repo.byId(scope, id))) throw new AppError('request.not_found')
        const rows = await repo.prices(scope, id)
        return { items: rows.map(row => ({ ...row, at: row.at.toISOString() })) }
      }),
  }
}

const SPECS = { plan: PlanSpec, expansion: ExpansionSpec, sms: PackSpec, voice: PackSpec, sim: SimSpec } as const

/** @throws AppError catalogue.spec_invalid */
function checkSpec(kind: CatalogueKind, spec: CatalogueSpec): void {
  const schema = SPECS[kind]
  if (!Value.Check(schema, spec))
    throw new AppError('catalogue.spec_invalid', { fields: { spec: { code: 'catalogue.spec_invalid' } } })
}
