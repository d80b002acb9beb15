import { type Static, Type } from 'typebox'
import { Id, IsoTime, Nullable, Words } from './common.ts'
import { route } from './route.ts'
import { TRANSFER_KINDS } from './transfer.words.ts'

const Kinds = Type.Array(Words(TRANSFER_KINDS), { minItems: 1, maxItems: TRANSFER_KINDS.length, uniqueItems: true })
const Passphrase = Type.String({ minLength: 12, maxLength: 128 })

export const ImportFileView = Type.Object({
  id: Id,
  name: Type.String(),
  size: Type.Integer(),
  companyName: Type.String(),
  version: Type.String(),
  exportedAt: IsoTime,
  counts: Type.Record(Type.String(), Type.Integer()),
  hasSecrets: Type.Boolean(),
  hasTelemetry: Type.Boolean(),
  refused: Type.Array(
    Type.Object({
      kind: Words(TRANSFER_KINDS),
      code: Words(['permission.denied', 'scope.whole_company']),
      permissions: Type.Array(Type.String(), { description: 'Rights that are missing' }),
    }),
    { description: 'Kinds in the file that the caller may not bring in' },
  ),
})
export type ImportFileView = Static<typeof ImportFileView>

export const IMPORT_MAX_BYTES = 1024 ** 3

export const transferContract = {
  export: route({
    method: 'POST',
    path: '/api/v1/company/export',
    tag: 'Company',
    summary: 'Packs the whole company into one file, as a task',
    permission: 'company:export',
    wholeCompany: true,
    audit: 'company.export',
    status: 202,
    body: Type.Object(
      {
        materials: Type.Boolean(),
        passphrase: Nullable(
          Type.String({ minLength: 12, maxLength: 128, description: 'Seals device secrets; null: they are left out' }),
        ),
        telemetryDays: Type.Integer({ minimum: 0, maximum: 400, description: '0: none' }),
      },
      { additionalProperties: false },
    ),
    response: Type.Object({ taskId: Id }),
  }),
  upload: route({
    method: 'POST',
    path: '/api/v1/company/import-files',
    tag: 'Company',
    summary: 'Uploads a packed company and says what is in it; kept for a day',
    permission: 'company:write',
    audit: 'company.import_file',
    status: 201,
    upload: { maxBytes: IMPORT_MAX_BYTES },
    response: ImportFileView,
  }),
  import: route({
    method: 'POST',
    path: '/api/v1/company/import',
    tag: 'Company',
    summary: 'Brings an uploaded company in, as a task; a dry run changes nothing and counts what would happen',
    permission: 'company:write',
    audit: 'company.import',
    status: 202,
    body: Type.Object(
      {
        fileId: Id,
        kinds: Kinds,
        existing: Words(['keep', 'replace'], { description: 'What is done with what is there already' }),
        dryRun: Type.Boolean(),
        passphrase: Type.Optional(Nullable(Passphrase)),
      },
      { additionalProperties: false },
    ),
    response: Type.Object({ taskId: Id }),
  }),
}
