import { createHash } from 'node:crypto'
import { PassThrough, Readable, Transform } from 'node:stream'
import type { BodyOf, ResponseOf } from '@thingwright/contracts'
import type { ImportFileView, transferContract } from '@thingwright/contracts/transfer.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorId, type Ctx } from '../../lib/context.ts'
import { type CryptoBox, createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import { AppError } from '../../lib/errors.ts'
import type { UploadedFile } from '../../lib/http.ts'
import { newId } from '../../lib/ids.ts'
import type { GatewayPort } from '../devices/gateway.port.ts'
import type { RunningTask, TaskResult, TasksModule } from '../tasks/index.ts'
import type { CompanyFileStore, TenantsService } from '../tenants/index.ts'
import { type Archive, openArchive } from './archive.ts'
import { needsOf, refusalOf, requireKinds } from './import-rights.ts'
import { type ImportTools, runImport } from './import-run.ts'
import { KINDS, type Kind, type Manifest } from './manifest.ts'
import { newPassphraseBox, openPassphraseBox } from './passphrase.ts'
import { type ExportSource, exportCompany } from './transfer.export.ts'
import * as repo from './transfer.repo.ts'
import words from './transfer-words.json' with { type: 'json' }

type Contract = typeof transferContract

export interface TransferDeps extends ImportTools {
  tasks: Pick<TasksModule, 'service' | 'register'>
  tenants: Pick<TenantsService, 'get'>
  store: CompanyFileStore
  secretKey: string
  version: string
  gateway: Pick<GatewayPort, 'forget'>
  history: ExportSource['history']
  /** @throws AppError auth.proof_required when the caller did not confirm lately that it is he */
  requireFreshProof(ctx: Ctx): Promise<void>
}

export interface TransferService {
  export(ctx: Ctx, input: BodyOf<Contract['export']>): Promise<ResponseOf<Contract['export']>>
  upload(ctx: Ctx, file: UploadedFile): Promise<ImportFileView>
  import(ctx: Ctx, input: BodyOf<Contract['import']>): Promise<ResponseOf<Contract['import']>>
}

interface ExportInput {
  materials: boolean
  telemetryDays: number
  passwordCipher: string | null
}
interface ImportInput {
  fileId: string
  kinds: Kind[]
  existing: 'keep' | 'replace'
  dryRun: boolean
  passwordCipher: string | null
}

/** An uploaded file is kept this long. */
const KEPT_MS = 24 * 3_600_000

/** A whole company to and from one file. */
export function createTransferService(deps: TransferDeps): TransferService {
  const { database, store, tasks } = deps
  // A task's input is stored: a passphrase in it is sealed, and opens for its company only.
  const box: CryptoBox = createCryptoBox(deps.secretKey, 'company-transfer')
  const sealed = (ctx: Ctx, passphrase: string | null | undefined) =>
    passphrase ? box.seal(passphrase, ctx.tenantId).toString('base64') : null
  const unsealed = (ctx: Ctx, cipher: string | null) =>
    cipher === null ? null : box.open(Buffer.from(cipher, 'base64'), ctx.tenantId).toString('utf8')

  async function openFile(ctx: Ctx, id: string, options: { whole: boolean }): Promise<Archive> {
    const file = await database.withTenant(ctx, scope => repo.findImportFile(scope, id))
    const found = file && (await store.get(file.objectKey))
    if (!found) throw new AppError('transfer.file_not_found')
    return openArchive(found.body, options)
  }

  async function runExport(task: RunningTask): Promise<TaskResult> {
    const { ctx } = task
    const { materials, telemetryDays, passwordCipher } = task.input as ExportInput
    const company = await deps.tenants.get(ctx.tenantId)
    const passphrase = unsealed(ctx, passwordCipher)
    let written = 0
    const stream = exportCompany(
      {
        database,
        secrets: deps.secrets,
        alarmLevels: deps.alarmLevels,
        pages: deps.pages,
        geofences: deps.geofences,
        triggers: deps.triggers,
        further: deps.further,
        connections: deps.connections,
        version: deps.version,
        history: deps.history,
        readFile: async key => (await store.get(key))?.body ?? null,
      },
      {
        ctx,
        companyName: company.name,
        now: ctx.now,
        materials,
        telemetryDays,
        seal: passphrase === null ? null : await newPassphraseBox(passphrase),
        onDevice: () => task.progress(++written),
        cancelled: () => task.cancelled(),
      },
    )
    const day = new Date(ctx.now).toISOString().slice(0, 10)
    await task.saveFile(`${company.name}-${day}.zip`, 'application/zip', Readable.from(stream, { objectMode: false }))
    return { summary: { devices: written } }
  }

  async function runImportTask(task: RunningTask): Promise<TaskResult> {
    const { ctx } = task
    const { fileId, kinds, existing, dryRun, passwordCipher } = task.input as ImportInput
    const archive = await openFile(ctx, fileId, { whole: true })
    try {
      const passphrase = unsealed(ctx, passwordCipher)
      const { secrets } = archive.manifest
      const total = kinds.reduce((sum, kind) => sum + (archive.manifest.counts[kind] ?? 0), 0)
      let rows = 0
      let failures = 0
      const { summary, changedProducts } = await runImport(deps, {
        ctx,
        archive,
        kinds,
        existing,
        dryRun,
        opened: passphrase && secrets ? await openPassphraseBox(passphrase, secrets) : null,
        failed(item, code, params) {
          failures++
          task.failed(item, code, params)
        },
        onRow: () => task.progress(++rows, total),
        cancelled: () => task.cancelled(),
      })
      for (const num of changedProducts) deps.gateway.forget({ product: num })
      // People of the file are named, to be invited: no more can be done with them. A trial has told what it was to tell.
      const came = Object.values(summary).some(({ ok, created, replaced, kept }) => ok && created + replaced + kept > 0)
      return { summary: { dryRun, kinds: summary }, nothingDone: !dryRun && failures > 0 && !came }
    } finally {
      await archive.close()
    }
  }

  tasks.register('company.export', {
    run: runExport,
    needs: () => ['company:export'],
    wholeCompany: true,
    retryable: false,
  })
  tasks.register('company.import', {
    run: runImportTask,
    needs(input) {
      const { kinds, passwordCipher } = input as ImportInput
      return needsOf(kinds, passwordCipher !== null)
    },
    retryable: false,
  })

  return {
    async export(ctx, { passphrase, ...input }) {
      await deps.requireFreshProof(ctx)
      return database.withTenant(ctx, async scope => {
        const { id } = await tasks.service.startIn(scope, ctx, {
          kind: 'company.export',
          title: words.export,
          input: { ...input, passwordCipher: sealed(ctx, passphrase) } satisfies ExportInput,
        })
        await recordAudit(scope, ctx, {
          action: 'company.export',
          objectType: 'company',
          objectId: ctx.tenantId,
          after: { ...input, withSecrets: passphrase !== null },
        })
        return { taskId: id }
      })
    },

    async upload(ctx, file) {
      await deps.requireFreshProof(ctx)
      const id = newId(ctx.now)
      const objectKey = `company/${ctx.tenantId}/import/${id}`
      const hash = createHash('sha256')
      let size = 0
      const counted = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          size += chunk.length
          hash.update(chunk)
          done(null, chunk)
        },
      })
      file.body.on('error', error => counted.destroy(error))
      await store.put(objectKey, file.body.pipe(counted), { contentType: 'application/zip' })
      try {
        const stored = await store.get(objectKey)
        const archive = await openArchive(stored?.body ?? new PassThrough().end(), { whole: true })
        await archive.close()
        const name = file.fileName.slice(0, 128) || 'company.zip'
        const old = await database.withTenant(ctx, async scope => {
          const dropped = await repo.dropImportFiles(scope, new Date(ctx.now - KEPT_MS))
          await repo.insertImportFile(scope, {
            id,
            name,
            size,
            sha256: hash.digest(),
            objectKey,
            createdBy: actorId(ctx.actor),
          })
          await recordAudit(scope, ctx, {
            action: 'company.import_file',
            objectType: 'company_file',
            objectId: id,
            objectName: name,
            after: { size, from: archive.manifest.company.name },
          })
          return dropped
        })
        for (const key of old) await store.remove(key)
        return toView(ctx, { id, name, size }, archive.manifest)
      } catch (error) {
        await store.remove(objectKey)
        throw error
      }
    },

    async import(ctx, { passphrase, ...input }) {
      await deps.requireFreshProof(ctx)
      requireKinds(ctx, input.kinds, Boolean(passphrase))
      const archive = await openFile(ctx, input.fileId, { whole: false })
      const { manifest } = archive
      await archive.close()
      if (passphrase && manifest.secrets) await openPassphraseBox(passphrase, manifest.secrets)
      return database.withTenant(ctx, async scope => {
        const { id } = await tasks.service.startIn(scope, ctx, {
          kind: 'company.import',
          title: input.dryRun ? words.dryRun : words.import,
          input: { ...input, passwordCipher: sealed(ctx, passphrase) } satisfies ImportInput,
        })
        // Before anything is written: an import that is cut off half way has its line too, and its end is a line of the task.
        await recordAudit(scope, ctx, {
          action: 'company.import',
          objectType: 'company',
          objectId: ctx.tenantId,
          objectName: manifest.company.name,
          after: { ...input, withSecrets: Boolean(passphrase) },
        })
        return { taskId: id }
      })
    },
  }
}

function toView(ctx: Ctx, file: Pick<ImportFileView, 'id' | 'name' | 'size'>, manifest: Manifest): ImportFileView {
  return {
    ...file,
    companyName: manifest.company.name,
    version: manifest.version,
    exportedAt: manifest.exportedAt,
    counts: manifest.counts,
    hasSecrets: manifest.secrets !== undefined,
    hasTelemetry: manifest.telemetry,
    refused: KINDS.flatMap(kind => {
      const refused = manifest.counts[kind] === undefined ? null : refusalOf(ctx.actor, kind)
      return refused ? [{ kind, ...refused }] : []
    }),
  }
}
