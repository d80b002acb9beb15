import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface ChildOptions {
  /** Another user to run as; only root can. */
  uid?: number
  gid?: number
  /** Put before the command line, e.g. unshare with its arguments. */
  prefix?: string[]
}

/** A child of child-process.ts. */
export interface TestChild<Ready> {
  pid: number
  /** What it said once it was ready; rejects with its error. */
  ready: Promise<Ready>
  /** The next line (of those not yet taken) that has this key. */
  next<T>(key: string): Promise<T>
  kill(signal: NodeJS.Signals): void
  /** Ends its input, so that it stops in order; resolves with the exit code. */
  end(): Promise<number | null>
  exited: Promise<number | null>
}

/** Starts child-process.ts with a command. It ends when this process does, because its input ends. */
export function spawnChild<Ready>(command: string, argument: object, options: ChildOptions = {}): TestChild<Ready> {
  const script = join(import.meta.dirname, 'child-process.ts')
  const line = [process.execPath, '--import', 'tsx', script, command, JSON.stringify(argument)]
  const [program, ...args] = [...(options.prefix ?? []), ...line]
  const child: ChildProcess = spawn(program!, args, {
    // tsx is found from here; a stranger's HOME would not be readable.
    cwd: import.meta.dirname,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', HOME: '/tmp' },
    stdio: ['pipe', 'pipe', 'pipe'],
    uid: options.uid,
    gid: options.gid,
  })
  const lines: Record<string, unknown>[] = []
  const waiting: { key: string; resolve: (value: unknown) => void; reject: (error: Error) => void }[] = []
  let errors = ''
  child.stderr!.on('data', chunk => {
    errors += chunk
  })
  createInterface({ input: child.stdout! }).on('line', text => {
    lines.push(JSON.parse(text) as Record<string, unknown>)
    match()
  })
  function match(): void {
    for (const waiter of [...waiting]) {
      const index = lines.findIndex(line => waiter.key in line)
      if (index < 0) continue
      waiting.splice(waiting.indexOf(waiter), 1)
      waiter.resolve(lines.splice(index, 1)[0]![waiter.key])
    }
  }
  const exited = new Promise<number | null>(resolve => {
    child.once('close', code => {
      const failed = lines.find(line => 'failed' in line)?.failed
      for (const waiter of waiting) waiter.reject(new Error(String(failed ?? (errors || `ended with ${code}`))))
      resolve(code)
    })
  })
  const next = <T>(key: string) =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ key, resolve: resolve as (value: unknown) => void, reject })
      match()
    })
  child.stdin!.on('error', () => {})
  const ready = next<Ready>('ready')
  ready.catch(() => {})
  return {
    pid: child.pid!,
    ready,
    next,
    kill: signal => child.kill(signal),
    end() {
      child.stdin!.end()
      return exited
    },
    exited,
  }
}
