import { setTimeout as delay } from 'node:timers/promises'
import { type Assignment, type Effect, type Input, LaneMerge, type Seed, TriggerEngine } from '@thingwright/rules'
import type pg from 'pg'
import { inTransaction } from '../../../lib/database/in-transaction.ts'
import { type Reading, readLatestValues } from '../../../lib/journal/latest-values.ts'
import type { Logger } from '../../../lib/log.ts'
import type { Tell } from '../../../lib/news.ts'
import { clearAlarmsLeftOpen, refreshAlarmLevels } from '../../../modules/alarms/index.ts'
import {
  judgeSignals,
  newSignals,
  type SignalRow,
  signalsSince,
  type TriggerCatalogue,
} from '../../../modules/triggers/index.ts'
import type { JournalRow, LaneBatch } from '../../lanes.port.ts'
import type { Stream } from '../../stream.port.ts'
import { Quality } from '../../uplink.ts'
import { type Written, writeEffects } from './effects.ts'
import { type EngineSnapshots, engineSnapshots } from './engine-snapshots.ts'
import * as state from './engine-state.repo.ts'
import { ReaderLane } from './reader-lane.ts'
import { factOf, inputOf } from './trigger-inputs.ts'

/** Name of its cursors; never changed. */
export const TRIGGERS = 'triggers'
/** Rows that are judged in one go. */
const SLICE = 500
/** For so long rows of the feed are gathered before the next round. */
const GATHER_MS = 10
/** Rows that arrived longer ago are committed and fed, so a lane without newer rows is known up to this age, ms. */
const MARGIN_MS = 60
/** Timers wait a little longer for rows that their lane was slow to commit. */
const TIMER_MARGIN_MS = 300
/** How often it looks for changes that no news announces. */
const TICK_MS = 250
const SAVE_EVERY_MS = 1_000
const HEADS_EVERY_MS = 1_000
/** A silence of the whole program that is longer is an outage. */
const OUTAGE_MS = 5_000
/** After an outage devices come back before timers go on. */
const GRACE_MS = 30_000
const BACKOFF_MS = [50, 200, 500, 1_000, 2_000, 5_000]

export interface TriggerReaderOptions {
  catalogue: TriggerCatalogue
  stream: Stream
  /** Connections of the telemetry role. */
  db: pg.Pool
  tell: Tell
  logger: Logger
  now(): number
}

export interface TriggerReader {
  start(): Promise<void>
  feed(batch: LaneBatch): void
  /** Called when triggers or facts have changed. */
  look(): void
  stop(): Promise<void>
  /** Rows that were not judged yet, as far as is known. */
  behind(): number
}

/**
 * Judges all triggers over all lanes, merged by arrival, lane and sequence (docs/adr/0048-triggers-live.md). Alarms, runs,
 * facts and the cursors are written in one transaction; its memory every ten seconds. After a restart what came since
 * then is judged again, up to the cursors without notifying anybody.
 */
export function createTriggerReader(options: TriggerReaderOptions): TriggerReader {
  const reader = new Reader(options)
  return {
    start: () => reader.start(),
    feed: batch => reader.feed(batch),
    look: () => reader.look(),
    stop: () => reader.stop(),
    behind: () => reader.behind(),
  }
}

class Reader {
  private engine: TriggerEngine | null = null
  private merge: LaneMerge
  private lanes: ReaderLane[]
  /** Number of the lane of facts: the one after the lanes of devices. */
  private readonly facts: number
  /** Facts from before this moment were found, epoch ms. */
  private factsKnown = 0
  private readonly placed = new Map<number, number>()
  private inMerge = new Set<number>()
  private devices = new Set<number>()
  private effects: Effect[] = []
  private isRulesChanged = false
  private outageAt: number | null = null
  private isFirstWrite = false
  private savedAt = 0
  private lookedAt = 0
  private readonly snapshots: EngineSnapshots
  private headsAt = 0
  private actedAt = 0
  private stopping = false
  private isWoken = false
  private wakeUp: (() => void) | null = null
  private readonly abort = new AbortController()
  private done: Promise<void> = Promise.resolve()

