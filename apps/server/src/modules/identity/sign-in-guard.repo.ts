import type { SystemScope } from '../../lib/database.ts'

export interface FailureCount {
  count: number
  last: Date | null
}

/** One at a time decides about a subject: a hundred guesses sent at once are a hundred guesses. */
export async function lockSubject(scope: SystemScope, subject: Buffer): Promise<void> {
  await scope.query('select pg_advisory_xact_lock($1, $2)', [7304, subject.readInt32BE(0)])
}

/** Failures of a subject after a time, and the last of them. */
export async function subjectFailures(scope: SystemScope, subject: Buffer, since: Date): Promise<FailureCount> {
  return (
    await scope.query<FailureCount>(
      'select count(*)::int as count, max(at) as last from sign_in_failures where subject = $1 and at > $2',
      [subject, since],
    )
  ).rows[0]!
}

/** Different subjects that failed from an address in the window before its last failure. */
export async function addressFailures(
  scope: SystemScope,
  address: string,
  since: Date,
  windowMs: number,
): Promise<FailureCount> {
  return (
    await scope.query<FailureCount>(
      `with latest as (select max(at) as at from sign_in_failures where address = $1 and at > $2)
       select count(distinct f.subject)::int as count, max(latest.at) as last
       from latest left join sign_in_failures f on f.address = $1 and f.at > latest.at - $3::int * interval '1 millisecond'`,
      [address, since, windowMs],
    )
  ).rows[0]!
}

export async function insertFailure(
  scope: SystemScope,
  failure: { subject: Buffer; loginId: string | null; address: string; at: Date },
): Promise<void> {
  await scope.query('insert into sign_in_failures (subject, login_id, address, at) values ($1, $2, $3, $4)', [
    failure.subject,
    failure.loginId,
    failure.address,
    failure.at,
  ])
}

export async function deleteFailures(scope: SystemScope, subject: Buffer): Promise<void> {
  await scope.query('delete from sign_in_failures where subject = $1', [subject])
}

/** All failures of a login, whichever browser they came from. */
export async function deleteLoginFailures(scope: SystemScope, loginId: string): Promise<number> {
  return (await scope.query('delete from sign_in_failures where login_id = $1', [loginId])).rowCount ?? 0
}

/** Clears what no longer counts, a little at a time. */
export async function sweepFailures(scope: SystemScope, before: Date): Promise<void> {
  await scope.query(
    'delete from sign_in_failures where id in (select id from sign_in_failures where at <= $1 order by at limit 100)',
    [before],
  )
}
