import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type S3Simulator, startS3Simulator } from '../../../../../tools/simulators/s3/s3-simulator.ts'
import { type ObjectStore, ObjectStoreError } from '../../modules/media/object-store.port.ts'
import { createFsObjectStore } from './fs/fs-object-store.ts'
import { createS3ObjectStore } from './s3/s3-object-store.ts'

const PART = 64 * 1024
const CREDENTIALS = { accessKey: 'key+id', secretKey: 'a/secret+with=signs', region: 'cn-north-1' }

let folder: string
let simulator: S3Simulator
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tw-objects-'))
  simulator = await startS3Simulator({ ...CREDENTIALS, bucket: 'uploads', pageSize: 2 })
})
afterAll(async () => {
  await simulator.close()
  rmSync(folder, { recursive: true, force: true })
})

const fsStore = () => createFsObjectStore(folder)
const s3Store = (over: { secretKey?: string; bucket?: string; timeoutMs?: number } = {}) =>
  createS3ObjectStore(
    {
      ...CREDENTIALS,
      endpoint: `http://127.0.0.1:${simulator.port}`,
      bucket: 'uploads',
      addressing: 'path',
      ...over,
    },
    { partBytes: PART, retryMs: 1, timeoutMs: over.timeoutMs ?? 60_000 },
  )

async function read(store: ObjectStore, key: string, range?: { start: number; end: number }) {
  const object = await store.get(key, range)
  if (!object) return null
  const chunks: Buffer[] = []
  for await (const chunk of object.body) chunks.push(chunk as Buffer)
  return { bytes: Buffer.concat(chunks), size: object.size, contentType: object.contentType }
}
const keys = async (store: ObjectStore, prefix: string) => {
  const found: string[] = []
  for await (const { key, size } of store.list(prefix)) found.push(`${key} ${size}`)
  return found.sort()
}
const problemOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'it was not refused',
    (error: unknown) => (error instanceof ObjectStoreError ? error.problem : String(error)),
  )
/** Bytes in uneven chunks, of which no part boundary is a multiple. */
function* chunks(bytes: Buffer, size = 7919) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const sample = (length: number) => Buffer.from(Uint8Array.from({ length }, (_, i) => (i * 31) & 0xff))

describe.each([
  ['a folder', fsStore],
  ['an S3 store', s3Store],
])('objects in %s', (name, create) => {
  let store: ObjectStore
  const at = name === 'a folder' ? 'folder' : 'bucket'
  beforeAll(() => {
    store = create()
  })

  it('come back as they were, with their type', async () => {
    await store.put(`${at}/one.bin`, Buffer.from('hello 物'), { contentType: 'text/plain; charset=utf-8' })
    expect(await read(store, `${at}/one.bin`)).toEqual({
      bytes: Buffer.from('hello 物'),
      size: Buffer.byteLength('hello 物'),
      contentType: 'text/plain; charset=utf-8',
    })
  })

  it.each([0, 1, PART - 1, PART, PART + 1, 3 * PART, 3 * PART + 17])(
    'may have %i bytes, as a stream and as a buffer',
    async length => {
      const bytes = sample(length)
      await store.put(`${at}/stream-${length}`, Readable.from(chunks(bytes)), { contentType: 'a/b', size: length })
      await store.put(`${at}/buffer-${length}`, bytes, { contentType: 'a/b', size: length })
      for (const kind of ['stream', 'buffer']) {
        const got = await read(store, `${at}/${kind}-${length}`)
        expect(got?.size).toBe(length)
        expect(got?.bytes.equals(bytes)).toBe(true)
      }
    },
  )

  it('are read in parts', async () => {
    await store.put(`${at}/range`, Buffer.from('0123456789'), { contentType: 'a/b' })
    expect(await read(store, `${at}/range`, { start: 2, end: 4 })).toMatchObject({
      bytes: Buffer.from('234'),
      size: 10,
    })
    expect((await read(store, `${at}/range`, { start: 9, end: 9 }))?.bytes.toString()).toBe('9')
  })

  it('are replaced and removed', async () => {
    await store.put(`${at}/x`, Buffer.from('old'), { contentType: 'a/old' })
    await store.put(`${at}/x`, Buffer.from('newer'), { contentType: 'a/new' })
    expect(await read(store, `${at}/x`)).toMatchObject({ size: 5, contentType: 'a/new' })
    await store.remove(`${at}/x`)
    expect(await store.get(`${at}/x`)).toBeNull()
    await store.remove(`${at}/x`)
    await store.remove(`${at}/never-there`)
    expect(await store.get(`${at}/never/there`)).toBeNull()
  })

  it('are listed by the beginning of their key, over several pages', async () => {
    for (const key of ['a/1', 'a/2', 'a/b/3', 'ab/4', 'b/5'])
      await store.put(`${at}-list/${key}`, Buffer.from('xx'), { contentType: 'a/b' })
    expect(await keys(store, `${at}-list/a`)).toEqual(['a/1', 'a/2', 'a/b/3', 'ab/4'].map(k => `${at}-list/${k} 2`))
    expect(await keys(store, `${at}-list/a/`)).toHaveLength(3)
    expect(await keys(store, `${at}-list/none/`)).toEqual([])
  })

  it('are not stored when the body has another length than announced', async () => {
    for (const length of [10, 2 * PART]) {
      const put = (size: number) =>
        store.put(`${at}/short`, Readable.from(chunks(sample(length))), { contentType: 'a/b', size })
      expect(await problemOf(put(length - 1))).toBe('size_mismatch')
      expect(await problemOf(put(length + 1))).toBe('size_mismatch')
    }
    expect(await problemOf(store.put(`${at}/short`, Buffer.from('abc'), { contentType: 'a/b', size: 4 }))).toBe(
      'size_mismatch',
    )
    expect(await store.get(`${at}/short`)).toBeNull()
    expect(leftovers()).toBe(0)
  })

  it('are not stored when the body breaks off, and an earlier one stays', async () => {
    await store.put(`${at}/kept`, Buffer.from('first'), { contentType: 'a/b' })
    for (const length of [100, 3 * PART]) {
      async function* breaking() {
        yield sample(length)
        throw new Error('the sender went away')
      }
      const put = store.put(`${at}/kept`, Readable.from(breaking()), { contentType: 'a/b' })
      expect(await problemOf(put)).toBe('Error: the sender went away')
    }
    expect((await read(store, `${at}/kept`))?.bytes.toString()).toBe('first')
    expect(leftovers()).toBe(0)
  })

  it('have keys that cannot leave the store', async () => {
    const long = 'a'.repeat(201)
    for (const key of [
      ...[
        '',
        '/',
        '/etc/passwd',
        '../x',
        'a/../b',
        'a/..',
        'a//b',
        'a/',
        './a',
        '.hidden',
        'a/.git/x',
        '..\\x',
        'a\\b',
      ],
      ...[
        'a\0b',
        'C:\\x',
        'a b',
        'a%2e%2e',
        'ä',
        '物',
        'a\nb',
        'a?x',
        'a#x',
        'a&b',
        '‮gpj',
        long,
        `${'a/'.repeat(300)}b`,
      ],
    ]) {
      expect(await problemOf(store.put(key, Buffer.from('x'), { contentType: 'a/b' })), key).toBe('key_invalid')
      expect(await problemOf(store.get(key)), key).toBe('key_invalid')
      expect(await problemOf(store.remove(key)), key).toBe('key_invalid')
    }
  })

  it('of many writers of one key are one of theirs, whole', async () => {
    const bodies = Array.from({ length: 8 }, (_, i) => Buffer.alloc(PART + 5, i))
    await Promise.all(bodies.map(body => store.put(`${at}/race`, Readable.from(chunks(body)), { contentType: 'a/b' })))
    const got = await read(store, `${at}/race`)
    expect(bodies.some(body => body.equals(got!.bytes))).toBe(true)
  })

  function leftovers(): number {
    return at === 'folder' ? readdirSync(join(folder, 'unfinished')).length : simulator.openUploads()
  }
})

