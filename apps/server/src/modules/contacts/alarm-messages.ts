import type { Database, SystemScope } from '../../lib/database/database.ts'
import type { Logger } from '../../lib/log.ts'
import * as plan from './plan.repo.ts'
import * as queue from './queue.repo.ts'
import { quietUntil } from './quiet.ts'
import type { MessageSender } from './sender.ts'

export interface AlarmMessagesDeps {
  database: Database
  sender: MessageSender
  logger: Logger
  now(): number
}

const TICK_MS = 1_000
/** How often to look for messages that were not planned while the server was down or busy. */
const LOOK_BACK_MS = 30_000
/** How often to look for alarms that nobody acknowledged, whose messages escalate or repeat. */
const LATER_MS = 5_000
const RECIPIENTS_AT_ONCE = 20
const ROWS_AT_ONCE = 200
/** More than these within a minute go out as one. */
const MESSAGES_A_MINUTE = 3
/** First those that wake somebody. */
const ORDER = ['voice', 'sms', 'wechat', 'applet']

/**
 * Sends messages about alarms. A message is stored before it is sent, so that a server that was killed sends it after
 * its start.
 */
export class AlarmMessages {
  private timer: NodeJS.Timeout | null = null
  private running: Promise<void> = Promise.resolve()
  private isRunning = false
  private isStopped = true
  private readonly changed = new Set<string>()
  private lookedBackAt = Number.NEGATIVE_INFINITY
  private lookedLaterAt = Number.NEGATIVE_INFINITY

  constructor(private readonly deps: AlarmMessagesDeps) {}

  start(): void {
    this.isStopped = false
    this.wake()
  }

  async stop(): Promise<void> {
    this.isStopped = true
    if (this.timer) clearTimeout(this.timer)
    await this.running
  }

  /** These alarms were raised or cleared. */
  tell(ids: readonly string[]): void {
    if (this.isStopped) return
    for (const id of ids) this.changed.add(id)
    this.wake()
  }

  /** Plans and sends what is due, once. */
  async run(): Promise<void> {
    await this.plan()
    for (;;) {
      const messages = await this.take()
      // One slow provider holds up nobody else; each receiver's come in their order.
      await Promise.all(
        messages.map(async own => {
          for (const rows of own) await this.deps.sender.send(rows)
        }),
      )
      if (messages.length === 0) return
    }
  }

  /** Sends one record, whatever else waits: somebody looks at what comes of it. */
  async sendNow(id: string): Promise<void> {
    const now = new Date(this.deps.now())
    const rows = await this.deps.database.withSystemScope('alarms', async scope => {
      const due = await queue.one(scope, id, now)
      if (due.length > 0) await queue.claim(scope, [id], now)
      return due
    })
    if (rows.length > 0) await this.deps.sender.send(rows)
  }

  private wake(): void {
    if (this.isStopped || this.isRunning) return
    if (this.timer) clearTimeout(this.timer)
    this.isRunning = true
    this.running = this.run()
      .catch(error => this.deps.logger.warn({ err: error }, 'messages about alarms could not be sent'))
      .finally(() => {
        this.isRunning = false
        if (!this.isStopped) this.timer = setTimeout(() => this.wake(), TICK_MS)
      })
  }

  private async plan(): Promise<void> {
    const now = this.deps.now()
    const looksBack = now - this.lookedBackAt >= LOOK_BACK_MS
    const looksLater = now - this.lookedLaterAt >= LATER_MS
    if (!looksBack && !looksLater && this.changed.size === 0) return
    const ids = looksBack ? null : [...this.changed]
    this.changed.clear()
    await this.deps.database.withSystemScope('alarms', async scope => {
      if (ids === null || ids.length > 0) await plan.plan(scope, new Date(now), ids)
      if (looksLater) await plan.planLater(scope, new Date(now))
    })
    if (looksBack) this.lookedBackAt = now
    if (looksLater) this.lookedLaterAt = now
  }

