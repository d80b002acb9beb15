import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { isConnectionLost, isDiskFull } from '../../lib/database/database-errors.ts'
import { spawnChild, type TestChild } from '../testing/spawn-child.ts'
import { temporaryFolder } from '../testing/test-server.ts'
import { DiskGuard } from './disk-guard.ts'
import { type EmbeddedAddress, type EmbeddedEvent, embeddedConnection } from './embedded-postgres.ts'

const MB = 1024 * 1024
/** A small disk of our own, seen by nobody else and gone with its last process, however that ends. */
const MOUNT = ['unshare', '--mount', '--', '/bin/sh', '-c']
const mayMount =
  process.getuid?.() === 0 &&
  spawnSync(MOUNT[0]!, [...MOUNT.slice(1), 'mount -t tmpfs -o size=1m none /mnt'], { stdio: 'ignore' }).status === 0

const folder = temporaryFolder('tw-disk-')
let child: TestChild<{ address: EmbeddedAddress }> | undefined
afterAll(async () => {
  await child?.end()
  folder.remove()
})

describe.skipIf(!mayMount)('a full disk', () => {
  it('refuses writes, gives the reserve up to start again, and heals when there is room', async () => {
    const disk = join(folder.path, 'disk')
    mkdirSync(disk)
    const script = 'mount -t tmpfs -o size=320m none "$1" && shift && exec "$@"'
    child = spawnChild(
      'embedded',
      { dataDir: join(disk, 'data'), disk: { probeEveryMs: 100 } },
      { prefix: [...MOUNT, script, 'sh', disk] },
    )
    const { address } = await child.ready
    // The child's own view of the disk, entered through its root.
    const view = (path: string) => `/proc/${child!.pid}/root${path}`
    const at = { ...address, socketDir: view(address.socketDir) }
    const reserve = view(join(disk, 'data', 'reserve.bin'))
    const filler = view(join(disk, 'filler'))
    expect(await child.next<EmbeddedEvent>('event')).toMatchObject({ type: 'disk', state: { reserve: 'held' } })
    expect(existsSync(reserve)).toBe(true)

    const client = await connect(at)
    await client.query('create table written (n int primary key, filling text)')
    fill(filler, view(disk), 6 * MB)
    expect(await nextEvent(child, 'disk')).toMatchObject({ state: { low: true } })
    // Random text, so that compression cannot make room.
    const write = 'insert into written select $1, string_agg(md5(random()::text), $2) from generate_series(1, 30000)'
    let acknowledged = 0
    const refusal = await untilRefused(async () => {
      await client.query(write, [acknowledged, ''])
      acknowledged++
    })
    expect(isDiskFull(refusal)).toBe(true)
    expect((await client.query('select count(*)::int as rows from written')).rows).toEqual([{ rows: acknowledged }])

    const log =
      "select pg_logical_emit_message(true, 'test', string_agg(md5(random()::text), '')) from generate_series(1, 30000)"
    const crash = await untilRefused(() => client.query(log))
    expect(isDiskFull(crash) || isConnectionLost(crash)).toBe(true)
    await client.end().catch(() => {})

    // The write-ahead log had no room left: the server stopped itself, and the reserve let it come back.
    expect(await nextEvent(child, 'exited')).toMatchObject({ diskFull: true })
    await nextEvent(child, 'restarted')
    expect(existsSync(reserve)).toBe(false)
    const after = await connect(at)
    const count = 'select count(*)::int as rows, max(n) as last from written'
    expect((await after.query(count)).rows).toEqual([{ rows: acknowledged, last: acknowledged - 1 }])

    rmSync(filler)
    // A probe may have looked for the reserve before the room came, and at the room behind it: the next one sees both.
    let event = await nextEvent(child, 'disk', ({ state }) => !state.low)
    if (event.type === 'disk' && event.state.reserve === 'released') event = await child.next<EmbeddedEvent>('event')
    expect(event).toMatchObject({ type: 'disk', state: { low: false, reserve: 'held' } })
    expect(existsSync(reserve)).toBe(true)
    await after.query("insert into written values (-1, 'there is room again')")
    await after.end()
  })
})

describe('the reserve file', () => {
  it('is made where there is room for it twice, once, and given up on request', async () => {
    const guard = new DiskGuard(folder.path, { reserveBytes: MB })
    expect(await guard.state()).toMatchObject({ low: false, reserve: 'released' })
    await guard.restore()
    await guard.restore()
    expect(await guard.state()).toMatchObject({ reserve: 'held' })
    expect(guard.release()).toBe(true)
    expect(guard.release()).toBe(false)
  })

  it('is not made where it would leave no room', async () => {
    const { bavail, bsize } = statfsSync(folder.path)
    const guard = new DiskGuard(folder.path, { reserveBytes: Math.ceil(bavail * bsize * 0.6) })
    await guard.restore()
    expect(await guard.state()).toMatchObject({ reserve: 'released' })
  })

  it('counts as scarce what is below the share of the volume, but never while gigabytes are free', async () => {
    expect((await new DiskGuard(folder.path, { lowFraction: 1, lowMaxBytes: 1 }).state()).low).toBe(false)
    expect((await new DiskGuard(folder.path, { lowFraction: 1, lowMaxBytes: 2 ** 60 }).state()).low).toBe(true)
  })
})

/** The next event of the type; until there is room again, every probe of the disk in between must say so. */
async function nextEvent<T extends EmbeddedEvent['type']>(
  from: TestChild<unknown>,
  type: T,
  matches: (event: Extract<EmbeddedEvent, { type: T }>) => boolean = () => true,
): Promise<EmbeddedEvent> {
  for (;;) {
    const event = await from.next<EmbeddedEvent>('event')
    if (event.type === type && matches(event as Extract<EmbeddedEvent, { type: T }>)) return event
    expect(event).toMatchObject({ type: 'disk', state: { low: true } })
  }
}

/** Repeats the work until it fails. */
async function untilRefused(work: () => Promise<unknown>): Promise<unknown> {
  for (;;) {
    try {
      await work()
    } catch (error) {
      return error
    }
  }
}

async function connect(at: EmbeddedAddress): Promise<pg.Client> {
  const client = new pg.Client(embeddedConnection(at, 'postgres', 'postgres'))
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Fills the volume until about this much is free. */
function fill(file: string, volume: string, leaveBytes: number): void {
  const { bavail, bsize } = statfsSync(volume)
  const handle = openSync(file, 'w')
  const block = Buffer.alloc(MB)
  for (let left = bavail * bsize - leaveBytes; left > 0; left -= MB) writeSync(handle, block, 0, Math.min(MB, left))
  closeSync(handle)
}
