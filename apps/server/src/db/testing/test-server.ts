import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { silentLogger } from '../../lib/log.ts'
import {
  EMBEDDED_ROLE_PREFIX,
  type EmbeddedAddress,
  embeddedConnection,
  startEmbeddedPostgres,
} from '../embedded/embedded-postgres.ts'
import { migrate } from '../migrate.ts'

/** The migrated database from which every test's database is copied. */
export const TEMPLATE_DATABASE = 'tw_template'

export interface TestServer {
  address: EmbeddedAddress
  stop(): Promise<void>
}

/** Speed instead of durability: what is tested here does not crash. (Crash tests start their own server.) */
const TEST_SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  max_connections: '250',
  shared_buffers: '64MB',
}

/**
 * A folder that is removed after `remove`, or when this process ends in whatever way: a small shell waits for the end of
 * its input, then for a database in the folder to shut down.
 */
export function temporaryFolder(prefix: string): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), prefix))
  const script = `trap "" INT TERM HUP; read _; i=0
    while [ -n "$(find "$1" -name postmaster.pid 2>/dev/null)" ] && [ $i -lt 600 ]; do sleep 0.1; i=$((i+1)); done
    rm -rf "$1"`
  const sweeper = spawn('/bin/sh', ['-c', script, 'sh', path], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  sweeper.unref()
  const pipe = sweeper.stdin as Writable & { unref(): void }
  pipe.unref()
  pipe.on('error', () => {})
  return { path, remove: () => pipe.destroy() }
}

/** Starts an embedded server with the migrated template database in a temporary folder. */
export async function startTestServer(): Promise<TestServer> {
  const folder = temporaryFolder('tw-test-')
  try {
    const server = await startEmbeddedPostgres({
      dataDir: folder.path,
      logger: silentLogger,
      settings: TEST_SETTINGS,
      syncNewCluster: false,
      disk: { reserveBytes: 0 },
    })
    const superuser = embeddedConnection(server.address, 'postgres')
    await migrate(superuser, { database: TEMPLATE_DATABASE, rolePrefix: EMBEDDED_ROLE_PREFIX })
    await untilNobodyIsIn(server.address, TEMPLATE_DATABASE)
    return {
      address: server.address,
      async stop() {
        await server.stop()
        folder.remove()
      },
    }
  } catch (error) {
    folder.remove()
    throw error
  }
}

/** A process of the server outlives its connection by a moment, and a database that somebody is in cannot be copied. */
async function untilNobodyIsIn(address: EmbeddedAddress, database: string): Promise<void> {
  const client = new pg.Client(embeddedConnection(address, 'postgres', 'postgres'))
  await client.connect()
  try {
    for (;;) {
      const { rowCount } = await client.query('select from pg_stat_activity where datname = $1', [database])
      if (!rowCount) return
      await delay(20)
    }
  } finally {
    await client.end()
  }
}
