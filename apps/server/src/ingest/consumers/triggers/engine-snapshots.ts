import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'
import type { SnapshotPass } from '@thingwright/rules'
import type pg from 'pg'
import { inBackground } from '../../../lib/background.ts'
import { inTransaction } from '../../../lib/database/in-transaction.ts'
import type { Logger } from '../../../lib/log.ts'
import { forgetSignals } from '../../../modules/triggers/index.ts'
import * as state from './engine-state.repo.ts'

const SNAPSHOT_EVERY_MS = 10_000
/** Changed rules are kept at once where that costs less than this part of the time, else with the next snapshot. */
const SNAPSHOT_SHARE = 0.05
const KEEP_SIGNALS_MS = 3_600_000

export interface EngineSnapshots {
  /** Whether the next write should make a snapshot. @param isRulesChanged a changed rule should not wait ten seconds */
  isDue(now: number, isRulesChanged: boolean): boolean
  /** Makes what {@link keepIn} writes: gzip of the JSON. */
  pack(pass: SnapshotPass): Promise<Buffer>
  /** Writes a snapshot in a transaction of the caller, who calls {@link written} after its commit. */
  keepIn(client: pg.ClientBase, positions: state.EngineState['positions'], packed: Buffer, now: number): Promise<void>
  written(now: number): void
  /** Writes a snapshot in the background. @param onKept called after its commit */
  keepBeside(positions: state.EngineState['positions'], pass: SnapshotPass, now: number, onKept: () => void): void
  /** Resolves when no snapshot is being written. */
  idle(): Promise<void>
  /** The next write makes a snapshot. */
  reset(): void
}

/**
 * Writes the memory of the engine every ten seconds, so that a restart has little to judge again. A snapshot is megabytes:
 * it is written beside the reading, and an alarm that is raised meanwhile does not wait for it. A process that ends before
 * its commit goes on from the snapshot before it, which is further back and comes to the same.
 */
export function engineSnapshots({ db, logger }: { db: pg.Pool; logger: Logger }): EngineSnapshots {
  let takenAt = 0
  let tookMs = 0
  let isKeeping = false
  let keeping: Promise<void> = Promise.resolve()

  /** A piece in each turn of the event loop, so that nothing waits for the whole. */
  async function* piecesOf(pass: SnapshotPass): AsyncGenerator<string> {
    let ms = 0
    for (;;) {
      const began = performance.now()
      const piece = pass.next()
      ms += performance.now() - began
      if (piece === undefined) break
      yield piece
      await new Promise(resolve => setImmediate(resolve))
    }
    tookMs = ms
  }

  /** The compression runs on a thread of its own. */
  async function pack(pass: SnapshotPass): Promise<Buffer> {
    const gzip = createGzip({ level: constants.Z_BEST_SPEED })
    const [packed] = await Promise.all([buffer(gzip), pipeline(Readable.from(piecesOf(pass)), gzip)])
    return packed
  }

  async function keepIn(
    client: pg.ClientBase,
    positions: state.EngineState['positions'],
    packed: Buffer,
    now: number,
  ): Promise<void> {
    await state.saveSnapshot(client, positions, packed)
    // No replay needs signals from before it.
    await forgetSignals(client, now - KEEP_SIGNALS_MS)
  }

  async function keep(
    positions: state.EngineState['positions'],
    pass: SnapshotPass,
    now: number,
    onKept: () => void,
  ): Promise<void> {
    isKeeping = true
    try {
      const packed = await pack(pass)
      await inTransaction(db, client => keepIn(client, positions, packed, now))
      onKept()
    } catch (error) {
      logger.warn({ err: error }, 'the memory of triggers could not be kept and is kept again')
      takenAt = 0
    } finally {
      isKeeping = false
    }
  }

  return {
    isDue(now, isRulesChanged) {
      const wait = isRulesChanged ? Math.min(SNAPSHOT_EVERY_MS, tookMs / SNAPSHOT_SHARE) : SNAPSHOT_EVERY_MS
      return !isKeeping && now - takenAt >= wait
    },
    pack,
    keepIn,
    written(now) {
      takenAt = now
    },
    keepBeside(positions, pass, now, onKept) {
      takenAt = now
      keeping = keep(positions, pass, now, onKept)
      inBackground('keeping the memory of triggers', keeping)
    },
    idle: () => keeping,
    reset() {
      takenAt = 0
    },
  }
}
