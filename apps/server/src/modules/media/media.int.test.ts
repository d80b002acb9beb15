import { Readable } from 'node:stream'
import { zipSync } from 'fflate'
import sharp from 'sharp'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management, refusal } from '../../db/testing/management.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { HttpInfo, StreamReply } from '../../lib/http.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import { raw } from '../../lib/testing/raw.ts'
import { createMediaModule, type MediaModule } from './index.ts'
import { createMediaExport } from './media-export.ts'
import { memoryObjectStore, png, wav } from './testing.ts'

const store = memoryObjectStore()
const MB = 1024 * 1024
let m: Management
let media: MediaModule
let mine: Company
let theirs: Company
let quota = 100 * MB

beforeAll(async () => {
  m = await management()
  mine = await company(m.db)
  theirs = await company(m.db)
  media = createMediaModule({
    database: m.database,
    store,
    secretKey: 'k'.repeat(64),
    logger: silentLogger,
    quota: {
      limit: async () => quota,
      ofUser: async () => 0,
      async hold(scope: TenantScope, _kind, more, used) {
        await raw(scope, 'select 1')
        if (used + more > quota) throw new AppError('quota.exceeded')
      },
    },
  })
})

const file = (bytes: Buffer | Iterable<Buffer> | AsyncIterable<Buffer>, fileName = 'x.bin') => ({
  fileName,
  contentType: 'image/png',
  body: Readable.from(Buffer.isBuffer(bytes) ? [bytes] : bytes),
})
const upload = (
  bytes: Buffer | Iterable<Buffer> | AsyncIterable<Buffer>,
  fileName?: string,
  over: object = {},
  of = mine,
) => media.service.upload(of.ctx, over, file(bytes, fileName))
const objects = async () => {
  let n = 0
  for await (const { key } of store.list('media/')) if (!key.endsWith('-thumb')) n++
  return n
}
const leftovers = async () =>
  (await m.db.database.withSystemScope('seed', scope => raw(scope, 'select 1 from media_leftovers'))).rowCount
let picture = 1
/** Another picture each time. */
const another = () => png(2 + (picture % 50), 2 + Math.floor(picture++ / 50))

async function fetchIt(url: string, headers: Record<string, string> = {}, now = Date.now()) {
  const { pathname, searchParams } = new URL(url, 'http://x')
  const [, , id, thumb] = pathname.split('/')
  const sent: Record<string, string> = {}
  const http: HttpInfo = { ip: '', userAgent: '', headers, setHeader: (name, value) => (sent[name] = value) }
  const e = searchParams.get('e')
  const query = {
    ...(e === null ? {} : { e: Number(e) }),
    ...(searchParams.has('s') ? { s: searchParams.get('s')! } : {}),
    ...(searchParams.has('download') ? { download: '1' as const } : {}),
  }
  const reply: StreamReply = await (thumb ? media.serving.openThumb : media.serving.open)(id!, query, now, http)
  const chunks: Buffer[] = []
  for await (const chunk of reply.body) chunks.push(chunk as Buffer)
  return { status: reply.status, type: reply.contentType, fileName: reply.fileName, sent, bytes: Buffer.concat(chunks) }
}

