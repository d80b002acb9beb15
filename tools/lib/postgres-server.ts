import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { atEnd } from './end.ts'
import { freePort } from './free-port.ts'
import { processTable } from './processes.ts'

/** Where Debian puts its versions of PostgreSQL. */
export const DEBIAN = '/usr/lib/postgresql'
/** A user that exists everywhere; PostgreSQL does not run as root. */
const NOBODY = 65534
/** Ends the server when this program is gone, however it went: its end of the pipe closes. */
const WITH_US = `
( (trap "" INT TERM HUP; read _; read c </proc/$$/comm && [ "$c" = postgres ] && kill -INT $$) <&3 3<&- >/dev/null 2>&1 & )
exec 3<&-
exec "$@"`
const ENV = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' }

/** Folder of the programs of the newest PostgreSQL below a folder of versions; null when there is none. */
export function newestPostgres(folder = DEBIAN): string | null {
  const versions = existsSync(folder) ? readdirSync(folder).filter(name => /^\d+$/.test(name)) : []
  if (!versions.length) return null
  const bin = join(folder, String(Math.max(...versions.map(Number))), 'bin')
  return existsSync(join(bin, 'initdb')) ? bin : null
}

/**
 * A PostgreSQL that is not ours: a cluster of its own in a temporary folder, reached over verified TLS only, with
 * passwords by SCRAM; its administrator `postgres` comes over the socket.
 */
export class PostgresServer {
  private child: ChildProcess | null = null
  private readonly forget = atEnd(() => this.remove())

  private constructor(
    private readonly bin: string,
    private readonly folder: string,
    private readonly runAs: RunAs,
    readonly port: number,
    private readonly settings: Record<string, string>,
  ) {}

  /** Makes the cluster and starts it. @param bin folder of PostgreSQL's programs @param settings on top of ours */
  static async create(bin: string, settings: Record<string, string> = {}): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), 'tw-pg-'))
    makeCertificate(folder)
    writeFileSync(join(folder, 'hba.conf'), 'local all postgres trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n')
    const server = new PostgresServer(bin, folder, asAnother(folder), await freePort(), settings)
    const { program, args } = server.command('initdb')
    const words = ['-D', server.dataDir, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']
    execFileSync(program, [...args, ...words], { cwd: folder, env: ENV, stdio: 'ignore', ...server.runAs.ids })
    await server.start()
    return server
  }

  /** Folder of the socket, for the administrator. */
  get socketDir(): string {
    return this.folder
  }

  /** Certificate of the server, by which it is verified. */
  get certificate(): string {
    return join(this.folder, 'server.crt')
  }

  private get dataDir(): string {
    return join(this.folder, 'data')
  }

  /** Of the first process; undefined while it is down. */
  get pid(): number | undefined {
    return this.child?.exitCode === null && this.child.signalCode === null ? this.child.pid : undefined
  }

  /** Starts it and waits until it takes connections. @throws with what it said when it ends before */
  async start(): Promise<void> {
    const { program, args } = this.command('postgres')
    const settings = {
      hba_file: join(this.folder, 'hba.conf'),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: this.folder,
      port: String(this.port),
      ssl: 'on',
      ssl_cert_file: this.certificate,
      ssl_key_file: join(this.folder, 'server.key'),
      password_encryption: 'scram-sha-256',
      max_connections: '200',
      ...this.settings,
    }
    const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    this.child = spawn('/bin/sh', ['-c', WITH_US, 'sh', program, ...args, '-D', this.dataDir, ...words], {
      cwd: this.folder,
      env: ENV,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      ...this.runAs.ids,
    })
    await acceptsConnections(this.child)
  }

  /** kill -9 of the first process. @returns when the last of the others has noticed and is gone too */
  async kill(): Promise<void> {
    const { child } = this
    if (!child || this.pid === undefined) return
    const others = [...processTable().values()].filter(({ parent }) => parent === child.pid).map(({ pid }) => pid)
    const ended = new Promise(resolve => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
    while (others.some(isPostgres)) await new Promise(resolve => setTimeout(resolve, 20))
  }

  /** Ends it in order and removes its folder. */
  async remove(): Promise<void> {
    const { child } = this
    if (child && this.pid !== undefined) {
      const ended = new Promise(resolve => child.once('exit', resolve))
      child.kill('SIGINT')
      await ended
    }
    this.forget()
    rmSync(this.folder, { recursive: true, force: true })
  }

  private command(name: string): { program: string; args: string[] } {
    const [program, ...args] = [...this.runAs.before, join(this.bin, name)]
    return { program: program!, args }
  }
}

interface RunAs {
  /** What stands before a program and its words. */
  before: string[]
  ids: { uid?: number; gid?: number }
}

/** As root: in a user namespace where that is allowed, as another user otherwise. */
function asAnother(folder: string): RunAs {
  if (process.getuid?.() !== 0) return { before: [], ids: {} }
  const namespace = ['--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--']
  if (spawnSync('unshare', [...namespace, 'true']).status === 0) return { before: ['unshare', ...namespace], ids: {} }
  for (const path of [folder, ...readdirSync(folder).map(name => join(folder, name))]) chownSync(path, NOBODY, NOBODY)
  return { before: [], ids: { uid: NOBODY, gid: NOBODY } }
}

function makeCertificate(folder: string): void {
  const words =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=database -addext subjectAltName=IP:127.0.0.1'
  execFileSync(
    'openssl',
    [...words.split(' '), '-keyout', join(folder, 'server.key'), '-out', join(folder, 'server.crt')],
    { stdio: 'ignore' },
  )
  chmodSync(join(folder, 'server.key'), 0o600)
}

function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres'
  } catch {
    return false
  }
}

async function acceptsConnections(child: ChildProcess): Promise<void> {
  const said: string[] = []
  for await (const line of createInterface({ input: child.stderr! })) {
    said.push(line)
    if (!line.includes('ready to accept connections')) continue
    // Read on, or it stops once the pipe is full.
    child.stderr!.resume()
    return
  }
  throw new Error(`the outside PostgreSQL does not start:\n${said.join('\n')}`)
}
