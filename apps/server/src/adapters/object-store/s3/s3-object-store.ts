import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { setTimeout as pause } from 'node:timers/promises'
import { AwsClient } from 'aws4fetch'
import {
  checkObjectKey,
  checkObjectSize,
  type ObjectStore,
  ObjectStoreError,
} from '../../../modules/media/object-store.port.ts'
import { listing, multipartBody, textOf } from './s3-xml.ts'

export interface S3Settings {
  /** With scheme, without a path: `https://s3.example:9000`. */
  endpoint: string
  bucket: string
  region: string
  accessKey: string
  secretKey: string
  /** `path`: endpoint/bucket/key (MinIO, Ceph, AWS); `host`: bucket.endpoint/key (Aliyun OSS, Tencent COS). */
  addressing: 'path' | 'host'
}

export interface S3Options {
  /** Bytes of one part; at least 5 MiB for real stores. What fits one part is one PUT. */
  partBytes?: number
  /** A request without an answer is given up after this. */
  timeoutMs?: number
  /** Pause before the first retry; doubles. */
  retryMs?: number
}

const ATTEMPTS = 4

interface Call {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  key?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Buffer
}

/**
 * An S3-compatible store. Bodies travel in signed parts of 8 MiB held in memory one at a time, so that every request
 * can be repeated and the store checks every byte; whatever is longer than one part becomes a multipart upload.
 */