describe('an upload', () => {
  it('becomes a material whose kind its bytes say', async () => {
    const bytes = another()
    const row = await upload(bytes, '水泵 💧.exe', { tags: [' 泵 ', '泵', 'a'] })
    expect(row).toMatchObject({
      name: '水泵 💧.exe',
      kind: 'image',
      contentType: 'image/png',
      size: bytes.length,
      tags: ['泵', 'a'],
      folderId: null,
      uses: 0,
      public: false,
      publicUrl: null,
      createdBy: 'li.na',
      version: 1,
    })
    expect([row.width, row.height].every(n => n! >= 2)).toBe(true)
    const got = await fetchIt(row.url)
    expect(got).toMatchObject({ status: 200, type: 'image/png', fileName: undefined })
    expect(got.bytes.equals(bytes)).toBe(true)
    expect(got.sent).toMatchObject({
      'content-length': String(bytes.length),
      'content-security-policy': expect.stringMatching(/default-src 'none'.*sandbox/),
      'cache-control': 'private, max-age=600',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect((await m.audit.service.list(mine.ctx, { objectId: row.id })).items[0]).toMatchObject({
      action: 'media.create',
      after: { name: '水泵 💧.exe', kind: 'image' },
    })
  })

  it('of a drawing is cleaned before it is stored', async () => {
    const row = await upload(
      Buffer.from(
        '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script><foreignObject/><a xlink:href="javascript:1"/><rect width="1" onload="x()"/></svg>',
      ),
      'a.svg',
    )
    const got = await fetchIt(row.url)
    expect(got.bytes.toString()).toBe('<svg xmlns="http://www.w3.org/2000/svg"><rect width="1"/></svg>')
    expect(got.type).toBe('image/svg+xml; charset=utf-8')
    expect(row).toMatchObject({ kind: 'svg', size: got.bytes.length, thumbUrl: row.url })
  })

  const refused: [string, () => Buffer | Iterable<Buffer>, string, object?][] = [
    ['nothing', () => Buffer.alloc(0), 'media.empty'],
    ['a PNG that promises 60,000 x 60,000 pixels', () => png(60_000, 60_000, false), 'media.too_many_pixels'],
    ['a PNG cut off', () => png(50, 50).subarray(0, 20), 'media.unreadable'],
    ['a PNG of nothing but its first bytes', () => Buffer.from('\x89PNG\r\n\x1a\n junk', 'latin1'), 'media.unreadable'],
    ['a GIF that is HTML', () => Buffer.from('GIF89a<script>alert(1)</script>'), 'media.unreadable'],
    ['a JPEG that is a script', () => Buffer.from('\xff\xd8\xff=1;alert(1)', 'latin1'), 'media.unreadable'],
    [
      'an SVG with an external entity',
      () => Buffer.from('<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg>&x;</svg>'),
      'media.svg_invalid',
    ],
    [
      'an SVG of a billion laughs',
      () => Buffer.from('<!DOCTYPE svg [<!ENTITY a "a"><!ENTITY b "&a;&a;">]><svg/>'),
      'media.svg_invalid',
    ],
    ['an SVG in no UTF-8', () => Buffer.from('<svg>\xff\xfe</svg>', 'latin1'), 'media.svg_invalid'],
    ['an SVG without end', () => Buffer.from('<svg><g>'), 'media.svg_invalid'],
    ['an SVG of two megabytes', () => Buffer.from(`<svg>${' '.repeat(2 * MB)}</svg>`), 'media.too_large'],
    ['a picture of 21 MB', () => [png(2, 2), ...Array(21).fill(Buffer.alloc(MB))], 'media.too_large'],
    ['a sound where a picture is expected', () => wav(), 'media.kind_mismatch', { expect: 'image' }],
    ['a folder that is not there', () => another(), 'media.folder_not_found', { folderId: newId() }],
  ]
  it.each(refused)('of %s is refused and leaves nothing behind', async (_, bytes, code, over) => {
    const before = await objects()
    expect((await refusal(upload(bytes(), 'x.png', over))).code).toBe(code)
    expect(await objects()).toBe(before)
    expect(await leftovers()).toBe(0)
  })

  it('that breaks off leaves nothing behind', async () => {
    const before = await objects()
    async function* broken() {
      yield png(3, 3).subarray(0, 50)
      yield Buffer.alloc(100_000)
      throw new Error('the sender went away')
    }
    await expect(upload(broken())).rejects.toThrow('went away')
    expect(await objects()).toBe(before)
    expect(await leftovers()).toBe(0)
  })

  it('of an archive or of anything unknown is only stored, and only handed out as a download', async () => {
    const bomb = zipSync({ 'a.txt': new Uint8Array(10 * MB) })
    for (const [bytes, type] of [
      [Buffer.from(bomb), 'application/zip'],
      [Buffer.from('<html><script>alert(1)</script></html>'), 'application/octet-stream'],
      [Buffer.from('GLTF'), 'application/octet-stream'],
    ] as const) {
      const row = await upload(bytes, 'page.html')
      expect(row).toMatchObject({ kind: 'file', contentType: type, size: bytes.length, thumbUrl: null })
      expect(await fetchIt(row.url)).toMatchObject({ type, fileName: 'page.html' })
    }
  })

  it('whose name climbs, hides or turns is shown by a plain name', async () => {
    for (const [sent, shown] of [
      ['../../../etc/cron.d/x', 'x'],
      ['a\0.png', 'a.png'],
      ['\u202egnp.exe', 'gnp.exe'],
      ['', 'unnamed'],
    ] as const)
      expect((await upload(another(), sent)).name).toBe(shown)
    for await (const { key } of store.list('')) expect(key).toMatch(/^media\/[0-9a-f-]{36}\/[0-9a-f-]{36}(-thumb)?$/)
  })
})

describe('the same bytes', () => {
  it('are stored once for a company, until the last of their materials goes', async () => {
    const bytes = another()
    const before = { objects: await objects(), used: (await media.service.usage(mine.ctx)).usedBytes }
    const [a, b] = [await upload(bytes, 'a.png'), await upload(bytes, 'b.png')]
    expect(a.id).not.toBe(b.id)
    expect(a.sha256).toBe(b.sha256)
    await expect.poll(objects).toBe(before.objects + 1)
    expect((await media.service.usage(mine.ctx)).usedBytes).toBe(before.used + bytes.length)
    await media.service.remove(mine.ctx, a.id)
    expect((await fetchIt(b.url)).bytes.equals(bytes)).toBe(true)
    expect((await refusal(fetchIt(a.url))).code).toBe('media.not_found')
    await media.service.remove(mine.ctx, b.id)
    await expect.poll(objects).toBe(before.objects)
    await expect.poll(leftovers).toBe(0)
  })

  it('uploaded ten times at once are stored once', async () => {
    const bytes = another()
    const before = await objects()
    const rows = await Promise.all(Array.from({ length: 10 }, () => upload(bytes)))
    expect(new Set(rows.map(row => row.id)).size).toBe(10)
    await expect.poll(objects).toBe(before + 1)
    await expect.poll(leftovers).toBe(0)
    for (const row of rows) expect((await fetchIt(row.url)).bytes.equals(bytes)).toBe(true)
  })

  it('survive a removal that meets an upload', async () => {
    const bytes = another()
    for (let i = 0; i < 5; i++) {
      const old = await upload(bytes)
      const [row] = await Promise.all([upload(bytes), media.service.remove(mine.ctx, old.id)])
      expect((await fetchIt(row.url)).bytes.equals(bytes)).toBe(true)
      await media.service.remove(mine.ctx, row.id)
    }
    await expect.poll(leftovers).toBe(0)
  })

  it('of two companies are stored twice: nobody learns what another one has', async () => {
    const bytes = another()
    const before = await objects()
    await upload(bytes)
    await upload(bytes, 'x', {}, theirs)
    await expect.poll(objects).toBe(before + 2)
  })
})

describe('the quota', () => {
  it('lets one of two through when there is room for one', async () => {
    const used = (await media.service.usage(theirs.ctx)).usedBytes
    quota = used + 150_000
    try {
      const bytes = (fill: number) => Buffer.alloc(100_000, fill)
      const answers = await Promise.allSettled([upload(bytes(1), 'a', {}, theirs), upload(bytes(2), 'b', {}, theirs)])
      expect(answers.map(answer => answer.status).sort()).toEqual(['fulfilled', 'rejected'])
      const refusedOne = answers.find(answer => answer.status === 'rejected') as PromiseRejectedResult
      expect((refusedOne.reason as AppError).code).toBe('quota.exceeded')
      expect((await media.service.usage(theirs.ctx)).usedBytes).toBe(used + 100_000)
      expect(await leftovers()).toBe(0)
      quota = used
      expect((await refusal(upload(another(), 'c', {}, theirs))).code).toBe('quota.exceeded')
    } finally {
      quota = 100 * MB
    }
  })
})

describe('an address', () => {
  it('ends, cannot be made up and shows nothing of a private material', async () => {
    const row = await upload(another())
    const end = Number(new URL(row.url, 'http://x').searchParams.get('e')) * 1000
    expect((await refusal(fetchIt(row.url, {}, end))).code).toBe('media.link_expired')
    const other = await upload(another())
    const foreign = row.url.replace(row.id, other.id)
    for (const url of [`/media/${row.id}`, foreign, row.url.replace(/s=.{4}/, 's=AAAA'), `/media/${newId()}`])
      expect((await refusal(fetchIt(url))).code).toBe('media.not_found')
  })

  it('without signature works for a public material, until it is private again', async () => {
    const row = await upload(another())
    const open = await media.service.update(mine.ctx, row.id, { version: 1, public: true })
    expect(open.publicUrl).toBe(`/media/${row.id}`)
    expect((await fetchIt(open.publicUrl!)).sent).toMatchObject({
      'cache-control': 'public, max-age=300',
      'cross-origin-resource-policy': 'cross-origin',
    })
    await media.service.update(mine.ctx, row.id, { version: 2, public: false })
    expect((await refusal(fetchIt(open.publicUrl!))).code).toBe('media.not_found')
  })

  it('of a frozen company opens nothing', async () => {
    const frozen = await company(m.db)
    const row = await upload(another(), 'x', {}, frozen)
    await m.db.superuser.query("update tenants set status = 'frozen' where id = $1", [frozen.id])
    expect((await refusal(fetchIt(row.url))).code).toBe('media.not_found')
  })

  it('gives parts of a sound, and says when nothing is new', async () => {
    const bytes = wav(5000)
    const row = await upload(bytes, 'beep.wav')
    expect(row.kind).toBe('audio')
    const part = await fetchIt(row.url, { range: 'bytes=100-199' })
    expect(part.status).toBe(206)
    expect(part.bytes.equals(bytes.subarray(100, 200))).toBe(true)
    expect(part.sent).toMatchObject({
      'content-range': `bytes 100-199/${bytes.length}`,
      'content-length': '100',
      'accept-ranges': 'bytes',
    })
    expect((await refusal(fetchIt(row.url, { range: `bytes=${bytes.length}-` }))).code).toBe('request.range_invalid')
    const etag = part.sent.etag!
    expect(await fetchIt(row.url, { 'if-none-match': `W/"other", ${etag}` })).toMatchObject({ status: 304 })
    expect((await fetchIt(row.url, { range: 'bytes=0-0', 'if-range': '"old"' })).status).toBe(200)
    expect((await fetchIt(row.url, { range: 'bytes=0-0', 'if-range': etag })).status).toBe(206)
    expect((await fetchIt(`${row.url}&download=1`)).fileName).toBe('beep.wav')
  })
})

describe('a small picture', () => {
  it('is made on the first request, once, and goes with its bytes', async () => {
    const bytes = await sharp({ create: { width: 900, height: 300, channels: 3, background: '#08f' } })
      .jpeg()
      .toBuffer()
    const row = await upload(bytes, 'wide.jpg')
    expect(row).toMatchObject({ width: 900, height: 300 })
    const [one, two] = await Promise.all([fetchIt(row.thumbUrl!), fetchIt(row.thumbUrl!)])
    expect(one).toMatchObject({ status: 200, type: 'image/webp' })
    expect(two.bytes.equals(one.bytes)).toBe(true)
    expect(await sharp(one.bytes).metadata()).toMatchObject({ format: 'webp', width: 320, height: 107 })
    expect(await fetchIt(row.thumbUrl!, { 'if-none-match': one.sent.etag! })).toMatchObject({ status: 304 })
    await media.service.remove(mine.ctx, row.id)
    await expect
      .poll(async () => {
        let thumbs = 0
        for await (const { key } of store.list('media/')) if (key.endsWith('-thumb')) thumbs++
        return thumbs
      })
      .toBe(0)
  })

  it('of a picture whose end is missing is none, and is not tried again and again', async () => {
    const whole = await sharp({ create: { width: 400, height: 400, channels: 3, background: '#08f' } })
      .png({ compressionLevel: 0 })
      .toBuffer()
    const row = await upload(whole.subarray(0, whole.length / 2), 'half.png')
    expect((await refusal(fetchIt(row.thumbUrl!))).code).toBe('media.not_found')
    const { rows } = await m.db.database.withSystemScope('seed', scope =>
      raw<{ thumb_key: string }>(scope, 'select thumb_key from media_blobs where size = $1', [row.size]),
    )
    expect(rows[0]?.thumb_key).toBe('')
  })

  it('is of images only', async () => {
    const row = await upload(wav(100))
    expect((await refusal(fetchIt(row.url.replace('?', '/thumb?')))).code).toBe('media.not_found')
  })
})

describe('a material in use', () => {
  const by = { objectType: 'device', objectId: 'd1', label: '一号泵' }
  const claim = (id: string, of = mine, use = by) =>
    m.database.withTenant(of.ctx, scope => media.service.claim(scope, of.ctx, id, use))

  it('is not removed, says where it is used, and keeps its id and uses when it is replaced', async () => {
    const row = await upload(another(), 'logo.png')
    await claim(row.id)
    await claim(row.id, mine, { ...by, label: '一号水泵' })
    const error = await refusal(media.service.remove(mine.ctx, row.id))
    expect(error).toMatchObject({
      code: 'media.in_use',
      params: { count: 1, usedBy: [{ objectType: 'device', objectId: 'd1', label: '一号水泵' }] },
    })
    const bytes = another()
    const before = await objects()
    const next = await media.service.replace(mine.ctx, row.id, { version: 1 }, file(bytes))
    expect(next).toMatchObject({ id: row.id, name: 'logo.png', version: 2, uses: 1 })
    await expect.poll(objects).toBe(before)
    // An address given out before shows the new bytes: whoever uses the material needs no change.
    expect((await fetchIt(row.url)).bytes.equals(bytes)).toBe(true)
    expect((await refusal(media.service.replace(mine.ctx, row.id, { version: 1 }, file(another())))).code).toBe(
      'version.conflict',
    )
    const sound = media.service.replace(mine.ctx, row.id, { version: 2 }, file(wav()))
    expect((await refusal(sound)).code).toBe('media.kind_mismatch')
    await m.database.withTenant(mine.ctx, scope => media.service.release(scope, by))
    expect(await media.service.remove(mine.ctx, row.id)).toEqual({ ok: true })
  })

  it('is named when several are removed, and the others go', async () => {
    const [a, b, c] = [await upload(another(), 'a'), await upload(another(), 'b'), await upload(another(), 'c')]
    await claim(b.id)
    const answer = await media.service.removeMany(mine.ctx, [a.id, b.id, c.id])
    expect(answer).toMatchObject({ removed: 2, kept: [{ id: b.id, name: 'b', usedBy: [{ label: '一号泵' }] }] })
    expect((await media.service.get(mine.ctx, b.id)).usedBy).toHaveLength(1)
    expect((await refusal(media.service.get(mine.ctx, a.id))).code).toBe('media.not_found')
  })

  it('cannot be claimed by another company', async () => {
    const row = await upload(another())
    expect((await refusal(claim(row.id, theirs))).code).toBe('media.not_found')
  })
})

describe('the list', () => {
  it('is filtered, searched, sorted and walked page by page', async () => {
    const own = await company(m.db)
    const names = ['水泵 A.png', '水泵 B.png', 'Motor.png', 'beep.wav']
    for (const name of names)
      await upload(name.endsWith('wav') ? wav() : another(), name, { tags: name.startsWith('水') ? ['泵'] : [] }, own)
    const list = async (input: object) => (await media.service.list(own.ctx, input)).items.map(row => row.name)
    expect(await list({})).toEqual([...names].reverse())
    expect(await list({ q: '水泵' })).toHaveLength(2)
    expect(await list({ q: 'MOTOR' })).toEqual(['Motor.png'])
    expect(await list({ q: '泵', kind: 'audio' })).toEqual([])
    expect(await list({ tag: '泵' })).toHaveLength(2)
    expect(await list({ kind: 'audio' })).toEqual(['beep.wav'])
    expect(await list({ used: '1' })).toEqual([])
    expect(await list({ public: '0' })).toHaveLength(4)
    expect(await list({ sort: '-size' })).toHaveLength(4)
    for (const sort of ['name', '-name', 'createdAt', '-createdAt', 'size', '-size', 'updatedAt']) {
      const walked: string[] = []
      let cursor: string | null | undefined
      do {
        const page = await media.service.list(own.ctx, { sort, limit: 1, ...(cursor ? { cursor } : {}) })
        walked.push(...page.items.map(row => row.name))
        cursor = page.nextCursor
      } while (cursor)
      expect(walked).toEqual(await list({ sort }))
    }
    const page = await media.service.list(own.ctx, { limit: 2, total: '1' })
    expect(page).toMatchObject({ total: 4 })
    for (const cursor of [
      'x',
      Buffer.from('["a","b"]').toString('base64url'),
      Buffer.from('[1]').toString('base64url'),
    ])
      expect((await refusal(media.service.list(own.ctx, { cursor }))).code).toBe('request.cursor_invalid')
    const usage = await media.service.usage(own.ctx)
    expect(usage).toMatchObject({ count: 4, quotaBytes: quota, tags: [{ tag: '泵', count: 2 }] })
    expect(usage.kinds.map(({ kind, count }) => [kind, count])).toEqual([
      ['audio', 1],
      ['image', 3],
    ])
  })

  it('of another company shows and changes nothing', async () => {
    const row = await upload(another())
    expect((await media.service.list(theirs.ctx, { q: row.name, limit: 100 })).items.map(r => r.id)).not.toContain(
      row.id,
    )
    for (const attempt of [
      () => media.service.get(theirs.ctx, row.id),
      () => media.service.update(theirs.ctx, row.id, { version: 1, name: 'mine' }),
      () => media.service.remove(theirs.ctx, row.id),
      () => media.service.replace(theirs.ctx, row.id, { version: 1 }, file(another())),
      () => media.service.batch(theirs.ctx, { ids: [row.id], addTags: ['x'] }),
    ])
      expect((await refusal(attempt())).code).toBe('media.not_found')
    expect(await media.service.removeMany(theirs.ctx, [row.id])).toEqual({ removed: 0, kept: [] })
    expect((await media.service.get(mine.ctx, row.id)).version).toBe(1)
  })

  it('is a table too, with titles in the language of who asks', async () => {
    const own = await company(m.db)
    await upload(another(), '=cmd.png', { tags: ['泵'] }, own)
    await upload(wav(), 'beep.wav', {}, own)
    const exportList = createMediaExport(media.service)
    const csv = async (over: object, locale: 'zh' | 'en' = 'zh') => {
      let text = ''
      const { body } = await exportList({ ...own.ctx, locale }, { format: 'csv', ...over })
      for await (const chunk of body) text += String(chunk)
      return text.trim().split('\n')
    }
    expect(await csv({})).toHaveLength(3)
    expect((await csv({}))[0]).toContain('名称')
    expect((await csv({}, 'en'))[0]).toContain('Name')
    const [, row] = await csv({ kind: 'image' })
    expect(row).not.toMatch(/^"?=cmd/)
    expect(row).toContain('图片')
  })

  it('is changed many at a time', async () => {
    const target = await media.folders.create(mine.ctx, { name: 'batch' })
    const rows = [await upload(another(), 'a', { tags: ['x', 'y'] }), await upload(another(), 'b')]
    const ids = rows.map(row => row.id)
    await media.service.batch(mine.ctx, { ids, folderId: target.id, addTags: ['z'], removeTags: ['x'] })
    const listed = (await media.service.list(mine.ctx, { folderId: target.id, sort: 'name' })).items
    expect(listed.map(row => [row.name, row.tags, row.version])).toEqual([
      ['a', ['y', 'z'], 2],
      ['b', ['z'], 2],
    ])
    const many = Array.from({ length: 20 }, (_, i) => `t${i}`)
    expect((await refusal(media.service.batch(mine.ctx, { ids, addTags: many }))).code).toBe('media.too_many_tags')
    expect((await media.service.get(mine.ctx, ids[0]!)).tags).toEqual(['y', 'z'])
    expect((await refusal(media.folders.remove(mine.ctx, target.id))).params).toEqual({ folders: 0, materials: 2 })
    await media.service.batch(mine.ctx, { ids, folderId: null })
    await media.folders.remove(mine.ctx, target.id)
  })
})

describe('folders', () => {
  const add = (name: string, parentId: string | null = null, of = mine) =>
    media.folders.create(of.ctx, { name, parentId })

  it('make a tree of eight levels without circles or namesakes', async () => {
    let parent: string | null = null
    const chain: string[] = []
    for (let level = 1; level <= 8; level++) {
      parent = (await add(`level ${level}`, parent)).id
      chain.push(parent)
    }
    expect((await refusal(add('level 9', parent))).code).toBe('media.folder_too_deep')
    const move = (id: string, parentId: string | null, version = 1) =>
      media.folders.update(mine.ctx, id, { version, parentId })
    expect((await refusal(move(chain[0]!, chain[3]!))).code).toBe('media.folder_cycle')
    expect((await refusal(move(chain[0]!, chain[0]!))).code).toBe('media.folder_cycle')
    expect((await refusal(add('level 2', chain[0]!))).code).toBe('media.folder_name_taken')
    const branch = await add('branch')
    await add('twig', branch.id)
    expect((await refusal(move(branch.id, chain[6]!))).code).toBe('media.folder_too_deep')
    expect((await move(branch.id, chain[5]!)).parentId).toBe(chain[5])
    expect((await refusal(move(branch.id, null))).code).toBe('version.conflict')
    const { items } = await media.folders.list(mine.ctx)
    const ids = items.map(item => item.id)
    for (const item of items) if (item.parentId) expect(ids.indexOf(item.parentId)).toBeLessThan(ids.indexOf(item.id))
  })

  it('two moves that meet make no circle', async () => {
    const [a, b] = [await add('meet a'), await add('meet b')]
    const both = await Promise.allSettled([
      media.folders.update(mine.ctx, a.id, { version: 1, parentId: b.id }),
      media.folders.update(mine.ctx, b.id, { version: 1, parentId: a.id }),
    ])
    expect(both.map(answer => answer.status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('of another company do not exist', async () => {
    const secret = await add('secret', null, theirs)
    for (const attempt of [
      () => add('below', secret.id),
      () => media.folders.update(mine.ctx, secret.id, { version: 1, name: 'x' }),
      () => media.folders.remove(mine.ctx, secret.id),
      () => upload(another(), 'x', { folderId: secret.id }),
    ])
      expect((await refusal(attempt())).code).toBe('media.folder_not_found')
    expect((await media.service.list(mine.ctx, { folderId: secret.id })).items).toEqual([])
  })
})

describe('what a killed server left', () => {
  it('is swept after an hour, and nothing that is in use', async () => {
    const row = await upload(another())
    const key = `media/${mine.id}/${newId()}`
    await store.put(key, Buffer.from('left'), { contentType: 'a/b' })
    const note = (age: string) =>
      m.database.withTenant(mine.ctx, scope =>
        raw(
          scope,
          `insert into media_leftovers (object_key, tenant_id, since) values ($1, $2, now() - interval '${age}') on conflict (object_key) do update set since = excluded.since`,
          [key, mine.id],
        ),
      )
    await note('59 minutes')
    expect(await media.sweep(Date.now())).toBe(0)
    await note('61 minutes')
    expect(await media.sweep(Date.now())).toBe(1)
    expect(await store.get(key)).toBeNull()
    // Objects of tests before this one may still be on their way out.
    await expect.poll(leftovers).toBe(0)
    expect((await fetchIt(row.url)).status).toBe(200)
  })
})
