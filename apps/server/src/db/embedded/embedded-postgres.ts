import { mkdirSync, realpathSync } from 'node:fs'
import { release } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { inBackground } from '../../lib/background.ts'
import type { Logger } from '../../lib/log.ts'
import { postgresProcessesIn } from '../processes.ts'
import { StartError } from '../start-error.ts'
import type { PostgresBinaries } from './binaries.ts'
import { clearPredecessor, ensureCluster } from './cluster.ts'
import { DiskGuard, type DiskGuardOptions, type DiskState } from './disk-guard.ts'
import { chooseLaunchMode, type LaunchMode } from './launch-mode.ts'
import { placeCluster } from './placement.ts'
import { Postmaster, type PostmasterExit, PostmasterStartFailure } from './postmaster.ts'
import { makeSocketDir, SOCKET_PORT, type SocketDir } from './socket-dir.ts'

/** Name of our database and prefix of its three login roles inside the embedded server. */
export const EMBEDDED_DATABASE = 'thingwright'
export const EMBEDDED_ROLE_PREFIX = 'tw'

export type DatabaseRole = 'app' | 'system' | 'telemetry'

export interface EmbeddedPostgresOptions {
  /** The installation's data folder (absolute); the database lies in `postgres` below it. Hold its lock. */
  dataDir: string
  logger: Logger
  /** PostgreSQL settings on top of ours, e.g. `{ shared_buffers: '1GB' }`. */
  settings?: Record<string, string>
  /** How to start when we are root; found out when absent. */
  launchMode?: LaunchMode
  /** Whether a new cluster is forced to disk; only tests say no. */
  syncNewCluster?: boolean
  /** Longest wait for one start, replaying the log after a crash included; default 10 minutes. */
  startTimeoutMs?: number
  disk?: DiskGuardOptions & { probeEveryMs?: number }
  /** Pauses before the attempts to bring a fallen server back; after the last one it is given up. */
  backoffMs?: number[]
  /** Where programs and database go when PostgreSQL must run as another user who cannot reach the data folder. */
  systemDir?: string
}

/** What happened to the server without being asked for. */
export type EmbeddedEvent =
  /** The server process ended; it is being started again. */
  | { type: 'exited'; code: number | null; signal: NodeJS.Signals | null; diskFull: boolean }
  /** It takes connections again. */
  | { type: 'restarted'; attempts: number; downMs: number }
  /** It does not come back: the process should end with an error. */
  | { type: 'gave_up'; reason: string }
  /** Room got scarce or came back, or the reserve was released or made again. */
  | { type: 'disk'; state: DiskState }

/** How other processes reach a running server. */
export interface EmbeddedAddress {
  socketDir: string
  port: number
}

export interface EmbeddedPostgres {
  readonly address: EmbeddedAddress
  /** Folder of the database's files. */
  readonly clusterDir: string
  /** Whether this start made a new database. */
  readonly isNew: boolean
  /** Connection of one of the three login roles to our database. */
  connection(role: DatabaseRole): pg.PoolConfig
  /** Connection of the superuser: migrations and maintenance only. */
  readonly superuser: pg.PoolConfig
  /** Free space on the database's volume, as last probed. */
  disk(): DiskState
  /** Calls back when the server process ended unasked and when it is given up; returns the unsubscriber. */
  onExit(listener: (exit: { code: number | null; signal: NodeJS.Signals | null; gaveUp: boolean }) => void): () => void
  onEvent(listener: (event: EmbeddedEvent) => void): () => void
  /** The server's process ids, postmaster first; empty while it is down. */
  pids(): number[]
  /** Ordered stop: cuts clients off, writes a checkpoint, waits for the end. Safe to call twice. */
  stop(): Promise<void>
}

/** Every setting says why it differs from PostgreSQL's default. */
const SETTINGS: Record<string, string> = {
  // No TCP port: no port conflict and nobody else to let in; the socket's folder is private.
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '60',
  shared_buffers: '128MB',
  // Acknowledged means committed: never switch these off.
  synchronous_commit: 'on',
  fsync: 'on',
  full_page_writes: 'on',
  // Each page is written whole into the log the first time after a checkpoint began; with ten thousand devices that is as
  // many pages of an index in a second, and to compress them (this PostgreSQL has only pglz) took longer than to write: ADR 33.
  wal_compression: 'off',
  // Bounds what is read again after a kill (about 160 MB a second). Less would begin sooner, but while a checkpoint runs
  // acknowledgements wait: ADR 33.
  max_wal_size: '1GB',
  checkpoint_timeout: '15min',
  autovacuum: 'on',
  // What a killed process was doing is undone soon, and its locks are free again.
  client_connection_check_interval: '5s',
  // The shipped programs carry no LLVM.
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '',
  // Statements and their values do not belong in a log.
  log_min_error_statement: 'panic',
}

