import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createFsObjectStore } from '../../adapters/object-store/fs/fs-object-store.ts'
import { partitionsOf, sequencesOf, tablesWithRows } from '../../db/backup/catalogue.ts'
import { recordWriter } from '../../db/backup/records.ts'
import { writeSealed } from '../../db/backup/sealed-file.ts'
import { restoreMark } from '../../db/data-dir.ts'
import { embeddedConnection, startEmbeddedPostgres } from '../../db/embedded/embedded-postgres.ts'
import { quoteIdentifier } from '../../db/migration-files.ts'
import { temporaryFolder } from '../../db/testing.ts'
import { silentLogger } from '../../lib/log.ts'
import { backUp } from './backup.ts'
import { createProgress } from './progress.ts'
import { restore } from './restore.ts'

const PASSPHRASE = 'correct horse battery staple'
/** Against hanging only. */
const PATIENCE = { timeout: 45_000, interval: 20 }
const ADMIN = 'an-admin-password-1'
const folder = temporaryFolder('tw-backup-')
const at = (...names: string[]) => join(folder.path, ...names)
const source = at('source')
const beside = at('beside.backup')
const stopped = at('stopped.backup')
const progress = createProgress({ write: () => true, isTTY: false, columns: 80 })
const children = new Set<ChildProcess>()

interface Command {
  child: ChildProcess
  says(): string
  exited: Promise<number | null>
}

/** One of the programs, as its own process. */
function run(file: string, env: Record<string, string>, ...words: string[]): Command {
  const child = spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, file), ...words], {
    cwd: import.meta.dirname,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ADMIN_PASSWORD: ADMIN,
      BACKUP_PASSPHRASE: PASSPHRASE,
      DEMO: '0',
      LOG_LEVEL: 'error',
      LOG_FORMAT: 'json',
      ...Object.fromEntries(['HTTP', 'MQTT', 'MQTTS', 'TCP', 'UDP', 'COAP'].map(name => [`${name}_PORT`, '0'])),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', data => {
      text += data
    })
  const exited = new Promise<number | null>(resolve =>
    child.once('close', code => {
      children.delete(child)
      resolve(code)
    }),
  )
  return { child, says: () => text, exited }
}

/** A server, once it is ready. */
async function serve(env: Record<string, string>): Promise<Command> {
  const server = run('../../main.ts', env)
  const ended = server.exited.then(code => Promise.reject(new Error(`ended with ${code}: ${server.says()}`)))
  ended.catch(() => {})
  await Promise.race([ended, vi.waitFor(() => expect(server.says()).toContain(' is ready ('), PATIENCE)])
  return server
}

async function end({ child, exited }: Command): Promise<number | null> {
  child.kill('SIGTERM')
  return exited
}

const config = (dataDir: string, databaseUrl: string | null = null) => ({
  dataDir,
  databaseUrl,
  secretKey: null,
  objectStore: null,
})
const making = (dataDir: string, file: string, databaseUrl: string | null = null) =>
  backUp({
    config: config(dataDir, databaseUrl),
    file,
    passphrase: PASSPHRASE,
    version: '0.1.0',
    logger: silentLogger,
    progress,
  })
const restoring = (file: string, dataDir: string, databaseUrl: string | null = null, passphrase = PASSPHRASE) =>
  restore({ config: config(dataDir, databaseUrl), file, passphrase, logger: silentLogger, progress })

const superuserOf = (dataDir: string) => embeddedConnection({ socketDir: join(dataDir, 'run'), port: 5432 }, 'postgres')

