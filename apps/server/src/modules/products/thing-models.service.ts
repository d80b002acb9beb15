import { randomBytes } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type { ImportPreview, ImportProblem, thingModelsContract } from '@thingwright/contracts/thing-models.contract'
import {
  type Dropped,
  emptyModel,
  fromTsl,
  isTsl,
  mergeModels,
  parseModel,
  type ThingModel,
  toTsl,
} from '@thingwright/thing-model'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { StreamReply } from '../../lib/http.ts'
import { errorText } from '../../lib/i18n.ts'
import { decodeCursor, encodeCursor } from '../../lib/lists/paging.ts'
import { openTable } from '../../lib/table-import/table-source.ts'
import { changesBetween, formatUsage, type ProductUsage } from './model-impact.ts'
import { exampleModel, modelSheet, readModelSheet } from './model-sheet.ts'
import { findVersion, listVersions, type VersionRow } from './model-versions.repo.ts'
import { findProduct } from './products.repo.ts'
import type { ProductRow } from './products.rows.ts'
import type { ProductDevices } from './products.service.ts'

type Contract = typeof thingModelsContract

export interface ThingModelsDeps {
  database: Database
  devices: ProductDevices
  /** Other users of thing models that are asked before a change; the product's own format is always asked. */
  usages?: readonly ProductUsage[]
}

export interface ThingModelsService {
  versions(ctx: Ctx, id: string, query: QueryOf<Contract['versions']>): Promise<ResponseOf<Contract['versions']>>
  version(ctx: Ctx, id: string, number: number): Promise<ResponseOf<Contract['version']>>
  compare(ctx: Ctx, id: string, query: QueryOf<Contract['compare']>): Promise<ResponseOf<Contract['compare']>>
  impact(ctx: Ctx, id: string, to: string | undefined): Promise<ResponseOf<Contract['impact']>>
  previewImport(ctx: Ctx, id: string, input: BodyOf<Contract['previewImport']>): Promise<ImportPreview>
  exportFile(ctx: Ctx, id: string, query: QueryOf<Contract['export']>): Promise<StreamReply>
}

/** What there is to know of a product's models: versions, differences, who relies on them, and files in and out. */
export function createThingModelsService({ database, devices, usages = [] }: ThingModelsDeps): ThingModelsService {
  async function existing(scope: TenantScope, id: string): Promise<ProductRow> {
    const row = await findProduct(scope, id)
    if (!row) throw new AppError('product.not_found')
    return row
  }

  /** @param state draft, published or a number */
  async function modelAt(scope: TenantScope, row: ProductRow, state: string): Promise<ThingModel> {
    if (state === 'draft') return row.draftModel
    if (state === 'published') return row.publishedModel ?? emptyModel()
    const version = await findVersion(scope, row.id, Number(state))
    if (!version) throw new AppError('product.model_version_unknown', { params: { number: Number(state) } })
    return version.model
  }

  return {
    versions: (ctx, id, query) =>
      database.withTenant(ctx, async scope => {
        const row = await existing(scope, id)
        const limit = query.limit ?? 20
        const before = decodeCursor(query.cursor, 1)?.[0]
        if (before !== undefined && !Number.isSafeInteger(before)) throw new AppError('request.cursor_invalid')
        const found = await listVersions(scope, id, (before as number | undefined) ?? null, limit + 1)
        const page = found.slice(0, limit)
        return {
          items: page.map(version => toVersion(version, row)),
          nextCursor: found.length > limit ? encodeCursor([page.at(-1)!.number]) : null,
        }
      }),

    version: (ctx, id, number) =>
      database.withTenant(ctx, async scope => {
        const row = await existing(scope, id)
        const version = await findVersion(scope, id, number)
        if (!version) throw new AppError('product.model_version_unknown', { params: { number } })
        return { ...toVersion(version, row), model: { ...version.model } }
      }),

    compare: (ctx, id, { from, to }) =>
      database.withTenant(ctx, async scope => {
        const row = await existing(scope, id)
        return { changes: changesBetween(await modelAt(scope, row, from), await modelAt(scope, row, to)) }
      }),

    impact: (ctx, id, to = 'draft') =>
      database.withTenant(ctx, async scope => {
        const row = await existing(scope, id)
        const changes = changesBetween(row.publishedModel ?? emptyModel(), await modelAt(scope, row, to))
        const touched = changes.filter(change => change.kind !== 'added')
        const features = touched.map(({ of, identifier }) => ({ of, identifier }))
        const uses = []
        if (features.length > 0)
          for (const usage of [formatUsage, ...usages])
            uses.push(...(await usage(scope, { id: row.id, num: row.num, format: row.format }, features)))
        const counts = (await scope.wholeCompany('in-use', () => devices.countByProduct(scope, [id]))).get(id)
        return {
          changes,
          breaking: changes.some(change => change.breaking),
          deviceCount: counts?.total ?? 0,
          onlineCount: counts?.online ?? 0,
          uses,
        }
      }),

    previewImport: (ctx, id, input) =>
      database.withTenant(ctx, async scope => {
        const row = await existing(scope, id)
        const read = await readSource(scope, input, existing)
        const merged = mergeModels(row.draftModel, read.model, input.mode)
        // Together they may break a limit that neither breaks alone.
        const checked = parseModel(merged)
        const problems = [...read.problems, ...(checked.ok ? [] : checked.problems.map(modelProblem))]
        return {
          model: { ...read.model },
          merged: { ...(checked.ok ? checked.model : row.draftModel) },
          changes: checked.ok ? changesBetween(row.draftModel, checked.model) : [],
          problems: problems.map(problem => ({
            ...problem,
            message: errorText(ctx.locale, problem.code, problem.params),
          })),
          dropped: read.dropped,
        }
      }),

    exportFile: (ctx, id, { format, of = 'draft' }) =>
      database.withTenant(ctx, async scope => {
        const row = await existing(scope, id)
        const name = `${row.productKey}-model`
        if (format === 'template') return modelSheet(ctx, exampleModel(ctx), 'model-template')
        const model = await modelAt(scope, row, of)
        if (format === 'xlsx') return modelSheet(ctx, model, name)
        const document = format === 'tsl' ? toTsl(model, row.productKey).tsl : model
        return new StreamReply(
          Readable.from([JSON.stringify(document, null, 2)]),
          'application/json; charset=utf-8',
          format === 'tsl' ? `${name}.tsl.json` : `${name}.json`,
        )
      }),
  }
}

