import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
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
      // A group of its own, as a terminal gives each command.
      detached: true,
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

  it.each(['SIGTERM', 'SIGINT'] as const)('npm run simulate: %s ends its devices', async signal => {
    // A server that never answers: the fleet waits for it.
    const silent = createServer()
    await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    try {
      run('simulate', '--', '--devices', '2', '--token', 'none', '--url', `http://127.0.0.1:${port}`)
      await once(silent, 'connection')
      expect(runs('device-fleet/main.ts')).toBe(true)
      // Ctrl-C goes to the whole group.
      process.kill(signal === 'SIGINT' ? -npm.pid! : npm.pid!, signal)
      await expect.poll(commands, { timeout: 60_000 }).toEqual([])
    } finally {
      silent.close()
    }
  })
})
