import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../lib/errors.ts'
import { withExactIntegers } from '../lib/exact-json.ts'
import type { ValidationError, validatorFor } from './http-validation.ts'

/** Fields of a read; nothing of that is long. */
const MOST_BYTES = 64 * 1024

/**
 * The fields of a GET with which programs of another family send what others post: those of the query, and over them
 * those of a JSON body. Fastify does not read the body of a GET, so it is read here.
 * @throws AppError request.too_large, request.malformed; ValidationError
 */
export async function fieldsOfGet(
  request: FastifyRequest,
  check: ReturnType<typeof validatorFor>,
): Promise<Record<string, unknown>> {
  const fields = { ...(request.query as Record<string, unknown>), ...(await bodyOfGet(request)) }
  const answer = check(fields)
  if (answer !== true) throw (answer as { error: AppError | ValidationError }).error
  return fields
}

async function bodyOfGet({ raw, headers }: FastifyRequest): Promise<Record<string, unknown>> {
  if (headers['transfer-encoding'] === undefined && !Number(headers['content-length'] ?? 0)) return {}
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MOST_BYTES) throw new AppError('request.too_large', { params: { limit: MOST_BYTES } })
    chunks.push(chunk)
  }
  if (length === 0) return {}
  const bytes = Buffer.concat(chunks)
  if (!isUtf8(bytes)) throw new AppError('request.malformed')
  let read: unknown
  try {
    read = JSON.parse(withExactIntegers(bytes.toString('utf8')))
  } catch {
    throw new AppError('request.malformed')
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read)) throw new AppError('request.malformed')
  return read as Record<string, unknown>
}
