import type { Database } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'
import * as repo from './audit.chain.repo.ts'
import { GENESIS, linkHash, type Seal } from './audit.hash.ts'

/** Of no company: says that the places were marked, and with which key. */
export const NO_COMPANY = '00000000-0000-0000-0000-000000000000'
const BATCH = 2000

const LOCK_CHAINS = sql`select pg_advisory_xact_lock(hashtextextended('audit-chain', 0))`

/**
 * Marks, once and before the first line with a MAC is written, up to which place each company's lines have none. From
 * then on a line without one is a foreign one. It is not done again while any line has a MAC: whoever removes the marks
 * to have his lines taken for old ones makes the old ones foreign too.
 */
export async function markEarlierLines(database: Database, seal: Seal): Promise<void> {
  await database.withSystemScope('audit', async scope => {
    await scope.run(LOCK_CHAINS)
    if (await repo.isMarked(scope)) return
    for (;;) {
      const lines = await repo.allPending(scope, BATCH)
      for (const tenantId of new Set(lines.map(line => line.tenantId))) {
        let { seq, hash } = (await repo.headOf(scope, tenantId)) ?? { seq: 0, hash: GENESIS }
        const links = lines
          .filter(line => line.tenantId === tenantId)
          .map(line => {
            seq++
            hash = linkHash(hash, seq, line.content)
            return { seq, hash, id: line.id }
          })
        await repo.appendLinks(scope, tenantId, links, seal.of(tenantId, seq, hash, null))
      }
      if (lines.length < BATCH) break
    }
    for (const head of await repo.heads(scope))
      await repo.insertEpoch(scope, head, seal.ofEpoch(head.tenantId, head.seq, head.hash))
    const none = { tenantId: NO_COMPANY, seq: 0, hash: GENESIS }
    await repo.insertEpoch(scope, none, seal.ofEpoch(none.tenantId, none.seq, none.hash))
  })
}
