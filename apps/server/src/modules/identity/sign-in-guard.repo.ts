import type { SystemScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

export interface FailureCount {
  count: number
  last: Date | null
}

const LOCK_SUBJECT = sql`select pg_advisory_xact_lock($1, $2)`

/** One at a time decides about a subject: a hundred guesses sent at once are a hundred guesses. */
export async function lockSubject(scope: SystemScope, subject: Buffer): Promise<void> {
  await scope.run(LOCK_SUBJECT, [7304, subject.readInt32BE(0)])
}

const SUBJECT_FAILURES = sql<FailureCount>`select count(*)::int as count, max(at) as last from sign_in_failures where subject = $1 and at > $2`

/** Failures of a subject after a time, and the last of them. */
export async function subjectFailures(scope: SystemScope, subject: Buffer, since: Date): Promise<FailureCount> {
  return (await scope.run(SUBJECT_FAILURES, [subject, since])).rows[0]!
}

const ADDRESS_FAILURES = sql<FailureCount>`with latest as (select max(at) as at from sign_in_failures where address = $1 and at > $2)
  select count(distinct f.subject)::int as count, max(latest.at) as last
  from latest left join sign_in_failures f on f.address = $1 and f.at > latest.at - $3::int * interval '1 millisecond'`

/** Different subjects that failed from an address in the window before its last failure. */
export async function addressFailures(
  scope: SystemScope,
  address: string,
  since: Date,
  windowMs: number,
): Promise<FailureCount> {
  return (await scope.run(ADDRESS_FAILURES, [address, since, windowMs])).rows[0]!
}

const INSERT_FAILURE = sql`insert into sign_in_failures (subject, login_id, address, at) values ($1, $2, $3, $4)`

export async function insertFailure(
  scope: SystemScope,
  failure: { subject: Buffer; loginId: string | null; address: string; at: Date },
): Promise<void> {
  await scope.run(INSERT_FAILURE, [failure.subject, failure.loginId, failure.address, failure.at])
}

const DELETE_FAILURES = sql`delete from sign_in_failures where subject = $1`

export async function deleteFailures(scope: SystemScope, subject: Buffer): Promise<void> {
  await scope.run(DELETE_FAILURES, [subject])
}

const DELETE_LOGIN_FAILURES = sql`delete from sign_in_failures where login_id = $1`

/** All failures of a login, whichever browser they came from. */
export async function deleteLoginFailures(scope: SystemScope, loginId: string): Promise<number> {
  return (await scope.run(DELETE_LOGIN_FAILURES, [loginId])).rowCount ?? 0
}

const SWEEP_FAILURES = sql`delete from sign_in_failures where id in (select id from sign_in_failures where at <= $1 order by at limit 100)`

/** Clears what no longer counts, a little at a time. */
export async function sweepFailures(scope: SystemScope, before: Date): Promise<void> {
  await scope.run(SWEEP_FAILURES, [before])
}
