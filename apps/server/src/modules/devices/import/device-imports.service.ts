import { Readable, Transform } from 'node:stream'
import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type {
  DeviceImportFile,
  deviceImportsContract,
  ImportOptions,
} from '@thingwright/contracts/device-imports.contract'
import { IMPORT_FIELDS } from '@thingwright/contracts/device-imports.contract'
import { recordAudit } from '../../../lib/audit.ts'
import { actorId, type Ctx } from '../../../lib/context.ts'
import { openDeviceSecret } from '../../../lib/crypto/secrets.ts'
import type { TenantScope } from '../../../lib/database/database.ts'
import { AppError } from '../../../lib/errors.ts'
import type { StreamReply, UploadedFile } from '../../../lib/http.ts'
import { newId } from '../../../lib/ids.ts'
import { tableExport } from '../../../lib/table-export/table-export.ts'
import type { TasksModule } from '../../tasks/index.ts'
import * as repo from './device-imports.repo.ts'
import { checkColumns } from './import-devices.ts'
import { checkHistoryColumns } from './import-history.ts'
import { type ImportRunDeps, importRun } from './import-run.ts'
import words from './import-words.json' with { type: 'json' }
import { keepTables } from './stored-table.ts'

type Contract = typeof deviceImportsContract

export interface DeviceImportsDeps extends ImportRunDeps {
  tasks: Pick<TasksModule, 'service' | 'register'>
}

export interface DeviceImportsService {
  template(ctx: Ctx, input: QueryOf<Contract['template']>): Promise<StreamReply>
  upload(ctx: Ctx, fields: BodyOf<Contract['upload']>, file: UploadedFile): Promise<DeviceImportFile>
  create(ctx: Ctx, input: ImportOptions): Promise<ResponseOf<Contract['create']>>
  get(ctx: Ctx, id: string): Promise<ResponseOf<Contract['get']>>
  secrets(ctx: Ctx, id: string): Promise<StreamReply>
}

/** An uploaded table is kept this long; what is known of an import as long as its task. */
const FILE_KEPT_MS = 24 * 3_600_000
const KEPT_MS = 31 * 86_400_000
const PAGE = 1000