/**
 * After a crash PostgreSQL makes sure of every file it has before it reads its log again. One call does that for all of
 * them; from Linux 5.8 on it also tells what could not be written (PostgreSQL, recovery_init_sync_method).
 */
function syncAfterCrash(): Record<string, string> {
  if (process.platform !== 'linux') return {}
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return major > 5 || (major === 5 && minor >= 8) ? { recovery_init_sync_method: 'syncfs' } : {}
}

const BACKOFF_MS = [0, 100, 200, 400, 800, 1_600, 3_200, 5_000]
/** While the disk is full we never give up: room may come back. */
const DISK_FULL_RETRY_MS = 2_000
/** A server that ran this long before it fell starts with fresh patience: only one that cannot run at all is given up. */
const STABLE_MS = 2_000
const STOP_MS = 60_000

/** Connection of a login to a database of a running embedded server. */
export function embeddedConnection(
  address: EmbeddedAddress,
  user: string,
  database = EMBEDDED_DATABASE,
): pg.PoolConfig {
  return { host: address.socketDir, port: address.port, user, database, connectionTimeoutMillis: 15_000 }
}

/**
 * Starts the PostgreSQL server that lives in the data folder, making it on the first start, and keeps it running.
 * It cannot outlive this process: see the death pipe in postmaster.ts.
 * @throws StartError with one line for the operator
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const supervisor = new Supervisor(options)
  try {
    await supervisor.start()
  } catch (error) {
    // Also what was left outside the data folder.
    await supervisor.stop()
    throw error
  }
  return supervisor
}

class Supervisor implements EmbeddedPostgres {
  isNew = false
  private readonly logger: Logger
  private readonly mode: LaunchMode
  private readonly binaries: PostgresBinaries
  private readonly guard: DiskGuard
  private readonly socketDir: SocketDir
  readonly clusterDir: string
  private readonly listeners = new Set<(event: EmbeddedEvent) => void>()
  private postmaster: Postmaster | undefined
  private diskState!: DiskState
  private diskTimer: NodeJS.Timeout | undefined
  private probing: Promise<void> = Promise.resolve()
  private restarting: Promise<void> | undefined
  private stopping: Promise<void> | undefined
  private readonly stopSignal = new AbortController()

  constructor(private readonly options: EmbeddedPostgresOptions) {
    this.logger = options.logger
    mkdirSync(options.dataDir, { recursive: true, mode: 0o700 })
    const dataDir = realpathSync(options.dataDir)
    this.mode = options.launchMode ?? chooseLaunchMode()
    const place = placeCluster(dataDir, this.mode, this.logger, options.systemDir)
    this.clusterDir = place.clusterDir
    this.binaries = place.binaries
    this.guard = new DiskGuard(place.volumeDir, options.disk)
    this.socketDir = makeSocketDir(place.volumeDir, this.mode)
  }

  get address(): EmbeddedAddress {
    return { socketDir: this.socketDir.path, port: SOCKET_PORT }
  }

  get superuser(): pg.PoolConfig {
    return embeddedConnection(this.address, 'postgres')
  }

  connection(role: DatabaseRole): pg.PoolConfig {
    return embeddedConnection(this.address, `${EMBEDDED_ROLE_PREFIX}_${role}`)
  }

  disk(): DiskState {
    return this.diskState
  }

  onEvent(listener: (event: EmbeddedEvent) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  onExit(
    listener: (exit: { code: number | null; signal: NodeJS.Signals | null; gaveUp: boolean }) => void,
  ): () => void {
    return this.onEvent(event => {
      if (event.type === 'exited') listener({ code: event.code, signal: event.signal, gaveUp: false })
      if (event.type === 'gave_up') listener({ code: null, signal: null, gaveUp: true })
    })
  }

  pids(): number[] {
    const pid = this.postmaster?.pid
    if (pid === undefined) return []
    return [pid, ...postgresProcessesIn(this.clusterDir).filter(other => other !== pid)]
  }

  async start(): Promise<void> {
    this.diskState = await this.guard.state()
    await clearPredecessor(this.clusterDir, this.logger)
    this.isNew = await ensureCluster(this.clusterDir, this.binaries, this.mode, this.options.syncNewCluster ?? true)
    try {
      await this.launch()
    } catch (error) {
      if (!(error instanceof PostmasterStartFailure)) throw error
      // One more try: with the reserve given up, or after a predecessor's last processes have ended.
      if (await this.ranOutOfRoom(error.exit)) this.giveUpReserve()
      await clearPredecessor(this.clusterDir, this.logger)
      await this.launch().catch((second: unknown) => {
        throw second instanceof PostmasterStartFailure ? this.cannotStart(second) : second
      })
    }
    // Making the reserve takes a moment on a slow disk: nobody waits for it.
    this.probeSoon()
    this.diskTimer = setInterval(() => this.probeSoon(), this.options.disk?.probeEveryMs ?? 5_000)
    this.diskTimer.unref()
  }

  stop(): Promise<void> {
    this.stopping ??= (async () => {
      this.stopSignal.abort()
      clearInterval(this.diskTimer)
      await this.restarting
      await this.postmaster?.stop(STOP_MS)
      this.postmaster = undefined
      await this.probing
      this.socketDir.remove()
    })()
    return this.stopping
  }

  /** One attempt to start; on success the exit is watched. */
  private async launch(): Promise<void> {
    const settings = { ...SETTINGS, ...syncAfterCrash(), ...this.options.settings }
    const { mode, binaries, clusterDir, logger } = this
    const postmaster = await Postmaster.start(
      { binaries, mode, clusterDir, socketDir: this.socketDir.path, settings, logger },
      this.options.startTimeoutMs ?? 600_000,
      this.stopSignal.signal,
    )
    this.postmaster = postmaster
    const startedAt = performance.now()
    inBackground(
      'watching the database process',
      postmaster.exited.then(exit => {
        if (this.stopping || this.postmaster !== postmaster) return
        this.postmaster = undefined
        this.restarting = this.restart(exit, performance.now() - startedAt >= STABLE_MS)
      }),
    )
  }

  private failures = 0

  /** Brings a fallen server back; ends when it runs, when we stop, or when patience is used up. */
  private async restart(exit: PostmasterExit, wasStable: boolean): Promise<void> {
    const downSince = performance.now()
    const backoff = this.options.backoffMs ?? BACKOFF_MS
    if (wasStable) this.failures = 0
    let diskFull = await this.ranOutOfRoom(exit)
    this.logger.error(
      { code: exit.code, signal: exit.signal, diskFull },
      'the database process ended, starting it again',
    )
    this.emit({ type: 'exited', code: exit.code, signal: exit.signal, diskFull })
    let lastReason = exit.said.at(-1) ?? ''
    for (let attempts = 1; !this.stopping; attempts++) {
      if (!diskFull) this.failures++
      if (this.failures > backoff.length) {
        this.logger.fatal({ reason: lastReason }, 'the database does not come back')
        this.emit({ type: 'gave_up', reason: lastReason })
        return
      }
      const pauseMs = diskFull && attempts > 1 ? DISK_FULL_RETRY_MS : (backoff[this.failures - 1] ?? 0)
      if (attempts > 1)
        this.logger.error(
          { reason: lastReason, attempts: attempts - 1, diskFull, againInMs: pauseMs },
          'the database could not be started again',
        )
      if (diskFull) this.giveUpReserve()
      await this.pause(pauseMs)
      if (this.stopping) return
      try {
        await clearPredecessor(this.clusterDir, this.logger)
        await this.launch()
        const downMs = Math.round(performance.now() - downSince)
        this.logger.warn({ attempts, downMs }, 'the database takes connections again')
        this.emit({ type: 'restarted', attempts, downMs })
        this.probeSoon()
        return
      } catch (error) {
        lastReason = error instanceof Error ? error.message : String(error)
        diskFull = error instanceof PostmasterStartFailure && (await this.ranOutOfRoom(error.exit))
      }
    }
  }

  private async pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.stopSignal.signal }).catch(() => {})
  }

  private async ranOutOfRoom(exit: PostmasterExit): Promise<boolean> {
    return (
      exit.said.some(line => line.includes('No space left on device')) || (await this.guard.isFull().catch(() => false))
    )
  }

  private giveUpReserve(): void {
    try {
      if (this.guard.release())
        this.logger.error('the disk is full: the reserve was given up so that the database can start')
    } catch (error) {
      // It may start without that room; nothing here may keep it from trying.
      this.logger.error({ err: error }, 'the disk is full, and the reserve could not be given up')
    }
  }

  /** One probe after the other. */
  private probeSoon(): void {
    this.probing = this.probing.then(() => this.probeDisk())
  }

  private async probeDisk(): Promise<void> {
    try {
      const before = this.diskState
      if (this.postmaster) await this.guard.restore()
      const now = await this.guard.state()
      this.diskState = now
      if (now.low === before.low && now.reserve === before.reserve) return
      if (now.low && !before.low) this.logger.error({ freeBytes: now.freeBytes }, 'the disk is nearly full')
      if (!now.low && before.low) this.logger.warn({ freeBytes: now.freeBytes }, 'there is room on the disk again')
      this.emit({ type: 'disk', state: now })
    } catch (error) {
      this.logger.warn({ err: error }, 'free disk space could not be read')
    }
  }

  private cannotStart(failure: PostmasterStartFailure): StartError {
    const said = failure.exit.said.slice(-3).join(' | ') || `code ${failure.exit.code}, signal ${failure.exit.signal}`
    return new StartError(`The database in ${this.clusterDir} does not start: ${said}`, { cause: failure })
  }

  private emit(event: EmbeddedEvent): void {
    for (const listener of this.listeners) {
      try {
        listener(event)
      } catch (error) {
        this.logger.error({ err: error }, 'a listener of the database failed')
      }
    }
  }
}
