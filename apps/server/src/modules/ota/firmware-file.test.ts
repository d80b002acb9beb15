import { generateKeyPairSync, sign } from 'node:crypto'
import { firmwareManifest } from '@thingwright/contracts/firmware-manifest'
import { expect, it } from 'vitest'
import { checkFirmwareFile, firmwareFileName } from './firmware-file.ts'
import { readPublicKey, signerOf } from './firmware-signature.ts'

const refusal = (work: () => unknown): string => {
  try {
    work()
    return 'taken'
  } catch (error) {
    return (error as { code?: string }).code ?? String(error)
  }
}

it('names become names and nothing else', () => {
  expect(
    [
      'a.bin; rm -rf .bin',
      '<img src=x onerror=alert(1)>.bin',
      '../../etc/passwd.bin',
      'C:\\fw\\v2.bin',
      '.bashrc.bin',
      'gpj\u202enib.bin',
      '水泵 v1.2(beta).bin',
      'a\u0000b.bin. .',
      '--force.bin',
      `${'x'.repeat(300)}.bin`,
    ].map(firmwareFileName),
  ).toEqual([
    'a.bin_rm_-rf_.bin',
    'img_src_x_onerror_alert(1)_.bin',
    'passwd.bin',
    'v2.bin',
    'bashrc.bin',
    'gpj_nib.bin',
    '水泵_v1.2(beta).bin',
    'a_b.bin',
    'force.bin',
    `${'x'.repeat(116)}.bin`,
  ])
})

it('content is held against the name, and against what the product asks for', () => {
  const check = (name: string, head: Buffer | string, own: string | null = null) =>
    refusal(() => checkFirmwareFile(name, Buffer.from(head as string, 'latin1'), own ? Buffer.from(own, 'hex') : null))
  expect(check('a.bin', '')).toBe('firmware.file_empty')
  expect(check('a.exe', 'MZ')).toBe('firmware.file_kind')
  expect(check('noending', 'x')).toBe('firmware.file_kind')
  expect(check('a.gz', 'PK\x03\x04')).toBe('firmware.magic')
  expect(check('a.gz', '\x1f\x8b\x08')).toBe('taken')
  expect(check('a.zip', 'PK\x03\x04')).toBe('taken')
  expect(check('a.tar', `${'x'.repeat(257)}ustar`)).toBe('taken')
  expect(check('a.bin', '\xe9\x03\x02')).toBe('taken')
  expect(check('a.bin', '\x00\x01', 'e9')).toBe('firmware.magic')
  expect(check('a.bin', '\xe9\x01', 'e9')).toBe('taken')
  for (const page of [
    '<html>',
    '\xef\xbb\xbf  <!DOCTYPE html>',
    '\n<svg onload=x>',
    '#!/bin/sh\nrm -rf /',
    '%PDF-1.7',
    '\x89PNG\r\n\x1a\n',
    `MZ${'\x00'.repeat(100)}PE\0\0`,
  ])
    expect(check('a.bin', page), page).toBe('firmware.content_refused')
})

it('a signature counts for this product, version and content, by one of the product’s own keys', () => {
  const mine = generateKeyPairSync('ed25519')
  const other = generateKeyPairSync('ed25519')
  const pem = mine.publicKey.export({ format: 'pem', type: 'spki' }).toString()
  const bytes = readPublicKey(pem)
  const der = mine.publicKey.export({ format: 'der', type: 'spki' })
  expect(readPublicKey(bytes.toString('base64')).equals(bytes)).toBe(true)
  expect(readPublicKey(der.toString('base64')).equals(bytes)).toBe(true)
  for (const bad of [
    'no key',
    generateKeyPairSync('x25519').publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    mine.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  ])
    expect(refusal(() => readPublicKey(bad))).toBe('firmware.key_invalid')
  const facts = {
    productKey: 'p',
    module: 'default',
    version: '2',
    fromVersion: null,
    size: 4,
    sha256: 'a'.repeat(64),
  }
  const signature = sign(null, Buffer.from(firmwareManifest(facts)), mine.privateKey)
  const keys = [{ publicKey: readPublicKey(other.publicKey.export({ format: 'pem', type: 'spki' }).toString()) }]
  expect(refusal(() => signerOf(facts, signature, keys))).toBe('firmware.signature_invalid')
  keys.push({ publicKey: bytes })
  expect(signerOf(facts, signature, keys)).toBe(keys[1])
  for (const forged of [{ version: '3' }, { productKey: 'q' }, { fromVersion: '1' }, { size: 5 }, { module: 'mcu' }])
    expect(refusal(() => signerOf({ ...facts, ...forged }, signature, keys))).toBe('firmware.signature_invalid')
})
