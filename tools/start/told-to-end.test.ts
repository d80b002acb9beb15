import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { freePort } from '../lib/free-port.ts'
import { processTable } from '../lib/processes.ts'

const root = join(import.meta.dirname, '../..')

describe('a command that has started others', () => {
  let folder: string
  let npm: ChildProcess
  afterEach(async () => {
    for (const { pid } of ours()) process.kill(pid, 'SIGKILL')
    await expect.poll(() => ours().length, { timeout: 60_000 }).toBe(0)
    rmSync(folder, { recursive: true, force: true })
  })

  function run(...words: string[]): void {
    folder = mkdtempSync(join(tmpdir(), 'tw-told-'))
    npm = spawn('npm', ['run', '--silent', ...words], {
      cwd: root,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: folder },
      stdio: 'ignore',
    })
  }

  /** Every process of the command, also one whose parents are gone: they know the folder or live in it. */
  function ours() {
    return [...processTable().values()].filter(({ pid }) => {
      try {
        return (
          readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder) ||
          readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
        )
      } catch {
        return false
      }
    })
  }
  const commands = () => ours().map(({ command, name }) => command.replaceAll('\0', ' ') || name)
  const runs = (word: string) => commands().some(command => command.includes(word))
  const left = () => readdirSync(folder).filter(name => name.startsWith('tw-'))

  it.each([
    ['faults', 'SIGTERM'],
    ['faults', 'SIGINT'],
    ['bench', 'SIGTERM'],
    ['bench', 'SIGINT'],
  ] as const)('npm run %s: %s leaves no server and no folder of one behind', async (command, signal) => {
    if (command === 'faults') run('faults', '--', '1')
    else run('bench', 'latency')
    for (const word of ['dist/server/main.js', 'gateway.', 'postgres:'])
      await expect.poll(() => runs(word), { timeout: 240_000, interval: 100 }).toBe(true)
    npm.kill(signal)
    await expect.poll(commands, { timeout: 60_000 }).toEqual([])
    expect(left()).toEqual([])
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('npm run simulate: %s ends its devices', async signal => {
    run('simulate', '--', '--devices', '2', '--url', `http://127.0.0.1:${await freePort()}`)
    await expect.poll(() => runs('device-fleet/main.ts'), { timeout: 60_000, interval: 100 }).toBe(true)
    npm.kill(signal)
    await expect.poll(commands, { timeout: 60_000 }).toEqual([])
  })
})
