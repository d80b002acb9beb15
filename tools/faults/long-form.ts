import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { DatabaseProxy, type Way } from '../lib/database-proxy.ts'
import { BUILT_SERVER, Installation } from '../lib/installation.ts'
import { DEBIAN, newestPostgres, PostgresServer } from '../lib/postgres-server.ts'
import { SmallDisk } from '../lib/small-disk.ts'
import { type Comparison, type FaultSeen, LoadedSite, type LoadOptions } from './loaded-site.ts'

export interface LongFormOptions extends LoadOptions {
  /** Lengths of the outages of the database. */
  seconds: readonly number[]
  /** Also kill -9 and a full disk, not outages alone. */
  everything: boolean
  /** Which of the two databases; both when absent. */
  only?: 'embedded' | 'external'
}

export interface LongFormReport {
  faults: FaultSeen[]
  /** History against what was acknowledged, for each database. */
  sites: { site: string; comparison: Comparison }[]
  /** What this machine did not let us try, and why. */
  skipped: string[]
}

/** An external database's owner; no superuser. */
const OWNER = 'iot'
const OWNER_PASSWORD = 'p@ss:w/rd?#'
const DISK_MB = 4_000
const ALMOST_NOTHING_MB = 20

/**
 * Every fault under load, first to last on one installation with the embedded database and, at the same time, on one
 * with an external database behind a proxy; then history is held against what devices were acknowledged.
 */
export async function longForm(options: LongFormOptions): Promise<LongFormReport> {
  const report: LongFormReport = { faults: [], sites: [], skipped: [] }
  const runs: Promise<void>[] = []
  if (options.only !== 'external') runs.push(embedded(options, report))
  const bin = newestPostgres()
  if (options.only !== 'embedded') {
    if (bin) runs.push(external(bin, options, report))
    else report.skipped.push(`external database: there is no PostgreSQL below ${DEBIAN}`)
  }
  const results = await Promise.allSettled(runs)
  for (const result of results) if (result.status === 'rejected') throw result.reason
  return report
}

async function embedded(options: LongFormOptions, report: LongFormReport): Promise<void> {
  const disk = options.everything && SmallDisk.isPossible ? await SmallDisk.create(DISK_MB) : null
  if (options.everything && !disk)
    report.skipped.push('full disk: only root may mount one, and this machine or user may not')
  const installation = await Installation.create(
    disk
      ? {
          command: [...disk.command, process.execPath, BUILT_SERVER],
          env: { DATA_DIR: `${disk.path}/data` },
        }
      : {},
  )
  try {
    await onSite('embedded database', installation, options, report, async site => {
      if (options.everything) await kills(site, ['gateway', 'postgres', 'main', 'everything'])
      if (disk) await fullDisk(site, disk)
      for (const seconds of options.seconds) {
        await site.fault(`its processes stopped for ${seconds} s`, () => stopped(installation, seconds))
        if (options.everything) await kills(site, ['postgres', 'gateway'])
      }
      if (options.everything) await kills(site, ['everything'])
    })
  } finally {
    await disk?.remove()
  }
}

async function external(bin: string, options: LongFormOptions, report: LongFormReport): Promise<void> {
  const postgres = await PostgresServer.create(bin)
  const proxy = await DatabaseProxy.open(postgres.port)
  try {
    await makeOwner(postgres)
    const words = [OWNER, OWNER_PASSWORD].map(encodeURIComponent)
    const query = `sslmode=verify-full&sslrootcert=${encodeURIComponent(postgres.certificate)}`
    const installation = await Installation.create({
      env: { DATABASE_URL: `postgresql://${words[0]}:${words[1]}@127.0.0.1:${proxy.port}/${OWNER}?${query}` },
    })
    await onSite('external database', installation, options, report, async site => {
      if (options.everything) {
        await kills(site, ['gateway', 'main', 'everything'])
        await site.fault('kill -9 of PostgreSQL', () => postgres.kill().then(() => postgres.start()))
        await site.fault('a black hole in which the gateway is killed', async () => {
          proxy.set('hole')
          installation.kill('gateway')
          await delay(5_000)
          proxy.set('open')
        })
      }
      for (const seconds of options.seconds) {
        await site.fault(`a black hole of ${seconds} s`, () => away(proxy, 'hole', seconds))
        await site.fault(`cut off for ${seconds} s`, () => away(proxy, 'cut', seconds))
        if (options.everything)
          await site.fault('kill -9 of PostgreSQL', () => postgres.kill().then(() => postgres.start()))
      }
      if (options.everything) await kills(site, ['everything'])
    })
  } finally {
    await proxy.close()
    await postgres.remove()
  }
}

