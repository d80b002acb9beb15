import { connect } from 'node:net'
import { allContracts } from '@thingwright/contracts/all-contracts'
import { type RouteContract, route } from '@thingwright/contracts/route'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bind } from '../lib/http.ts'
import { silentLogger } from '../lib/log.ts'
import { createHttp } from './http.ts'

const LIMIT = 1024 * 1024
const contract = route({
  method: 'POST',
  path: '/test/files',
  tag: 'Test',
  summary: 'Takes a file',
  permission: 'signed-in',
  audit: { none: 'test' },
  status: 201,
  body: Type.Object(
    {
      note: Type.Optional(Type.String({ maxLength: 10 })),
      tags: Type.Optional(Type.Array(Type.String(), { maxItems: 3 })),
      number: Type.Optional(Type.Integer()),
    },
    { additionalProperties: false },
  ),
  upload: { maxBytes: LIMIT },
  response: Type.Object({}, { additionalProperties: true }),
})

let app: FastifyInstance
let base: string
let port: number
let runs = 0
let mode: 'read' | 'leave' | 'fail' = 'read'
let lastError: unknown
const stored = new Map<string, { status: number; body: string }>()

beforeAll(async () => {
  const others = Object.values(allContracts)
    .flatMap(feature => Object.values(feature as Record<string, RouteContract>))
    .map(each => bind(each, async () => ({}) as never))
  const upload = bind(contract, async (_ctx, { body }, { file }) => {
    runs++
    if (mode === 'leave') return { left: true }
    if (mode === 'fail') throw new Error('the store is away')
    let bytes = 0
    try {
      for await (const chunk of file.body) bytes += (chunk as Buffer).length
    } catch (error) {
      lastError = error
      throw error
    }
    return { bytes, name: file.fileName, type: file.contentType, ...body }
  })
  app = await createHttp({
    routes: [...others, upload],
    logger: silentLogger,
    trustProxy: 0,
    publicUrl: null,
    version: 'test',
    authenticate: async () =>
      ({
        tenantId: '0',
        appId: 'a',
        actor: { kind: 'member', loginId: 'l', permissions: new Set() },
        accountState: 2,
      }) as never,
    idempotency: {
      begin: async (_actor: string, key: string) => stored.get(key) ?? null,
      finish: async (_actor: string, key: string, answer: { status: number; body: string }) =>
        void stored.set(key, answer),
    } as never,
    proxyDevice: () => {},
    upgrade: () => {},
    plain: () => {},
  })
  base = await app.listen({ port: 0, host: '127.0.0.1' })
  port = Number(new URL(base).port)
})
afterAll(() => app.close())
beforeEach(() => {
  mode = 'read'
  lastError = undefined
})

type Part = [name: string, value: string | Buffer, fileName?: string, type?: string]
const form = (...parts: Part[]) =>
  Buffer.concat([
    ...parts.flatMap(([name, value, fileName, type]) => [
      Buffer.from(
        `--edge\r\ncontent-disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n${
          fileName === undefined ? '' : `content-type: ${type ?? 'application/octet-stream'}\r\n`
        }\r\n`,
      ),
      Buffer.from(value),
      Buffer.from('\r\n'),
    ]),
    Buffer.from('--edge--\r\n'),
  ])
