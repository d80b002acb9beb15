import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isAlive, processStartTime } from './processes.ts'
import { StartError } from './start-error.ts'

export interface DataDirLock {
  held(): boolean
  release(): void
}

export interface LockOptions {
  /** How often the holder touches its lock; default 5 s. */
  heartbeatMs?: number
}

/** A heartbeat is waited for so long: two and a half of them. */
const LOOKS_PER_BEAT = 10
const LOOKS = 25

/** The process that holds a lock, told apart from a dead one, a recycled pid and a restarted machine. */
interface Holder {
  pid: number
  processStart: string | null
  bootId: string | null
  pidNamespace: string | null
  host: string
}

/**
 * Takes the lock file of a data folder for this process.
 * @throws StartError with the holder's pid
 */
export async function lockDataDir(dataDir: string, options: LockOptions = {}): Promise<DataDirLock> {
  const heartbeatMs = options.heartbeatMs ?? 5_000
  const file = join(dataDir, 'lock')
  const mine = JSON.stringify(thisProcess())
  for (let attempt = 1; ; attempt++) {
    if (create(file, mine)) break
    const content = read(file)
    if (content === undefined) continue
    const holder = parse(content)
    if (holder && (await isHeld(holder, file, heartbeatMs))) {
      const where = holder.host === hostname() ? '' : ` on ${holder.host}`
      throw new StartError(
        `A server already runs on ${dataDir} (pid ${holder.pid}${where}): stop it, or set another DATA_DIR.`,
      )
    }
    if (attempt > 20) throw new StartError(`${file} cannot be taken: remove it if no server runs on this folder.`)
    removeStale(file, content)
  }
  const heartbeat = setInterval(() => {
    const now = new Date()
    try {
      utimesSync(file, now, now)
    } catch {
      // Removed by hand: nothing to keep fresh.
    }
  }, heartbeatMs)
  heartbeat.unref()
  let held = true
  return {
    held: () => held,
    release() {
      held = false
      clearInterval(heartbeat)
      if (read(file) === mine) rmSync(file, { force: true })
    },
  }
}

function thisProcess(): Holder {
  return {
    pid: process.pid,
    processStart: processStartTime(process.pid) ?? null,
    bootId: attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: attempt(() => readlinkSync('/proc/self/ns/pid')),
    host: hostname(),
  }
}

function attempt<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    return null
  }
}

/** Whole or not at all: the file is written under another name and then linked, which fails when there is one already. */
function create(file: string, content: string): boolean {
  const unfinished = `${file}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(unfinished, content, { mode: 0o600, flag: 'wx' })
    linkSync(unfinished, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(unfinished, { force: true })
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function parse(content: string): Holder | undefined {
  try {
    const holder = JSON.parse(content) as Holder
    return Number.isInteger(holder.pid) ? holder : undefined
  } catch {
    return undefined
  }
}

async function isHeld(holder: Holder, file: string, heartbeatMs: number): Promise<boolean> {
  const here = thisProcess()
  if (holder.bootId === here.bootId && holder.pidNamespace === here.pidNamespace) {
    return isAlive(holder.pid) && (processStartTime(holder.pid) ?? null) === holder.processStart
  }
  // The machine was restarted since.
  if (holder.host === here.host && holder.bootId !== here.bootId) return false
  // Another container or machine shares the folder: its processes cannot be seen, but its heartbeat can.
  const before = touchedAt(file)
  if (before === undefined || Date.now() - before > 12 * heartbeatMs) return false
  // Looks, not time: while the machine stood still, its holder could not touch it either.
  for (let looks = 0; looks < LOOKS; looks++) {
    await delay(heartbeatMs / LOOKS_PER_BEAT)
    const now = touchedAt(file)
    if (now === undefined) return false
    if (now !== before) return true
  }
  return false
}

function touchedAt(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs
}

/** Takes a dead holder's file away; if by then it is another starter's fresh lock, that one is put back. */
function removeStale(file: string, judged: string): void {
  const aside = `${file}.${randomBytes(6).toString('hex')}`
  try {
    renameSync(file, aside)
  } catch {
    return
  }
  if (read(aside) !== judged) attempt(() => linkSync(aside, file))
  rmSync(aside, { force: true })
}
