import { TRANSFER_KINDS } from '@thingwright/contracts/transfer.words'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { AppError } from '../../lib/errors.ts'

/** Version of the format; a file of a newer one is refused, older ones are read. */
export const FORMAT = 1

/** Kinds of configuration in the order in which they are brought in. */
export const KINDS = TRANSFER_KINDS
export type Kind = (typeof KINDS)[number]
const CONFIG = new RegExp(`^config/(${KINDS.join('|')})\\.ndjson$`)

export const Manifest = Type.Object({
  product: Type.Literal('thingwright'),
  format: Type.Integer({ minimum: 1, maximum: 1000 }),
  version: Type.String({ maxLength: 32 }),
  exportedAt: Type.String({ maxLength: 32 }),
  company: Type.Object({ id: Type.String({ maxLength: 64 }), name: Type.String({ maxLength: 128 }) }),
  counts: Type.Record(Type.String({ maxLength: 32 }), Type.Integer({ minimum: 0 })),
  telemetry: Type.Boolean(),
  /** Device secrets are in the file, sealed with a key made of the passphrase (scrypt, N 2^15, r 8, p 1). */
  secrets: Type.Optional(Type.Object({ salt: Type.String({ maxLength: 64 }), check: Type.String({ maxLength: 256 }) })),
  files: Type.Array(
    Type.Object({
      name: Type.String({ maxLength: 300 }),
      size: Type.Integer({ minimum: 0 }),
      sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    }),
    { maxItems: 120_000 },
  ),
})
export type Manifest = Static<typeof Manifest>

/** Names that may stand in the file; nothing else is even looked at. */
export function isOurName(name: string): boolean {
  return (
    name === 'manifest.json' ||
    CONFIG.test(name) ||
    /^materials\/[0-9a-f]{64}$/.test(name) ||
    /^telemetry\/[A-Za-z0-9]{1,32}\/[A-Za-z0-9_.:-]{1,64}\.csv$/.test(name)
  )
}

/** @throws AppError transfer.file_invalid, transfer.file_newer */
export function readManifest(text: string): Manifest {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new AppError('transfer.file_invalid', { params: { reason: 'manifest' } })
  }
  if (!Value.Check(Manifest, parsed)) throw new AppError('transfer.file_invalid', { params: { reason: 'manifest' } })
  if (parsed.format > FORMAT) throw new AppError('transfer.file_newer', { params: { version: parsed.version } })
  return parsed
}