async function post(body: Buffer | ReadableStream, headers: Record<string, string> = {}) {
  const response = await fetch(`${base}/test/files`, {
    method: 'POST',
    headers: { authorization: 'Bearer t', 'content-type': 'multipart/form-data; boundary=edge', ...headers },
    body: body as never,
    ...(Buffer.isBuffer(body) ? {} : { duplex: 'half' }),
  } as RequestInit)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe('a route that takes a file', () => {
  it('gets the fields, checked, and the bytes', async () => {
    const body = form(
      ['note', '物'],
      ['tags', 'a'],
      ['tags', 'b'],
      ['number', '5'],
      ['file', Buffer.alloc(70_000, 1), 'x.bin', 'image/png'],
    )
    expect(await post(body)).toEqual({
      status: 201,
      body: { bytes: 70_000, name: 'x.bin', type: 'image/png', note: '物', tags: ['a', 'b'], number: 5 },
    })
    expect((await post(form(['tags', 'one'], ['file', '', 'empty']))).body).toMatchObject({ bytes: 0, tags: ['one'] })
  })

  it.each([
    ['图片 😀.png', '图片 😀.png'],
    ['‮gpj.exe', '‮gpj.exe'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\\\windows\\\\x.bat', 'x.bat'],
    ['a\0b', 'a\0b'],
    ['', ''],
  ])('gets the name %j as it was sent, without folders', async (sent, got) => {
    expect((await post(form(['file', 'x', sent]))).body.name).toBe(got)
  })

  it.each([
    ['an unknown field', form(['other', 'x'], ['file', 'x', 'x']), 422],
    ['a long field', form(['note', 'x'.repeat(11)], ['file', 'x', 'x']), 422],
    ['a number that is none', form(['number', 'five'], ['file', 'x', 'x']), 422],
    ['a field with a NUL', form(['note', 'a\0b'], ['file', 'x', 'x']), 422],
    ['no file', form(['note', 'x']), 422],
    ['nothing at all', Buffer.alloc(0), 422],
    ['a file in another field', form(['picture', 'x', 'x']), 422],
    ['a field of 20,000 characters', form(['note', 'x'.repeat(20_000)], ['file', 'x', 'x']), 413],
    ['fields without end', form(...Array.from({ length: 60 }, (): Part => ['note', 'x']), ['file', 'x', 'x']), 422],
    ['a form that breaks off', form(['file', 'x', 'x']).subarray(0, 40), 400],
  ])('refuses %s', async (_, body, status) => {
    const before = runs
    const answer = await post(body)
    expect([status, 400, 413, 422]).toContain(answer.status)
    expect(answer.body.code).toMatch(/^request\./)
    expect(runs).toBe(before)
  })

  it('takes a file cut off in its middle as the sender’s fault', async () => {
    const body = form(['file', Buffer.alloc(1000), 'x']).subarray(0, 900)
    expect(await post(body)).toMatchObject({ status: 400, body: { code: 'request.malformed' } })
  })

  it('does not let a field name change how objects work', async () => {
    const answer = await post(form(['__proto__', 'x'], ['file', 'x', 'x']))
    expect(answer.body).toMatchObject({ bytes: 1 })
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })

  it('refuses other kinds of bodies, and other routes refuse forms', async () => {
    expect(await post(Buffer.from('{}'), { 'content-type': 'application/json' })).toMatchObject({ status: 415 })
    const response = await fetch(`${base}/api/v1/groups`, {
      method: 'POST',
      headers: { authorization: 'Bearer t', 'content-type': 'multipart/form-data; boundary=edge' },
      body: new Uint8Array(form(['file', 'x', 'x'])),
    })
    expect([403, 415]).toContain(response.status)
    expect((await fetch(`${base}/test/files`, { method: 'POST', body: new FormData() })).status).toBe(401)
  })

  it('refuses a file that says it is too long, unread, and one that turns out to be', async () => {
    const before = runs
    const announced = await post(form(['file', Buffer.alloc(LIMIT + 100_000), 'x']))
    expect(announced).toMatchObject({ status: 413, body: { code: 'request.too_large', params: { limit: LIMIT } } })
    expect(runs).toBe(before)
    const bytes = form(['file', Buffer.alloc(LIMIT + 1), 'x'])
    const stream = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 50_000)
          controller.enqueue(new Uint8Array(bytes.subarray(at, at + 50_000)))
        controller.close()
      },
    })
    expect(await post(stream)).toMatchObject({ status: 413, body: { code: 'request.too_large' } })
    expect((await post(form(['file', Buffer.alloc(LIMIT), 'x']))).body.bytes).toBe(LIMIT)
  })

  it.each(['leave', 'fail'] as const)(
    'answers although nobody read the file (%s), and the connection goes on',
    async how => {
      mode = how
      const answer = await post(form(['file', Buffer.alloc(LIMIT), 'x']))
      expect(answer.status).toBe(how === 'leave' ? 201 : 500)
      mode = 'read'
      expect((await post(form(['file', 'abc', 'x']))).body.bytes).toBe(3)
    },
  )

  it('tells the reader when the sender goes away', async () => {
    const socket = connect(port, '127.0.0.1')
    socket.write(
      'POST /test/files HTTP/1.1\r\nhost: x\r\nauthorization: Bearer t\r\ncontent-type: multipart/form-data; boundary=edge\r\ncontent-length: 500000\r\n\r\n',
    )
    const before = runs
    socket.write(form(['file', Buffer.alloc(100_000), 'x']).subarray(0, 90_000))
    await expect.poll(() => runs).toBe(before + 1)
    socket.destroy()
    await expect.poll(() => lastError).toBeInstanceOf(Error)
  })

  it('answers a repeated request with the first answer', async () => {
    const body = form(['file', 'abc', 'x'])
    const first = await post(body, { 'idempotency-key': 'k1' })
    const before = runs
    expect(await post(body, { 'idempotency-key': 'k1' })).toEqual(first)
    expect(runs).toBe(before)
  })

  it('stands in the OpenAPI document as a form', async () => {
    const document = (await (await fetch(`${base}/api/openapi.json`)).json()) as {
      paths: Record<string, { post: { requestBody: { content: Record<string, { schema: object }> } } }>
    }
    const content = document.paths['/test/files']!.post.requestBody.content
    expect(Object.keys(content)).toEqual(['multipart/form-data'])
    expect(content['multipart/form-data']!.schema).toMatchObject({
      properties: { note: { type: 'string' }, file: { type: 'string', format: 'binary' } },
      required: ['file'],
    })
  })
})
