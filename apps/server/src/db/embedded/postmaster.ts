import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Duplex } from 'node:stream'
import type { Logger } from '../../lib/log.ts'
import { afterSilence } from '../../lib/silence.ts'
import { signalProcess, waitUntil } from '../processes.ts'
import type { PostgresBinaries } from './binaries.ts'
import { type LaunchMode, launchCommand, launchIds, POSTGRES_ENV } from './launch-mode.ts'
import { SOCKET_PORT } from './socket-dir.ts'

export interface PostmasterExit {
  code: number | null
  signal: NodeJS.Signals | null
  /** Its last lines, newest last. */
  said: string[]
}

/** The database process ended before it was ready. */
export class PostmasterStartFailure extends Error {
  constructor(readonly exit: PostmasterExit) {
    super(exit.said.at(-1) ?? `ended with ${exit.code ?? exit.signal}`)
    this.name = 'PostmasterStartFailure'
  }
}

export interface PostmasterOptions {
  binaries: PostgresBinaries
  mode: LaunchMode
  clusterDir: string
  socketDir: string
  settings: Record<string, string>
  logger: Logger
}

/**
 * The shell starts a watcher and then becomes PostgreSQL itself, so that the child's pid is the postmaster's.
 * The watcher reads from the death pipe (descriptor 3): it ends when this process closes it or is gone for any reason,
 * kill -9 included, and then PostgreSQL is told to shut down fast. Before signalling it looks whether the process is
 * still a PostgreSQL, for the id may be somebody else's by then.
 */
const DEATH_PIPE = `
( (trap "" INT TERM HUP; read _; c=postgres; [ -r /proc/$$/comm ] && read c </proc/$$/comm
   [ "$c" = postgres ] && kill -INT $$) <&3 3<&- >/dev/null 2>&1 & )
exec 3<&-
exec "$@" </dev/null`

const LAST_LINES = 20
const READY = 'database system is ready to accept connections'
/** What every client is told when the server stops or starts: no news for our log. */
const ROUTINE = /terminating connection|is starting up|is shutting down|in recovery mode|not yet accepting/

/** One run of the PostgreSQL server process, from spawn to exit. */
export class Postmaster {
  /** Settles with the exit; never rejects. */
  readonly exited: Promise<PostmasterExit>
  /** Whether it complained about a full disk. */
  sawDiskFull = false
  private readonly child: ChildProcess
  private readonly lastLines: string[] = []
  private isReady = false
  private hasExited = false
  private onReady: () => void = () => {}

  private constructor(private readonly options: PostmasterOptions) {
    const { binaries, clusterDir, socketDir, settings, mode } = options
    // A list of folders to PostgreSQL: quoted, so that a comma in the path does not part it.
    const sockets = `"${socketDir.replaceAll('"', '""')}"`
    const args = ['-D', clusterDir, '-k', sockets, '-p', String(SOCKET_PORT)]
    for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`)
    const shell = ['/bin/sh', '-c', DEATH_PIPE, 'sh', binaries.postgres, ...args]
    const [program, ...rest] = launchCommand(mode, shell)
    this.child = spawn(program!, rest, {
      // Its own session: Ctrl-C in the terminal must not stop the database before we have drained.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      cwd: clusterDir,
      env: POSTGRES_ENV,
      ...launchIds(mode),
    })
    createInterface({ input: this.child.stderr! }).on('line', line => this.hear(line))
    this.pipe.on('error', () => {})
    this.exited = new Promise(resolve => {
      const settle = (code: number | null, signal: NodeJS.Signals | null) => {
        this.hasExited = true
        resolve({ code, signal, said: this.lastLines })
      }
      // 'close' comes when the last line was read too, but backends that outlive a killed postmaster keep it open;
      // 'error' comes alone when nothing could be started.
      this.child.once('exit', (code, signal) => {
        this.pipe.destroy()
        const drained = afterSilence(500, () => settle(code, signal))
        this.child.once('close', () => {
          drained.end()
          settle(code, signal)
        })
      })
      this.child.once('error', error => {
        this.lastLines.push(String(error))
        if (this.child.pid === undefined) settle(null, null)
      })
    })
  }

  get pid(): number | undefined {
    return this.hasExited ? undefined : this.child.pid
  }

  private get pipe(): Duplex {
    return this.child.stdio[3] as Duplex
  }

  /**
   * Starts the server and waits until it takes connections; after a crash that includes replaying the log.
   * @param giveUp aborted when nobody wants the server any more
   * @throws PostmasterStartFailure when it ended before
   */
  static async start(options: PostmasterOptions, timeoutMs: number, giveUp: AbortSignal): Promise<Postmaster> {
    const postmaster = new Postmaster(options)
    const ready = new Promise<'ready'>(resolve => {
      postmaster.onReady = () => resolve('ready')
    })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<'late'>(resolve => {
      timer = setTimeout(() => resolve('late'), timeoutMs)
      giveUp.addEventListener('abort', () => resolve('late'), { once: true })
      if (giveUp.aborted) resolve('late')
    })
    const slow = setInterval(() => options.logger.info('the database is still starting'), 10_000)
    const first = await Promise.race([ready, late, postmaster.exited])
    clearTimeout(timer)
    clearInterval(slow)
    if (first === 'ready') return postmaster
    if (first === 'late') await postmaster.stop(5_000)
    throw new PostmasterStartFailure(await postmaster.exited)
  }

  /** Fast shutdown: clients are cut off, a checkpoint is written. After `timeoutMs` an immediate one, then a kill. */
  async stop(timeoutMs: number): Promise<void> {
    const pid = this.child.pid
    if (pid === undefined) return
    const gone = () => this.hasExited
    for (const [signal, patience] of [
      ['SIGINT', timeoutMs],
      ['SIGQUIT', 10_000],
      ['SIGKILL', 10_000],
    ] as const) {
      if (gone()) return
      if (signal !== 'SIGINT') this.options.logger.warn({ signal }, 'the database does not stop, insisting')
      signalProcess(pid, signal)
      if (await waitUntil(gone, patience)) return
    }
    throw new Error(`the database process ${pid} cannot be ended`)
  }

  private hear(line: string): void {
    this.lastLines.push(line)
    if (this.lastLines.length > LAST_LINES) this.lastLines.shift()
    if (line.includes('No space left on device')) this.sawDiskFull = true
    const { logger } = this.options
    // Errors of statements are the caller's business and may quote people's data, hence debug.
    if (/(FATAL|PANIC): {2}/.test(line) && !ROUTINE.test(line)) logger.error({ postgres: line }, 'database')
    else if (/WARNING: {2}/.test(line) && !ROUTINE.test(line)) logger.warn({ postgres: line }, 'database')
    else logger.debug({ postgres: line }, 'database')
    if (!this.isReady && line.includes(READY)) {
      this.isReady = true
      this.onReady()
    }
  }
}