  constructor(private readonly options: TriggerReaderOptions) {
    this.facts = options.stream.lanes.length
    this.snapshots = engineSnapshots(options)
    this.merge = new LaneMerge([])
    this.lanes = []
  }

  async start(): Promise<void> {
    this.done = this.run()
  }

  feed(batch: LaneBatch): void {
    const lane = this.lanes.find(one => one.lane === batch.lane)
    if (lane?.feed(batch)) this.wake()
  }

  look(): void {
    this.lookedAt = 0
    this.wake()
  }

  private wake(): void {
    this.isWoken = true
    this.wakeUp?.()
  }

  async stop(): Promise<void> {
    this.stopping = true
    this.abort.abort()
    this.wake()
    await this.done
  }

  behind(): number {
    return this.lanes.reduce((sum, lane) => sum + Math.max(0, lane.head - lane.taken.seq), 0)
  }

  private async run(): Promise<void> {
    let failures = 0
    while (!this.stopping) {
      try {
        if (!this.engine) await this.begin()
        const hasMore = await this.step()
        failures = 0
        if (!hasMore) await this.rest()
      } catch (error) {
        if (this.stopping) return
        if (failures % 10 === 0)
          this.options.logger.warn({ err: error }, 'triggers are judged again from their cursors')
        // What was judged and not written is judged again.
        this.engine = null
        await delay(BACKOFF_MS[Math.min(failures++, BACKOFF_MS.length - 1)], undefined, {
          signal: this.abort.signal,
        }).catch(() => undefined)
      }
    }
    try {
      if (this.engine) await this.write(true)
    } catch (error) {
      this.options.logger.warn({ err: error }, 'the last write of triggers failed')
    }
  }

