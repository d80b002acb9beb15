import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, Nullable, Words } from './common.ts'
import { IMPORT_FIELDS } from './device-imports.words.ts'
import { route } from './route.ts'

export { IMPORT_FIELDS } from './device-imports.words.ts'

export type ImportField = (typeof IMPORT_FIELDS)[number]

export const IMPORT_MAX_ROWS = 100_000
export const IMPORT_MAX_HISTORY_ROWS = 500_000
export const IMPORT_FILE_BYTES = 64 * 1024 ** 2

const strict = { additionalProperties: false } as const
const Field = Nullable(Words(IMPORT_FIELDS))

export const ImportTable = Type.Object({
  sheet: Type.String({ description: 'Name of the sheet; empty for text files' }),
  /** Lines below the head. */
  rows: Type.Integer(),
  columns: Type.Array(
    Type.Object({
      title: Type.String(),
      /** What it probably is. */
      field: Field,
    }),
  ),
  /** Looks like telemetry: a number, a time, and properties. */
  history: Type.Boolean(),
  /** The first lines as they were read. */
  sample: Type.Array(Type.Array(Type.String())),
  /** Number of the row with the titles, as the spreadsheet program counts. */
  headRow: Type.Integer(),
  /** The first rows of the file, so that another of them can be chosen for the titles. */
  top: Type.Array(Type.Object({ number: Type.Integer(), cells: Type.Array(Type.String()) })),
  /** Numbers have a comma before their fraction. */
  decimalComma: Type.Boolean(),
})
export type ImportTable = Static<typeof ImportTable>

export const DeviceImportFile = Type.Object({
  id: Id,
  name: Type.String(),
  size: Type.Integer(),
  kind: Words(['csv', 'xlsx']),
  encoding: Type.String(),
  tables: Type.Array(ImportTable),
})
export type DeviceImportFile = Static<typeof DeviceImportFile>

const HistoryTable = Type.Object(
  {
    fileId: Id,
    table: Type.Integer({ minimum: 0, maximum: 7 }),
    /** What each column is: `deviceNo`, `time`, or `property:` and an identifier; null: left out. */
    columns: Type.Array(Nullable(Type.String({ maxLength: 80 })), { maxItems: 128 }),
  },
  strict,
)

export const ImportOptions = Type.Object(
  {
    fileId: Id,
    table: Type.Optional(Type.Integer({ minimum: 0, maximum: 7, description: 'Which table of the file; 0' })),
    columns: Type.Array(Field, { maxItems: 128, description: 'What each column is; null: left out' }),
    productId: Type.Optional(Nullable(Id)),
    existing: Words(['update', 'skip'], { description: 'What is done with numbers that are there already' }),
    createGroups: Type.Boolean({ description: 'Makes groups of a path that are missing; needs group:write' }),
    history: Type.Optional(Nullable(HistoryTable)),
    dryRun: Type.Boolean({ description: 'Everything is checked against what is there, nothing is changed' }),
  },
  strict,
)
export type ImportOptions = Static<typeof ImportOptions>

export const DeviceImportView = Type.Object({
  id: Id,
  taskId: Nullable(Id),
  dryRun: Type.Boolean(),
  /** Lines behind it. */
  done: Type.Integer(),
  created: Type.Integer(),
  updated: Type.Integer(),
  skipped: Type.Integer(),
  /** Devices it made whose secrets nobody has taken yet. */
  secretsWaiting: Type.Boolean(),
  createdAt: IsoTime,
})
export type DeviceImportView = Static<typeof DeviceImportView>

export const deviceImportsContract = {
  template: route({
    method: 'GET',
    path: '/api/v1/device-imports/template',
    tag: 'Devices',
    summary: 'An empty table with the columns of an import and two example lines, in the language of the request',
    permission: 'device:write',
    query: Type.Object({ format: Words(['csv', 'xlsx']), of: Type.Optional(Words(['devices', 'history'])) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  upload: route({
    method: 'POST',
    path: '/api/v1/device-imports/files',
    tag: 'Devices',
    summary: 'Uploads a table of devices (XLSX, or CSV in UTF-8) and says what is in it; kept for a day',
    permission: 'device:write',
    audit: 'device.import_file',
    status: 201,
    body: Type.Object({
      encoding: Type.Optional(
        Words(['utf-8', 'utf-16le', 'gb18030'], { description: 'Of a text file that is not UTF-8' }),
      ),
      headRow: Type.Optional(
        Type.String({ pattern: '^[1-9][0-9]{0,3}$', description: 'Row with the titles; absent: it is looked for' }),
      ),
    }),
    upload: { maxBytes: IMPORT_FILE_BYTES },
    response: DeviceImportFile,
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/device-imports',
    tag: 'Devices',
    summary:
      'Makes and changes devices from an uploaded table, as a task; lines that fail are in its file with their reasons',
    permission: 'device:write',
    audit: 'device.import',
    status: 202,
    body: ImportOptions,
    response: Type.Object({ id: Id, taskId: Id }),
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/device-imports/{id}',
    tag: 'Devices',
    summary: 'How far an import of one’s own is',
    permission: 'device:write',
    params: IdParams,
    response: DeviceImportView,
  }),
  secrets: route({
    method: 'POST',
    path: '/api/v1/device-imports/{id}/secrets',
    tag: 'Devices',
    summary: 'Numbers and secrets of the devices that an import made, as CSV; once, for whoever started it',
    permission: 'device:secret',
    audit: 'device.import_secrets',
    params: IdParams,
    response: Type.String(),
    produces: 'text/csv; charset=utf-8',
  }),
}
