import { inBackground } from '../../lib/background.ts'
import type { Database } from '../../lib/database/database.ts'
import type { Logger } from '../../lib/log.ts'
import * as accounts from './accounts.repo.ts'
import { cardStateOf, targetOf } from './card-states.ts'
import * as cards from './cards.repo.ts'
import { CarrierError } from './carrier.port.ts'
import type { Carriers } from './carriers.ts'
import { learnReading } from './learn.ts'
import * as repo from './operations.repo.ts'

export interface OperationRunner {
  start(): void
  stop(): Promise<void>
  wake(): void
  /** Everything that is due, once. */
  tick(): Promise<number>
}

const TICK_MS = 1_000
const TAKEN = 20
const LEASE_MS = 90_000
/** Carriers take a change and carry it out a moment later: it is looked after this often, then it has timed out. */
const CHECK_MS = [2_000, 5_000, 15_000, 30_000, 60_000, 120_000, 300_000]
const MOST_TRIES = 6

/**
 * Brings operations to carriers, each once: it is written down before it goes out that it goes out. One that went out and
 * was not answered is not sent again before the card's state says that it did not happen.
 */
export function createOperationRunner(deps: {
  database: Database
  carriers: Carriers
  logger: Logger
  now(): number
}): OperationRunner {
  const { database, carriers, logger, now } = deps
  let timer: NodeJS.Timeout | null = null
  let running: Promise<unknown> = Promise.resolve()
  let isRunning = false
  let isStopped = true

  const system = <T>(work: (scope: Parameters<typeof repo.take>[0]) => Promise<T>) =>
    database.withSystemScope('sim-cards', work)

  async function carryOut(operation: repo.OperationRow): Promise<void> {
    const found = await system(async scope => ({
      card: await cards.find(scope, operation.cardId),
      account: await accounts.find(scope, operation.accountId),
    }))
    const { card, account } = found
    if (!card || !account) return
    if (account.state === 'disabled')
      return end(operation, 'failed', { code: 'disabled', reason: 'the account is disabled here' })
    const carrier = carriers.of(account)
    const target = targetOf(operation.action)
    if (operation.state === 'submitted' || operation.uncertain) {
      // What became of it is asked before anything is sent again.
      if (target === null) return end(operation, operation.uncertain ? 'timed_out' : 'succeeded')
      let isKnown = false
      try {
        const reading = await carrier.read(card)
        isKnown = true
        await system(scope => learnReading(scope, card, reading, now()))
        if (cardStateOf(card.kind, reading.rawState) === target) return end(operation, 'succeeded')
      } catch (error) {
        if (!(error instanceof CarrierError)) throw error
        if (!error.passing) return end(operation, 'failed', { code: error.code, reason: error.text })
      }
      const wait = CHECK_MS[operation.checks]
      if (operation.uncertain && isKnown && operation.checks >= 2) {
        await system(scope =>
          repo.progress(scope, operation.id, {
            state: 'queued',
            uncertain: false,
            checks: 0,
            notBefore: new Date(now()),
          }),
        )
        return
      }
      if (wait === undefined) return end(operation, 'timed_out')
      await system(scope =>
        repo.progress(scope, operation.id, { checks: operation.checks + 1, notBefore: new Date(now() + wait) }),
      )
      return
    }
    if (card.cooldownUntil && card.cooldownUntil.getTime() > now()) {
      await system(scope => repo.progress(scope, operation.id, { notBefore: card.cooldownUntil! }))
      return
    }
    const attempts = operation.attempts + 1
    if (attempts > MOST_TRIES) return end(operation, 'timed_out')
    await system(async scope => {
      await repo.progress(scope, operation.id, { attempts, uncertain: true, submittedAt: new Date(now()) })
      await cards.learn(scope, card.id, {
        changedAt: new Date(now()),
        cooldownUntil: new Date(now() + account.cooldownSeconds * 1_000),
        ...(operation.action === 'stop' && card.stopReason !== 'quota' ? { stopReason: 'manual' } : {}),
      })
    })
    try {
      const { carrierNo } = await carrier.change(card, {
        action: operation.action,
        rawState: card.rawState ?? '',
        apn: card.apn,
        ...(operation.speedKbps === null ? {} : { speedKbps: operation.speedKbps }),
        ...(operation.tac === null ? {} : { tac: operation.tac }),
      })
      await system(scope => accounts.note(scope, account.id, null))
      const learned = settingOf(operation)
      if (learned) await system(scope => cards.learn(scope, card.id, learned))
      if (target === null) return end(operation, 'succeeded', { carrierNo })
      await system(scope =>
        repo.progress(scope, operation.id, {
          state: 'submitted',
          uncertain: false,
          carrierNo,
          checks: 0,
          reason: null,
          code: null,
          notBefore: new Date(now()),
        }),
      )
    } catch (error) {
      if (!(error instanceof CarrierError)) throw error
      const said = { code: error.code, reason: error.text }
      // A carrier that was cut off, or that says it is busy, may have done it all the same.
      if (error.passing && error.fault !== 'frequency') {
        await system(scope =>
          repo.progress(scope, operation.id, { ...said, notBefore: new Date(now() + CHECK_MS[0]!), checks: 0 }),
        )
        return
      }
      if (error.fault === 'credentials')
        await system(scope =>
          accounts.note(scope, account.id, { kind: error.fault, code: error.code, text: error.text }),
        )
      if (error.fault !== 'frequency') return end(operation, 'failed', said)
      const wait = Math.max(60_000, account.cooldownSeconds * 1_000)
      await system(scope =>
        repo.progress(scope, operation.id, { ...said, uncertain: false, notBefore: new Date(now() + wait) }),
      )
    }
  }

  async function end(
    operation: repo.OperationRow,
    state: 'succeeded' | 'failed' | 'timed_out',
    said: { code?: string; reason?: string; carrierNo?: string | null } = {},
  ): Promise<void> {
    await system(async scope => {
      await repo.progress(scope, operation.id, {
        state,
        uncertain: false,
        finishedAt: new Date(now()),
        ...(state === 'succeeded' ? { reason: null, code: null } : {}),
        ...said,
      })
    })
  }

  async function tick(): Promise<number> {
    const taken = await system(scope => repo.take(scope, new Date(now()), TAKEN, new Date(now() + LEASE_MS)))
    await Promise.all(
      taken.map(operation =>
        carryOut(operation).catch((error: unknown) =>
          logger.error({ err: error, operation: operation.id }, 'an operation of a SIM card could not be carried out'),
        ),
      ),
    )
    return taken.length
  }

  function look(): void {
    if (isRunning || isStopped) return
    isRunning = true
    running = (async () => {
      while (!isStopped && (await tick()) > 0);
    })().finally(() => {
      isRunning = false
    })
    inBackground('operations of SIM cards', running)
  }

  return {
    tick,
    wake: look,
    start() {
      isStopped = false
      timer = setInterval(look, TICK_MS)
      timer.unref()
      look()
    },
    async stop() {
      isStopped = true
      if (timer) clearInterval(timer)
      await running.catch(() => undefined)
    },
  }
}

/** What we know of the card once the carrier took the change. */
function settingOf({ action, speedKbps }: repo.OperationRow): cards.CardValues | null {
  switch (action) {
    case 'data_off':
      return { dataOff: true }
    case 'data_on':
      return { dataOff: false }
    case 'limit':
      return { speedKbps }
    case 'unlimit':
      return { speedKbps: null }
    case 'unbind_imei':
      return { boundImei: null }
    default:
      return null
  }
}
