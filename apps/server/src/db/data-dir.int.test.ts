import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { loadSecretKey, openDataDir, readRunInfo } from './data-dir.ts'
import { isAlive, waitUntil } from './processes.ts'
import { StartError } from './start-error.ts'
import { spawnChild } from './testing/spawn-child.ts'
import { temporaryFolder } from './testing.ts'

const top = temporaryFolder('tw-data-')
afterAll(() => top.remove())
let count = 0
let dataDir: string
beforeEach(() => {
  dataDir = join(top.path, `data-${++count}`)
})

const mode = (path: string) => statSync(path).mode & 0o777
const lockFile = () => join(dataDir, 'lock')

describe('the data folder', () => {
  it('is made for us alone', async () => {
    const folder = await openDataDir(dataDir)
    loadSecretKey(folder.path)
    expect([mode(dataDir), mode(join(dataDir, 'keys')), mode(join(dataDir, 'keys', 'secret.key'))]).toEqual([
      0o700, 0o700, 0o600,
    ])
    folder.release()
  })

  it('keeps the mode of a folder that holds others’ files', async () => {
    mkdirSync(dataDir)
    chmodSync(dataDir, 0o755)
    writeFileSync(join(dataDir, 'holiday.jpg'), '')
    const folder = await openDataDir(dataDir)
    expect(mode(dataDir)).toBe(0o755)
    folder.release()
  })

  it('that is no folder is refused by name', async () => {
    writeFileSync(dataDir, 'a file')
    await expect(openDataDir(dataDir)).rejects.toThrow(`DATA_DIR: ${dataDir} cannot be used`)
  })

  it('names the running server for tools until it stops', async () => {
    const folder = await openDataDir(dataDir)
    expect(readRunInfo(dataDir)).toBeNull()
    folder.writeRunInfo({ startedAt: '2026-01-01T00:00:00.000Z', urls: { console: 'http://x' }, ports: { http: 8080 } })
    expect(readRunInfo(dataDir)).toMatchObject({
      pid: process.pid,
      urls: { console: 'http://x' },
      ports: { http: 8080 },
    })
    folder.release()
    expect(readdirSync(dataDir)).toEqual([])
    expect(readRunInfo(dataDir)).toBeNull()
  })
})

describe('two servers on one folder', () => {
  it('the second refuses with the first’s pid; once the first was killed it starts, and its run.json is gone', async () => {
    const first = spawnChild<{ pid: number }>('lock', { dataDir })
    const { pid } = await first.ready
    expect(readRunInfo(dataDir)?.pid).toBe(pid)
    await expect(openDataDir(dataDir)).rejects.toThrow(new RegExp(`already runs on .*\\(pid ${pid}\\)`))
    first.kill('SIGKILL')
    await first.exited
    expect(readRunInfo(dataDir)).toBeNull()
    const folder = await openDataDir(dataDir)
    expect(existsSync(join(dataDir, 'run.json'))).toBe(false)
    folder.release()
  })

  it('of several that find a dead server’s lock at the same moment, exactly one starts', async () => {
    mkdirSync(dataDir)
    writeFileSync(lockFile(), JSON.stringify(holder({ pid: 4_194_304 })))
    const children = [1, 2, 3].map(() => spawnChild<{ pid: number }>('lock', { dataDir }))
    const results = await Promise.allSettled(children.map(child => child.ready))
    expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(1)
    for (const result of results) {
      if (result.status === 'rejected') expect(String(result.reason)).toMatch(/already runs on/)
    }
    await Promise.all(children.map(child => child.end()))
  })

  it('the same process counts as a server too', async () => {
    const folder = await openDataDir(dataDir)
    await expect(openDataDir(dataDir)).rejects.toThrow(StartError)
    folder.release()
    ;(await openDataDir(dataDir)).release()
  })
})

describe('a left lock does not block the start when', () => {
  const cases: [string, () => string][] = [
    ['its process is gone', () => JSON.stringify(holder({ pid: 4_194_304 }))],
    ['its pid is another process’s by now', () => JSON.stringify(holder({ processStart: '1' }))],
    ['the machine was restarted since', () => JSON.stringify(holder({ bootId: 'earlier' }))],
    ['it is damaged', () => '{"pid":'],
  ]
  it.each(cases)('%s', async (_, content) => {
    mkdirSync(dataDir)
    writeFileSync(lockFile(), content())
    const folder = await openDataDir(dataDir)
    expect(JSON.parse(readFileSync(lockFile(), 'utf8'))).toMatchObject({ pid: process.pid })
    folder.release()
  })

  it('its holder is in a container that we cannot look into and its heartbeat has stopped', async () => {
    mkdirSync(dataDir)
    writeFileSync(lockFile(), JSON.stringify(holder({ pidNamespace: 'pid:[1]', host: 'container' })))
    const folder = await openDataDir(dataDir, { heartbeatMs: 50 })
    folder.release()
  })
})

it('a lock whose holder cannot be looked at counts while its heartbeat goes on', async () => {
  const folder = await openDataDir(dataDir, { heartbeatMs: 50 })
  const elsewhere = { ...holder({ pidNamespace: 'pid:[1]' }), host: 'container' }
  writeFileSync(lockFile(), JSON.stringify(elsewhere))
  await expect(openDataDir(dataDir, { heartbeatMs: 500 })).rejects.toThrow(/pid \d+ on container/)
  folder.release()
})

describe('the secret key', () => {
  it('stays the same, and no two installations share one', () => {
    mkdirSync(dataDir)
    const key = loadSecretKey(dataDir)
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    expect(loadSecretKey(dataDir)).toBe(key)
    mkdirSync(`${dataDir}-other`)
    expect(loadSecretKey(`${dataDir}-other`)).not.toBe(key)
  })

  it('is closed to others again when its mode was widened', () => {
    mkdirSync(dataDir)
    loadSecretKey(dataDir)
    chmodSync(join(dataDir, 'keys', 'secret.key'), 0o644)
    loadSecretKey(dataDir)
    expect(mode(join(dataDir, 'keys', 'secret.key'))).toBe(0o600)
  })

  it('is never replaced: a damaged one, and a missing one beside a database, end the start', () => {
    mkdirSync(join(dataDir, 'keys'), { recursive: true })
    writeFileSync(join(dataDir, 'keys', 'secret.key'), 'short')
    expect(() => loadSecretKey(dataDir)).toThrow(/secret\.key is damaged/)
    const other = `${dataDir}-database`
    mkdirSync(join(other, 'postgres'), { recursive: true })
    writeFileSync(join(other, 'postgres', 'PG_VERSION'), '18\n')
    expect(() => loadSecretKey(other)).toThrow(/secret\.key is missing/)
  })
})

describe('the test database server', () => {
  it('is gone with its files when the test run is killed', async () => {
    const child = spawnChild<{ address: { socketDir: string } }>('test-server', {})
    const { address } = await child.ready
    const postmaster = Number(
      readFileSync(join(address.socketDir, '..', 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0],
    )
    child.kill('SIGKILL')
    await child.exited
    expect(await waitUntil(() => !isAlive(postmaster) && !existsSync(join(address.socketDir, '..')), 45_000)).toBe(true)
  })
})

/** A lock's content as of this machine, pid namespace and boot; the process is this one unless told otherwise. */
function holder(over: object): object {
  return {
    pid: process.pid,
    processStart: '99',
    bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    pidNamespace: readlinkSync('/proc/self/ns/pid'),
    host: hostname(),
    ...over,
  }
}
