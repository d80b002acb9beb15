import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { release } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { silentLogger } from '../../lib/log.ts'
import { isAlive, postgresProcessesIn, waitUntil } from '../processes.ts'
import { StartError } from '../start-error.ts'
import { spawnChild } from '../testing/spawn-child.ts'
import { temporaryFolder } from '../testing/test-server.ts'
import {
  type EmbeddedAddress,
  type EmbeddedEvent,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  embeddedConnection,
  startEmbeddedPostgres,
} from './embedded-postgres.ts'

/** Only against hanging. */
const LONG_MS = 60_000

const isRoot = process.getuid?.() === 0
/** From 5.8 on Linux says what could not be written. */
const tellsOfSyncfs = process.platform === 'linux' && release().localeCompare('5.8', 'en', { numeric: true }) >= 0
const NOBODY = 65_534
const SMALL = { reserveBytes: 1024 * 1024, probeEveryMs: 100 }

interface Ready {
  pids: number[]
  address: EmbeddedAddress
  clusterDir: string
  isNew: boolean
}

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function folder(): string {
  const made = temporaryFolder('tw-pg-')
  cleanups.push(made.remove)
  return made.path
}

let pristine: Promise<string> | undefined

/** A data folder whose database was made before: initdb takes a second, a copy a tenth of it. */
async function folderWithDatabase(): Promise<string> {
  pristine ??= (async () => {
    const path = join(keepFolder.path, 'pristine')
    const server = await startEmbeddedPostgres({
      dataDir: path,
      logger: silentLogger,
      syncNewCluster: false,
      disk: SMALL,
    })
    await server.stop()
    return server.clusterDir
  })()
  const dataDir = folder()
  execFileSync('cp', ['-a', await pristine, join(dataDir, 'postgres')])
  return dataDir
}

const keepFolder = temporaryFolder('tw-pg-')
afterAll(() => keepFolder.remove())

async function start(dataDir: string, over: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  const options = { dataDir, logger: silentLogger, syncNewCluster: false, disk: SMALL, ...over }
  const server = await startEmbeddedPostgres(options)
  cleanups.push(() => server.stop())
  return server
}

async function connect(address: EmbeddedAddress): Promise<pg.Client> {
  const client = new pg.Client(embeddedConnection(address, 'postgres', 'postgres'))
  client.on('error', () => {})
  await client.connect()
  return client
}

async function ask(address: EmbeddedAddress, sql: string): Promise<unknown[]> {
  const client = await connect(address)
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}

function nextEvent(server: EmbeddedPostgres, type: EmbeddedEvent['type']): Promise<EmbeddedEvent> {
  return new Promise(resolve => {
    const off = server.onEvent(event => {
      if (event.type !== type) return
      off()
      resolve(event)
    })
  })
}

