import { execFileSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { join } from 'node:path'

export interface Machine {
  cpu: string
  cores: number
  memoryGiB: number
  kernel: string
  node: string
  /** Commit of the work tree, with `+` when something in it was not committed; null outside a repository. */
  commit: string | null
}

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round((totalmem() / 2 ** 30) * 10) / 10,
    kernel: release(),
    node: process.versions.node,
    commit: commit(),
  }
}

/** Load averages of 1, 5 and 15 minutes. */
export function load(): number[] {
  return loadavg().map(value => Math.round(value * 100) / 100)
}

function commit(): string | null {
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: join(import.meta.dirname, '../../..'),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', 'apps', 'packages') ? '+' : '')
  } catch {
    return null
  }
}

/** First line a program prints, e.g. its version; null when it is not here. */
export function versionOf(program: string, args: string[]): string | null {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
      .split('\n')[0]!
      .trim()
  } catch (error) {
    // Some print their help, version first, and end with 1.
    const out = String((error as { stdout?: string }).stdout ?? '').split('\n')[0]!
    return out.trim() || null
  }
}
