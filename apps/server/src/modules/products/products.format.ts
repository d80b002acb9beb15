import type { BodyOf, ResponseOf } from '@thingwright/contracts'
import type { FormatBody, ProductFormat } from '@thingwright/contracts/format-schemas'
import type { FormatSample, formatsContract, SampleResult, TryReply } from '@thingwright/contracts/formats.contract'
import { emptyModel, type ThingModel } from '@thingwright/thing-model'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { judgeSample, payloadOf } from './format-samples.ts'
import { type Intake, intakeOf } from './intake.port.ts'
import { findProduct, readFormatSamples, writeFormatSamples } from './products.repo.ts'
import type { ProductRow } from './products.rows.ts'
import type { ProductsService } from './products.service.ts'

type Contract = typeof formatsContract
export type SetFormat = BodyOf<Contract['setFormat']>
export type TryFormat = BodyOf<Contract['tryFormat']>
export type RunSamples = BodyOf<Contract['runSamples']>

/** What a trial has in common in both directions. */
interface Trial {
  model: ThingModel
  format: Readonly<Record<string, unknown>>
  deviceNo?: string
  /** Epoch ms of arrival or sending. */
  at: number
  port?: number
  /** The product's rules for what its model would refuse. */
  intake: Intake
}

/** The device path's own reading and writing of frames, without storing or sending anything. */
export interface FormatTools {
  /** Reads a format as it was sent: what would be stored, and what is wrong with it. */
  check(
    body: FormatBody,
    models: readonly ThingModel[],
  ): Promise<{
    format: ProductFormat
    problems: { path: string; code: string; params?: Record<string, unknown> }[]
  }>
  try(
    trial: Trial &
      (
        | {
            direction: 'up'
            channel: { kind: 'raw' } | { kind: 'property' } | { kind: 'event'; identifier: string }
            payload: Buffer
          }
        | {
            direction: 'down'
            command: {
              id: string
              kind: 'property_set' | 'service'
              identifier: string | null
              params: Record<string, unknown>
            }
          }
      ),
  ): Promise<TryReply>
  detect(payload: Buffer, model: ThingModel): ResponseOf<Contract['detectFormat']>['proposals']
}

/** A refused message as the device path keeps it. */
export interface RefusedFrame {
  id: string | number
  device: number
  at: Date
  reason: string
  detail: Record<string, unknown>
  /** First 8 KB. */
  bytes: Buffer | null
}

export interface ProductFormatDeps {
  database: Database
  formatTools: FormatTools
  /** Newest first. The product's company was checked. */
  readRefusedFrames(productNum: number, limit: number): Promise<RefusedFrame[]>
  /** Ids and numbers of devices by their installation-wide integers; those of other companies are absent. */
  describeDevices(scope: TenantScope, nums: number[]): Promise<ReadonlyMap<number, { id: string; deviceNo: string }>>
}

export interface ProductFormatService {
  /** Runs the samples and saves. @throws AppError format.invalid, format.samples_failed */
  setFormat(ctx: Ctx, id: string, input: SetFormat): Promise<ResponseOf<Contract['setFormat']>>
  tryFormat(ctx: Ctx, id: string, input: TryFormat): Promise<TryReply>
  detectFormat(
    ctx: Ctx,
    id: string,
    input: BodyOf<Contract['detectFormat']>,
  ): Promise<ResponseOf<Contract['detectFormat']>>
  samples(ctx: Ctx, id: string): Promise<{ items: FormatSample[] }>
  setSamples(ctx: Ctx, id: string, input: { items: FormatSample[] }): Promise<ResponseOf<Contract['setSamples']>>
  runSamples(ctx: Ctx, id: string, input: RunSamples): Promise<{ results: SampleResult[] }>
  refusedFrames(ctx: Ctx, id: string): Promise<ResponseOf<Contract['refusedFrames']>>
}

const REFUSED_FRAMES_SHOWN = 100