describe('the embedded PostgreSQL', () => {
  it('makes its database on the first start, keeps it over an ordered stop, and opens no TCP port', async () => {
    const dataDir = folder()
    const first = await start(dataDir)
    expect(first.isNew).toBe(true)
    expect(await ask(first.address, "select lower('ÄÖ物'), current_setting('server_encoding')")).toEqual([
      'äö物',
      'UTF8',
    ])
    await ask(first.address, 'create table kept as select 42 as n')
    expect(await ask(first.address, "select current_setting('listen_addresses')")).toEqual([''])
    await first.stop()
    expect(first.pids()).toEqual([])
    expect(existsSync(join(first.clusterDir, 'postmaster.pid'))).toBe(false)
    expect(readdirSync(first.address.socketDir)).toEqual([])

    const second = await start(dataDir)
    expect(second.isNew).toBe(false)
    expect(await ask(second.address, 'select n from kept')).toEqual([42])
  })

  it('never runs with commits that are not durable', async () => {
    const { address } = await start(await folderWithDatabase())
    const settings = ['synchronous_commit', 'fsync', 'full_page_writes'].map(name => `current_setting('${name}')`)
    expect(await ask(address, `select ${settings}`)).toEqual(['on', 'on', 'on'])
  })

  it.skipIf(!tellsOfSyncfs)('makes sure of its files after a crash with one call, not with one for each', async () => {
    const { address } = await start(await folderWithDatabase())
    expect(await ask(address, "select current_setting('recovery_init_sync_method')")).toEqual(['syncfs'])
  })

  it.skipIf(!isRoot)('runs without being root, in a home folder closed to everybody else', async () => {
    const home = join(folder(), 'home')
    mkdirSync(home)
    chownSync(home, NOBODY, NOBODY)
    chmodSync(join(home, '..'), 0o755)
    chmodSync(home, 0o700)
    const child = spawnChild<Ready>('embedded', { dataDir: join(home, 'data') }, { uid: NOBODY, gid: NOBODY })
    cleanups.push(() => child.kill('SIGKILL'))
    const { pids, address } = await child.ready
    expect(readFileSync(`/proc/${pids[0]}/status`, 'utf8')).toMatch(new RegExp(`^Uid:\\s+${NOBODY}\\s`, 'm'))
    expect(await ask(address, 'select 1')).toEqual([1])
    expect(await child.end()).toBe(0)
  })

  it.skipIf(!isRoot)('runs as root inside a folder with mode 700, its files staying root’s', async () => {
    const home = join(folder(), 'home')
    mkdirSync(home, { mode: 0o700 })
    const server = await start(join(home, 'data'))
    expect(await ask(server.address, 'select 1')).toEqual([1])
  })

  it.skipIf(!isRoot)(
    'runs as another user where user namespaces are forbidden, and takes files over from root',
    async () => {
      const dataDir = join(folder(), 'data')
      chmodSync(join(dataDir, '..'), 0o755)
      const asRoot = await start(dataDir)
      await ask(asRoot.address, 'create table kept as select 42 as n')
      await asRoot.stop()
      const server = await start(dataDir, { launchMode: { kind: 'setuid', uid: NOBODY, gid: NOBODY } })
      expect(readFileSync(`/proc/${server.pids()[0]}/status`, 'utf8')).toMatch(new RegExp(`^Uid:\\s+${NOBODY}\\s`, 'm'))
      expect(await ask(server.address, 'select n from kept')).toEqual([42])
      await server.stop()
      const again = await start(dataDir)
      expect(await ask(again.address, 'select n from kept')).toEqual([42])
    },
  )

  it.skipIf(!isRoot)('moves elsewhere when that other user cannot reach the data folder', async () => {
    const top = folder()
    chmodSync(top, 0o755)
    const home = join(top, 'home')
    mkdirSync(home, { mode: 0o700 })
    const systemDir = join(top, 'system')
    const launchMode = { kind: 'setuid', uid: NOBODY, gid: NOBODY } as const
    const server = await start(join(home, 'data'), { launchMode, systemDir })
    expect(server.clusterDir.startsWith(systemDir)).toBe(true)
    expect(await ask(server.address, 'select 1')).toEqual([1])
  })

  it('works below a path longer than a socket’s name may be', async () => {
    const dataDir = join(folder(), 'x'.repeat(60), 'y'.repeat(60))
    const server = await start(dataDir)
    expect(server.address.socketDir.startsWith(dataDir)).toBe(false)
    expect(await ask(server.address, 'select 1')).toEqual([1])
    await server.stop()
    expect(existsSync(server.address.socketDir)).toBe(false)
  })

  it('works below a path with blanks, commas, quotes and 汉字', async () => {
    const server = await start(join(folder(), `a b, c "d" 'e' $f 物`))
    expect(await ask(server.address, 'select 1')).toEqual([1])
  })

  it('refuses a folder of other files and the files of another PostgreSQL version, naming them', async () => {
    const dataDir = folder()
    const clusterDir = join(dataDir, 'postgres')
    mkdirSync(clusterDir)
    writeFileSync(join(clusterDir, 'thesis.doc'), '')
    await expect(start(dataDir)).rejects.toThrow(/postgres holds files that are not/)
    writeFileSync(join(clusterDir, 'PG_VERSION'), '14\n')
    await expect(start(dataDir)).rejects.toThrow(/belongs to PostgreSQL 14/)
  })

  it('starts over when the very first start was cut off', async () => {
    const dataDir = folder()
    mkdirSync(join(dataDir, 'postgres.unfinished-4711', 'base'), { recursive: true })
    const server = await start(dataDir)
    expect(await ask(server.address, 'select 1')).toEqual([1])
    expect(readdirSync(dataDir).filter(name => name.startsWith('postgres.unfinished'))).toEqual([])
  })
})

