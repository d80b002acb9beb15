import type { ErrorCode } from '@thingwright/contracts/errors'
import type { RouteContract } from '@thingwright/contracts/route'
import { inBackground } from '../../../lib/background.ts'
import type { Database } from '../../../lib/database/database.ts'
import { newId } from '../../../lib/ids.ts'
import type { Logger } from '../../../lib/log.ts'
import { type Counters, countCall, putBack, statsRows } from './call-counters.ts'
import { addCalls, addStats, type CallRow, KEPT_CALLS, noteUses, removeOldStats, type UseRow } from './calls.repo.ts'
import { maskedBody, maskedPath } from './masking.ts'

/** A call of a program, as the HTTP layer saw it end. */
export interface FinishedCall {
  keyId: string
  tenantId: string
  contract: RouteContract
  /** Address as it was called, with its query. */
  url: string
  status: number
  durationMs: number
  ip: string
  userAgent: string
  requestId: string
  requestBody: unknown
  requestBytes: number
  /** The answer as text, where it was one. */
  responseBody: string | null
  responseBytes: number
}

export interface CallRecorder {
  /** Counts a call and keeps it for the log: a few additions, no input or output. */
  note(call: FinishedCall): void
  used(keyId: string, ip: string): void
  refused(keyId: string, code: ErrorCode, ip: string): void
  /** Writes what has gathered. Never throws: statistics are not worth a failed request. */
  flush(): Promise<void>
  start(): void
  /** Writes the rest. */
  stop(): Promise<void>
}

const FLUSH_MS = 5000
const SWEEP_MS = 3_600_000
/** Counts that cannot be written are given up after a day. */
const MAX_AGE_MS = 86_400_000
/** Calls kept in memory between two flushes, of all keys together. */
const MAX_WAITING = 2000
/** Beyond this a body is not held until the flush: only how long it was. */
const MAX_BODY = 65_536

/** The last time a key came in, and was turned away. */
interface Use {
  usedAt: number | null
  usedIp: string | null
  refusedAt: number | null
  refusedCode: string | null
  refusedIp: string | null
}

interface Waiting {
  at: number
  call: FinishedCall
}

/** Counts what programs call, in memory; every few seconds it is added to the tables. */
export function createCallRecorder(deps: { database: Database; logger: Logger; now(): number }): CallRecorder {
  const { now } = deps
  let counters: Counters = new Map()
  let uses = new Map<string, Use>()
  let waiting = new Map<string, Waiting[]>()
  let waitingCount = 0
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null
  let sweptAt = 0

  function keep(call: FinishedCall, at: number): void {
    // The database is slow or away: the log has a gap, the counts go on.
    if (waitingCount >= 2 * MAX_WAITING) return
    let list = waiting.get(call.keyId)
    if (!list) {
      list = []
      waiting.set(call.keyId, list)
    }
    list.push({
      at,
      call: {
        ...call,
        requestBody: call.requestBytes > MAX_BODY ? null : call.requestBody,
        responseBody: call.responseBody !== null && call.responseBody.length > MAX_BODY ? null : call.responseBody,
      },
    })
    waitingCount++
    if (list.length >= 2 * KEPT_CALLS) waitingCount -= list.splice(0, list.length - KEPT_CALLS).length
    if (waitingCount >= MAX_WAITING) inBackground('writing calls of programs', flush())
  }

  function use(keyId: string): Use {
    let found = uses.get(keyId)
    if (!found) {
      found = { usedAt: null, usedIp: null, refusedAt: null, refusedCode: null, refusedIp: null }
      uses.set(keyId, found)
    }
    return found
  }

  async function write(): Promise<void> {
    if (counters.size === 0 && uses.size === 0 && waiting.size === 0) return
    const taken = { counters, uses, waiting }
    counters = new Map()
    uses = new Map()
    waiting = new Map()
    waitingCount = 0
    const calls = [...taken.waiting.values()].flatMap(list => list.slice(-KEPT_CALLS).map(toRow))
    const time = now()
    try {
      await deps.database.withSystemScope('api-keys', async scope => {
        await addStats(scope, statsRows(taken.counters))
        await noteUses(scope, [...taken.uses].map(useRow))
        await addCalls(scope, calls)
        if (time - sweptAt >= SWEEP_MS) await removeOldStats(scope, new Date(time))
      })
      if (time - sweptAt >= SWEEP_MS) sweptAt = time
    } catch (error) {
      deps.logger.warn({ err: error, calls: calls.length }, 'calls of API keys could not be written; their counts wait')
      putBack(counters, taken.counters, time - MAX_AGE_MS)
    }
  }

  function flush(): Promise<void> {
    if (!running) {
      running = write().finally(() => {
        running = null
      })
      return running
    }
    // What came while a flush was under way is written by the next; whoever asks meanwhile waits for that same one.
    next ??= running.then(() => {
      next = null
      return flush()
    })
    return next
  }

  return {
    note(call) {
      const at = now()
      countCall(counters, call, at)
      keep(call, at)
    },
    used(keyId, ip) {
      const found = use(keyId)
      found.usedAt = now()
      found.usedIp = ip
    },
    refused(keyId, code, ip) {
      const found = use(keyId)
      found.refusedAt = now()
      found.refusedCode = code
      found.refusedIp = ip
    },
    flush,
    start() {
      timer = setInterval(() => inBackground('writing calls of programs', flush()), FLUSH_MS)
      timer.unref()
    },
    async stop() {
      if (timer) clearInterval(timer)
      await flush()
    },
  }
}

function useRow([keyId, use]: [string, Use]): UseRow {
  const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())
  return {
    key_id: keyId,
    used_at: iso(use.usedAt),
    used_ip: use.usedIp,
    refused_at: iso(use.refusedAt),
    refused_code: use.refusedCode,
    refused_ip: use.refusedIp,
  }
}

/** Only what is written is masked: of a thousand calls between two flushes the last hundred. */
function toRow({ at, call }: Waiting): CallRow {
  const { contract } = call
  return {
    id: newId(at),
    key_id: call.keyId,
    tenant_id: call.tenantId,
    at: new Date(at).toISOString(),
    method: contract.method,
    path: storable(maskedPath(call.url)),
    route: `${contract.method} ${contract.path}`,
    permission: contract.permission,
    status: call.status,
    code: call.status >= 400 ? codeOf(call.responseBody) : null,
    duration_ms: Math.round(call.durationMs * 100) / 100,
    ip: call.ip,
    user_agent: storable(call.userAgent),
    request_id: call.requestId,
    request_body: nullable(maskedBody(call.requestBody)),
    request_bytes: call.requestBytes,
    response_body: contract.produces ? null : nullable(maskedBody(call.responseBody)),
    response_bytes: call.responseBytes,
  }
}

const nullable = (text: string | null) => (text === null ? null : storable(text))

/** PostgreSQL keeps no NUL and no half of a character. */
function storable(text: string): string {
  return text.replaceAll(/\\u0000|\0/g, '').toWellFormed()
}

function codeOf(body: string | null): string | null {
  const found = /"code"\s*:\s*"([a-z_]+(?:\.[a-z_]+)+)"/.exec(body ?? '')
  return found?.[1] ?? null
}