/** How payloads of a product become values: saving, trying, samples, and looking at what failed. */
export function createProductFormatService(
  deps: ProductFormatDeps,
  products: Pick<ProductsService, 'setFormat'>,
): ProductFormatService {
  const { database, formatTools } = deps

  function reading<T>(ctx: Ctx, id: string, work: (scope: TenantScope, row: ProductRow) => Promise<T>): Promise<T> {
    return database.withTenant(ctx, async scope => {
      const row = await findProduct(scope, id)
      if (!row) throw new AppError('product.not_found')
      return work(scope, row)
    })
  }
  const productRow = (ctx: Ctx, id: string) => reading(ctx, id, async (_scope, row) => row)
  const withSamples = (ctx: Ctx, id: string) =>
    reading(ctx, id, async (scope, row) => ({ row, items: await readFormatSamples(scope, id) }))

  /** A format as it would be stored. @throws AppError format.invalid */
  async function checked(body: FormatBody, row: ProductRow): Promise<ProductFormat> {
    const models = row.publishedModel ? [row.draftModel, row.publishedModel] : [row.draftModel]
    const { format, problems } = await formatTools.check(body, models)
    if (problems.length === 0) return format
    const fields = Object.fromEntries(problems.map(({ path, ...problem }) => [path, problem]))
    throw new AppError('format.invalid', { params: { count: problems.length }, fields })
  }

  async function run(
    ctx: Ctx,
    items: readonly FormatSample[],
    format: Readonly<Record<string, unknown>>,
    model: ThingModel,
    intake: Intake,
  ): Promise<SampleResult[]> {
    const results: SampleResult[] = []
    for (const sample of items) {
      const port = sample.port === undefined ? {} : { port: sample.port }
      const trial: Trial = { model, format, intake, at: ctx.now, ...port }
      const result = await formatTools.try(
        sample.direction === 'up'
          ? { ...trial, direction: 'up', channel: { kind: 'raw' }, payload: payloadOf(sample) }
          : { ...trial, direction: 'down', command: commandOf(ctx, sample.command) },
      )
      results.push(judgeSample(sample, result))
    }
    return results
  }

  return {
    async setFormat(ctx, id, { force, version, ...body }) {
      const { row, items } = await withSamples(ctx, id)
      const format = await checked(body, row)
      const results = await run(ctx, items, { ...format }, modelInForce(row), intakeOf(row))
      const failed = results.filter(result => !result.ok).length
      if (failed > 0 && !force)
        throw new AppError('format.samples_failed', { params: { failed, count: results.length, results } })
      const detail = await products.setFormat(ctx, id, { ...format }, version)
      return { ...detail, samples: results }
    },

    async tryFormat(ctx, id, input) {
      const row = await productRow(ctx, id)
      const trial: Trial = {
        model: input.draft || !row.publishedModel ? row.draftModel : row.publishedModel,
        format: input.format ? { ...(await checked(input.format, row)) } : row.format,
        at: ctx.now,
        intake: intakeOf(row),
        ...(input.deviceNo ? { deviceNo: input.deviceNo } : {}),
        ...(input.port === undefined ? {} : { port: input.port }),
      }
      if (input.direction === 'down')
        return formatTools.try({ ...trial, direction: 'down', command: commandOf(ctx, input.command) })
      if (input.payload === undefined) throw missing('payload')
      const { channel = 'raw', identifier } = input
      if (channel === 'event' && !identifier) throw missing('identifier')
      return formatTools.try({
        ...trial,
        direction: 'up',
        channel: channel === 'event' && identifier ? { kind: 'event', identifier } : { kind: channel as 'raw' },
        payload: payloadOf({ payload: input.payload, encoding: input.encoding ?? 'text' }),
      })
    },

    async detectFormat(ctx, id, { payload, encoding }) {
      const row = await productRow(ctx, id)
      const bytes = payloadOf({ payload, encoding: encoding ?? 'text' })
      return { proposals: formatTools.detect(bytes, row.draftModel) }
    },

    samples: async (ctx, id) => ({ items: (await withSamples(ctx, id)).items }),

    async setSamples(ctx, id, { items }) {
      const row = await productRow(ctx, id)
      for (const [i, sample] of items.entries()) payloadOf(sample, `items.${i}.payload`)
      const results = await run(ctx, items, row.format, modelInForce(row), intakeOf(row))
      await reading(ctx, id, async scope => {
        const before = await readFormatSamples(scope, id)
        if (!(await writeFormatSamples(scope, id, items))) throw new AppError('scope.outside')
        await recordAudit(scope, ctx, {
          action: 'product.format_samples',
          objectType: 'product',
          objectId: id,
          objectName: row.name,
          before: { samples: before.map(sample => sample.name) },
          after: { samples: items.map(sample => sample.name) },
        })
      })
      return { items, results }
    },

    async runSamples(ctx, id, input) {
      const { row, items } = await withSamples(ctx, id)
      const format = input.format ? { ...(await checked(input.format, row)) } : row.format
      const model = input.draft ? row.draftModel : modelInForce(row)
      return { results: await run(ctx, input.items ?? items, format, model, intakeOf(row)) }
    },

    async refusedFrames(ctx, id) {
      const row = await productRow(ctx, id)
      const frames = await deps.readRefusedFrames(row.num, REFUSED_FRAMES_SHOWN)
      const devices = await database.withTenant(ctx, scope =>
        deps.describeDevices(scope, [...new Set(frames.map(frame => frame.device))]),
      )
      return {
        items: frames.map(frame => {
          const device = devices.get(frame.device)
          const bytes = frame.bytes ?? Buffer.alloc(0)
          return {
            id: String(frame.id),
            deviceId: device?.id ?? null,
            deviceNo: device?.deviceNo ?? null,
            at: frame.at.toISOString(),
            reason: frame.reason,
            detail: frame.detail,
            hex: bytes.toString('hex'),
            text: readableText(bytes),
          }
        }),
      }
    },
  }
}

function modelInForce(row: ProductRow): ThingModel {
  return row.publishedModel ?? row.draftModel ?? emptyModel()
}

function commandOf(ctx: Ctx, command: TryFormat['command']) {
  if (!command) throw missing('command')
  const { kind, identifier, params } = command
  return { id: newId(ctx.now), kind, identifier: identifier ?? null, params }
}

function missing(field: string): AppError {
  return new AppError('request.validation', { params: { count: 1 }, fields: { [field]: { code: 'field.required' } } })
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The bytes as text when they are UTF-8 without control characters other than line breaks and tabs. */
export function readableText(bytes: Buffer): string | null {
  try {
    const text = utf8.decode(bytes)
    return /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(text) ? null : text
  } catch {
    return null
  }
}
