import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atEnd } from './end.ts'

const MB = 1024 * 1024

/**
 * A disk of memory that can be made full: seen only by the programs that are started on it, there over their kills and
 * new starts, and gone with this process.
 */
export class SmallDisk {
  private readonly forget = atEnd(() => this.remove())

  private constructor(
    readonly path: string,
    private readonly holder: ChildProcess,
  ) {}

  /** Whether this machine lets us: root, with namespaces of mounts. */
  static get isPossible(): boolean {
    if (process.getuid?.() !== 0) return false
    const words = ['--mount', '--', '/bin/sh', '-c', 'mount -t tmpfs -o size=1m none /mnt']
    return spawnSync('unshare', words, { stdio: 'ignore' }).status === 0
  }

  static async create(mb: number): Promise<SmallDisk> {
    const path = mkdtempSync(join(tmpdir(), 'tw-disk-'))
    // Who holds the disk waits for the end of its input, which comes with ours.
    const script = `mount -t tmpfs -o size=${mb}m none "$1" && echo mounted && exec cat >/dev/null`
    const holder = spawn('unshare', ['--mount', '--', '/bin/sh', '-c', script, 'sh', path], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    await new Promise<void>((resolve, reject) => {
      holder.stdout.once('data', () => resolve())
      holder.once('exit', () => reject(new Error('the disk could not be mounted')))
    })
    return new SmallDisk(path, holder)
  }

  /** What stands before a program and its words so that it sees the disk. */
  get command(): string[] {
    return ['nsenter', '--mount', `--target=${this.holder.pid}`, '--wd=/', '--']
  }

  /** The disk's folder as this process sees it. */
  get view(): string {
    return `/proc/${this.holder.pid}/root${this.path}`
  }

  /** Makes it so small that only this much is left. What counts as full is a share of the whole, which shrinks too. */
  leave(mb: number): void {
    const { blocks, bavail, bsize } = statfsSync(this.view)
    this.resize(Math.ceil(((blocks - bavail) * bsize) / MB) + mb)
  }

  resize(mb: number): void {
    const [program, ...words] = [...this.command, 'mount', '-o', `remount,size=${mb}m`, this.path]
    execFileSync(program!, words, { stdio: ['ignore', 'ignore', 'inherit'] })
  }

  async remove(): Promise<void> {
    const ended = new Promise(resolve => this.holder.once('exit', resolve))
    this.holder.stdin!.end()
    await ended
    this.forget()
    rmSync(this.path, { recursive: true, force: true })
  }
}
