import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import type { MultipartFile } from '@fastify/multipart'
import type { UploadContract } from '@thingwright/contracts/route'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../lib/errors.ts'
import type { UploadedFile } from '../lib/http.ts'
import { refuseUnstorableText, validatorFor } from './http-validation.ts'

/** What the text fields and the frame around a file may take. */
const FRAME_BYTES = 64 * 1024
/** An upload from which nothing arrives for so long is given up; a slow store may hold it up for a while. */
const IDLE_MS = 120_000
/** Of a refused upload so much is still read, so that the sender sees the answer instead of a broken connection. */
const DRAIN_BYTES = 64 * 1024 * 1024
const DRAIN_MS = 30_000

/** Size as the sender says it, before anything is read. @throws AppError request.too_large, request.media_type */
export function checkUploadHeaders(request: FastifyRequest, upload: UploadContract | undefined): void {
  // A body of another kind was already read by its parser; a form where none is expected is refused unread.
  if (request.isMultipart() !== Boolean(upload)) throw new AppError('request.media_type')
  if (upload && Number(request.headers['content-length'] ?? 0) > upload.maxBytes + FRAME_BYTES)
    throw new AppError('request.too_large', { params: { limit: upload.maxBytes } })
}

/**
 * Reads the text fields of a form and stands at its one file, which comes after them.
 * @param fieldsSchema checked like a query: texts, numbers in texts, repeated fields as lists
 * @throws AppError request.validation, request.malformed
 */
export async function readUpload(
  request: FastifyRequest,
  upload: UploadContract,
  fieldsSchema: object | undefined,
): Promise<{ fields: Record<string, unknown>; file: UploadedFile }> {
  const fields: Record<string, unknown> = {}
  const parts = request.parts({
    limits: {
      files: 1,
      fields: 50,
      parts: 51,
      fieldSize: 16 * 1024,
      fieldNameSize: 100,
      headerPairs: 50,
      fileSize: Number.MAX_SAFE_INTEGER,
    },
  })
  for (;;) {
    const { value: part, done } = await parts.next().catch(unreadable)
    if (done)
      throw new AppError('request.validation', { params: { count: 1 }, fields: { file: { code: 'field.required' } } })
    if (part.type === 'file') {
      const file = { fileName: part.filename ?? '', contentType: part.mimetype, body: bounded(part, upload.maxBytes) }
      try {
        if (part.fieldname !== 'file')
          throw new AppError('request.validation', {
            params: { count: 1 },
            fields: { [part.fieldname.slice(0, 100)]: { code: 'field.additionalProperties' } },
          })
        checkFields(fields, fieldsSchema)
      } catch (error) {
        file.body.destroy()
        throw error
      }
      return { fields, file }
    }
    if (part.valueTruncated) throw new AppError('request.too_large', { params: { limit: 16 * 1024 } })
    const earlier = fields[part.fieldname]
    fields[part.fieldname] =
      earlier === undefined ? part.value : Array.isArray(earlier) ? [...earlier, part.value] : [earlier, part.value]
  }
}

function checkFields(fields: Record<string, unknown>, schema: object | undefined): void {
  refuseUnstorableText(fields)
  if (!schema) return
  const checked = validatorFor('querystring', schema)(fields)
  if (checked !== true) throw (checked as { error: Error }).error
}

/** The file's bytes, counted while they stream: what was announced is not believed. */
function bounded(part: MultipartFile, maxBytes: number): Transform {
  let bytes = 0
  const body = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      idle.refresh()
      bytes += chunk.length
      if (bytes > maxBytes) done(new AppError('request.too_large', { params: { limit: maxBytes } }))
      else done(null, chunk)
    },
  })
  const idle = setTimeout(() => body.destroy(new AppError('request.malformed')), IDLE_MS)
  // A form that is broken or breaks off is the sender's doing.
  part.file.on('error', error => body.destroy(new AppError('request.malformed', { cause: error })))
  body.on('close', () => {
    clearTimeout(idle)
    part.file.destroy()
  })
  part.file.pipe(body)
  return body
}

function unreadable(error: unknown): never {
  throw new AppError('request.malformed', { cause: error })
}

/** The form as the OpenAPI document shows it. */
export function formSchema(fields: { properties?: object; required?: string[] } | undefined): object {
  return {
    type: 'object',
    properties: { ...fields?.properties, file: { type: 'string', format: 'binary' } },
    required: [...(fields?.required ?? []), 'file'],
  }
}

/** Reads on for a while what nobody wants any more, then ends the connection. */
export function drain(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return
  let left = DRAIN_BYTES
  const giveUp = setTimeout(() => request.destroy(), DRAIN_MS)
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.destroy()
  })
  request.once('close', () => clearTimeout(giveUp))
  request.once('end', () => clearTimeout(giveUp))
  request.on('error', () => {})
  request.resume()
}
