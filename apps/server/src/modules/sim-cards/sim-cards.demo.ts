import { CARD_TERMS } from '@thingwright/contracts/sim-cards.words'
import type { Ctx } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import type { DemoCarrier, DemoNetworks } from '../../lib/demo-networks.ts'
import { newId } from '../../lib/ids.ts'
import type { Inbox } from '../notifications/index.ts'
import * as accounts from './accounts.repo.ts'
import type { AccountsService } from './accounts.service.ts'
import * as cards from './cards.repo.ts'
import { CarrierError } from './carrier.port.ts'
import type { Carriers } from './carriers.ts'
import { carrierDay } from './learn.ts'
import texts from './sim-cards-demo.json' with { type: 'json' }
import { syncCard } from './sync.ts'

export interface CardsDemoDeps {
  database: Database
  carriers: Carriers
  inbox: Inbox
  accounts: AccountsService
  now(): number
}

const KINDS = { cmcc: 'onelink', ctcc: 'cmp' } as const
const DAY_MS = 86_400_000
/** What the curve of a card shows from the first day on. */
const DAYS_BEFORE = 30
/** A simulated carrier has no limit. */
const PER_SECOND = 50
const MOST = 1_000

/** Connects the demo company to its simulated carriers: once with cards in its devices, then where they listen now. */
export async function connectCardsDemo(deps: CardsDemoDeps, ctx: Ctx, demo: DemoNetworks): Promise<void> {
  for (const carrier of ['cmcc', 'ctcc'] as const) await connect(deps, ctx, carrier, demo)
}

async function connect(deps: CardsDemoDeps, ctx: Ctx, carrier: 'cmcc' | 'ctcc', demo: DemoNetworks): Promise<void> {
  const { database, accounts: service, now } = deps
  const there = demo.carriers[carrier]
  const find = async () => (await service.list(ctx)).items.find(one => one.simulated && one.carrier === carrier)
  let isNew = false
  if (demo.isFirstOf.cards && !(await find())) {
    const { url: baseUrl, account, password, secretKey } = there
    await service.create(
      ctx,
      {
        name: texts[carrier].name,
        kind: KINDS[carrier],
        baseUrl,
        account,
        ...(password ? { password } : {}),
        ...(secretKey ? { secretKey } : {}),
        perSecond: PER_SECOND,
        cooldownSeconds: 60,
        // Triggers of the demo tell of usage.
        alerts: { percents: [100], stopAt: null, offlineDays: null },
      },
      true,
    )
    isNew = true
  }
  const found = await find()
  // It was taken away: it stays so.
  if (!found) return
  await database.withSystemScope('sim-cards', scope => accounts.moveSimulated(scope, found.id, there.url))
  if (isNew) await addCards(deps, ctx, found.id, carrier, there)
  await service.test(ctx, found.id)
  const account = await database.withTenant(ctx, scope => accounts.find(scope, found.id))
  if (!account) return
  const due = await database.withTenant(ctx, scope => cards.stale(scope, account.id, new Date(now()), MOST))
  for (const card of due)
    try {
      await syncCard(deps, account, card)
    } catch (error) {
      if (!(error instanceof CarrierError)) throw error
      if (error.passing || error.fault === 'credentials') return
    }
  if (isNew) await database.withSystemScope('sim-cards', scope => usedBefore(scope, account.id, now()))
  await database.withSystemScope('sim-cards', scope => accounts.noteSync(scope, account.id, new Date(now())))
}

/** The cards of the carrier, the first of them in devices of the demo. */
async function addCards(
  { database }: CardsDemoDeps,
  ctx: Ctx,
  accountId: string,
  carrier: 'cmcc' | 'ctcc',
  there: DemoCarrier,
): Promise<void> {
  const { pool, tag, devices } = texts[carrier]
  await database.withTenant(ctx, async scope => {
    const elsewhere = await cards.elsewhere(
      scope,
      there.cards.map(({ iccid }) => iccid),
    )
    const numbered = await cards.devicesNumbered(scope, devices)
    const taken = await cards.known(
      scope,
      there.cards.map(({ iccid }) => iccid),
      [],
      numbered.map(({ id }) => id),
    )
    const isTaken = (id: string) => taken.some(({ deviceId }) => deviceId === id)
    const idOf = new Map(numbered.filter(({ id }) => !isTaken(id)).map(({ deviceNo, id }) => [deviceNo, id]))
    const fresh = there.cards.filter(({ iccid }) => !elsewhere.has(iccid) && !taken.some(one => one.iccid === iccid))
    await cards.insertMany(
      scope,
      accountId,
      fresh.map((card, place) => ({
        id: newId(),
        ...card,
        deviceId: idOf.get(devices[place] ?? '') ?? null,
        pool,
        tags: [tag],
        remark: null,
        term: CARD_TERMS[place % CARD_TERMS.length]!,
      })),
    )
  })
}

/** Today and the days before, as the simulated carrier counts them: as much each as the month says, up and down a little. */
async function usedBefore(scope: SystemScope, accountId: string, now: number): Promise<void> {
  for (const [place, card] of (await cards.stale(scope, accountId, new Date(now + DAY_MS), MOST)).entries()) {
    if (!card.monthKb) continue
    const usual = card.monthKb / DAYS_BEFORE
    for (let day = 0; day <= DAYS_BEFORE; day++) {
      const kb = Math.round(usual * (0.7 + (0.6 * ((place * 31 + day * 17) % 100)) / 100))
      await cards.putUsage(scope, card.tenantId, card.id, carrierDay(now - day * DAY_MS).day, kb)
    }
  }
}
