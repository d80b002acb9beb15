import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../lib/free-port.ts'
import { processTable, pssBytes, treeOf } from '../lib/processes.ts'

const root = join(import.meta.dirname, '../..')
const MB = 1024 * 1024

/** The repository as a newcomer has it whose server must be built: its console is built already. */
function freshTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tw-start-'))
  for (const name of readdirSync(root))
    if (!['dist', 'data', '.git', 'scripts', '.tsbuild'].includes(name))
      symlinkSync(join(root, name), join(folder, name))
  cpSync(join(root, 'scripts'), join(folder, 'scripts'), { recursive: true })
  mkdirSync(join(folder, 'dist'))
  cpSync(join(root, 'dist/web'), join(folder, 'dist/web'), { recursive: true })
  cpSync(join(root, 'dist/.web.hash'), join(folder, 'dist/.web.hash'))
  return folder
}

// As README.md says it: nothing but these two words in a fresh tree.
describe('npm start', () => {
  let tree: string
  let dataDir: string
  let npm: ChildProcess
  let url: string
  let said = ''
  beforeAll(() => {
    tree = freshTree()
  })
  afterEach(async () => {
    for (const { pid } of ours()) process.kill(pid, 'SIGKILL')
    await expect.poll(() => ours().length, { timeout: 60_000 }).toBe(0)
    rmSync(dataDir, { recursive: true, force: true })
  })
  afterAll(() => rmSync(tree, { recursive: true, force: true }))

  async function start(): Promise<void> {
    dataDir = mkdtempSync(join(tmpdir(), 'tw-start-data-'))
    const [http, mqtt] = [await freePort(), await freePort()]
    url = `http://127.0.0.1:${http}`
    said = ''
    npm = spawn('npm', ['start'], {
      cwd: tree,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        DATA_DIR: dataDir,
        HTTP_PORT: String(http),
        MQTT_PORT: String(mqtt),
        ...Object.fromEntries(['MQTTS', 'TCP', 'UDP', 'COAP'].map(name => [`${name}_PORT`, '0'])),
        DEMO: '0',
        ADMIN_PASSWORD: 'installation-password',
        LOG_FORMAT: 'json',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [npm.stdout!, npm.stderr!])
      stream.on('data', (data: Buffer) => {
        said += data.toString()
      })
    await isReady()
  }

  async function isReady(): Promise<void> {
    const status = () =>
      fetch(`${url}/readyz`)
        .then(reply => reply.status)
        .catch(() => 0)
    await expect.poll(status, { timeout: 240_000, interval: 100, message: said }).toBe(200)
  }

  /** Every process of this start, also one whose parents are gone: they live in the tree or in the data folder. */
  function ours() {
    return [...processTable().values()].filter(({ pid }) => {
      try {
        const cwd = readlinkSync(`/proc/${pid}/cwd`)
        return cwd.startsWith(tree) || cwd.startsWith(dataDir)
      } catch {
        return false
      }
    })
  }
  const server = () => ours().find(({ command }) => command.includes('dist/server/main.js'))

  it('lets go of what a build took; SIGTERM to it ends the server, the gateway and the database', async () => {
    await start()
    expect(said).toContain('Building the server')
    const table = processTable()
    const below = new Set(treeOf(server()!.pid, table).map(({ pid }) => pid))
    const above = treeOf(npm.pid!, table).filter(({ pid }) => !below.has(pid) && pid !== npm.pid)
    expect(above.map(({ command }) => command).filter(command => command.includes('esbuild'))).toEqual([])
    expect(above.reduce((sum, { pid }) => sum + pssBytes(pid), 0)).toBeLessThan(80 * MB)
    npm.kill('SIGTERM')
    await expect.poll(() => ours().map(({ command }) => command), { timeout: 60_000 }).toEqual([])
    expect(said).toContain('Stopping: taking what has arrived')
  })

  it('starts a server again that was killed, on the same ports, and ends when told to afterwards', async () => {
    await start()
    const { pid } = server()!
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => server()?.pid ?? pid, { timeout: 60_000 }).not.toBe(pid)
    await isReady()
    expect(said).toMatch(/The server ended \(SIGKILL\); starting it again in 1 s/)
    npm.kill('SIGTERM')
    await expect.poll(() => ours().map(({ command }) => command), { timeout: 60_000 }).toEqual([])
  })
})
