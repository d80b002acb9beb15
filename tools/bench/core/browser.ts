import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PASSWORD } from '../../lib/installation.ts'

const root = join(import.meta.dirname, '../../..')

/** The slow machine and line on which pages are measured. */
export const SLOW = { cpuSlowdown: 4, megabitsPerSecond: 10, latencyMs: 40 }

/** @throws when the console was not built */
export function requireConsole(): void {
  if (!existsSync(join(root, 'dist/web/index.html'))) throw new Error('dist/web is missing: run npm run build')
}

/** The entry that the console keeps of a sign-in as the owner. */
export async function consoleEntry(url: string): Promise<string> {
  const reply = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'password', username: 'admin', password: PASSWORD }),
  })
  const { access_token, thingwrightAppId, id, username } = (await reply.json()) as Record<string, string>
  return JSON.stringify({ access_token, thingwrightAppId, id, username })
}

/** Runs a program of e2e/bench, which has the browser: only the order and the last line that it prints are shared with it. */
export async function inBrowser<Result>(program: string, order: object): Promise<Result> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', join(root, 'e2e/bench', program), JSON.stringify(order)],
    { cwd: join(root, 'e2e'), maxBuffer: 10_000_000, timeout: 600_000 },
  )
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as Result
}
