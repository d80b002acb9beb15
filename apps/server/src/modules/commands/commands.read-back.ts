import type pg from 'pg'
import type { ChangedCommand } from '../../lib/news.ts'
import { runOn, sql } from '../../lib/sql/statement.ts'
import type { ReadBack } from './commands.checks.ts'

/** What a device reported, as its journal row holds it. */
export interface CommandReading {
  device: number
  /** Epoch ms of arrival. */
  at: number
  /** JSON object text: property → value. Read only of devices that are waited for. */
  values: string
}

interface Waiting {
  id: string
  device: number
  readBack: ReadBack
  sentAt: number
}

/** Clocks of the gateway and the database may differ by this much, ms. */
const SKEW_MS = 1_000

const HOLD_SENT = sql<Waiting>`with held as (
    select id, device, coalesce(read_back, '{}') as "readBack", (extract(epoch from sent_at) * 1000)::float8 as "sentAt",
      position
    from commands where device = any ($1::int[]) and confirm = 'read_back' and state in ('sent', 'delivered') order by id for update)
  select id, device, "readBack", "sentAt" from held order by position`.named('commands-read-back-open')

const UPDATE_COMMANDS = sql`update commands set
    read_back = case when $2 then read_back else $3 end,
    state = case when $2 then 'succeeded' else 'delivered' end,
    delivered_at = coalesce(delivered_at, to_timestamp($4 / 1000.0)),
    finished_at = case when $2 then to_timestamp($4 / 1000.0) end,
    reply_due_at = case when $2 then null else reply_due_at end
  where id = $1`.named('commands-read-back-seen')

/**
 * Ends commands that wait for their properties to be reported as wanted, in the caller's transaction. Several reports may
 * come together to it: what was seen is taken off the row. Can be repeated.
 * @param client a connection of the telemetry or system role
 * @returns what changed, for live subscribers, to be published after the commit
 */
export async function applyReadings(
  client: Pick<pg.ClientBase, 'query'>,
  readings: readonly CommandReading[],
): Promise<ChangedCommand[]> {
  const devices = [...new Set(readings.map(reading => reading.device))]
  const { rows } = await runOn(client, HOLD_SENT, [devices])
  if (rows.length === 0) return []
  const changed: ChangedCommand[] = []
  for (const command of rows) {
    const left = { ...command.readBack }
    let doneAt = 0
    for (const reading of readings) {
      if (reading.device !== command.device || reading.at < command.sentAt - SKEW_MS) continue
      const values = JSON.parse(reading.values) as Record<string, unknown>
      for (const [identifier, { value, tolerance }] of Object.entries(left))
        if (identifier in values && isNear(values[identifier], value, tolerance)) {
          delete left[identifier]
          doneAt = reading.at
        }
    }
    const seen = Object.keys(left).length < Object.keys(command.readBack).length
    if (!seen) continue
    const done = Object.keys(left).length === 0
    await runOn(client, UPDATE_COMMANDS, [command.id, done, JSON.stringify(left), doneAt])
    changed.push({ device: command.device, id: command.id })
  }
  return changed
}

function isNear(seen: unknown, wanted: unknown, tolerance: number): boolean {
  if (typeof seen === 'number' && typeof wanted === 'number') return Math.abs(seen - wanted) <= tolerance
  return sorted(seen) === sorted(wanted)
}

/** JSON with its keys in order, so that equal objects are equal texts. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
