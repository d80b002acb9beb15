import type { Database } from '../../lib/database/database.ts'
import type { Logger } from '../../lib/log.ts'
import * as repo from './audit.chain.repo.ts'
import { GENESIS, linkHash, type Seal } from './audit.hash.ts'

export interface AuditChainOptions {
  database: Database
  seal: Seal
  /** Days for which a company keeps its operation log; never less than 180. */
  retentionDays(tenantId: string): Promise<number>
  logger: Logger
  now(): number
}

export interface AuditChain {
  /** Links what is settled; returns how many lines. */
  link(): Promise<number>
  /** Removes what is older than each company keeps it, up to a checkpoint; returns how many lines. */
  prune(): Promise<number>
  start(): void
  stop(): Promise<void>
}

const BATCH = 2000
const PRUNE_BATCH = 5000
const LINK_EVERY_MS = 2000
const PRUNE_EVERY_MS = 3_600_000
const DAY_MS = 86_400_000
export const MIN_RETENTION_DAYS = 180

/**
 * Links the lines of the operation log after they were written, so that requests of a company do not queue for each
 * other: every company has a chain of its own, in which a line's hash covers its content and the hash before. One
 * worker at a time writes all chains.
 */
export function createAuditChain({ database, seal, retentionDays, logger, now }: AuditChainOptions): AuditChain {
  const timers: NodeJS.Timeout[] = []
  let busy: Promise<unknown> = Promise.resolve()
  let stopping = false

  async function batch(): Promise<number> {
    return database.withSystemScope('audit', async scope => {
      if (!(await repo.lockChain(scope))) return 0
      const lines = await repo.settledLines(scope, BATCH)
      for (const [tenantId, own] of groupByCompany(lines)) {
        let { seq, hash } = (await repo.headOf(scope, tenantId)) ?? { seq: 0, hash: GENESIS }
        const links = own.map(line => {
          seq++
          hash = linkHash(hash, seq, line.content)
          return { seq, hash, id: line.id }
        })
        await repo.appendLinks(scope, tenantId, links, seal.of(tenantId, seq, hash, null))
        const at = new Date(now())
        if (await repo.needsCheckpoint(scope, tenantId, at.toISOString().slice(0, 10))) {
          const upto = await repo.youngestUpTo(scope, tenantId, seq)
          const mark = { seq, hash, upto, at, seal: seal.of(tenantId, seq, hash, upto) }
          await repo.insertCheckpoint(scope, tenantId, mark)
        }
      }
      return lines.length
    })
  }

  const chain: AuditChain = {
    async link() {
      let linked = 0
      for (;;) {
        const count = await batch()
        linked += count
        if (count < BATCH || stopping) return linked
      }
    },

    async prune() {
      let gone = 0
      for (const tenantId of await database.withSystemScope('audit', repo.chainedCompanies)) {
        const days = Math.max(MIN_RETENTION_DAYS, await retentionDays(tenantId))
        const before = new Date(now() - days * DAY_MS)
        const seq = await database.withSystemScope('audit', scope => repo.lastCheckpointBefore(scope, tenantId, before))
        if (seq === undefined) continue
        for (let count = PRUNE_BATCH; count === PRUNE_BATCH && !stopping; ) {
          count = await database.withSystemScope('audit', scope => repo.pruneUpTo(scope, tenantId, seq, PRUNE_BATCH))
          gone += count
        }
      }
      return gone
    },

    start() {
      const every = (ms: number, work: () => Promise<unknown>) => {
        let running = false
        const run = () => {
          if (running || stopping) return
          running = true
          const done = work()
            .catch((error: unknown) => logger.warn({ err: error }, 'upkeep of the operation log failed'))
            .finally(() => {
              running = false
            })
          busy = Promise.all([busy, done])
        }
        timers.push(setInterval(run, ms))
        run()
      }
      every(LINK_EVERY_MS, chain.link)
      every(PRUNE_EVERY_MS, chain.prune)
    },

    async stop() {
      stopping = true
      for (const timer of timers) clearInterval(timer)
      await busy
    },
  }
  return chain
}

function groupByCompany(lines: readonly repo.PendingLine[]): Map<string, repo.PendingLine[]> {
  const groups = new Map<string, repo.PendingLine[]>()
  for (const line of lines) {
    const group = groups.get(line.tenantId)
    if (group) group.push(line)
    else groups.set(line.tenantId, [line])
  }
  return groups
}