  /** By receivers. */
  private take(): Promise<queue.DueRow[][][]> {
    const now = new Date(this.deps.now())
    return this.deps.database.withSystemScope('alarms', async scope => {
      const messages: queue.DueRow[][][] = []
      for (const recipient of await queue.lockRecipients(scope, now, RECIPIENTS_AT_ONCE)) {
        const rows = await this.ready(scope, recipient, await queue.due(scope, recipient.id, now, ROWS_AT_ONCE), now)
        if (rows.length === 0) continue
        const idsOf = (some: readonly queue.DueRow[]) => some.map(({ id }) => id)
        const perHour = recipient.perHour ?? Number.POSITIVE_INFINITY
        const free = Math.min(MESSAGES_A_MINUTE - recipient.recent, perHour - recipient.hour)
        if (free <= 0) {
          const isHour = recipient.hour >= perHour
          const until = new Date(now.getTime() + (isHour ? 60_000 : 5_000))
          await queue.postpone(scope, idsOf(rows), until, isHour ? 'per_hour' : null)
          continue
        }
        const { now: out, later } = allotted(rows, free)
        if (later.length > 0) await queue.postpone(scope, idsOf(later), new Date(now.getTime() + 5_000), null)
        for (const message of out) await queue.claim(scope, idsOf(message), now)
        messages.push(out)
      }
      return messages
    })
  }

  /** Without what waits for the end of quiet hours, and without what would be more than a trigger may say in a day. */
  private async ready(scope: SystemScope, recipient: queue.Recipient, rows: queue.DueRow[], now: Date) {
    const out: queue.DueRow[] = []
    const planned = new Map<string, number>()
    for (const row of rows) {
      const until = row.channel === 'inbox' ? null : quietUntil(recipient.quiet, row.level, now.getTime())
      const key = `${row.trigger}\n${row.channel}`
      const said = row.today + (planned.get(key) ?? 0)
      if (row.perDay !== null && row.kind !== 'cleared' && said >= row.perDay && row.attempts === 0)
        await queue.cancel(scope, [row.id], 'per_day')
      else if (until !== null) await queue.postpone(scope, [row.id], new Date(until), 'quiet_hours')
      else {
        out.push(row)
        if (row.kind !== 'cleared') planned.set(key, (planned.get(key) ?? 0) + 1)
      }
    }
    return out
  }
}

/**
 * Messages that go out now: each channel has one at least while there are enough, then each row one of its own, and what is
 * over is in the last one of its channel.
 * @param free how many messages the receiver still gets
 */
export function allotted(
  rows: readonly queue.DueRow[],
  free: number,
): { now: queue.DueRow[][]; later: queue.DueRow[] } {
  const rank = (channel: string) => (ORDER.includes(channel) ? ORDER.indexOf(channel) : ORDER.length)
  const byChannel = new Map<string, queue.DueRow[]>()
  for (const row of rows) byChannel.set(row.channel, [...(byChannel.get(row.channel) ?? []), row])
  const channels = [...byChannel].sort(([a], [b]) => rank(a) - rank(b))
  const chosen = channels.slice(0, free)
  const later = channels.slice(free).flatMap(([, rest]) => rest)
  const share = chosen.map(() => 1)
  for (let left = free - chosen.length; left > 0; ) {
    const at = chosen.findIndex(([, own], i) => own.length > share[i]!)
    if (at < 0) break
    share[at]!++
    left--
  }
  const out: queue.DueRow[][] = []
  for (const [i, [, own]] of chosen.entries()) {
    const { out: messages, later: rest } = shared(own, share[i]!)
    out.push(...messages)
    later.push(...rest)
  }
  return { now: out, later }
}

/** Each in a message of its own while there are enough of these, what is over in the last one; an address, a message. */
function shared(rows: readonly queue.DueRow[], free: number): { out: queue.DueRow[][]; later: queue.DueRow[] } {
  if (rows.length <= free) return { out: rows.map(row => [row]), later: [] }
  const rest = rows.slice(free - 1)
  // What has words of its own is not mixed with others.
  const { address, content } = rest[0]!
  const isLike = (row: queue.DueRow) => row.address === address && content === null && row.content === null
  const last = content === null ? rest.filter(isLike) : rest.slice(0, 1)
  return {
    out: [...rows.slice(0, free - 1).map(row => [row]), last],
    later: rest.filter(row => !last.includes(row)),
  }
}
