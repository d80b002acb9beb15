// Helpers of the commands; Node's own modules only, because they run before anything is installed.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Ends the command with one line. */
export function fail(line) {
  process.stderr.write(`${line}\n`)
  process.exit(1)
}

/** Refuses a Node that is too old, and a C library the database's binaries cannot run on. */
export function checkPlatform() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19))
    fail(`Thingwright needs Node 20.19 or newer; this is ${process.versions.node}`)
  if (process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime)
    fail('Thingwright needs Linux with glibc; this system uses musl, for which the embedded database has no binaries')
}

/**
 * Calls back when npm, or the shell it put between itself and us, is gone: that shell does not pass signals on. Started
 * by something else, we may outlive it (`nohup node scripts/start.mjs &`).
 */
export function onLostParent(gone, everyMs = 500) {
  if (!process.env.npm_lifecycle_event) return
  const above = () => [process.ppid, parentOf(process.ppid)].join()
  const first = above()
  const timer = setInterval(() => {
    if (above() === first) return
    clearInterval(timer)
    gone()
  }, everyMs)
  timer.unref()
}

/** Of another process; null where that cannot be read. */
function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]
  } catch {
    return null
  }
}

/** Runs a program to its end; its output goes where ours goes. */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options })
    child.on('error', reject)
    child.on('exit', (code, signal) => resolve(code ?? (signal ? 128 : 1)))
  })
}

/**
 * Runs a program of ours to its end, and ends it when we are told to: by a signal to us, or to npm or its shell above us,
 * which do not pass it on.
 */
export function runUntilTold(args, options = {}) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', ...options })
  // The terminal's Ctrl-C reaches it as well: it takes both for one.
  const stop = () => child.kill('SIGTERM')
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
  onLostParent(stop)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => resolve(code ?? (signal ? 128 : 1)))
  })
}

function filesUnder(path, skip, out) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) return
  if (stat.isFile()) {
    out.push(path)
    return
  }
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (skip.has(entry.name)) continue
    filesUnder(join(path, entry.name), skip, out)
  }
}

/** One hash over the contents of some files and folders. */
export function hashOf(paths, skip = ['node_modules', 'dist', '.tsbuild', 'data', 'results']) {
  const files = []
  for (const path of paths) filesUnder(join(root, path), new Set(skip), files)
  const hash = createHash('sha256').update(process.versions.node.split('.')[0])
  for (const file of files.sort())
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0')
  return hash.digest('hex')
}

/** Whether the stamp file says the same as the hash. */
export function isFresh(stamp, hash) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hash
}

/** Installs the dependencies when they are missing or the lock file has changed. */
export async function installIfStale() {
  const stamp = join(root, 'node_modules', '.thingwright-install')
  const hash = hashOf(['package-lock.json', 'package.json'])
  if (isFresh(stamp, hash)) return false
  process.stdout.write('Installing dependencies ...\n')
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const code = await run(
    npm,
    ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'],
    { shell: process.platform === 'win32' },
  )
  if (code !== 0) fail('The dependencies could not be installed (npm ci failed; see above)')
  writeFileSync(stamp, hash)
  return true
}