async function asking<T>(connection: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Every row of every table, every rule on them, and where the sequences stand; without what the commands log. */
async function everything(connection: pg.ClientConfig): Promise<Record<string, unknown>> {
  return asking(connection, async client => {
    const rows: Record<string, unknown> = {}
    for (const { name, columns } of await tablesWithRows(client)) {
      const but: Record<string, string> = {
        audit_logs: `where action not like 'installation.%'`,
        audit_pending: `where audit_id not in (select id from audit_logs where action like 'installation.%')`,
      }
      const found = await client.query(
        `select count(*) as rows, md5(coalesce(string_agg(t::text, E'\\n' order by t::text), '')) as digest
         from (select ${columns.map(quoteIdentifier).join(', ')} from ${quoteIdentifier(name)} ${but[name] ?? ''}) t`,
      )
      rows[name] = found.rows[0]
    }
    const list = async (sql: string) => (await client.query({ text: sql, rowMode: 'array' })).rows
    return {
      rows,
      partitions: await partitionsOf(client),
      sequences: (await sequencesOf(client)).filter(({ name }) => !name.startsWith('audit_')),
      constraints: await list(
        `select conrelid::regclass::text, conname, pg_get_constraintdef(oid), convalidated from pg_constraint
         where connamespace = 'public'::regnamespace order by 1, 2`,
      ),
      triggers: await list(
        `select tgrelid::regclass::text, tgname, tgenabled from pg_trigger where not tgisinternal order by 1, 2`,
      ),
      indexes: await list(`select indexdef from pg_indexes where schemaname = 'public' order by 1`),
      policies: await list(`select tablename, policyname, cmd, qual from pg_policies order by 1, 2`),
    }
  })
}

/** The same of a stopped installation. */
async function everythingIn(dataDir: string): Promise<Record<string, unknown>> {
  const server = await startEmbeddedPostgres({ dataDir, logger: silentLogger })
  try {
    return await everything(server.superuser)
  } finally {
    await server.stop()
  }
}

/** The server of the installation that is backed up, while it runs. */
let installed: Command

// An installation with people, devices, history, a file and a secret.
beforeAll(async () => {
  installed = await serve({ DATA_DIR: source, DEMO: '1' })
  const counted = () =>
    asking(
      superuserOf(source),
      async client => (await client.query('select count(*)::int as n from journal')).rows[0].n,
    )
  await vi.waitFor(async () => expect(await counted()).toBeGreaterThan(20), PATIENCE)
})
// Backed up beside its server and without it; each step has a minute of its own.
beforeAll(async () => {
  const made = run('backup.main.ts', { DATA_DIR: source }, beside)
  expect(await made.exited, made.says()).toBe(0)
  expect(made.says()).toMatch(/beside\.backup: \d+ rows, \d+ objects, \d+ files/)
})
beforeAll(async () => {
  expect(await end(installed)).toBe(0)
  await createFsObjectStore(join(source, 'uploads')).put('media/a/b.bin', Buffer.from([0, 1, 2]), {
    contentType: 'application/x-three',
  })
  await making(source, stopped)
})
afterAll(async () => {
  await Promise.all([...children].map(child => child.kill('SIGKILL')))
  folder.remove()
})

describe('a backup', () => {
  it('is one file, closed to others, that leaves nothing beside it and a line in the operation log', async () => {
    expect(statSync(stopped).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder.path).filter(name => name.includes('unfinished'))).toEqual([])
    expect(readdirSync(source).filter(name => name.startsWith('backup-'))).toEqual([])
    const server = await startEmbeddedPostgres({ dataDir: source, logger: silentLogger })
    const lines = await asking(server.superuser, async client => {
      const { rows } = await client.query(
        `select object_name as name, after from audit_logs where action = 'installation.backup' order by at`,
      )
      return rows
    })
    await server.stop()
    expect(lines).toMatchObject([
      { name: 'beside.backup', after: { rows: expect.any(Number) } },
      { name: 'stopped.backup', after: { objects: expect.any(Number) } },
    ])
    await expect(making(source, stopped)).rejects.toThrow(/is there already/)
    await expect(making(at('nowhere'), at('x'))).rejects.toThrow(/no installation in/)
  })

  it('restored into an empty folder is the original row by row, with its keys and objects', async () => {
    const target = at('target')
    const restored = await restoring(stopped, target)
    expect(restored.applied).toEqual([])
    expect(await everythingIn(target)).toEqual(await everythingIn(source))
    for (const name of readdirSync(join(source, 'keys')))
      expect(readFileSync(join(target, 'keys', name)), name).toEqual(readFileSync(join(source, 'keys', name)))
    const object = await createFsObjectStore(join(target, 'uploads')).get('media/a/b.bin')
    expect(object).toMatchObject({ contentType: 'application/x-three', size: 3 })
    expect([...(await buffer(object!.body))]).toEqual([0, 1, 2])
    expect(existsSync(restoreMark(target))).toBe(false)
  })

  it('made beside a running server starts as an installation whose people can sign in and whose log holds', async () => {
    const target = at('from-beside')
    const made = run('restore.main.ts', { DATA_DIR: target }, beside)
    expect(await made.exited, made.says()).toBe(0)
    const server = await serve({ DATA_DIR: target })
    const { urls } = JSON.parse(readFileSync(join(target, 'run.json'), 'utf8'))
    const signIn = await fetch(`${urls.http}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'password', username: 'demo', password: ADMIN }),
    })
    const { access_token } = (await signIn.json()) as { access_token: string }
    const devices = await fetch(`${urls.http}/api/v1/devices`, { headers: { authorization: `Bearer ${access_token}` } })
    expect(((await devices.json()) as { items: unknown[] }).items.length).toBeGreaterThan(0)
    const verified = run('../audit-verify.ts', { DATA_DIR: target })
    expect(await verified.exited, verified.says()).toBe(0)
    // A folder in use is nobody's target.
    await expect(restoring(stopped, target)).rejects.toThrow(/A server runs on/)
    await end(server)
  })

  it('goes to an external database and from there back into a folder', async () => {
    const hba = at('hba.conf')
    writeFileSync(hba, 'local all postgres trust\nlocal all all scram-sha-256\n')
    const settings = { hba_file: hba, fsync: 'off' }
    const outside = await startEmbeddedPostgres({ dataDir: at('outside'), logger: silentLogger, settings })
    try {
      const { socketDir } = outside.address
      const administrator = { host: socketDir, port: 5432, user: 'postgres' }
      await asking({ ...administrator, database: 'postgres' }, async client => {
        await client.query(`create role iot login createrole password 'a word'`)
        await client.query('create database iot owner iot')
      })
      const url = `postgresql://iot:a%20word@localhost/iot?host=${encodeURIComponent(socketDir)}`
      await restoring(stopped, at('outside-data'), url)
      const original = await everythingIn(source)
      expect(await everything({ ...administrator, database: 'iot' })).toMatchObject({
        rows: original.rows,
        sequences: original.sequences,
        triggers: original.triggers,
        constraints: original.constraints,
      })
      await expect(restoring(stopped, at('outside-again'), url)).rejects.toThrow(/iot is not empty/)
      expect(existsSync(at('outside-again'))).toBe(false)
      const back = at('back.backup')
      await making(at('outside-data'), back, url)
      await restoring(back, at('back'))
      expect(await everythingIn(at('back'))).toEqual(original)
    } finally {
      await outside.stop()
    }
  })
})

