import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type { CardSourceView, cardDeskContract, DeskCardOrder } from '@thingwright/contracts/card-orders.contract'
import { CARDS_PER_ORDER } from '@thingwright/contracts/money.words'
import { ICCID_PATTERN } from '@thingwright/contracts/sim-cards.words'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { errorText } from '../../lib/i18n.ts'
import { iccidOf } from '../../lib/iccid.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { checkServiceUrl } from '../../lib/outbound/outbound-address.ts'
import { OutboundError } from '../../lib/outbound/outbound-guard.ts'
import { containing } from '../../lib/sql/list.ts'
import { advance, bothLogs, holdOrder } from '../purchase-orders/index.ts'
import { type CardSource, cardsAnywhere, changePlatformAccounts, DEFAULT_URLS } from '../sim-cards/index.ts'
import * as repo from './card-orders.repo.ts'
import { cardOrderFilter } from './card-orders.service.ts'
import { openSource, type SourceBoxes, sealSource } from './card-sources.ts'
import { deskOrderView } from './card-views.ts'
import * as stock from './stock.repo.ts'

type Contract = typeof cardDeskContract
type Added = ResponseOf<Contract['addStock']>

export interface CardDesk {
  orders(ctx: Ctx, input: QueryOf<Contract['orders']>): Promise<ResponseOf<Contract['orders']>>
  /** @throws AppError card_order.not_found, card_order.range_*, card_order.card_elsewhere, order.state */
  ship(ctx: Ctx, id: string, input: BodyOf<Contract['ship']>): Promise<DeskCardOrder>
  sources(ctx: Ctx): Promise<ResponseOf<Contract['sources']>>
  /** @throws AppError card_source.name_taken, card_source.secret_missing */
  createSource(ctx: Ctx, input: BodyOf<Contract['createSource']>, simulated?: boolean): Promise<CardSourceView>
  /** @throws AppError card_source.not_found, version.conflict and those of createSource */
  updateSource(ctx: Ctx, id: string, input: BodyOf<Contract['updateSource']>): Promise<CardSourceView>
  stock(ctx: Ctx, input: QueryOf<Contract['stock']>): Promise<ResponseOf<Contract['stock']>>
  /** @throws AppError card_source.not_found */
  addStock(ctx: Ctx, input: BodyOf<Contract['addStock']>): Promise<Added>
  /** @throws AppError card_stock.not_found, card_stock.shipped */
  removeStock(ctx: Ctx, iccid: string): Promise<{ ok: boolean }>
}

const ICCID = new RegExp(ICCID_PATTERN)
/** The carrier's key of CMP has this many characters. */
const CMP_KEY_LENGTH = 9

