import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import { expect, it } from 'vitest'
import { consoleFiles } from './console-files.ts'

it('a cloud page runs our own file alone, whatever a drawing or text on it holds, and loads from its own hosts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tw-page-'))
  mkdirSync(join(folder, 'cloud-page'))
  writeFileSync(join(folder, 'index.html'), '<html><head></head></html>')
  writeFileSync(join(folder, 'cloud-page/page.html'), '<html></html>')
  const app = fastify()
  await consoleFiles(
    app,
    folder,
    () => ({ devFlag: false, demo: false, version: 'test' }),
    async suffix => (suffix === 'with-host' ? ['cams.example:8443'] : []),
  )
  const rules = async (suffix: string) => {
    const { headers } = await app.inject(`/page/${suffix}`)
    const lines = String(headers['content-security-policy']).split('; ')
    return new Map(lines.map(line => [line.split(' ')[0], line.split(' ').slice(1)]))
  }
  const plain = await rules('station')
  // No inline script, event attribute, javascript: address, eval or foreign script; no plug-in, no other base, no form elsewhere.
  expect(plain.get('script-src')).toEqual(["'self'"])
  expect(plain.get('default-src')).toEqual(["'none'"])
  expect(plain.get('object-src')).toEqual(["'none'"])
  expect(plain.get('base-uri')).toEqual(["'none'"])
  expect(plain.get('connect-src')).toEqual(["'self'"])
  expect(plain.get('form-action')).toEqual(["'self'"])
  expect(plain.get('frame-src')).toEqual(["'self'"])
  expect(plain.get('img-src')).toEqual(["'self'", 'data:', 'blob:'])
  expect(plain.get('media-src')).toEqual(["'self'", 'blob:'])
  const named = await rules('with-host')
  const host = ['https://cams.example:8443', 'http://cams.example:8443']
  for (const rule of ['img-src', 'media-src', 'frame-src'])
    expect(named.get(rule)).toEqual([...plain.get(rule)!, ...host])
  expect(named.get('script-src')).toEqual(["'self'"])
  expect(named.get('connect-src')).toEqual(["'self'"])
  await app.close()
  rmSync(folder, { recursive: true })
})

it('the console loads pictures from the tiles of its maps and from no other host, from none without them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tw-console-'))
  writeFileSync(join(folder, 'index.html'), '<html><head></head></html>')
  const rules = async (tiles?: string[]) => {
    const app = fastify()
    await consoleFiles(
      app,
      folder,
      () => ({ devFlag: false, demo: false, version: 'test' }),
      undefined,
      undefined,
      tiles,
    )
    const { headers } = await app.inject('/stat/DeviceMap')
    await app.close()
    return String(headers['content-security-policy'])
  }
  const plain = await rules()
  expect(plain).not.toMatch(/https?:/)
  const tiled = await rules(['https://t0.tianditu.gov.cn', 'https://t1.tianditu.gov.cn'])
  expect(tiled).toBe(
    plain.replace(/img-src [^;]*/, rule => `${rule} https://t0.tianditu.gov.cn https://t1.tianditu.gov.cn`),
  )
  rmSync(folder, { recursive: true })
})