describe('a file that is not whole', () => {
  const refused = async (file: string, words: RegExp, passphrase?: string) => {
    const target = at(`refused-${Math.random()}`)
    await expect(restoring(file, target, null, passphrase)).rejects.toThrow(words)
    expect(existsSync(target)).toBe(false)
  }

  it('is refused before anything is touched: damaged, cut off, foreign, of another passphrase or a newer program', async () => {
    const whole = readFileSync(stopped)
    const broken = at('broken')
    for (const place of [200, whole.length >> 1, whole.length - 1]) {
      const flipped = Buffer.from(whole)
      flipped[place]! ^= 1
      writeFileSync(broken, flipped)
      await refused(broken, /damaged or was cut off/)
    }
    writeFileSync(broken, whole.subarray(0, whole.length - 1))
    await refused(broken, /damaged or was cut off/)
    writeFileSync(broken, 'PGDMP another program’s file')
    await refused(broken, /is no backup of this program/)
    await refused(stopped, /another passphrase/, 'correct horse battery stable')
    await refused(at('nothing'), /cannot be read \(ENOENT\)/)

    const sealed = await writeSealed(at('newer'), PASSPHRASE)
    const to = recordWriter(sealed)
    const manifest = {
      format: 1 as const,
      program: '9.0.0',
      at: new Date().toISOString(),
      migrations: [{ name: '9999_later.sql', sha256: '0' }],
      partitions: [],
      tables: [],
      secretKey: 'a'.repeat(64),
    }
    await to.begin({ type: 'manifest', manifest })
    await to.end()
    await to.begin({ type: 'end', totals: { rows: {}, files: 0, objects: 0 } })
    await to.end()
    await sealed.finish()
    await refused(at('newer'), /newer than this program: it has 9999_later\.sql/)
  })

  it('does not go into a folder that holds anything', async () => {
    mkdirSync(at('used'))
    writeFileSync(at('used', 'holiday.jpg'), '')
    await expect(restoring(stopped, at('used'))).rejects.toThrow(/is not empty/)
    expect(readdirSync(at('used'))).toEqual(['holiday.jpg'])
  })
})

