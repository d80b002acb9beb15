import type { SystemScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'
import type { Asker, CodeChannel } from './code-limits.ts'

export interface CodeRequest {
  channel: CodeChannel
  purpose: string
  asker: Asker
  target: Buffer
  at: Date
}

const LOCK = sql`select pg_advisory_xact_lock(hashtextextended($1, 7305))`

const LOCK_REQUEST_LOCK = sql`select pg_advisory_xact_lock(hashtextextended($1, 7303))`

/** Requests of one asker follow one another, and then those for one address: none of many at once goes uncounted. */
export async function lockRequest(scope: SystemScope, { asker, target }: CodeRequest): Promise<void> {
  await scope.run(LOCK, [`${asker.lane}:${asker.key}`])
  await scope.run(LOCK_REQUEST_LOCK, [target.toString('hex')])
}

export interface RequestCounts {
  /** To this address from this asker: the newest for any purpose, and what there is for this one. */
  ownLatest: Date | null
  own: number
  ownOldest: Date | null
  /** To this address from anybody of this lane. */
  laneLatest: Date | null
  laneLatestSame: Date | null
  lane: number
  /** From this asker to any address, for this purpose. */
  asked: number
  askedHour: number
  askedLatest: Date | null
  askedOldest: Date | null
}

const REQUEST_COUNTS = sql<RequestCounts>`select t.*, a.* from
  (select max(at) filter (where asker = $3) as "ownLatest",
     count(*) filter (where asker = $3 and purpose = $4)::int as own,
     min(at) filter (where asker = $3 and purpose = $4) as "ownOldest",
     max(at) as "laneLatest",
     max(at) filter (where purpose = $4) as "laneLatestSame",
     count(*) filter (where purpose = $4)::int as lane
   from code_requests where target = $1 and lane = $2 and at > $5) t,
  (select count(*)::int as asked, count(*) filter (where at > $6)::int as "askedHour",
     max(at) as "askedLatest", min(at) as "askedOldest"
   from code_requests where lane = $2 and asker = $3 and purpose = $4 and at > $5) a`

/** What was asked for since a day before, where it concerns this request. */
export async function requestCounts(
  scope: SystemScope,
  request: CodeRequest,
  since: { day: Date; hour: Date },
): Promise<RequestCounts> {
  const { asker, target, purpose } = request
  const { rows } = await scope.run(REQUEST_COUNTS, [target, asker.lane, asker.key, purpose, since.day, since.hour])
  return rows[0]!
}

const SENT_TODAY = sql<{
  n: number
  oldest: Date | null
}>`select count(*)::int as n, min(at) as oldest from code_requests
  where lane = 'stranger' and sent and purpose = $1 and at > $2`

/** Messages sent because strangers asked, in the whole installation. */
export async function sentToday(
  scope: SystemScope,
  purpose: string,
  since: Date,
): Promise<{ n: number; oldest: Date | null }> {
  const { rows } = await scope.run(SENT_TODAY, [purpose, since])
  return rows[0]!
}

const INSERT_REQUEST = sql`insert into code_requests (channel, purpose, lane, asker, target, sent, at) values ($1, $2, $3, $4, $5, $6, $7)`

export async function insertRequest(scope: SystemScope, request: CodeRequest & { sent: boolean }): Promise<void> {
  const { channel, purpose, asker, target, sent, at } = request
  await scope.run(INSERT_REQUEST, [channel, purpose, asker.lane, asker.key, target, sent, at])
}

const SWEEP_REQUESTS = sql`delete from code_requests where id in (select id from code_requests where at <= $1 order by at limit 100)`

/** Rows of more than a day ago, a few at a time. */
export async function sweepRequests(scope: SystemScope, before: Date): Promise<void> {
  await scope.run(SWEEP_REQUESTS, [before])
}