describe('when the database process is killed', () => {
  it('comes back by itself with every row that was committed', async () => {
    const server = await start(await folderWithDatabase())
    await ask(server.address, 'create table written (n int primary key)')
    let n = 0
    for (let round = 0; round < 3; round++) {
      const client = await connect(server.address)
      const back = nextEvent(server, 'restarted')
      const killAt = n + 200
      try {
        for (;;) {
          await client.query('insert into written values ($1)', [n])
          n++
          if (n === killAt) process.kill(server.pids()[0]!, 'SIGKILL')
        }
      } catch {
        // The connection broke while row n was being written: it may be there or not.
      }
      await client.end().catch(() => {})
      await back
      const found = (await ask(server.address, 'select n from written order by n')) as number[]
      expect(found.slice(0, n)).toEqual(Array.from({ length: n }, (_, i) => i))
      expect(found.length - n).toBeOneOf([0, 1])
      n = found.length
    }
  })

  it('tells who asked to know', async () => {
    const server = await start(await folderWithDatabase())
    const exits: object[] = []
    server.onExit(exit => exits.push(exit))
    const back = nextEvent(server, 'restarted')
    process.kill(server.pids()[0]!, 'SIGKILL')
    expect(await back).toMatchObject({ attempts: 1 })
    expect(exits).toEqual([{ code: null, signal: 'SIGKILL', gaveUp: false }])
  })

  it('is given up after its attempts when it cannot start any more', async () => {
    const server = await start(await folderWithDatabase(), { backoffMs: [0, 10] })
    const gone = nextEvent(server, 'gave_up')
    writeFileSync(join(server.clusterDir, 'postgresql.auto.conf'), "no_such_setting = 'x'\n")
    process.kill(server.pids()[0]!, 'SIGKILL')
    expect(await gone).toMatchObject({ reason: expect.stringContaining('configuration file') })
    await server.stop()
  })

  it('is tried again while it cannot start, later each time, says why, and comes back when it can', async () => {
    const said: Record<string, unknown>[] = []
    const logger = pino({}, { write: line => said.push(JSON.parse(line) as Record<string, unknown>) })
    const server = await start(await folderWithDatabase(), {
      logger,
      backoffMs: [0, 10, 20, 40, ...Array(200).fill(80)],
    })
    const back = nextEvent(server, 'restarted')
    const broken = join(server.clusterDir, 'postgresql.auto.conf')
    writeFileSync(broken, "no_such_setting = 'x'\n")
    process.kill(server.pids()[0]!, 'SIGKILL')
    const failed = () => said.filter(({ msg }) => msg === 'the database could not be started again')
    await expect.poll(() => failed().length).toBeGreaterThanOrEqual(4)
    expect(
      failed()
        .map(({ againInMs }) => againInMs)
        .slice(0, 4),
    ).toEqual([10, 20, 40, 80])
    for (const { reason } of failed()) expect(reason).toContain('configuration file')
    writeFileSync(broken, '')
    await back
    expect(await ask(server.address, 'select 1')).toEqual([1])
  })

  it('comes back although its reserve cannot be given up on a full disk', async () => {
    const dataDir = await folderWithDatabase()
    // No disk has room for such a reserve, so this one counts as full; and a folder cannot be removed as a file.
    const server = await start(dataDir, { disk: { reserveBytes: 2 ** 60, probeEveryMs: 60_000 } })
    mkdirSync(join(dataDir, 'reserve.bin', 'kept'), { recursive: true })
    const back = nextEvent(server, 'restarted')
    process.kill(server.pids()[0]!, 'SIGKILL')
    await back
    expect(await ask(server.address, 'select 1')).toEqual([1])
    await server.stop()
    expect(postgresProcessesIn(server.clusterDir)).toEqual([])
  })

  it('is not restarted by a stop that comes in between', async () => {
    const server = await start(await folderWithDatabase(), { backoffMs: [60_000] })
    const exited = nextEvent(server, 'exited')
    process.kill(server.pids()[0]!, 'SIGKILL')
    await exited
    await server.stop()
    expect(postgresProcessesIn(server.clusterDir)).toEqual([])
  })
})

