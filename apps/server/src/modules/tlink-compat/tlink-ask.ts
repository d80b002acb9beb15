import type { ResponseOf } from '@thingwright/contracts'
import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { RouteContract } from '@thingwright/contracts/route'
import type { TlinkBody } from '@thingwright/contracts/tlink.contract'
import type { ThingModel } from '@thingwright/thing-model'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { ApiInput } from '../../lib/tools/tools.ts'
import { Refused } from './tlink-refused.ts'

/** Calls a route of ours as the caller, with the same rights, checks and operation log. */
export type Ask = <const C extends RouteContract>(ctx: Ctx, contract: C, input: ApiInput<C>) => Promise<ResponseOf<C>>

type NumberedView = DeviceView & { num: number }

/** What the parts of the compatible interface share. */
export interface TlinkParts {
  database: Database
  ask: Ask
  /** The address of the console, without a slash at its end. */
  publicUrl(): string
  pageOf(body: TlinkBody): { page: number; size: number }
  deviceOf(ctx: Ctx, body: TlinkBody): Promise<NumberedView>
  sensorOf(
    ctx: Ctx,
    body: TlinkBody,
  ): Promise<{ device: NumberedView; property: ThingModel['properties'][number]; id: number }>
}

/** Rows of one page, counted from 1, of a list that is read by cursors. */
export async function rowsOfPage<T>(
  { page, size }: { page: number; size: number },
  read: (query: { limit: number; cursor?: string }) => Promise<{ items: T[]; nextCursor: string | null }>,
): Promise<T[]> {
  let rows = await read({ limit: size })
  for (let at = 1; at < page; at++) {
    if (!rows.nextCursor) return []
    rows = await read({ limit: size, cursor: rows.nextCursor })
  }
  return rows.items
}

/** A field that may be 0 or 1, as number or text. @throws Refused naming it */
export function readFlag(field: string, value: unknown): boolean | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (value === true || String(value) === '1') return true
  if (value === false || String(value) === '0') return false
  throw new Refused(field)
}

/** Days of the week as that family sends them: an array, or a text with commas. 1 Monday to 7 Sunday. @throws Refused */
export function readDays(value: unknown): number[] | undefined {
  if (value === undefined || value === null || value === '') return undefined
  const days = (Array.isArray(value) ? value : String(value).split(',')).map(day => Number(day))
  if (days.length === 0 || days.some(day => !Number.isInteger(day) || day < 1 || day > 7)) throw new Refused('weekDay')
  return [...new Set(days)].sort((a, b) => a - b)
}

/** Numbers of rows: an array, or a text with commas. @throws Refused naming the field */
export function readNumbers(field: string, value: unknown): number[] | undefined {
  if (value === undefined || value === null) return undefined
  const given = Array.isArray(value) ? value : String(value).split(',')
  const numbers = given.map(each => String(each).trim()).filter(each => each !== '')
  return [...new Set(numbers)].map(each => {
    if (!/^\d{1,16}$/.test(each) || !Number.isSafeInteger(Number(each))) throw new Refused(field)
    return Number(each)
  })
}

/** `HH:MM`, seconds allowed. @throws Refused naming the field */
export function readClock(field: string, value: string | undefined): string | undefined {
  if (value === undefined || value === '') return undefined
  const found = /^([01]?\d|2[0-3]):([0-5]\d)(:[0-5]\d)?$/.exec(value)
  if (!found) throw new Refused(`${field}: HH:mm`)
  return `${found[1]!.padStart(2, '0')}:${found[2]}`
}

/** Times of the clock of that family. */
export const TLINK_ZONE = 'Asia/Shanghai'
