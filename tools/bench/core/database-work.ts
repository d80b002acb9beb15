import { Api } from './api.ts'
import type { Site } from './site.ts'

/** What the database had to do for a number of requests. */
export interface DatabaseWork {
  /** Pages of 8 KB touched, in memory or not: of everything, and of the watched tables with their indexes. */
  pages: number
  watchedPages: number
  /** How often a watched table was read whole, by name. */
  seqScans: Record<string, number>
}

/**
 * A connection of PostgreSQL reports what it did at the end of a transaction, at most once a second. So a second later
 * all connections of the server get something small to do.
 */
const REPORT_MS = 1_100
const CONNECTIONS = 20
const SETTLE_MS = 200

/**
 * Runs `work` and tells what PostgreSQL did meanwhile; background work of the server is in it.
 * @param watched regular expression of table names
 */
export async function databaseWork(site: Site, watched: string, work: () => Promise<void>): Promise<DatabaseWork> {
  const everyone = new Api(site.installation.url, CONNECTIONS)
  await everyone.signIn()
  try {
    const before = await read(site, everyone, watched)
    await work()
    const after = await read(site, everyone, watched)
    const seqScans: Record<string, number> = {}
    for (const [table, scans] of after.scans) {
      const more = scans - (before.scans.get(table) ?? 0)
      if (more > 0) seqScans[table] = more
    }
    return { pages: after.pages - before.pages, watchedPages: after.watchedPages - before.watchedPages, seqScans }
  } finally {
    everyone.close()
  }
}

async function read(
  site: Site,
  everyone: Api,
  watched: string,
): Promise<{ pages: number; watchedPages: number; scans: Map<string, number> }> {
  await new Promise(resolve => setTimeout(resolve, REPORT_MS))
  await Promise.all(Array.from({ length: CONNECTIONS }, () => everyone.get('/groups?kind=product')))
  await new Promise(resolve => setTimeout(resolve, SETTLE_MS))
  const [all] = await site.sql<{ pages: number }>(
    `select (blks_hit + blks_read)::float8 as pages from pg_stat_database where datname = 'thingwright'`,
  )
  const tables = await site.sql<{ relname: string; pages: number; scans: number }>(
    `select relname, seq_scan::float8 as scans,
            (heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit + idx_blks_read, 0)
             + coalesce(toast_blks_hit + toast_blks_read + tidx_blks_hit + tidx_blks_read, 0))::float8 as pages
     from pg_stat_user_tables join pg_statio_user_tables using (relid, relname) where relname ~ $1`,
    [watched],
  )
  return {
    pages: all!.pages,
    watchedPages: tables.reduce((sum, table) => sum + table.pages, 0),
    scans: new Map(tables.map(table => [table.relname, table.scans])),
  }
}