/** What the operator does to sell SIM cards: sources, stock, shipping. */
export function createCardDesk({
  database,
  boxes,
  outboundAllow,
}: {
  database: Database
  boxes: SourceBoxes
  outboundAllow: readonly string[]
}): CardDesk {
  const system = <T>(work: (scope: SystemScope) => Promise<T>) => database.withSystemScope('money', work)

  async function checkName(scope: SystemScope, id: string, name: string): Promise<void> {
    const taken = await stock.sourceNamed(scope, name)
    if (taken !== undefined && taken !== id)
      throw new AppError('card_source.name_taken', {
        params: { name },
        fields: { name: { code: 'card_source.name_taken', params: { name } } },
      })
  }

  function checkSecrets(kind: CardSource['kind'], { password, secretKey }: CardSource['secrets']): void {
    const missing = (field: string) => {
      throw new AppError('card_source.secret_missing', { fields: { [field]: { code: 'card_source.secret_missing' } } })
    }
    if (kind !== 'dcp' && password === '') missing('password')
    if (kind !== 'onelink' && secretKey === '') missing('secretKey')
    if (kind === 'cmp' && secretKey.length !== CMP_KEY_LENGTH)
      throw new AppError('carrier.secret_key_length', { fields: { secretKey: { code: 'carrier.secret_key_length' } } })
  }

  /** The simulator's own addresses are loopback; typed ones never are. */
  function checkAddress(text: string): void {
    try {
      checkServiceUrl(outboundAllow, text)
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      const problem = { code: 'carrier.address_blocked', params: { reason: error.message } } as const
      throw new AppError(problem.code, { params: problem.params, fields: { baseUrl: problem } })
    }
  }

  return {
    orders: (_ctx, input) =>
      system(async scope => {
        const limit = input.limit ?? 20
        const sort = parseSort(input.sort, repo.CARD_ORDER_SORTS, '-createdAt')
        const filter = cardOrderFilter(input)
        const after = decodeCursor(input.cursor, 2) as readonly [string, string] | null
        const { rows } = await readFrom(input.cursor, () =>
          scope.run(...repo.DESK_ORDERS.page({ filter, sort, after, limit: limit + 1 })),
        )
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        const total = input.total === '1' ? (await scope.run(...repo.DESK_ORDERS.count(filter))).rows[0]!.n : undefined
        return {
          items: page.map(deskOrderView),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(total === undefined ? {} : { total }),
        }
      }),

    ship: (ctx, id, input) =>
      system(async scope => {
        const held = await holdOrder(scope, id)
        const order = await repo.find(scope, id)
        if (!held || !order) throw new AppError('card_order.not_found')
        const cards = await freeRange(scope, order, iccidOf(input.from), iccidOf(input.to))
        // Cards are shipped from the moment on that they are paid for, also before the clock of orders saw it.
        const begun = held.state === 'paid' ? await advance(scope, held, 'begin', ctx.actor) : held
        const company = input.logisticsCompany.trim()
        await advance(scope, begun, 'ship', ctx.actor, {}, `${company} ${input.logisticsNo}`)
        const shipped = { id, no: order.no, companyName: order.companyName }
        await stock.take(
          scope,
          cards.map(({ iccid }) => iccid),
          shipped,
        )
        await repo.noteShipped(scope, id, {
          first: cards[0]!.iccid,
          last: cards.at(-1)!.iccid,
          company,
          no: input.logisticsNo,
          at: new Date(ctx.now),
        })
        await bothLogs(scope, ctx, order.tenantId, {
          action: 'purchase_order.ship',
          objectType: 'purchase_order',
          objectId: id,
          objectName: order.no,
          after: { from: input.from, to: input.to, cards: cards.length, by: company, number: input.logisticsNo },
        })
        return deskOrderView((await repo.find(scope, id))!)
      }),

    sources: () => system(async scope => ({ items: (await stock.sources(scope)).map(sourceView) })),

    createSource: (ctx, input, simulated = false) =>
      system(async scope => {
        const secrets = { password: input.password ?? '', secretKey: input.secretKey ?? '' }
        checkSecrets(input.kind, secrets)
        if (input.baseUrl !== undefined && !simulated) checkAddress(input.baseUrl)
        await checkName(scope, '', input.name)
        const id = newId(ctx.now)
        await stock.insertSource(scope, {
          id,
          name: input.name,
          carrier: input.kind === 'onelink' ? 'cmcc' : 'ctcc',
          kind: input.kind,
          baseUrl: input.baseUrl ?? DEFAULT_URLS[input.kind],
          account: input.account,
          cipher: sealSource(boxes, id, secrets),
          simulated,
        })
        const view = sourceView((await stock.source(scope, id))!)
        await recordAudit(scope, ctx, {
          action: 'card_source.create',
          objectType: 'card_source',
          objectId: id,
          objectName: view.name,
          after: { kind: view.kind, baseUrl: view.baseUrl, account: view.account },
        })
        return view
      }),

    updateSource: (ctx, id, { version, password, secretKey, ...input }) =>
      system(async scope => {
        const row = await stock.source(scope, id)
        if (!row) throw new AppError('card_source.not_found')
        const before = openSource(boxes, row)
        const secrets = {
          password: password ?? before.secrets.password,
          secretKey: secretKey ?? before.secrets.secretKey,
        }
        checkSecrets(row.kind, secrets)
        if (input.baseUrl !== undefined && input.baseUrl !== row.baseUrl) checkAddress(input.baseUrl)
        if (input.name !== undefined) await checkName(scope, id, input.name)
        const next = {
          name: input.name ?? row.name,
          baseUrl: input.baseUrl ?? row.baseUrl,
          account: input.account ?? row.account,
        }
        const cipher = sealSource(boxes, id, secrets)
        if (!(await stock.updateSource(scope, id, version, { ...next, cipher })))
          throw new AppError('version.conflict', { params: { current: sourceView(row) } })
        await changePlatformAccounts(scope, boxes.accounts, { ...before, ...next, secrets })
        const changed = password !== undefined || secretKey !== undefined
        await recordAudit(scope, ctx, {
          action: 'card_source.update',
          objectType: 'card_source',
          objectId: id,
          objectName: next.name,
          before: { name: row.name, baseUrl: row.baseUrl, account: row.account },
          after: { ...next, ...(changed ? { credentials: 'changed' } : {}) },
        })
        return sourceView((await stock.source(scope, id))!)
      }),

    stock: (_ctx, input) =>
      system(async scope => {
        const limit = input.limit ?? 20
        const sort = parseSort(input.sort, stock.STOCK_SORTS, 'iccid')
        const q = input.q?.trim()
        const filter: stock.StockFilter = {
          ...(q ? { q: containing(q) } : {}),
          ...(input.state ? { state: input.state } : {}),
          ...(input.carrier ? { carrier: input.carrier } : {}),
          ...(input.form ? { form: input.form } : {}),
        }
        const after = decodeCursor(input.cursor, 2) as readonly [string, string] | null
        const { rows } = await readFrom(input.cursor, () =>
          scope.run(...stock.STOCK.page({ filter, sort, after, limit: limit + 1 })),
        )
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        const total = input.total === '1' ? (await scope.run(...stock.STOCK.count(filter))).rows[0]!.n : undefined
        return {
          items: page.map(({ createdAt, id: _id, ...row }) => ({ ...row, createdAt: createdAt.toISOString() })),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(total === undefined ? {} : { total }),
        }
      }),

    addStock: (ctx, input) =>
      system(async scope => {
        const source = await stock.source(scope, input.sourceId)
        if (!source)
          throw new AppError('card_source.not_found', { fields: { sourceId: { code: 'card_source.not_found' } } })
        const result: Added = { added: 0, problems: [] }
        const lines = new Map<string, { line: number; card: stock.StockCard }>()
        for (const [at, given] of input.cards.entries()) {
          const failed = (value: string, code: Problem, params: Record<string, unknown> = {}) =>
            result.problems.push({ line: at + 1, value, message: errorText(ctx.locale, code, params) })
          const iccid = iccidOf(given.iccid)
          const msisdn = given.msisdn?.replaceAll(/[\s-]/g, '') || null
          const imsi = given.imsi?.replaceAll(/\s/g, '') || null
          const twin = lines.get(iccid)
          if (!ICCID.test(iccid)) failed(given.iccid, 'sim_card.iccid_invalid')
          else if (msisdn && !/^\d{11,15}$/.test(msisdn)) failed(given.msisdn!, 'sim_card.msisdn_invalid')
          else if (imsi && !/^\d{15}$/.test(imsi)) failed(given.imsi!, 'sim_card.imsi_invalid')
          else if (twin) failed(iccid, 'sim_card.duplicate', { line: twin.line })
          else lines.set(iccid, { line: at + 1, card: { iccid, msisdn, imsi } })
        }
        const cards = [...lines.values()].map(({ card }) => card)
        const added = new Set(await stock.addStock(scope, source.id, input.form, input.use, cards))
        for (const { line, card } of lines.values())
          if (!added.has(card.iccid))
            result.problems.push({ line, value: card.iccid, message: errorText(ctx.locale, 'sim_card.exists', {}) })
        result.added = added.size
        result.problems.sort((a, b) => a.line - b.line)
        await recordAudit(scope, ctx, {
          action: 'card_stock.create',
          objectType: 'card_stock',
          objectName: source.name,
          after: { added: result.added, failed: result.problems.length, form: input.form, use: input.use },
        })
        return result
      }),

    removeStock: (ctx, iccid) =>
      system(async scope => {
        if (!(await stock.remove(scope, iccid)))
          throw new AppError((await stock.stateOf(scope, iccid)) ? 'card_stock.shipped' : 'card_stock.not_found')
        await recordAudit(scope, ctx, {
          action: 'card_stock.remove',
          objectType: 'card_stock',
          objectId: iccid,
          objectName: iccid,
        })
        return { ok: true }
      }),
  }
}

