import type { FormatSample, SampleResult, TryReply } from '@thingwright/contracts/formats.contract'
import { AppError } from '../../lib/errors.ts'

const HEX = /^(?:[0-9a-fA-F]{2})*$/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * The bytes of a payload as somebody wrote it; hex may have blanks, colons and line breaks.
 * @throws AppError request.validation naming the field when it is not what its encoding says
 */
export function payloadOf(
  { payload, encoding }: Pick<FormatSample, 'payload' | 'encoding'>,
  field = 'payload',
): Buffer {
  if (encoding === 'text') return Buffer.from(payload, 'utf8')
  const plain = payload.replaceAll(encoding === 'hex' ? /[\s:,]|0x/g : /\s/g, '')
  if (!(encoding === 'hex' ? HEX : BASE64).test(plain))
    throw new AppError('request.validation', { params: { count: 1 }, fields: { [field]: { code: 'field.format' } } })
  return Buffer.from(plain, encoding)
}

/** Compares what came of a sample with what should come. */
export function judgeSample(sample: FormatSample, result: TryReply): SampleResult {
  const problems = sample.direction === 'down' ? downProblems(sample, result) : upProblems(sample, result)
  return { name: sample.name, ok: problems.length === 0, problems, result }
}

function downProblems(sample: FormatSample, result: TryReply): string[] {
  if (!result.ok) return [refusalLine(result)]
  const wanted = payloadOf(sample).toString('hex')
  const got = result.frames.map(frame => frame.hex).join('')
  return wanted === '' || wanted === got ? [] : [`${got}, expected ${wanted}`]
}

function upProblems({ expected, expectedReason }: FormatSample, result: TryReply): string[] {
  if (expectedReason) {
    if (result.ok) return [`taken, expected ${expectedReason}`]
    return result.reason === expectedReason ? [] : [`${result.reason}, expected ${expectedReason}`]
  }
  if (!result.ok) return [refusalLine(result)]
  if (!expected) return []
  // A value may stand in any row; of a property that stands in several the last one counts.
  const values: Record<string, unknown> = Object.assign({}, ...result.rows.map(row => row.values))
  return Object.entries(expected).flatMap(([identifier, wanted]) => {
    if (!Object.hasOwn(values, identifier)) return [`${identifier}: absent, expected ${JSON.stringify(wanted)}`]
    const value = values[identifier]
    return same(value, wanted) ? [] : [`${identifier}: ${JSON.stringify(value)}, expected ${JSON.stringify(wanted)}`]
  })
}

function refusalLine({ reason, path, detail }: TryReply): string {
  return [reason, path, typeof detail === 'string' ? detail : null].filter(Boolean).join(' · ')
}

const TOLERANCE = 1e-6

function same(value: unknown, wanted: unknown): boolean {
  if (typeof value === 'number' && typeof wanted === 'number')
    return Math.abs(value - wanted) <= TOLERANCE * Math.max(1, Math.abs(wanted))
  if (typeof value !== 'object' || typeof wanted !== 'object' || value === null || wanted === null)
    return value === wanted
  const keys = Object.keys(value)
  return (
    Array.isArray(value) === Array.isArray(wanted) &&
    keys.length === Object.keys(wanted).length &&
    keys.every(key => same((value as Record<string, unknown>)[key], (wanted as Record<string, unknown>)[key]))
  )
}
