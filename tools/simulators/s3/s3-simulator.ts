import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Credentials, checkSignature } from './signature.ts'

export interface S3SimulatorOptions extends Credentials {
  bucket: string
  /** 0: any free port. */
  port?: number
  host?: string
  /** Keys on one page of a listing. */
  pageSize?: number
}

export interface S3Simulator {
  port: number
  /** What the store holds now. */
  objects: ReadonlyMap<string, { bytes: Buffer; contentType: string }>
  /** Uploads begun and neither completed nor aborted. */
  openUploads(): number
  /** Requests answered so far, `METHOD target`. */
  seen: string[]
  /** Answers the next `n` requests with the status instead of doing them. */
  failNext(n: number, status: number): void
  close(): Promise<void>
}

interface Upload {
  key: string
  contentType: string
  parts: Map<number, { bytes: Buffer; tag: string }>
}

class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(code)
  }
}

/** Starts a store that holds its objects in memory. */
export async function startS3Simulator(options: S3SimulatorOptions): Promise<S3Simulator> {
  const objects = new Map<string, { bytes: Buffer; contentType: string }>()
  const uploads = new Map<string, Upload>()
  const seen: string[] = []
  let failing = { left: 0, status: 500 }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = request.url ?? '/'
    const body = await readAll(request)
    seen.push(`${request.method} ${target}`)
    if (failing.left > 0) {
      failing.left--
      throw new Refusal(failing.status, failing.status === 507 ? 'StorageFull' : 'InternalError')
    }
    const problem = checkSignature(
      { method: request.method ?? '', target, headers: request.headers },
      options,
      Date.now(),
    )
    if (problem) throw new Refusal(problem === 'AuthorizationHeaderMalformed' ? 400 : 403, problem)
    const announced = request.headers['x-amz-content-sha256']
    if (announced !== 'UNSIGNED-PAYLOAD' && announced !== sha256(body))
      throw new Refusal(400, 'XAmzContentSHA256Mismatch')

    const url = new URL(target, 'http://store')
    const [bucket, ...rest] = decodeURIComponent(url.pathname.slice(1)).split('/')
    if (bucket !== options.bucket) throw new Refusal(404, 'NoSuchBucket')
    const key = rest.join('/')
    const query = url.searchParams
    if (key === '') {
      if (request.method !== 'GET') throw new Refusal(405, 'MethodNotAllowed')
      return xml(response, list(query))
    }
    const contentType = request.headers['content-type'] ?? 'binary/octet-stream'
    if (request.method === 'POST' && query.has('uploads')) {
      const id = randomUUID()
      uploads.set(id, { key, contentType, parts: new Map() })
      return xml(response, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
    }
    const uploadId = query.get('uploadId')
    if (uploadId !== null) return multipart(request.method ?? '', key, uploadId, query, body, response)
    if (request.method === 'PUT') {
      objects.set(key, { bytes: body, contentType })
      response.setHeader('etag', tagOf(body))
      return void response.end()
    }
    if (request.method === 'DELETE') {
      objects.delete(key)
      return void response.writeHead(204).end()
    }
    if (request.method === 'GET' || request.method === 'HEAD') return send(request, response, key)
    throw new Refusal(405, 'MethodNotAllowed')
  }

  function multipart(
    method: string,
    key: string,
    id: string,
    query: URLSearchParams,
    body: Buffer,
    response: ServerResponse,
  ): void {
    const upload = uploads.get(id)
    if (!upload || upload.key !== key) throw new Refusal(404, 'NoSuchUpload')
    if (method === 'DELETE') {
      uploads.delete(id)
      return void response.writeHead(204).end()
    }
    if (method === 'PUT') {
      const number = Number(query.get('partNumber'))
      if (!Number.isInteger(number) || number < 1 || number > 10_000) throw new Refusal(400, 'InvalidArgument')
      upload.parts.set(number, { bytes: body, tag: tagOf(body) })
      response.setHeader('etag', tagOf(body))
      return void response.end()
    }
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)]
    const bytes = named.map(([, number, tag]) => {
      const part = upload.parts.get(Number(number))
      if (!part || part.tag !== tag!.replaceAll('&quot;', '"')) throw new Refusal(400, 'InvalidPart')
      return part.bytes
    })
    if (bytes.length === 0) throw new Refusal(400, 'MalformedXML')
    objects.set(key, { bytes: Buffer.concat(bytes), contentType: upload.contentType })
    uploads.delete(id)
    xml(response, '<CompleteMultipartUploadResult><ETag>"made-of-parts"</ETag></CompleteMultipartUploadResult>')
  }

  function send(request: IncomingMessage, response: ServerResponse, key: string): void {
    const object = objects.get(key)
    if (!object) throw new Refusal(404, 'NoSuchKey')
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')
    let bytes = object.bytes
    response.setHeader('content-type', object.contentType)
    if (range) {
      const start = Number(range[1])
      if (start >= bytes.length) throw new Refusal(416, 'InvalidRange')
      const end = Math.min(Number(range[2]), bytes.length - 1)
      response.statusCode = 206
      response.setHeader('content-range', `bytes ${start}-${end}/${bytes.length}`)
      bytes = bytes.subarray(start, end + 1)
    }
    response.setHeader('content-length', bytes.length)
    response.end(request.method === 'HEAD' ? undefined : bytes)
  }

  function list(query: URLSearchParams): string {
    const prefix = query.get('prefix') ?? ''
    const after = query.get('continuation-token') ?? ''
    const keys = [...objects.keys()].filter(key => key.startsWith(prefix) && key > after).sort()
    const page = keys.slice(0, options.pageSize ?? 1000)
    const more = keys.length > page.length
    const contents = page.map(
      key => `<Contents><Key>${key}</Key><Size>${objects.get(key)!.bytes.length}</Size></Contents>`,
    )
    return `<ListBucketResult>${contents.join('')}<IsTruncated>${more}</IsTruncated>${
      more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
    }</ListBucketResult>`
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      const refusal = error instanceof Refusal ? error : new Refusal(500, 'InternalError')
      if (response.headersSent) return void response.destroy()
      response.writeHead(refusal.status, { 'content-type': 'application/xml' })
      response.end(`<?xml version="1.0"?><Error><Code>${refusal.code}</Code></Error>`)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    objects,
    openUploads: () => uploads.size,
    seen,
    failNext(n, status) {
      failing = { left: n, status }
    },
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

function xml(response: ServerResponse, body: string): void {
  response.setHeader('content-type', 'application/xml')
  response.end(`<?xml version="1.0" encoding="UTF-8"?>${body}`)
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const tagOf = (bytes: Buffer) => `"${createHash('md5').update(bytes).digest('hex')}"`
