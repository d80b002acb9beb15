import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { type CertificatePems, ownCertificate, readCertificate } from './certificate.ts'
import { watchCertificate } from './certificate-watch.ts'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0).reverse()) end()
})

async function files() {
  const folder = mkdtempSync(join(tmpdir(), 'tw-renew-'))
  ends.push(() => rmSync(folder, { recursive: true }))
  const [first, second] = [
    await ownCertificate(join(folder, 'one'), Date.now()),
    await ownCertificate(join(folder, 'two'), Date.now()),
  ]
  const paths = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
  const write = (file: 'certFile' | 'keyFile', text: string) => {
    writeFileSync(`${paths[file]}.new`, text)
    renameSync(`${paths[file]}.new`, paths[file])
  }
  write('certFile', first.cert)
  write('keyFile', first.key)
  return { paths, write, first, second }
}

it('hands on what was renewed once both files were, and says once what cannot be used', async () => {
  const { paths, write, first, second } = await files()
  const renewed: CertificatePems[] = []
  const faults: string[] = []
  const watch = watchCertificate({
    read: () => readCertificate(paths),
    onRenewed: pems => renewed.push(pems),
    onFault: error => faults.push(error.message),
    everyMs: 3_600_000,
  })
  ends.push(watch.stop)
  watch.look()
  write('certFile', second.cert)
  watch.look()
  watch.look()
  expect(renewed).toEqual([])
  expect(faults).toHaveLength(1)
  expect(watch.current()).toEqual(first)
  write('keyFile', second.key)
  watch.look()
  watch.look()
  expect(renewed).toEqual([second])
  write('certFile', 'half of a fi')
  watch.look()
  rmSync(paths.keyFile)
  watch.look()
  expect(faults).toHaveLength(3)
  expect(watch.current()).toEqual(second)
})

it('looks by itself', async () => {
  const { paths, write, second } = await files()
  const renewed: CertificatePems[] = []
  const watch = watchCertificate({
    read: () => readCertificate(paths),
    onRenewed: pems => renewed.push(pems),
    onFault: () => undefined,
    everyMs: 5,
  })
  ends.push(watch.stop)
  write('certFile', second.cert)
  write('keyFile', second.key)
  await vi.waitUntil(() => renewed.length === 1, { timeout: 30_000 })
})