function toVersion({ publishedAt, ...version }: VersionRow, row: ProductRow) {
  return { ...version, publishedAt: publishedAt.toISOString(), current: version.number === row.modelVersion }
}

type Problem = Omit<ImportProblem, 'message'>

interface ReadModel {
  model: ThingModel
  problems: Problem[]
  dropped: Dropped[]
}

async function readSource(
  scope: TenantScope,
  input: BodyOf<Contract['previewImport']>,
  existing: (scope: TenantScope, id: string) => Promise<ProductRow>,
): Promise<ReadModel> {
  if (input.source === 'product') {
    const other = await existing(scope, required(input.productId, 'productId'))
    return { model: other.publishedModel ?? other.draftModel, problems: [], dropped: [] }
  }
  if (input.source === 'xlsx') return readWorkbook(Buffer.from(required(input.content, 'content'), 'base64'))
  return readDocument(required(input.text, 'text'), input.source)
}

function required(value: string | undefined, field: string): string {
  if (value) return value
  throw new AppError('request.validation', { params: { count: 1 }, fields: { [field]: { code: 'field.required' } } })
}

/** Our own JSON, bare or as exported, or TSL: what it is counts, not what it was called. */
function readDocument(text: string, source: 'json' | 'tsl'): ReadModel {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    const at = /position (\d+)/.exec(String(error))?.[1] ?? text.length
    return {
      model: emptyModel(),
      problems: [{ row: null, path: '', code: 'model.json_invalid', params: { at: Number(at) } }],
      dropped: [],
    }
  }
  const inner = (value as { thingModel?: unknown } | null)?.thingModel
  const document = typeof inner === 'object' && inner !== null ? inner : value
  const tsl = source === 'tsl' || isTsl(document) ? fromTsl(document) : null
  const parsed = parseModel(tsl ? tsl.model : document)
  const dropped = tsl?.dropped ?? []
  if (parsed.ok) return { model: parsed.model, problems: [], dropped }
  return { model: emptyModel(), problems: parsed.problems.map(modelProblem), dropped }
}

function modelProblem({
  path,
  code,
  params,
}: {
  path: string
  code: string
  params: Record<string, unknown>
}): Problem {
  return { row: null, path, code: `model.${code}`, params }
}

/** A workbook (or a text table) out of a request: through a file without a name, which the readers want. */
async function readWorkbook(bytes: Buffer): Promise<ReadModel> {
  const path = join(tmpdir(), `thingwright-model-${randomBytes(12).toString('hex')}`)
  const file = await open(path, 'wx+', 0o600)
  try {
    await unlink(path)
    await file.write(bytes)
    const [table] = (await openTable(file, 'utf-8 or gbk')).tables
    const { properties, problems } = table ? await readModelSheet(table.rows()) : { properties: [], problems: [] }
    return {
      model: { ...emptyModel(), properties },
      problems: problems.map(({ column, ...problem }) => ({ ...problem, path: column })),
      dropped: [],
    }
  } finally {
    await file.close()
  }
}
