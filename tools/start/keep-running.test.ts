import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const scripts = join(import.meta.dirname, '../../scripts')

// Whoever keeps the server running, with a server that lives as its words say.
describe('a server that is kept running', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tw-keep-'))
    writeFileSync(
      join(folder, 'keeper.mjs'),
      `import { keepRunning } from '${join(scripts, 'keep-running.mjs')}'
       const server = keepRunning(process.argv.slice(2), { firstPauseMs: 10 })
       process.on('SIGTERM', server.stop)
       process.on('SIGHUP', server.reload)
       process.exit(await server.ended)`,
    )
    // Each life writes what it was asked for and does what stands at its place in the list.
    writeFileSync(
      join(folder, 'server.mjs'),
      `import { appendFileSync, readFileSync } from 'node:fs'
       const [file, ...lives] = process.argv.slice(2)
       appendFileSync(file, (process.env.HTTP_PORT ?? '-') + '\\n')
       const life = lives[readFileSync(file, 'utf8').trim().split('\\n').length - 1]
       const up = () => new Promise(sent => process.send({ type: 'up', ports: { HTTP_PORT: '4711' } }, sent))
       if (life === 'refuse') process.exit(1)
       await up()
       if (life === 'fall') process.exit(7)
       if (life === 'kill') process.kill(process.pid, 'SIGKILL')
       if (life === 'end') process.exit(0)
       process.on('SIGTERM', () => process.exit(0))
       process.on('disconnect', () => { appendFileSync(file, 'alone\\n'); process.exit(0) })
       setInterval(() => {}, 1000)
       process.on('SIGHUP', () => { appendFileSync(file, 'reloaded\\n'); process.exit(0) })
       if (life === 'reload') process.kill(process.ppid, 'SIGHUP')
       if (life === 'stop') process.kill(process.ppid, 'SIGTERM')
       if (life === 'orphan') process.kill(process.ppid, 'SIGKILL')`,
    )
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  let runs = 0
  async function run(...lives: string[]) {
    const file = join(folder, `lives-${++runs}`)
    const keeper = spawn(process.execPath, [join(folder, 'keeper.mjs'), join(folder, 'server.mjs'), file, ...lives], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env.PATH },
    })
    let said = ''
    keeper.stderr.on('data', (data: Buffer) => {
      said += data.toString()
    })
    const code = await new Promise<number | null>(resolve => keeper.once('close', resolve))
    const read = () => readFileSync(file, 'utf8').trim().split('\n')
    return { code, read, pauses: [...said.matchAll(/again in ([\d.]+) s/g)].map(match => Number(match[1]) * 1000) }
  }

  it('is told to read its files again, and not ended by its keeper', async () => {
    const { code, read } = await run('reload')
    expect(code).toBe(0)
    expect(read()).toEqual(['-', 'reloaded'])
  })

  it('is started again after a fall, later each time, and asked for the ports it had', async () => {
    const { code, read, pauses } = await run('fall', 'kill', 'refuse', 'stop')
    expect(pauses).toEqual([10, 20, 40])
    expect(read()).toEqual(['-', '4711', '4711', '4711'])
    expect(code).toBe(0)
  })

  it('is left alone when it refused its first start, or ended by itself', async () => {
    const refused = await run('refuse', 'end')
    expect([refused.code, refused.pauses, refused.read()]).toEqual([1, [], ['-']])
    const ended = await run('end', 'refuse')
    expect([ended.code, ended.pauses, ended.read()]).toEqual([0, [], ['-']])
  })

  it('learns that its keeper was killed', async () => {
    const { read } = await run('orphan')
    await expect.poll(read).toEqual(['-', 'alone'])
  })
})
