import type pg from 'pg'
import type { Logger } from '../../lib/log.ts'
import { runOn, sql } from '../../lib/sql/statement.ts'

/** First key of the advisory locks of lanes; the second is the lane. */
export const LANE_LOCK = 7300

/** The holder of lanes: a node of the installation, and which start of it. */
export interface LaneOwner {
  /** The same for every life of this node of this installation, and for nothing else; at most 16 letters and digits. */
  node: string
  /** When this life began, ms: a later one ends what an earlier one left behind, never the other way round. */
  since: number
}

/** Name of a lane's connection, as the database shows it. */
export function nameOf(lane: number, owner: LaneOwner | null): string {
  return `thingwright lane ${lane}${owner ? ` ${owner.node} ${owner.since}` : ''}`
}

const SELECT_PG_LOCKS = sql<{
  pid: number
  name: string
}>`select a.pid, a.application_name as name from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.classid = $1 and l.objid = $2 and l.granted
    and l.database = (select oid from pg_database where datname = current_database())`

const TERMINATE = sql`select pg_terminate_backend($1)`

/**
 * Ends the backend of an earlier life of the same node that still holds the lane: its process is gone, but the database
 * has not noticed, because the network between them went away without a word.
 */
export async function endPredecessor(client: pg.Client, lane: number, owner: LaneOwner, logger: Logger): Promise<void> {
  const { rows } = await runOn(client, SELECT_PG_LOCKS, [LANE_LOCK, lane])
  for (const { pid, name } of rows) {
    const [, node, since] = /^thingwright lane \d+ (\w+) (\d+)$/.exec(name) ?? []
    if (node !== owner.node || Number(since) > owner.since) continue
    logger.warn({ lane, pid }, 'an earlier connection still holds this lane; it is ended')
    await runOn(client, TERMINATE, [pid])
  }
}