/** Devices from tables. */
export function createDeviceImportsService(deps: DeviceImportsDeps): DeviceImportsService {
  const { database, store, tasks, secrets: box } = deps
  tasks.register('device.import', {
    run: importRun(deps),
    needs: input =>
      (input as { options: ImportOptions }).options.createGroups ? ['device:write', 'group:write'] : ['device:write'],
    resumable: true,
    retryable: false,
  })

  /** One's own upload; others do not exist. @throws AppError import.file_not_found */
  async function ownFile(scope: TenantScope, ctx: Ctx, id: string): Promise<repo.ImportFileRow> {
    const file = await repo.findFile(scope, id)
    if (!file || file.createdBy !== actorId(ctx.actor)) throw new AppError('import.file_not_found')
    return file
  }

  async function own(scope: TenantScope, ctx: Ctx, id: string, lock = false): Promise<repo.ImportRow> {
    const row = await repo.findImport(scope, id, lock)
    if (!row || row.createdBy !== actorId(ctx.actor)) throw new AppError('import.not_found')
    return row
  }

  return {
    template(ctx, { format, of }) {
      const text = words[ctx.locale]
      if (of === 'history')
        return tableExport({
          format,
          fileName: text.historyTemplate,
          columns: [
            { key: 'deviceNo', title: text.fields.deviceNo },
            { key: 'time', title: text.time },
            { key: 'temperature', title: 'temperature', type: 'number' },
            { key: 'humidity', title: 'humidity', type: 'number' },
          ],
          rows: Readable.from([
            { deviceNo: 'TH-0001', time: '2026-01-31 08:00:00', temperature: 21.5, humidity: 48 },
            { deviceNo: 'TH-0001', time: '2026-01-31 08:10:00', temperature: 21.6, humidity: 47 },
          ]),
        })
      return tableExport({
        format,
        fileName: text.template,
        columns: IMPORT_FIELDS.map(field => ({ key: field, title: text.fields[field] })),
        rows: Readable.from(text.examples),
      })
    },

    async upload(ctx, { encoding, headRow }, file) {
      const id = newId(ctx.now)
      const objectKey = `company/${ctx.tenantId}/device-import/${id}`
      let size = 0
      const counted = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          size += chunk.length
          done(null, chunk)
        },
      })
      file.body.on('error', error => counted.destroy(error))
      const read = await keepTables(
        store,
        objectKey,
        file.body.pipe(counted),
        encoding,
        headRow === undefined ? undefined : Number(headRow),
      )
      const name = file.fileName.slice(0, 128) || 'devices'
      const old = await database.withTenant(ctx, async scope => {
        const dropped = await repo.dropOldFiles(scope, new Date(ctx.now - FILE_KEPT_MS))
        await repo.insertFile(scope, { id, name, size, tables: read.tables, objectKey, createdBy: actorId(ctx.actor) })
        await recordAudit(scope, ctx, {
          action: 'device.import_file',
          objectType: 'device_import',
          objectId: id,
          objectName: name,
          after: { size, rows: read.tables.map(({ rows }) => rows) },
        })
        return dropped
      })
      for (const key of old) await store.remove(key)
      return { id, name, size, ...read }
    },

    async create(ctx, input) {
      checkColumns(input.columns)
      if (input.history) checkHistoryColumns(input.history.columns)
      if (input.createGroups && ctx.actor.kind !== 'system' && !ctx.actor.permissions.has('group:write'))
        throw new AppError('permission.denied', { params: { permission: 'group:write' } })
      return database.withTenant(ctx, async scope => {
        const file = await ownFile(scope, ctx, input.fileId)
        const table = file.tables[input.table ?? 0]
        if (!table) throw new AppError('import.mapping_invalid', { params: { reason: 'table' } })
        const history = input.history ? await ownFile(scope, ctx, input.history.fileId) : null
        const values = history?.tables[input.history!.table]
        if (history && !values) throw new AppError('import.mapping_invalid', { params: { reason: 'history' } })
        await repo.dropOldImports(scope, new Date(ctx.now - KEPT_MS))
        const id = newId(ctx.now)
        await repo.insertImport(scope, { id, fileId: file.id, dryRun: input.dryRun, createdBy: actorId(ctx.actor) })
        const text = input.dryRun ? 'dryRun' : 'title'
        const task = await tasks.service.startIn(scope, ctx, {
          kind: 'device.import',
          title: { zh: `${words.zh[text]} · ${file.name}`, en: `${words.en[text]} · ${file.name}` },
          input: { importId: id, options: input },
          total: table.rows + (values?.rows ?? 0),
        })
        await repo.setTask(scope, id, task.id)
        await recordAudit(scope, ctx, {
          action: 'device.import',
          objectType: 'device_import',
          objectId: id,
          objectName: file.name,
          after: { rows: table.rows, history: values?.rows ?? 0, existing: input.existing, dryRun: input.dryRun },
        })
        return { id, taskId: task.id }
      })
    },

    get: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const { createdBy: _, secretsTakenAt, createdAt, ...row } = await own(scope, ctx, id)
        const secretsWaiting = !row.dryRun && secretsTakenAt === null && (await repo.hasMade(scope, id))
        return { ...row, secretsWaiting, createdAt: createdAt.toISOString() }
      }),

    async secrets(ctx, id) {
      const text = words[ctx.locale]
      // Marked as taken before the first byte is sent: secrets are never sent twice. After a broken download rotate them.
      await database.withTenant(ctx, async scope => {
        const row = await own(scope, ctx, id, true)
        if (row.secretsTakenAt !== null) throw new AppError('import.secrets_taken')
        if (row.dryRun || !(await repo.hasMade(scope, id))) throw new AppError('import.no_secrets')
        await repo.takeSecrets(scope, id)
        await recordAudit(scope, ctx, {
          action: 'device.import_secrets',
          objectType: 'device_import',
          objectId: id,
          after: { created: row.created },
        })
      })
      async function* rows() {
        for (let after = 0; ; ) {
          const devices = await database.withTenant(ctx, scope => repo.madeDevices(scope, id, after, PAGE))
          for (const { secretCipher, ...device } of devices)
            yield { ...device, secret: openDeviceSecret(box, device.id, secretCipher) }
          if (devices.length < PAGE) return
          after = devices.at(-1)!.num
        }
      }
      return tableExport({
        format: 'csv',
        fileName: text.secrets,
        columns: [
          { key: 'productName', title: text.fields.product },
          { key: 'productKey', title: text.productKey },
          { key: 'deviceNo', title: text.fields.deviceNo },
          { key: 'name', title: text.fields.name },
          { key: 'secret', title: text.secret },
        ],
        rows: rows(),
      })
    },
  }
}