async function onSite(
  name: string,
  installation: Installation,
  options: LongFormOptions,
  report: LongFormReport,
  faults: (site: LoadedSite) => Promise<void>,
): Promise<void> {
  try {
    const site = await LoadedSite.open(name, installation, options)
    await faults(site)
    await site.flows(500)
    report.sites.push({ site: name, comparison: await site.compare() })
    report.faults.push(...site.seen)
    await site.close()
    const code = await installation.stop()
    if (code !== 0) throw new Error(`the server stopped with ${code}\n${installation.log}`)
  } finally {
    installation.kill('everything')
    await installation.exited()
    installation.remove()
  }
}

/** kill -9 of parts; what nobody starts again is started by us. The fault ends with the kill. */
async function kills(
  site: LoadedSite,
  parts: readonly ('gateway' | 'postgres' | 'main' | 'everything')[],
): Promise<void> {
  const { installation } = site
  for (const part of parts)
    await site.fault(`kill -9 of ${part}`, async () => {
      if (installation.kill(part) === 0) throw new Error(`there is no process ${part}`)
      if (part !== 'main' && part !== 'everything') return
      await installation.exited()
      await installation.start()
    })
}

/** The disk is full until /readyz has said so, and the database is killed meanwhile; then there is room again. */
async function fullDisk(site: LoadedSite, disk: SmallDisk): Promise<void> {
  const { installation } = site
  const says = async (word: RegExp) => {
    for (;;) {
      const reply = await fetch(`${installation.url}/readyz`).catch(() => null)
      const checks = ((await reply?.json().catch(() => null)) as { checks?: { disk?: string } } | null)?.checks
      if (word.test(checks?.disk ?? '')) return
      await delay(100)
    }
  }
  await site.fault('a full disk, and kill -9 of postgres on it', async () => {
    disk.leave(ALMOST_NOTHING_MB)
    await says(/^full/)
    installation.kill('postgres')
    await delay(5_000)
    disk.resize(DISK_MB)
    await says(/^ok$/)
  })
}

/** The embedded database's processes are stopped, not ended: every statement hangs. */
async function stopped(installation: Installation, seconds: number): Promise<void> {
  const pids = installation
    .processes()
    .filter(({ name }) => name === 'postgres')
    .map(({ pid }) => pid)
  for (const pid of pids) signal(pid, 'SIGSTOP')
  try {
    await delay(seconds * 1000)
  } finally {
    for (const pid of pids) signal(pid, 'SIGCONT')
  }
}

async function away(proxy: DatabaseProxy, way: Way, seconds: number): Promise<void> {
  proxy.set(way)
  await delay(seconds * 1000)
  proxy.set('open')
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // A backend that ended meanwhile.
  }
}

async function makeOwner(postgres: PostgresServer): Promise<void> {
  const client = new pg.Client({
    host: postgres.socketDir,
    port: postgres.port,
    user: 'postgres',
    database: 'postgres',
  })
  await client.connect()
  try {
    await client.query(`create role ${OWNER} login createrole password ${client.escapeLiteral(OWNER_PASSWORD)}`)
    await client.query(`create database ${OWNER} owner ${OWNER}`)
  } finally {
    await client.end()
  }
}