describe('when our own process is killed', () => {
  it('no PostgreSQL process is left a moment later, and the next start finds a clean database', async () => {
    const dataDir = await folderWithDatabase()
    const child = spawnChild<Ready>('embedded', { dataDir, syncNewCluster: false, disk: SMALL })
    const { pids, clusterDir } = await child.ready
    child.kill('SIGKILL')
    await child.exited
    expect(await waitUntil(() => !pids.some(isAlive) && postgresProcessesIn(clusterDir).length === 0, LONG_MS)).toBe(
      true,
    )
    expect(existsSync(join(clusterDir, 'postmaster.pid'))).toBe(false)
    const server = await start(dataDir)
    expect(await ask(server.address, 'select 1')).toEqual([1])
  })

  it('even an orphan whose watcher was killed too is replaced by the next start', async () => {
    const dataDir = await folderWithDatabase()
    const child = spawnChild<Ready>('embedded', { dataDir, syncNewCluster: false, disk: SMALL })
    const { pids, clusterDir, address } = await child.ready
    await ask(address, 'create table kept as select 42 as n')
    for (const watcher of watchersOf(clusterDir)) process.kill(watcher, 'SIGKILL')
    child.kill('SIGKILL')
    await child.exited
    expect(isAlive(pids[0]!)).toBe(true)
    const server = await start(dataDir)
    expect(isAlive(pids[0]!)).toBe(false)
    expect(await ask(server.address, 'select n from kept')).toEqual([42])
  })

  it.each([
    ['names a living process that is no database', String(process.ppid)],
    ['names a process that is gone', '4194304'],
    ['is empty', ''],
  ])('a left postmaster.pid that %s does not block the start', async (_, pid) => {
    const dataDir = await folderWithDatabase()
    const first = await start(dataDir)
    const pidFile = join(first.clusterDir, 'postmaster.pid')
    const lines = readFileSync(pidFile, 'utf8').split('\n')
    await first.stop()
    writeFileSync(pidFile, pid === '' ? '' : [pid, ...lines.slice(1)].join('\n'))
    writeFileSync(join(first.address.socketDir, '.s.PGSQL.5432.lock'), `${pid}\n`)
    const second = await start(dataDir)
    expect(await ask(second.address, 'select 1')).toEqual([1])
  })
})

it('a stop does not wait for a server that takes long to start', async () => {
  const server = await start(await folderWithDatabase())
  const exited = nextEvent(server, 'exited')
  // A start that cannot end by itself: PostgreSQL waits for the end of a pipe.
  execFileSync('mkfifo', [join(server.clusterDir, 'endless.conf')])
  writeFileSync(join(server.clusterDir, 'postgresql.auto.conf'), "include = 'endless.conf'\n")
  process.kill(server.pids()[0]!, 'SIGKILL')
  await exited
  expect(await waitUntil(() => postgresProcessesIn(server.clusterDir).length === 1, LONG_MS)).toBe(true)
  // The start itself would take its ten minutes.
  await server.stop()
  expect(postgresProcessesIn(server.clusterDir)).toEqual([])
})

describe('a start that fails', () => {
  it('says why in one line and leaves no process behind', async () => {
    const dataDir = await folderWithDatabase()
    const attempt = start(dataDir, { settings: { shared_buffers: 'nonsense' } })
    await expect(attempt).rejects.toThrow(StartError)
    await expect(attempt).rejects.toThrow(/does not start: .*shared_buffers/)
    expect(postgresProcessesIn(join(dataDir, 'postgres'))).toEqual([])
  })
})

/** The shells that wait on the death pipe of the server in this folder. */
function watchersOf(clusterDir: string): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(name => {
      try {
        const [program, ...args] = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0')
        return program === '/bin/sh' && args.includes(clusterDir)
      } catch {
        return false
      }
    })
    .map(Number)
}
