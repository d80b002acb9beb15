/**
 * A process of its own for the tests that kill one, run as another user, or need two at a time:
 * `tsx child-process.ts <command> <json>`. It prints one JSON line per event and ends in order when its input ends.
 */
import { auditLineKey } from '../../lib/crypto/audit-line.ts'
import { type DatabaseAccess, openDatabase } from '../../lib/database/database.ts'
import { createLogger, silentLogger } from '../../lib/log.ts'
import { createTasksModule } from '../../modules/tasks/index.ts'
import { openDataDir } from '../data-dir.ts'
import { type EmbeddedPostgresOptions, startEmbeddedPostgres } from '../embedded/embedded-postgres.ts'
import { type MigrateOptions, migrate } from '../migrate.ts'
import { memoryStore } from './memory-store.ts'
import { startTestServer } from './test-server.ts'

export interface TaskWorkerOptions {
  access: DatabaseAccess
  kind: string
  resumable: boolean
  until: number
}

function say(event: object): void {
  process.stdout.write(`${JSON.stringify(event)}\n`)
}

/** Each starts something, says so, and gives back how to end it. */
const commands: Record<string, (argument: never) => Promise<() => Promise<void>>> = {
  async embedded(options: Omit<EmbeddedPostgresOptions, 'logger'>) {
    const server = await startEmbeddedPostgres({
      ...options,
      logger: createLogger({ level: 'silent', format: 'json' }, ''),
    })
    server.onEvent(event => say({ event }))
    say({ ready: { pids: server.pids(), address: server.address, clusterDir: server.clusterDir, isNew: server.isNew } })
    return () => server.stop()
  },
  async migrate({ superuser, ...options }: MigrateOptions & { superuser: object }) {
    say({ ready: {} })
    say({ migrated: await migrate(superuser, options) })
    return async () => {}
  },
  async lock({ dataDir }: { dataDir: string }) {
    const folder = await openDataDir(dataDir)
    folder.writeRunInfo({
      startedAt: new Date().toISOString(),
      urls: { console: 'http://localhost:1' },
      ports: { http: 1 },
    })
    say({ ready: { pid: process.pid } })
    return async () => folder.release()
  },
  /** Works at tasks of one kind, part by part, and stands still after so many of them. */
  async tasks({ access, kind, resumable, until }: TaskWorkerOptions) {
    const database = openDatabase(access, () => {}, auditLineKey('k'.repeat(64)))
    const tasks = createTasksModule({
      database,
      files: memoryStore(),
      logger: silentLogger,
      now: () => Date.now(),
      timing: { lease: 600, heartbeat: 100, poll: 50, progress: 20 },
    })
    tasks.register(kind, {
      resumable,
      needs: () => [],
      async run(task) {
        for (let part = 1; part <= until; part++) task.progress(part, until * 2)
        task.failed('part-1', 'device.not_found')
        say({ standing: until })
        await new Promise(() => {})
        return {}
      },
    })
    tasks.runner.start()
    say({ ready: {} })
    return async () => {
      await tasks.runner.stop()
      await database.close()
    }
  },
  async 'test-server'() {
    const server = await startTestServer()
    say({ ready: { address: server.address } })
    return () => server.stop()
  },
}

const [command = '', argument = '{}'] = process.argv.slice(2)
const ended = new Promise(resolve => process.stdin.once('end', resolve).resume())
try {
  const stop = await commands[command]!(JSON.parse(argument) as never)
  await ended
  await stop()
  process.exit(0)
} catch (error) {
  say({ failed: error instanceof Error ? error.message : String(error) })
  process.exit(1)
}
