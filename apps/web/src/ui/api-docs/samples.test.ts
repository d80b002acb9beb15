import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Operation } from './openapi.ts'
import { type ApiRequest, draftOf, problemsOf, requestOf } from './request.ts'
import { LANGUAGES, sample } from './samples.ts'

const operation = (over: Partial<Operation>): Operation => ({
  id: 'op',
  method: 'GET',
  path: '/api/v1/things/{thingId}',
  words: { zh: { summary: '', tag: 'Things' }, en: { summary: '', tag: 'Things' } },
  tag: 'Things',
  permission: 'thing:read',
  parameters: [{ name: 'thingId', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }],
  body: null,
  reply: { status: '200', contentType: 'application/json', schema: null },
  ...over,
})

const PATCH = operation({
  method: 'PATCH',
  body: {
    contentType: 'application/json',
    schema: {
      type: 'object',
      required: ['name', 'on'],
      properties: { name: { type: 'string' }, on: { type: 'boolean' }, left: { anyOf: [{ type: 'null' }] } },
    },
  },
})
const UPLOAD = operation({
  method: 'POST',
  path: '/api/v1/files',
  parameters: [],
  body: {
    contentType: 'multipart/form-data',
    schema: {
      type: 'object',
      required: ['file', 'name'],
      properties: { file: { type: 'string', format: 'binary' }, name: { type: 'string' } },
    },
  },
})
const AWKWARD = `Li's "quoted" \\ name $TOKEN 水泵 \`x\``
const draft = { ...draftOf(PATCH), json: JSON.stringify({ name: AWKWARD, on: true, left: null, list: [1, { a: 2 }] }) }

describe('a request', () => {
  it('is an address with words where ids are missing, and says what stands in the way', () => {
    expect(requestOf(PATCH, draft, 'https://iot.example').url).toBe('https://iot.example/api/v1/things/THING_ID')
    expect(problemsOf(PATCH, draft)).toEqual([{ where: 'path', name: 'thingId', kind: 'missing' }])
    const filled = { ...draft, path: { thingId: 'a/b' } }
    expect(requestOf(PATCH, filled, '').url).toBe('/api/v1/things/a%2Fb')
    expect(problemsOf(PATCH, { ...filled, json: '{' })).toEqual([{ where: 'json', name: '', kind: 'malformed' }])
    expect(problemsOf(UPLOAD, draftOf(UPLOAD)).map(({ name }) => name)).toEqual(['file'])
    expect(problemsOf(UPLOAD, { ...draftOf(UPLOAD), fields: { name: 'x' } }, ['file'])).toEqual([])
  })

  it('begins with what must be there', () => {
    expect(JSON.parse(draftOf(PATCH).json)).toEqual({ name: 'text', on: true })
    const shown = { ...PATCH, body: { ...PATCH.body!, example: { name: 'North', on: false } } }
    expect(JSON.parse(draftOf(shown).json)).toEqual({ name: 'North', on: false })
    expect(draftOf(UPLOAD)).toMatchObject({ json: '', fields: { name: 'text' } })
  })

  it('leaves out what is not filled in, and no query means no question mark', () => {
    const list = operation({
      path: '/api/v1/things',
      parameters: [
        { name: 'limit', in: 'query', schema: { type: 'integer', default: 20 } },
        { name: 'from', in: 'query', required: true, schema: { type: 'integer', minimum: 5 } },
      ],
    })
    expect(requestOf(list, draftOf(list), '').url).toBe('/api/v1/things?from=5')
    expect(requestOf(list, { ...draftOf(list), query: {} }, '').url).toBe('/api/v1/things')
  })
})

/** What a server was sent, as far as a sample decides it. */
interface Seen {
  method: string | undefined
  url: string | undefined
  authorization: string | undefined
  type: string
  body: string
}
let seen: Seen[] = []
const server = createServer(async (request: IncomingMessage, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { method, url, headers } = request
  const type = (headers['content-type'] ?? '').split(';')[0]!
  seen.push({ method, url, authorization: headers.authorization, type, body: Buffer.concat(chunks).toString() })
  response.setHeader('content-type', 'application/json').end('{"ok":true}')
})
let folder = ''
let base = ''
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  folder = mkdtempSync(join(tmpdir(), 'tw-samples-'))
  writeFileSync(join(folder, 'file.bin'), 'the content')
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Programs that can run a sample here; a machine without one leaves its language to the shape below. */
const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0
const RUNNERS: { language: (typeof LANGUAGES)[number]; there: boolean; command: (file: string) => string[] }[] = [
  { language: 'curl', there: has('curl', '--version'), command: file => ['sh', file] },
  { language: 'javascript', there: true, command: file => [process.execPath, file] },
  { language: 'python', there: has('python3', '-c', 'import requests'), command: file => ['python3', file] },
  { language: 'java', there: has('java', '-version'), command: file => ['java', '-XX:TieredStopAtLevel=1', file] },
]
const FILES = { curl: 'call.sh', javascript: 'call.mjs', python: 'call.py', java: 'Call.java', go: '', csharp: '' }

/** Not synchronous: the server that is asked lives in this process. */
function run(language: (typeof LANGUAGES)[number], command: string[], request: ApiRequest): Promise<void> {
  const file = join(folder, request.method, FILES[language])
  mkdirSync(join(folder, request.method), { recursive: true })
  writeFileSync(file, sample(language, request))
  const [program, ...args] = command.map(each => (each === FILES[language] ? file : each)) as [string, ...string[]]
  const env = { PATH: process.env.PATH, HOME: folder, TOKEN: 'the-token', LC_ALL: 'C.UTF-8' }
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd: folder, env }, (error, _, stderr) =>
      error ? reject(new Error(`${language}: ${stderr}`)) : resolve(),
    )
  })
}

describe('samples', () => {
  const requests = () => [
    requestOf(PATCH, { ...draft, path: { thingId: 'x1' } }, base),
    requestOf(UPLOAD, { ...draftOf(UPLOAD), fields: { name: AWKWARD } }, base),
  ]

  it.each(RUNNERS.filter(({ there }) => there))('in $language do what they show', async ({ language, command }) => {
    const [patch, upload] = requests() as [ApiRequest, ApiRequest]
    seen = []
    await Promise.all([patch, upload].map(request => run(language, command(FILES[language]), request)))
    const [first, second] = seen.sort((a, b) => (a.method! < b.method! ? -1 : 1)) as [Seen, Seen]
    expect(first).toMatchObject({ method: 'PATCH', url: '/api/v1/things/x1', type: 'application/json' })
    expect(first.authorization).toBe('Bearer the-token')
    expect(JSON.parse(first.body)).toEqual(JSON.parse(draft.json))
    expect(second).toMatchObject({ method: 'POST', type: 'multipart/form-data', authorization: 'Bearer the-token' })
    expect(second.body).toContain('the content')
    expect(second.body).toContain(AWKWARD)
  })

  it.each(LANGUAGES)('in %s never hold a token and name every part of the request', language => {
    const [patch] = requests() as [ApiRequest]
    const text = sample(language, patch)
    expect(text).toContain('TOKEN')
    expect(text).toContain('/api/v1/things/x1')
    const signIn = sample(language, { ...patch, authorization: 'client', body: { kind: 'form', fields: [['a', 'b']] } })
    expect(signIn).not.toContain('TOKEN')
    const get = sample(language, { ...patch, method: 'GET', authorization: 'none', body: null })
    expect(get).not.toMatch(/TOKEN|Basic/)
  })
})
