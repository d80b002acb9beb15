import type { BodyOf, ResponseOf } from '@thingwright/contracts'
import type { productsContract } from '@thingwright/contracts/products.contract'
import type { ThingModel } from '@thingwright/thing-model'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database.ts'
import { AppError } from '../../lib/errors.ts'
import { findProduct } from './products.repo.ts'

type Contract = typeof productsContract
export type TryFormat = BodyOf<Contract['tryFormat']>
export type TryResult = ResponseOf<Contract['tryFormat']>

/** The device path's own reading of a payload, without storing anything. */
export type TryUplink = (input: {
  model: ThingModel
  /** As stored with the product: `{kind: "json"}`. */
  format: Record<string, unknown>
  channel: { kind: 'property' } | { kind: 'event'; identifier: string }
  payload: Buffer
  /** Epoch ms of arrival. */
  arrivedAt: number
}) => TryResult | Promise<TryResult>

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
  tryUplink: TryUplink
  /** Newest first. The product's company was checked. */
  readRefusedFrames(productNum: number, limit: number): Promise<RefusedFrame[]>
  /** Ids and numbers of devices by their installation-wide integers; those of other companies are absent. */
  describeDevices(scope: TenantScope, nums: number[]): Promise<ReadonlyMap<number, { id: string; deviceNo: string }>>
}

export interface ProductFormatService {
  tryFormat(ctx: Ctx, id: string, input: TryFormat): Promise<TryResult>
  refusedFrames(ctx: Ctx, id: string): Promise<ResponseOf<Contract['refusedFrames']>>
}

const REFUSED_FRAMES_SHOWN = 100

/** Trying payloads, and looking at those that failed. */
export function createProductFormatService(deps: ProductFormatDeps): ProductFormatService {
  async function productRow(ctx: Ctx, id: string) {
    const row = await deps.database.withTenant(ctx, scope => findProduct(scope, id))
    if (!row) throw new AppError('product.not_found')
    return row
  }

  return {
    async tryFormat(ctx, id, input) {
      const row = await productRow(ctx, id)
      const { identifier } = input
      if (input.channel === 'event' && !identifier)
        throw new AppError('request.validation', {
          params: { count: 1 },
          fields: { identifier: { code: 'field.required' } },
        })
      return deps.tryUplink({
        model: input.draft || !row.publishedModel ? row.draftModel : row.publishedModel,
        format: row.format,
        channel: input.channel === 'event' && identifier ? { kind: 'event', identifier } : { kind: 'property' },
        payload: Buffer.from(input.payload, 'utf8'),
        arrivedAt: ctx.now,
      })
    },

    async refusedFrames(ctx, id) {
      const row = await productRow(ctx, id)
      const frames = await deps.readRefusedFrames(row.num, REFUSED_FRAMES_SHOWN)
      const devices = await deps.database.withTenant(ctx, scope =>
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
