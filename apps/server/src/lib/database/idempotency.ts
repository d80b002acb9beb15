import { createHash } from 'node:crypto'
import type { CryptoBox } from '../crypto/crypto-box.ts'
import { AppError } from '../errors.ts'
import { sql } from '../sql/statement.ts'
import type { Database } from './database.ts'

export interface StoredReply {
  status: number
  body: string
}

/** Remembers the answers to writes for 24 h per actor, so that a repeated request changes nothing twice (interfaces.md §3). */
export interface Idempotency {
  /** The earlier answer, or null when this request is the first and must run. @throws AppError while the first still runs, or when the key was used for another request */
  begin(
    actorId: string,
    key: string,
    request: { method: string; path: string; body: unknown },
  ): Promise<StoredReply | null>
  finish(actorId: string, key: string, reply: StoredReply): Promise<void>
  removeOld(): Promise<number>
}

/** A first request that died with its process frees its key after this long. */
const ABANDONED_MS = 120_000

const BEGIN = sql`insert into idempotency_keys (actor_id, key, request_hash) values ($1, $2, $3)
  on conflict (actor_id, key) do update set request_hash = excluded.request_hash, created_at = now(), status = null, body = null
  where idempotency_keys.created_at < now() - interval '24 hours'
     or (idempotency_keys.status is null and idempotency_keys.created_at < now() - make_interval(secs => $4))
  returning 1`

const FIND = sql<{ request_hash: Buffer; status: number | null; body: Buffer | null }>`select request_hash, status, body
  from idempotency_keys where actor_id = $1 and key = $2`

const UPDATE_IDEMPOTENCY_KEYS = sql`update idempotency_keys set status = $3, body = $4 where actor_id = $1 and key = $2`

const DELETE_IDEMPOTENCY_KEYS = sql`delete from idempotency_keys where actor_id = $1 and key = $2`

const REMOVE_OLD = sql`delete from idempotency_keys where created_at < now() - interval '24 hours'`

export function createIdempotency(database: Database, box: CryptoBox): Idempotency {
  return {
    begin(actorId, key, request) {
      const hash = createHash('sha256')
        .update(`${request.method} ${request.path}\n${JSON.stringify(request.body ?? null)}`)
        .digest()
      return database.withSystemScope('idempotency', async scope => {
        const inserted = await scope.run(BEGIN, [actorId, key, hash, ABANDONED_MS / 1000])
        if (inserted.rowCount) return null
        const row = (await scope.run(FIND, [actorId, key])).rows[0]
        if (!row) return null
        if (!row.request_hash.equals(hash)) throw new AppError('request.idempotency_reused')
        if (row.status === null || !row.body) throw new AppError('request.in_progress')
        return { status: row.status, body: box.open(row.body, `${actorId}:${key}`).toString('utf8') }
      })
    },
    finish(actorId, key, reply) {
      const keep = (reply.status >= 200 && reply.status < 300) || reply.status === 409 || reply.status === 422
      return database.withSystemScope('idempotency', async scope => {
        if (keep)
          await scope.run(UPDATE_IDEMPOTENCY_KEYS, [
            actorId,
            key,
            reply.status,
            box.seal(reply.body, `${actorId}:${key}`),
          ])
        else await scope.run(DELETE_IDEMPOTENCY_KEYS, [actorId, key])
      })
    },
    removeOld() {
      return database.withSystemScope('idempotency', async scope => (await scope.run(REMOVE_OLD)).rowCount ?? 0)
    },
  }
}