  private async rest(): Promise<void> {
    if (this.isWoken || this.stopping) {
      this.isWoken = false
      // Rows that wait for another lane are ready when that one is known. Each round costs something, whatever it finds.
      await delay(GATHER_MS)
      return
    }
    const waits =
      this.lanes.some(({ lane }) => this.merge.heldFrom(lane) !== null) || this.merge.heldFrom(this.facts) !== null
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, waits ? 10 : TICK_MS)
      this.wakeUp = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.wakeUp = null
    this.isWoken = false
  }

  // Beginning

  private async begin(): Promise<void> {
    await this.snapshots.idle()
    const { catalogue, stream, db } = this.options
    const now = this.options.now()
    await catalogue.refresh(db)
    const [kept, cursors] = [await state.readEngine(db), await state.readCursors(db, TRIGGERS)]
    const assignments = catalogue.assignments()
    const seed = await this.seedFor(assignments)
    const heads = await stream.heads()
    const snapshot = kept?.snapshot ?? null
    this.effects = []
    this.placed.clear()
    this.inMerge.clear()
    this.merge = new LaneMerge([...stream.lanes, this.facts])
    this.lanes = stream.lanes.map(lane => {
      const cursor = cursors.find(one => one.lane === lane)
      // Without cursors it begins with the newest row.
      const committed = cursor
        ? stream.at(lane, { seq: cursor.seq, arrivedAt: cursor.at ?? 0 })
        : (heads.get(lane) ?? stream.start(lane))
      const before = snapshot && kept?.positions.find(one => one.lane === lane)
      const taken = before ? stream.at(lane, before) : committed
      return new ReaderLane(lane, { taken, saved: committed.seq, head: heads.get(lane)?.seq ?? 0 })
    })
    if (snapshot && kept) {
      this.engine = TriggerEngine.restore(snapshot, assignments, seed)
      const seqs = new Map(this.lanes.map(({ lane, saved }) => [lane, saved]))
      const old = await signalsSince(db, snapshot.now + snapshot.stood)
      seqs.set(
        this.facts,
        old.reduce((last, { id }) => Math.max(last, id), snapshot.last.lane === this.facts ? snapshot.last.seq : 0),
      )
      this.engine.replayUntil({ seqs, at: kept.actedAt })
      this.push(old.map(row => ({ row, at: row.judgedAt! })))
      await this.noteOutage(kept.aliveAt, now)
    } else {
      this.engine = new TriggerEngine(now - MARGIN_MS)
      for (const assignment of assignments) this.effects.push(...this.engine.setRule(assignment, seed))
    }
    this.watchOnly(assignments)
    this.isFirstWrite = true
    this.isRulesChanged = true
    this.actedAt = kept?.actedAt ?? 0
    this.snapshots.reset()
    this.savedAt = this.headsAt = 0
  }

  /** After a time in which the program did not run: the time of the lanes stands still until devices could send again. */
  private async noteOutage(aliveAt: number, now: number): Promise<void> {
    const { db } = this.options
    if (now - aliveAt < OUTAGE_MS) return
    const first = await Promise.all(
      this.lanes.map(({ lane, saved }) => state.firstArrivalAfter(db, lane, saved, aliveAt + OUTAGE_MS / 2)),
    )
    const to = Math.min(now, ...first.flatMap(at => at ?? []))
    if (to - aliveAt < OUTAGE_MS / 2) return
    this.outageAt = to
    this.merge.push(this.facts, [
      { kind: 'outage', lane: this.facts, seq: 0, arrived: to, from: aliveAt, graceMs: GRACE_MS },
    ])
  }

  /** What is known of devices before their first row is judged. */
  private async seedFor(assignments: readonly Assignment[]): Promise<Seed> {
    const { db } = this.options
    const wanted = new Set<number>()
    for (const { program, targets } of assignments) {
      for (const target of targets) wanted.add(target)
      for (const node of program.nodes) {
        if (node.device !== null) wanted.add(node.device)
        if (node.type === 'compare' && node.other && node.other.device !== null) wanted.add(node.other.device)
      }
    }
    const latest = new Map<number, Map<string, Reading>>()
    const links = new Map<number, boolean>()
    const numbers = [...wanted]
    for (let i = 0; i < numbers.length; i += 2_000) {
      const part = numbers.slice(i, i + 2_000)
      for (const [device, values] of await readLatestValues(db, part)) latest.set(device, values)
      for (const [device, isOnline] of await state.readLinks(db, part)) links.set(device, isOnline)
    }
    return {
      latest(device, property) {
        const reading = latest.get(device)?.get(property)
        return reading && reading[2] !== Quality.bad ? { value: reading[0], ts: reading[1] } : undefined
      },
      isOnline: device => links.get(device),
    }
  }

  private watchOnly(assignments: readonly Assignment[]): void {
    this.devices = new Set()
    this.watch(assignments)
  }

  private watch(assignments: readonly Assignment[]): void {
    for (const { program, targets } of assignments) {
      for (const target of targets) this.devices.add(target)
      for (const node of program.nodes) {
        if (node.device !== null) this.devices.add(node.device)
        if (node.type === 'compare' && node.other && node.other.device !== null) this.devices.add(node.other.device)
      }
    }
  }

  // One round

  /** @returns whether there is more to be read at once */
  private async step(): Promise<boolean> {
    const { stream } = this.options
    const now = this.options.now()
    if (now - this.lookedAt >= TICK_MS) {
      this.lookedAt = now
      await this.takeRules()
      await this.takeSignals()
    }
    if (now - this.headsAt >= HEADS_EVERY_MS) {
      this.headsAt = now
      for (const [number, head] of await stream.heads()) this.lanes.find(one => one.lane === number)!.seen(head.seq)
    }
    // The clock is read before the lanes: a row that is committed after this has arrived later, or is late.
    const clock = this.options.now()
    let hasMore = false
    for (const lane of this.lanes) {
      this.takeRows(lane, await lane.read(stream))
      hasMore ||= lane.isBehind
    }
    for (const lane of this.lanes) if (!lane.isBehind) this.merge.advance(lane.lane, clock - MARGIN_MS)
    // Facts that are found from now on are placed at the time at which they are found: no row waits for them.
    this.factsKnown = Math.max(this.factsKnown, clock)
    this.merge.advance(this.facts, this.factsKnown)
    await this.judge(clock)
    await this.write(false)
    return hasMore
  }

  private async takeRules(): Promise<void> {
    const { catalogue, db } = this.options
    const engine = this.engine!
    const change = await catalogue.refresh(db)
    if (change.set.length > 0 || change.removed.length > 0) {
      await this.toPresent()
      for (const id of change.removed) this.effects.push(...engine.removeRule(id))
      if (change.set.length > 0) {
        const seed = await this.seedFor(change.set)
        this.watch(change.set)
        for (const assignment of change.set) this.effects.push(...engine.setRule(assignment, seed))
      }
      if (change.removed.length > 0) this.watchOnly(catalogue.assignments())
      this.isRulesChanged = true
    }
  }

  /**
   * Brings the engine's time up to what is known of all lanes. It else is that of the last row that a trigger watched,
   * and an alarm that a changed trigger raises would be hours old in a quiet company: too old for its contacts.
   */
  private async toPresent(): Promise<void> {
    const engine = this.engine!
    const to = Math.min(this.merge.until, this.options.now() - TIMER_MARGIN_MS)
    if (this.outageAt !== null) return
    if (engine.timers.next + engine.stood <= to && !(await this.isUpToDate())) return
    this.actedAt = Math.max(this.actedAt, to)
    this.effects.push(...engine.advance(to))
  }

  private takeRows({ lane }: ReaderLane, rows: readonly JournalRow[]): void {
    const last = rows.at(-1)
    if (!last) return
    const inputs: Input[] = []
    for (const row of rows) {
      if (!this.devices.has(row.device)) continue
      const input = inputOf(lane, row)
      if (input) inputs.push(input)
    }
    this.merge.push(lane, inputs)
    this.merge.advance(lane, last.arrivedAt)
  }

  private async takeSignals(): Promise<void> {
    const fresh = (await newSignals(this.options.db)).filter(({ id }) => !this.inMerge.has(id))
    // Not before the moment up to which they were known, also when the clock was set back.
    const now = Math.max(this.options.now(), this.factsKnown)
    for (const { id } of fresh) this.placed.set(id, now)
    this.push(fresh.map(row => ({ row, at: now })))
  }

  private push(signals: readonly { row: SignalRow; at: number }[]): void {
    for (const { row, at } of signals) {
      this.inMerge.add(row.id)
      const input = factOf(this.facts, row, at)
      if (input) this.merge.push(this.facts, [input])
    }
  }

  private async judge(clock: number): Promise<void> {
    const engine = this.engine!
    const inputs = this.merge.take()
    for (let i = 0; i < inputs.length; i += SLICE) {
      this.effects.push(...engine.take(inputs.slice(i, i + SLICE)))
      // Requests are served between two slices.
      if (i + SLICE < inputs.length) await new Promise(resolve => setImmediate(resolve))
    }
    if (this.outageAt !== null && this.merge.until > this.outageAt) this.outageAt = null
    // Nothing fires before an outage is known.
    if (this.outageAt !== null) return
    const to = Math.min(this.merge.until, clock - TIMER_MARGIN_MS)
    if (engine.timers.next + engine.stood <= to && !(await this.isUpToDate())) return
    this.actedAt = Math.max(this.actedAt, to)
    if (engine.timers.next + engine.stood <= to) this.effects.push(...engine.advance(to))
  }

  /** Before a timer fires: whether there is no row that the feed did not bring, or that is on its way in a pipe. */
  private async isUpToDate(): Promise<boolean> {
    const heads = await this.options.stream.heads()
    const missing = this.lanes.filter(({ lane, taken }) => (heads.get(lane)?.seq ?? 0) > taken.seq)
    for (const lane of missing) {
      lane.head = heads.get(lane.lane)!.seq
      lane.isBehind = true
    }
    if (missing.length > 0) this.wake()
    return missing.length === 0
  }

  // Writing

  private positions(): state.EngineState['positions'] {
    return this.lanes.map(({ lane, taken }) => {
      const held = this.merge.heldFrom(lane)
      // What waits for another lane is not judged.
      return held === null
        ? { ...taken, lane }
        : { lane, seq: held - 1, arrivedAt: Math.min(taken.arrivedAt, this.merge.until) }
    })
  }

  private async write(isLast: boolean): Promise<void> {
    const now = this.options.now()
    const { catalogue, db } = this.options
    const placed = this.placedBefore()
    const isDue = now - this.savedAt >= SAVE_EVERY_MS
    if (this.effects.length === 0 && placed.size === 0 && !isDue && !isLast) return
    if (this.outageAt !== null) return
    if (isLast) await this.snapshots.idle()
    const isSnapshotDue = isLast || this.snapshots.isDue(now, this.isRulesChanged)
    const positions = this.positions()
    const snapshot = isSnapshotDue ? this.engine!.beginSnapshot() : null
    // The first write, and effects of a changed rule, are written together with the snapshot.
    const isTogether = isLast || this.isFirstWrite || this.isRulesChanged
    const packed = snapshot !== null && isTogether ? await this.snapshots.pack(snapshot) : null
    const written = await inTransaction(db, async client => {
      const done = await writeEffects(client, this.effects, catalogue, now)
      if (this.isFirstWrite) {
        const left = await clearAlarmsLeftOpen(client, catalogue.ids())
        done.alarms.push(...left)
        done.levels.push(
          ...(await refreshAlarmLevels(
            client,
            left.flatMap(({ device }) => device ?? []),
          )),
        )
      }
      await judgeSignals(client, placed)
      for (const position of positions) await state.saveCursor(client, TRIGGERS, position)
      await state.saveAlive(client, now, this.actedAt)
      if (packed) await this.snapshots.keepIn(client, positions, packed, now)
      return done
    })
    this.effects = []
    this.savedAt = now
    this.isFirstWrite = false
    for (const id of placed.keys()) {
      this.placed.delete(id)
      this.inMerge.delete(id)
    }
    for (const { lane, seq } of positions) {
      const own = this.lanes.find(one => one.lane === lane)!
      own.saved = Math.max(own.saved, seq)
    }
    this.tellOf(written)
    if (snapshot === null) return
    this.isRulesChanged = false
    if (packed) {
      this.snapshots.written(now)
      catalogue.forgetGone()
    } else this.snapshots.keepBeside(positions, snapshot, now, () => catalogue.forgetGone())
  }

  /** Facts that were judged. */
  private placedBefore(): Map<number, number> {
    const held = this.merge.heldFrom(this.facts)
    return new Map([...this.placed].filter(([id]) => held === null || id < held))
  }

  private tellOf({ alarms, levels, hasActions, paused }: Written): void {
    const { tell } = this.options
    const byCompany = new Map<string, Set<string>>()
    for (const { id, tenantId } of alarms) byCompany.set(tenantId, (byCompany.get(tenantId) ?? new Set()).add(id))
    for (const [tenantId, ids] of byCompany) tell('alarms.changed', { tenantId, ids: [...ids] })
    if (levels.length > 0) tell('alarm_levels.changed', { devices: levels })
    if (hasActions || paused.length > 0) tell('trigger_actions.due', { paused })
  }
}