describe('killed in the middle', () => {
  it('a backup leaves no file under its name, and what it leaves is refused', async () => {
    const server = await serve({ DATA_DIR: source })
    const file = at('killed.backup')
    // A table that cannot be read for now holds the backup where it is.
    const holder = new pg.Client(superuserOf(source))
    await holder.connect()
    await holder.query('begin; lock table tenants in access exclusive mode')
    const killed = run('backup.main.ts', { DATA_DIR: source }, file)
    const waiting = () =>
      asking({ ...superuserOf(source), database: 'postgres' }, async client => {
        const { rows } = await client.query(
          `select from pg_stat_activity where application_name = 'thingwright backup' and wait_event_type = 'Lock' and query like 'copy %'`,
        )
        return rows.length
      })
    await expect.poll(waiting).toBe(1)
    killed.child.kill('SIGKILL')
    await killed.exited
    await holder.end()
    const left = readdirSync(folder.path).filter(name => name.startsWith('killed.backup'))
    expect(left).toEqual([`killed.backup.unfinished-${killed.child.pid}`])
    await expect(restoring(at(left[0]!), at('from-killed'))).rejects.toThrow(/damaged or was cut off/)
    // The next one clears up behind it.
    const next = run('backup.main.ts', { DATA_DIR: source }, file)
    expect(await next.exited, next.says()).toBe(0)
    expect(readdirSync(source).filter(name => name.startsWith('backup-'))).toEqual([])
    await end(server)
  })

  it('a restore leaves a folder that says so, does not start and is not restored into', async () => {
    const target = at('half')
    const killed = run('restore.main.ts', { DATA_DIR: target }, stopped)
    await expect.poll(() => existsSync(restoreMark(target))).toBe(true)
    killed.child.kill('SIGKILL')
    await killed.exited
    const server = run('../../main.ts', { DATA_DIR: target })
    expect(await server.exited).toBe(1)
    expect(server.says()).toMatch(/^A restore into .*half was cut off: empty the folder and restore again\.\n$/)
    await expect(restoring(stopped, target)).rejects.toThrow(/was cut off/)
  })
})

describe('a command without a passphrase', () => {
  it('says which variable it takes, and takes none from the command line', async () => {
    const asked = run('backup.main.ts', { DATA_DIR: source, BACKUP_PASSPHRASE: '' }, at('never'))
    expect(await asked.exited).toBe(1)
    expect(asked.says()).toMatch(/^BACKUP_PASSPHRASE: missing/)
    const short = run('restore.main.ts', { DATA_DIR: at('never'), BACKUP_PASSPHRASE: 'too short' }, stopped)
    expect(await short.exited).toBe(1)
    expect(short.says()).toMatch(/^BACKUP_PASSPHRASE: got 9 characters, takes at least 12/)
  })
})