export function createS3ObjectStore(settings: S3Settings, options: S3Options = {}): ObjectStore {
  const partBytes = options.partBytes ?? 8 * 1024 * 1024
  const client = new AwsClient({
    accessKeyId: settings.accessKey,
    secretAccessKey: settings.secretKey,
    region: settings.region,
    service: 's3',
  })
  const endpoint = new URL(settings.endpoint)
  const base =
    settings.addressing === 'path'
      ? `${endpoint.origin}/${settings.bucket}`
      : `${endpoint.protocol}//${settings.bucket}.${endpoint.host}`

  /** Sends, repeating what may be repeated. Answers under 500 are the caller's to judge. */
  async function send(call: Call): Promise<Response> {
    const url = new URL(`${base}/${call.key ?? ''}`)
    for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value)
    let last: unknown
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) await pause((options.retryMs ?? 200) * 2 ** (attempt - 1) * (0.5 + Math.random()))
      const giveUp = new AbortController()
      const timer = setTimeout(() => giveUp.abort(), options.timeoutMs ?? 60_000)
      try {
        const request = await client.sign(url, {
          method: call.method,
          headers: { ...call.headers, 'x-amz-content-sha256': sha256(call.body ?? Buffer.alloc(0)) },
          ...(call.body ? { body: new Uint8Array(call.body) } : {}),
        })
        const response = await fetch(request, { signal: giveUp.signal, redirect: 'error' })
        if (response.status < 500 && response.status !== 429) return response
        last = await failure(response)
      } catch (error) {
        last = error
      } finally {
        clearTimeout(timer)
      }
    }
    throw last instanceof ObjectStoreError
      ? last
      : new ObjectStoreError('unavailable', 'the object store cannot be reached', { cause: last })
  }

  async function sendFor(call: Call): Promise<string> {
    const response = await send(call)
    if (!response.ok) throw await failure(response)
    return response.text()
  }

  async function putMultipart(key: string, contentType: string, parts: AsyncIterable<Buffer>, size?: number) {
    const started = await sendFor({
      method: 'POST',
      key,
      query: { uploads: '' },
      headers: { 'content-type': contentType },
    })
    const uploadId = textOf(started, 'UploadId')
    if (!uploadId) throw new ObjectStoreError('unavailable', 'the object store named no upload')
    try {
      const tags: string[] = []
      let total = 0
      for await (const part of parts) {
        total += part.length
        const response = await send({
          method: 'PUT',
          key,
          query: { partNumber: String(tags.length + 1), uploadId },
          body: part,
        })
        if (!response.ok) throw await failure(response)
        await response.arrayBuffer()
        tags.push(response.headers.get('etag') ?? '')
      }
      checkObjectSize(size, total)
      const answer = await sendFor({
        method: 'POST',
        key,
        query: { uploadId },
        headers: { 'content-type': 'application/xml' },
        body: Buffer.from(multipartBody(tags)),
      })
      // The status was sent before the work was done: a failure stands in the body (S3 CompleteMultipartUpload).
      if (/<Error[\s>]/.test(answer))
        throw new ObjectStoreError('unavailable', `the object store refused the upload: ${textOf(answer, 'Code')}`)
    } catch (error) {
      await send({ method: 'DELETE', key, query: { uploadId } }).then(
        response => response.arrayBuffer(),
        () => {},
      )
      throw error
    }
  }

  return {
    async put(key, body, { contentType, size }) {
      checkObjectKey(key)
      const parts = partsOf(body, partBytes)[Symbol.asyncIterator]()
      try {
        const first = (await parts.next()).value ?? Buffer.alloc(0)
        const second = first.length < partBytes ? undefined : ((await parts.next()).value as Buffer | undefined)
        if (second) return await putMultipart(key, contentType, chain([first, second], parts), size)
        checkObjectSize(size, first.length)
        await sendFor({ method: 'PUT', key, headers: { 'content-type': contentType }, body: first })
      } finally {
        // Ends a body that is no longer wanted.
        await parts.return?.(undefined)
      }
    },

    async get(key, range) {
      checkObjectKey(key)
      const response = await send({
        method: 'GET',
        key,
        ...(range ? { headers: { range: `bytes=${range.start}-${range.end}` } } : {}),
      })
      if (response.status === 404) {
        await response.arrayBuffer()
        return null
      }
      if (!response.ok) throw await failure(response)
      const whole = response.headers.get('content-range')?.split('/')[1] ?? response.headers.get('content-length')
      const body = response.body ? Readable.fromWeb(response.body as ReadableStream) : Readable.from([])
      if (range && response.status !== 206) {
        body.destroy()
        throw new ObjectStoreError('unavailable', 'the object store does not serve parts of objects')
      }
      return {
        body,
        size: Number(whole ?? 0),
        contentType: response.headers.get('content-type') ?? 'application/octet-stream',
      }
    },

    async remove(key) {
      checkObjectKey(key)
      const response = await send({ method: 'DELETE', key })
      if (!response.ok && response.status !== 404) throw await failure(response)
      await response.arrayBuffer()
    },

    async *list(prefix) {
      let token: string | null = null
      do {
        const page: ReturnType<typeof listing> = listing(
          await sendFor({
            method: 'GET',
            query: { 'list-type': '2', prefix, ...(token === null ? {} : { 'continuation-token': token }) },
          }),
        )
        yield* page.items
        token = page.next
      } while (token !== null)
    },
  }
}

/** Buffers of exactly `bytes`, the last one shorter; none for an empty body. */
async function* partsOf(body: Buffer | Readable, bytes: number): AsyncGenerator<Buffer> {
  if (Buffer.isBuffer(body)) {
    for (let at = 0; at < body.length; at += bytes) yield body.subarray(at, at + bytes)
    return
  }
  let held: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    let rest = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk as Uint8Array)
    while (length + rest.length >= bytes) {
      const taken = bytes - length
      yield Buffer.concat([...held, rest.subarray(0, taken)])
      rest = rest.subarray(taken)
      held = []
      length = 0
    }
    if (rest.length > 0) {
      held.push(rest)
      length += rest.length
    }
  }
  if (length > 0) yield Buffer.concat(held)
}

async function* chain(first: Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* first
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

/** What the store said, without its address or anything of ours. */
async function failure(response: Response): Promise<ObjectStoreError> {
  const code = textOf(await response.text().catch(() => ''), 'Code') ?? ''
  const problem =
    response.status === 507 || /StorageFull|QuotaExceeded|EntityTooLarge/.test(code) ? 'no_room' : 'unavailable'
  return new ObjectStoreError(problem, `the object store answered ${response.status} ${code}`.trim())
}

function sha256(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex')
}