describe('a folder', () => {
  it('clears what a killed server left half written', async () => {
    const store = fsStore()
    await store.put('k/a', Buffer.from('x'), { contentType: 'a/b' })
    writeFileSync(join(folder, 'unfinished/left'), 'half')
    await createFsObjectStore(folder).put('k/b', Buffer.from('x'), { contentType: 'a/b' })
    expect(existsSync(join(folder, 'unfinished/left'))).toBe(false)
    expect((await read(store, 'k/a'))?.bytes.toString()).toBe('x')
  })

  it('does not follow a link out of it', async () => {
    const store = fsStore()
    await store.put('links/real', Buffer.from('x'), { contentType: 'a/b' })
    symlinkSync('/etc/hostname', join(folder, 'objects/links/away'))
    writeFileSync(join(folder, 'types/links/away'), 'a/b')
    expect(await store.get('links/away')).toBeNull()
    expect(await keys(store, 'links/')).toEqual(['links/real 1'])
  })
})

describe('an S3 store', () => {
  afterEach(() => simulator.failNext(0, 500))

  it('is asked again after a passing failure, with short and with long bodies', async () => {
    for (const length of [10, 3 * PART]) {
      simulator.failNext(2, 503)
      await s3Store().put('bucket/again', Readable.from(chunks(sample(length))), { contentType: 'a/b' })
      expect((await read(s3Store(), 'bucket/again'))?.size).toBe(length)
    }
  })

  it('says that it is unavailable or full, without secrets', async () => {
    simulator.failNext(100, 500)
    expect(await problemOf(s3Store().get('bucket/x'))).toBe('unavailable')
    simulator.failNext(100, 507)
    expect(await problemOf(s3Store().put('bucket/x', Buffer.from('x'), { contentType: 'a/b' }))).toBe('no_room')
    simulator.failNext(0, 500)
    const wrong = await s3Store({ secretKey: 'not-the-secret' })
      .get('bucket/x')
      .catch((error: Error) => error.message)
    expect(wrong).toBe('the object store answered 403 SignatureDoesNotMatch')
    expect(await problemOf(s3Store({ bucket: 'other' }).put('a', Buffer.from('x'), { contentType: 'a/b' }))).toBe(
      'unavailable',
    )
    const nobody = createS3ObjectStore(
      { ...CREDENTIALS, endpoint: 'http://127.0.0.1:1', bucket: 'b', addressing: 'path' },
      { retryMs: 1 },
    )
    expect(await problemOf(nobody.get('a'))).toBe('unavailable')
  })

  it('gives a long body up whole when a part is refused', async () => {
    const store = s3Store()
    async function* body() {
      yield sample(2 * PART)
      simulator.failNext(4, 500)
      yield sample(PART)
    }
    expect(await problemOf(store.put('bucket/refused', Readable.from(body()), { contentType: 'a/b' }))).toBe(
      'unavailable',
    )
    expect(simulator.objects.has('bucket/refused')).toBe(false)
    expect(simulator.openUploads()).toBe(0)
  })
})
