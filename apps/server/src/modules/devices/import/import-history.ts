import type { ErrorCode } from '@thingwright/contracts/errors'
import { type CompiledModel, compileModel, type DataType, parseModel } from '@thingwright/thing-model'
import type { Ctx } from '../../../lib/context.ts'
import type { Database, TenantScope } from '../../../lib/database/database.ts'
import { AppError } from '../../../lib/errors.ts'
import type { NumberedRow, TableCell } from '../../../lib/table-import/table.ts'
import * as repo from './device-imports.repo.ts'
import { timeReader } from './times.ts'

/** Values of one property of one device, in the order of the table. */
export interface ImportedReadings {
  device: number
  property: number
  readings: { times: number[]; values: unknown[]; quality: number[] | null }
}

export interface HistoryTools {
  database: Database
  storeImported(values: readonly ImportedReadings[], at: number, part: number): Promise<void>
}

/** What each column is, and how its numbers are written. */
export interface HistoryTable {
  columns: readonly (string | null)[]
  decimalComma: boolean
}

interface Model {
  compiled: CompiledModel
  numbers: Record<string, number>
}

interface LineProblem {
  code: ErrorCode
  params?: Record<string, unknown>
}

type UnreadableCell = Exclude<TableCell, string>

function unreadable(column: string, cell: UnreadableCell): LineProblem {
  const field = column.replace(PREFIX, '')
  return 'lost' in cell
    ? { code: 'import.digits_lost', params: { field, value: cell.lost } }
    : { code: 'import.formula', params: { field } }
}

const KEPT_MS = 400 * 86_400_000
const AHEAD_MS = 300_000
const PREFIX = 'property:'

/** One run over a table of values with their times: number, time, and a column for each property. */
export class HistoryImport {
  private readonly models = new Map<string, Model | null>()
  private readonly devices = new Map<string, repo.HistoryDevice[]>()
  private part = 0
  values = 0

  private constructor(
    private readonly tools: HistoryTools,
    private readonly ctx: Ctx,
    private readonly table: HistoryTable,
    private readonly dryRun: boolean,
    private readonly readTime: (text: string) => number | null,
    private readonly failed: (item: string, code: ErrorCode, params?: Record<string, unknown>) => void,
  ) {}

  static async begin(
    tools: HistoryTools,
    ctx: Ctx,
    table: HistoryTable,
    dryRun: boolean,
    failed: HistoryImport['failed'],
  ): Promise<HistoryImport> {
    const zone = await tools.database.withTenant(ctx, repo.timeZone)
    return new HistoryImport(tools, ctx, table, dryRun, timeReader(zone), failed)
  }

  /** A part of the table: what is right in it is stored. */
  async take(rows: readonly NumberedRow[]): Promise<void> {
    const readings = new Map<string, ImportedReadings>()
    // Found anew for each part: what the caller sees may have become less.
    this.devices.clear()
    await this.tools.database.withTenant(this.ctx, async scope => {
      await this.find(scope, rows)
      for (const { number, cells } of rows) {
        const problem = await this.line(scope, cells, readings)
        if (problem) this.failed(`${number}`, problem.code, problem.params)
      }
    })
    if (!this.dryRun && readings.size > 0)
      await this.tools.storeImported([...readings.values()], this.ctx.now, this.part)
    this.part++
  }

  private async find(scope: TenantScope, rows: readonly NumberedRow[]): Promise<void> {
    const at = this.table.columns.indexOf('deviceNo')
    const texts = rows.map(({ cells }) => cells[at]).filter(cell => typeof cell === 'string')
    const wanted = [...new Set(texts.map(no => no.trim()))]
    for (const no of wanted) this.devices.set(no, [])
    for (const device of await repo.devicesByNumber(scope, wanted)) this.devices.get(device.deviceNo)!.push(device)
  }

