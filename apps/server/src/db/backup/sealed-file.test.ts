import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StartError } from '../start-error.ts'
import { type BackupRecord, readRecords, recordWriter } from './records.ts'
import { type DeriveKeys, deriveKeys, openSealed, writeSealed } from './sealed-file.ts'

const PASSPHRASE = 'correct horse battery staple'
const folder = mkdtempSync(join(tmpdir(), 'tw-sealed-'))
const file = join(folder, 'whole')
afterAll(() => rmSync(folder, { recursive: true }))

/** The real keys, made once for each salt: a flipped bit in a thousand places asks for the same ones. */
const made = new Map<string, ReturnType<DeriveKeys>>()
const keys: DeriveKeys = (passphrase, salt) => {
  const name = `${passphrase}:${salt.toString('hex')}`
  const known = made.get(name) ?? deriveKeys(passphrase, salt)
  made.set(name, known)
  return known
}

async function contentOf(path: string, passphrase = PASSPHRASE): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of (await openSealed(path, passphrase, keys)).content()) pieces.push(piece)
  return Buffer.concat(pieces)
}

async function seal(path: string, content: Buffer): Promise<void> {
  const sealed = await writeSealed(path, PASSPHRASE, keys)
  for (let at = 0; at < content.length; at += 50_000) await sealed.write(content.subarray(at, at + 50_000))
  expect(await sealed.finish()).toBe(statSync(path).size)
}

const words = Buffer.from(Array.from({ length: 40 }, (_, i) => `row ${i * 7919}\n`).join(''))
beforeAll(() => seal(file, words))

describe('a sealed file', () => {
  it('gives its content back, also of many frames, is closed to others and shows nothing of it', async () => {
    expect(await contentOf(file)).toEqual(words)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file).includes('row')).toBe(false)
    // Does not get smaller by compression.
    const noise = Buffer.alloc(1_500_000)
    for (let i = 0, seed = 1; i < noise.length; i++) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      noise[i] = seed >> 16
    }
    await seal(join(folder, 'large'), noise)
    expect((await contentOf(join(folder, 'large'))).equals(noise)).toBe(true)
    await expect(contentOf(join(folder, 'large'), `${PASSPHRASE}!`)).rejects.toThrow(/another passphrase/)
  })

  it('with any one byte flipped, cut off anywhere, or with something behind it is refused', async () => {
    const whole = readFileSync(file)
    const broken = join(folder, 'broken')
    const refused = async (bytes: Buffer, what: string) => {
      writeFileSync(broken, bytes)
      const error = await contentOf(broken).then(
        () => null,
        (reason: unknown) => reason,
      )
      expect(error, what).toBeInstanceOf(StartError)
    }
    for (let at = 0; at < whole.length; at++) {
      const flipped = Buffer.from(whole)
      flipped[at]! ^= 1 << (at % 8)
      await refused(flipped, `byte ${at}`)
    }
    for (let length = 0; length < whole.length; length++) await refused(whole.subarray(0, length), `length ${length}`)
    await refused(Buffer.concat([whole, Buffer.from([0])]), 'one byte more')
    await refused(Buffer.concat([whole, whole]), 'twice')
    await refused(Buffer.from('PK\u0003\u0004 another program’s file'), 'foreign')
  })

  it('that was never finished is refused', async () => {
    const path = join(folder, 'begun')
    const sealed = await writeSealed(path, PASSPHRASE, keys)
    await sealed.write(Buffer.alloc(3_000_000, 'x'))
    await sealed.abandon(new Error('given up'))
    await expect(contentOf(path)).rejects.toThrow(/damaged or was cut off/)
    await expect(writeSealed(path, PASSPHRASE, keys)).rejects.toMatchObject({ code: 'EEXIST' })
  })
})

describe('records', () => {
  it('come back in their order, in whatever pieces the bytes arrive, also when one is not read', async () => {
    const bytes: Buffer[] = []
    const to = recordWriter({ write: async piece => void bytes.push(piece) })
    const records: BackupRecord[] = [
      { type: 'file', path: 'keys/a' },
      { type: 'table', name: 't', columns: ['a', '物'] },
      { type: 'end', totals: { rows: { t: 2 }, files: 1, objects: 0 } },
    ]
    for (const record of records) {
      await to.begin(record)
      await to.piece(Buffer.from('one\n'))
      await to.piece(Buffer.alloc(0))
      await to.piece(Buffer.from('two\n'))
      await to.end()
    }
    const all = Buffer.concat(bytes)
    for (const size of [1, 7, 4096]) {
      const pieces = (async function* () {
        for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size)
      })()
      const found: [BackupRecord, string][] = []
      for await (const { record, body } of readRecords(pieces)) {
        let text = ''
        // The second is left alone after its first piece.
        for await (const piece of body) {
          text += piece.toString()
          if (record.type === 'table') break
        }
        found.push([record, text])
      }
      expect(found).toEqual([
        [records[0], 'one\ntwo\n'],
        [records[1], 'one\n'],
        [records[2], 'one\ntwo\n'],
      ])
    }
    const cut = (async function* () {
      yield all.subarray(0, -6)
    })()
    await expect(
      (async () => {
        for await (const _ of readRecords(cut));
      })(),
    ).rejects.toThrow(StartError)
  })
})
