import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type { CardCheckView, SimCardView, simCardsContract } from '@thingwright/contracts/sim-cards.contract'
import type { simTrafficContract } from '@thingwright/contracts/sim-traffic.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { iccidOf } from '../../lib/iccid.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { containing, type ListPosition } from '../../lib/sql/list.ts'
import type { Inbox } from '../notifications/index.ts'
import * as accounts from './accounts.repo.ts'
import { checkCard } from './card-check.ts'
import * as repo from './cards.repo.ts'
import { cardView, forecast, trafficView } from './cards.view.ts'
import { CarrierError } from './carrier.port.ts'
import type { Carriers } from './carriers.ts'
import { syncCard } from './sync.ts'

type Contract = typeof simCardsContract

export interface CardsService {
  list(ctx: Ctx, input: QueryOf<Contract['list']>): Promise<ResponseOf<Contract['list']>>
  counts(ctx: Ctx, input: QueryOf<Contract['counts']>): Promise<ResponseOf<Contract['counts']>>
  /** @throws AppError sim_card.exists, elsewhere, number_taken, carrier.not_found */
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<SimCardView>
  /** @throws AppError sim_card.not_found also for another company's */
  get(ctx: Ctx, id: string): Promise<SimCardView>
  usage(ctx: Ctx, id: string, by: 'day' | 'month'): Promise<ResponseOf<Contract['usage']>>
  events(ctx: Ctx, id: string, input: QueryOf<Contract['events']>): Promise<ResponseOf<Contract['events']>>
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<SimCardView>
  /** Sets the same for many cards, those that the person sees. @throws AppError sim_card.nothing_set */
  updateMany(ctx: Ctx, input: BodyOf<Contract['updateMany']>): Promise<ResponseOf<Contract['updateMany']>>
  /** @throws AppError sim_card.device_unknown, sim_card.device_has_card */
  bind(ctx: Ctx, id: string, deviceId: string | null): Promise<SimCardView>
  /** @throws AppError carrier.failed with the carrier's words */
  sync(ctx: Ctx, id: string): Promise<SimCardView>
  /** @throws AppError sim_card.not_searchable */
  diagnose(ctx: Ctx, id: string): Promise<CardCheckView>
  /** The card in a device as its user is shown it. @throws AppError device.not_found */
  trafficOf(ctx: Ctx, deviceId: string): Promise<ResponseOf<(typeof simTrafficContract)['ofDevice']>>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

export interface CardsDeps {
  database: Database
  carriers: Carriers
  inbox: Inbox
  now(): number
}

export const MAX_CARDS = 200_000
/** Cards that the line of a batch in the operation log names. */
const MOST_NAMED = 1_000

export function createCardsService(deps: CardsDeps): CardsService {
  const { database, carriers } = deps

  async function known(scope: TenantScope, id: string): Promise<repo.CardRow> {
    const row = await repo.find(scope, id)
    if (!row) throw new AppError('sim_card.not_found')
    return row
  }

  async function withAccount(ctx: Ctx, id: string) {
    const card = await database.withTenant(ctx, scope => known(scope, id))
    // Whoever sees the card may ask about it; he need not see the account.
    const account = await database.withTenant({ tenantId: ctx.tenantId }, scope => accounts.find(scope, card.accountId))
    if (!account) throw new AppError('carrier.not_found')
    if (account.state === 'disabled') throw new AppError('carrier.disabled')
    if (!card.searchable) throw new AppError('sim_card.not_searchable')
    return { card, account }
  }

  async function checkNumber(scope: TenantScope, id: string, msisdn: string | null | undefined): Promise<void> {
    if (!msisdn) return
    const [taken] = await repo.known(scope, [], [msisdn], [])
    if (taken && (await repo.find(scope, id))?.iccid !== taken.iccid) {
      const params = { number: msisdn }
      throw new AppError('sim_card.number_taken', {
        params,
        fields: { msisdn: { code: 'sim_card.number_taken', params } },
      })
    }
  }

  return {
    list: (ctx, { limit = 20, cursor, q, sort, total, ...filter }) =>
      database.withTenant(ctx, async scope => {
        const order = parseSort(sort, repo.CARD_SORTS, '-createdAt')
        const wanted = { ...filter, ...(q?.trim() ? { q: containing(q.trim()) } : {}) }
        const after = decodeCursor(cursor, 2) as ListPosition | null
        const { rows } = await readFrom(cursor, () =>
          scope.run(...repo.LIST.page({ filter: wanted, sort: order, after, limit: limit + 1 })),
        )
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page.map(row => cardView(row, ctx.now)),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(total === '1' ? { total: (await scope.run(...repo.LIST.count(wanted))).rows[0]!.n } : {}),
        }
      }),

    counts: (ctx, { carrier }) =>
      database.withTenant(ctx, async scope => {
        const rows = await repo.counts(scope, carrier ?? null)
        const sum = (of: (row: repo.CountsRow) => number) => rows.reduce((n, row) => n + of(row), 0)
        return {
          total: sum(row => row.n),
          states: Object.fromEntries(rows.map(row => [row.state, row.n])),
          online: sum(row => row.online),
          bound: sum(row => row.bound),
          over80: sum(row => row.over80),
          monthKb: sum(row => row.monthKb),
          planKb: sum(row => row.planKb),
          pools: (await repo.pools(scope, carrier ?? null)).map(pool => ({
            ...pool,
            forecastKb: forecast(pool.monthKb, ctx.now) ?? 0,
          })),
        }
      }),

    create: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const iccid = iccidOf(input.iccid)
        const account = await accounts.find(scope, input.connectionId)
        if (!account) throw new AppError('carrier.not_found')
        if ((await repo.count(scope)) >= MAX_CARDS)
          throw new AppError('sim_card.limit', { params: { limit: MAX_CARDS } })
        if ((await repo.known(scope, [iccid], [], [])).length > 0)
          throw new AppError('sim_card.exists', { fields: { iccid: { code: 'sim_card.exists' } } })
        if ((await repo.elsewhere(scope, [iccid])).size > 0)
          throw new AppError('sim_card.elsewhere', { fields: { iccid: { code: 'sim_card.elsewhere' } } })
        const id = newId(ctx.now)
        await checkNumber(scope, id, input.msisdn)
        await repo.insertMany(scope, account.id, [
          {
            id,
            iccid,
            msisdn: input.msisdn ?? null,
            imsi: input.imsi ?? null,
            deviceId: null,
            pool: null,
            tags: input.tags ?? null,
            remark: input.remark ?? null,
          },
        ])
        await recordAudit(scope, ctx, {
          action: 'sim_card.create',
          objectType: 'sim_card',
          objectId: id,
          objectName: iccid,
          after: { ...input, iccid, connection: account.name },
        })
        return cardView(await known(scope, id), ctx.now)
      }),

    get: (ctx, id) => database.withTenant(ctx, async scope => cardView(await known(scope, id), ctx.now)),

    async usage(ctx, id, by) {
      const rows = await database.withTenant(ctx, async scope => {
        await known(scope, id)
        return repo.usage(scope, id, by)
      })
      return { items: rows.map(row => ({ ...row, countedKb: null })) }
    },

    events: (ctx, id, { limit = 20, cursor }) =>
      database.withTenant(ctx, async scope => {
        await known(scope, id)
        const after = decodeCursor(cursor, 1)?.[0] as string | undefined
        const rows = await readFrom(cursor, () => repo.events(scope, id, after ?? null, limit + 1))
        const page = rows.slice(0, limit)
        return {
          items: page.map(row => ({ ...row, at: row.at.toISOString() })),
          nextCursor: rows.length > limit ? encodeCursor([page.at(-1)!.id]) : null,
        }
      }),

    update: (ctx, id, { version, activateBy, dataUntil, expiresAt, planKb, ...input }) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id)
        await checkNumber(scope, id, input.msisdn)
        const times = Object.fromEntries(
          Object.entries({ activateBy, dataUntil, expiresAt })
            .filter(([, at]) => at !== undefined)
            .map(([key, at]) => [key, at ? new Date(at) : null]),
        )
        const changed = await repo.update(scope, id, version, {
          ...input,
          ...times,
          ...(planKb === undefined ? {} : { planKb, ownPlan: planKb !== null }),
        })
        if (!changed) throw new AppError('version.conflict', { params: { current: cardView(before, ctx.now) } })
        const row = await known(scope, id)
        const keys = [...Object.keys(input), ...Object.keys(times), 'planKb'] as (keyof repo.CardRow)[]
        const of = (from: repo.CardRow) => Object.fromEntries(keys.map(key => [key, from[key]]))
        await recordAudit(scope, ctx, {
          action: 'sim_card.update',
          objectType: 'sim_card',
          objectId: id,
          objectName: row.iccid,
          before: of(before),
          after: of(row),
        })
        return cardView(row, ctx.now)
      }),

    updateMany: (ctx, { ids, set: { dataUntil, expiresAt, ...set } }) =>
      database.withTenant(ctx, async scope => {
        const values: repo.CardValues = {
          ...set,
          ...(dataUntil === undefined ? {} : { dataUntil: dataUntil ? new Date(dataUntil) : null }),
          ...(expiresAt === undefined ? {} : { expiresAt: expiresAt ? new Date(expiresAt) : null }),
        }
        if (Object.keys(values).length === 0)
          throw new AppError('sim_card.nothing_set', { fields: { set: { code: 'sim_card.nothing_set' } } })
        const changed = await repo.updateEach(scope, ids, values)
        await recordAudit(scope, ctx, {
          action: 'sim_card.update_many',
          objectType: 'sim_card',
          objectName: changed.slice(0, 3).join(', '),
          after: { ...values, changed: changed.length, cards: changed.slice(0, MOST_NAMED) },
        })
        return { changed: changed.length, missing: ids.length - changed.length }
      }),

    bind: (ctx, id, deviceId) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id)
        const device = deviceId === null ? null : await repo.device(scope, deviceId)
        if (device === undefined)
          throw new AppError('sim_card.device_unknown', { fields: { deviceId: { code: 'sim_card.device_unknown' } } })
        if (device) {
          const other = await repo.ofDevice(scope, device.id)
          if (other && other.id !== id) {
            const params = { device: device.name, iccid: other.iccid }
            throw new AppError('sim_card.device_has_card', {
              params,
              fields: { deviceId: { code: 'sim_card.device_has_card', params } },
            })
          }
        }
        const write = async () => {
          await repo.learn(scope, id, { deviceId: device?.id ?? null })
          if (before.deviceId !== (device?.id ?? null))
            await repo.addEvent(scope, ctx.tenantId, id, {
              id: newId(ctx.now),
              kind: device ? 'bound' : 'unbound',
              from: before.deviceName,
              to: device?.name ?? null,
              text: '',
            })
          return repo.find(scope, id)
        }
        // A card that is taken out of a device of the scope is no longer in it.
        const row = (device ? await write() : await scope.wholeCompany('hand-over', write))!
        await recordAudit(scope, ctx, {
          action: 'sim_card.bind',
          objectType: 'sim_card',
          objectId: id,
          objectName: row.iccid,
          before: { deviceId: before.deviceId, device: before.deviceName },
          after: { deviceId: row.deviceId, device: row.deviceName },
        })
        return cardView(row, ctx.now)
      }),

    async sync(ctx, id) {
      const { card, account } = await withAccount(ctx, id)
      let fault: CarrierError | null = null
      try {
        await syncCard(deps, account, card)
      } catch (error) {
        if (!(error instanceof CarrierError)) throw error
        fault = error
      }
      const view = await database.withTenant(ctx, async scope => {
        await recordAudit(scope, ctx, {
          action: 'sim_card.sync',
          objectType: 'sim_card',
          objectId: id,
          objectName: card.iccid,
          result: fault ? 'failed' : 'ok',
          after: fault ? { said: fault.text, answer: fault.code } : null,
        })
        return cardView(await known(scope, id), ctx.now)
      })
      // The card says itself why it could not be synced: what is known of it is the answer.
      return view
    },

    async diagnose(ctx, id) {
      const { card, account } = await withAccount(ctx, id)
      return checkCard(card, carriers.of(account), ctx.now)
    },

    trafficOf: (ctx, deviceId) =>
      database.withTenant(ctx, async scope => {
        if (!(await repo.device(scope, deviceId))) throw new AppError('device.not_found')
        const card = await repo.ofDevice(scope, deviceId)
        return { card: card ? trafficView(card, ctx.now) : null }
      }),

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id)
        await repo.remove(scope, id)
        await recordAudit(scope, ctx, {
          action: 'sim_card.remove',
          objectType: 'sim_card',
          objectId: id,
          objectName: before.iccid,
          before: { iccid: before.iccid, msisdn: before.msisdn, state: before.state, connection: before.accountName },
        })
        return { ok: true }
      }),
  }
}
