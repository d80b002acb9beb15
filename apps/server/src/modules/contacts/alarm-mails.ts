import type { Database } from '../../lib/database/database.ts'
import type { Logger } from '../../lib/log.ts'
import type { MailPort } from '../notifications/index.ts'
import words from './contact-words.json' with { type: 'json' }
import * as repo from './records.repo.ts'

export interface AlarmMailsDeps {
  database: Database
  mail: MailPort
  logger: Logger
  /** Where the console is. */
  consoleUrl(): string
  now(): number
}

const TICK_MS = 1_000
/** What was missed while the server was down or busy is looked for this often. */
const LOOK_BACK_MS = 30_000
const CONTACTS_AT_ONCE = 20
const ROWS_AT_ONCE = 200
/** More than these within a minute go out as one. */
const MESSAGES_A_MINUTE = 3
const MAX_TRIES = 5
/** Pauses before a try, seconds. */
const PAUSES = [5, 30, 120, 600]

interface Message {
  rows: repo.DueRow[]
}

/** Mails alarms to contacts. What is to be sent stands in the database first: a server that is killed sends it later. */
export class AlarmMails {
  private timer: NodeJS.Timeout | null = null
  private running: Promise<void> = Promise.resolve()
  private isRunning = false
  private isStopped = true
  private readonly changed = new Set<string>()
  private lookedBackAt = Number.NEGATIVE_INFINITY

  constructor(private readonly deps: AlarmMailsDeps) {}

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
      for (const message of messages) await this.send(message)
      if (messages.length === 0) return
    }
  }

  private wake(): void {
    if (this.isStopped || this.isRunning) return
    if (this.timer) clearTimeout(this.timer)
    this.isRunning = true
    this.running = this.run()
      .catch(error => this.deps.logger.warn({ err: error }, 'alarms could not be mailed'))
      .finally(() => {
        this.isRunning = false
        if (!this.isStopped) this.timer = setTimeout(() => this.wake(), TICK_MS)
      })
  }

  private async plan(): Promise<void> {
    const now = this.deps.now()
    const looksBack = now - this.lookedBackAt >= LOOK_BACK_MS
    if (!looksBack && this.changed.size === 0) return
    const ids = looksBack ? null : [...this.changed]
    this.changed.clear()
    await this.deps.database.withSystemScope('alarms', scope => repo.plan(scope, new Date(now), ids))
    if (looksBack) this.lookedBackAt = now
  }

  private take(): Promise<Message[]> {
    const now = new Date(this.deps.now())
    return this.deps.database.withSystemScope('alarms', async scope => {
      const messages: Message[] = []
      for (const { id, recent } of await repo.lockContacts(scope, now, CONTACTS_AT_ONCE)) {
        const free = MESSAGES_A_MINUTE - recent
        if (free <= 0) {
          await repo.postpone(scope, id, new Date(now.getTime() + 5_000), now)
          continue
        }
        for (const rows of shared(await repo.due(scope, id, now, ROWS_AT_ONCE), free)) {
          await repo.claim(
            scope,
            rows.map(row => row.id),
            now,
          )
          messages.push({ rows })
        }
      }
      return messages
    })
  }

  private async send({ rows }: Message): Promise<void> {
    const { database, mail, now } = this.deps
    const ids = rows.map(row => row.id)
    const { address, attempts } = rows[0]!
    let outcome: { state: 'sent' | 'failed' | 'pending'; reason: string | null } = { state: 'sent', reason: null }
    try {
      await mail.send({ to: address, ...contentOf(rows, this.deps.consoleUrl()) })
    } catch (error) {
      const isFinal = (error as { permanent?: boolean }).permanent === true || attempts + 1 >= MAX_TRIES
      outcome = { state: isFinal ? 'failed' : 'pending', reason: (error as Error).message.slice(0, 500) }
    }
    const at = now()
    const dueAt = new Date(at + PAUSES[Math.min(attempts, PAUSES.length - 1)]! * 1_000)
    await database.withSystemScope('alarms', scope => repo.settle(scope, ids, { ...outcome, dueAt, now: new Date(at) }))
  }
}

/** Each in a message of its own while there are enough of these, what is over in the last one; an address, a message. */
export function shared(rows: readonly repo.DueRow[], free: number): repo.DueRow[][] {
  if (rows.length <= free) return rows.map(row => [row])
  const rest = rows.slice(free - 1)
  const { address } = rest[0]!
  return [...rows.slice(0, free - 1).map(row => [row]), rest.filter(row => row.address === address)]
}

function contentOf(rows: readonly repo.DueRow[], consoleUrl: string): { subject: string; text: string } {
  const of = words[rows[0]!.locale]
  const parts = rows.map(row => {
    const filled: Record<string, string> = {
      trigger: row.trigger,
      device: row.device ?? of.none,
      level: String(row.level),
      at: `${row.at.toISOString().slice(0, 19).replace('T', ' ')} UTC`,
      values: row.values.map(({ property, value }) => `${property} = ${JSON.stringify(value)}`).join(', ') || of.none,
      link: `${consoleUrl}/manage/user/center/alarm?alarm=${row.alarmId}`,
    }
    const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_, key: string) => filled[key] ?? '')
    return { subject: fill(of[row.kind].subject), text: fill(of[row.kind].text) }
  })
  if (parts.length === 1) return parts[0]!
  const count = String(parts.length)
  return {
    subject: of.merged.subject.replace('{count}', count),
    text: [of.merged.text.replace('{count}', count), ...parts.map(part => part.text)].join('\n\n'),
  }
}