  private async line(
    scope: TenantScope,
    row: readonly TableCell[],
    readings: Map<string, ImportedReadings>,
  ): Promise<LineProblem | null> {
    const cell = (at: number) => row[at] ?? ''
    const bad = ['deviceNo', 'time']
      .map(name => this.table.columns.indexOf(name))
      .find(at => typeof row[at] === 'object')
    if (bad !== undefined) return unreadable(this.table.columns[bad]!, row[bad] as UnreadableCell)
    const no = String(cell(this.table.columns.indexOf('deviceNo'))).trim()
    const found = this.devices.get(no) ?? []
    if (found.length === 0) return { code: 'device.not_found' }
    if (found.length > 1) return { code: 'import.product_ambiguous', params: { value: no } }
    const device = found[0]!
    const text = String(cell(this.table.columns.indexOf('time'))).trim()
    const ts = this.readTime(text)
    if (ts === null || ts < this.ctx.now - KEPT_MS || ts > this.ctx.now + AHEAD_MS)
      return { code: 'import.time_invalid', params: { value: text.slice(0, 64) } }
    const model = await this.modelOf(scope, device.productId)
    if (!model) return { code: 'product.not_found' }
    const values: Record<string, unknown> = {}
    let fault: LineProblem | null = null
    for (const [at, column] of this.table.columns.entries()) {
      if (!column?.startsWith(PREFIX)) continue
      const identifier = column.slice(PREFIX.length)
      const written = cell(at)
      if (typeof written !== 'string') {
        // One bad cell costs itself, not the others of its row.
        fault ??= unreadable(identifier, written)
        continue
      }
      const given = written.trim()
      if (given === '') continue
      const property = model.compiled.properties.get(identifier)
      if (!property || model.numbers[identifier] === undefined)
        fault ??= { code: 'import.property_unknown', params: { value: identifier } }
      else values[identifier] = cellValue(given, property.dataType, this.table.decimalComma, this.readTime)
    }
    const checked = model.compiled.pickProperties(values, false)
    if (!checked.ok) return { code: 'import.invalid', params: { field: checked.path, value: '' } }
    const [first] = checked.faults
    if (first) {
      const [name = ''] = first.path.split(/[.[]/, 1)
      fault ??= {
        code: 'import.invalid',
        params: { field: first.path, value: String(values[name] ?? '').slice(0, 64) },
      }
    }
    for (const [identifier, value] of Object.entries(checked.values as Record<string, unknown>)) {
      if (model.compiled.properties.get(identifier)?.history === false) continue
      const property = model.numbers[identifier]!
      const key = `${device.num}/${property}`
      const of = readings.get(key) ?? {
        device: device.num,
        property,
        readings: { times: [], values: [], quality: null },
      }
      readings.set(key, of)
      of.readings.times.push(ts)
      of.readings.values.push(value)
      this.values++
    }
    return fault
  }

  private async modelOf(scope: TenantScope, productId: string): Promise<Model | null> {
    const known = this.models.get(productId)
    if (known !== undefined) return known
    const stored = await scope.wholeCompany('hold', () => repo.modelOf(scope, productId))
    const parsed = stored && parseModel(stored.model)
    const model = parsed?.ok ? { compiled: compileModel(parsed.model), numbers: stored!.numbers } : null
    this.models.set(productId, model)
    return model
  }
}

/** A cell's text as a value of the type; what it cannot be is left for the model's check. */
function cellValue(
  written: string,
  { type }: DataType,
  decimalComma: boolean,
  readTime: (text: string) => number | null,
): unknown {
  // 1.234,5 has both: then the point groups.
  const comma = decimalComma && /^[+-]?\d{1,3}(?:\.\d{3})*,\d+$|^[+-]?\d+,\d+$/.test(written)
  const text = comma && type !== 'string' ? written.replaceAll('.', '').replace(',', '.') : written
  switch (type) {
    case 'bool':
      return /^(true|1|yes|on)$/i.test(text) ? true : /^(false|0|no|off)$/i.test(text) ? false : text
    case 'int32':
    case 'float':
    case 'double':
    case 'enum': {
      const number = Number(text)
      return Number.isFinite(number) ? number : text
    }
    case 'int64': {
      const number = Number(text)
      return Number.isSafeInteger(number) ? number : text
    }
    case 'string':
      return text
    case 'date':
      return readTime(text) ?? text
    default:
      try {
        return JSON.parse(text) as unknown
      } catch {
        return text
      }
  }
}

/** @throws AppError import.mapping_invalid */
export function checkHistoryColumns(columns: readonly (string | null)[]): void {
  for (const needed of ['deviceNo', 'time'])
    if (columns.filter(column => column === needed).length !== 1)
      throw new AppError('import.mapping_invalid', { params: { reason: needed } })
  const properties = columns.filter(column => column !== null && column !== 'deviceNo' && column !== 'time')
  const bad = properties.find((column, at) => !column!.startsWith(PREFIX) || properties.indexOf(column) !== at)
  if (bad !== undefined || properties.length === 0)
    throw new AppError('import.mapping_invalid', { params: { reason: bad ?? 'property' } })
}