type Problem = 'sim_card.iccid_invalid' | 'sim_card.msisdn_invalid' | 'sim_card.imsi_invalid' | 'sim_card.duplicate'

/** Cards of a range, held; as many as the order needs, all of them free and of its kind. */
async function freeRange(
  scope: SystemScope,
  order: repo.CardOrder,
  from: string,
  to: string,
): Promise<stock.RangeCard[]> {
  const wanted = order.items[0]!.quantity
  const refuse = (
    code:
      | 'card_order.range_backwards'
      | 'card_order.range_count'
      | 'card_order.range_not_free'
      | 'card_order.range_unfit'
      | 'card_order.card_elsewhere',
    params: Record<string, unknown> = {},
  ) => {
    throw new AppError(code, { params, fields: { to: { code, params } } })
  }
  if (from.length !== to.length || from > to) refuse('card_order.range_backwards')
  const cards = await stock.range(scope, from, to, CARDS_PER_ORDER + 1)
  const some = (list: readonly { iccid: string }[]) => ({ count: list.length, iccid: list[0]?.iccid })
  const taken = cards.filter(card => card.orderId !== null)
  if (taken.length > 0) refuse('card_order.range_not_free', some(taken))
  const { use } = order.items[0]!.spec
  const unfit = cards.filter(card => card.carrier !== order.carrier || card.form !== order.form || card.use !== use)
  if (unfit.length > 0) refuse('card_order.range_unfit', some(unfit))
  if (cards.length !== wanted) refuse('card_order.range_count', { found: cards.length, wanted })
  const elsewhere = await cardsAnywhere(
    scope,
    cards.map(({ iccid }) => iccid),
  )
  if (elsewhere.length > 0) refuse('card_order.card_elsewhere', some(elsewhere.map(iccid => ({ iccid }))))
  return cards
}

const sourceView = ({ cipher: _, ...row }: stock.SourceRow): CardSourceView => row
