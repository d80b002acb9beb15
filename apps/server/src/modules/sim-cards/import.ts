import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { ResponseOf } from '@thingwright/contracts'
import type { simCardsContract } from '@thingwright/contracts/sim-cards.contract'
import { ICCID_PATTERN } from '@thingwright/contracts/sim-cards.words'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { StreamReply, UploadedFile } from '../../lib/http.ts'
import { errorText } from '../../lib/i18n.ts'
import { iccidOf } from '../../lib/iccid.ts'
import { newId } from '../../lib/ids.ts'
import { tableExport } from '../../lib/table-export/table-export.ts'
import { openTable, type TableCell } from '../../lib/table-import/table-source.ts'
import * as accounts from './accounts.repo.ts'
import { megabytesOf, percentOf, termOf, timeOf, yesNoOf } from './card-cells.ts'
import * as repo from './cards.repo.ts'
import { MAX_CARDS } from './cards.service.ts'
import words from './sim-card-words.json' with { type: 'json' }

type Result = ResponseOf<(typeof simCardsContract)['import']>
type Problem = Result['problems'][number]
type Field = keyof typeof words.columns

const MAX_ROWS = 100_000
const CHUNK = 1_000
const MOST_PROBLEMS = 500
const ICCID = new RegExp(ICCID_PATTERN)
const TAG_SEPARATORS = new RegExp(words.tagSeparators)
const FIELDS = Object.keys(words.columns) as Field[]

interface Line extends repo.NewCard {
  line: number
  deviceNo: string
}

/** An empty table with the columns of an import. */
export function importTemplate(ctx: Ctx, format: 'csv' | 'xlsx'): Promise<StreamReply> {
  const text = words[ctx.locale].file
  return tableExport({
    format,
    fileName: text.template,
    columns: FIELDS.map(key => ({ key, title: text[key] })),
    rows: Readable.from([]),
  })
}

/**
 * Adds the cards of a table. Every line is checked for itself; one that fails is named with its field and its reason and
 * changes nothing, the others are added.
 * @throws AppError carrier.not_found, sim_card.columns_missing, sim_card.too_many_rows, import.file_invalid, import.encoding
 */
export async function importCards(
  database: Database,
  ctx: Ctx,
  options: { connectionId: string; existing?: 'update' | 'skip' },
  upload: UploadedFile,
): Promise<Result> {
  const { account, zone } = await database.withTenant(ctx, async scope => ({
    account: await accounts.find(scope, options.connectionId),
    zone: await repo.timeZone(scope),
  }))
  if (!account) throw new AppError('carrier.not_found')
  const result: Result = { rows: 0, created: 0, updated: 0, skipped: 0, failed: 0, problems: [] }
  const failed = (
    line: number,
    field: Field,
    value: string,
    code: Problem['code'],
    params: Record<string, unknown> = {},
  ) => {
    result.failed++
    if (result.problems.length < MOST_PROBLEMS)
      result.problems.push({
        line,
        field,
        value: value.slice(0, 60),
        code,
        message: errorText(ctx.locale, code, params),
      })
  }
  const lines = await readLines(upload, zone, failed, result)
  await database.withTenant(ctx, async scope => {
    const already = await repo.count(scope)
    if (already + lines.length > MAX_CARDS) throw new AppError('sim_card.limit', { params: { limit: MAX_CARDS } })
    for (let at = 0; at < lines.length; at += CHUNK)
      await putChunk(scope, account, lines.slice(at, at + CHUNK), options.existing ?? 'skip', failed, result)
    await recordAudit(scope, ctx, {
      action: 'sim_card.import',
      objectType: 'sim_card',
      objectName: upload.fileName.slice(0, 128),
      after: {
        connection: account.name,
        rows: result.rows,
        created: result.created,
        updated: result.updated,
        skipped: result.skipped,
        failed: result.failed,
      },
    })
  })
  result.problems.sort((a, b) => a.line - b.line)
  return result
}

type Failed = (
  line: number,
  field: Field,
  value: string,
  code: Problem['code'],
  params?: Record<string, unknown>,
) => void

async function readLines(upload: UploadedFile, zone: string, failed: Failed, result: Result): Promise<Line[]> {
  const path = join(tmpdir(), `thingwright-cards-${newId()}`)
  const file = await open(path, 'wx+', 0o600)
  try {
    await rm(path)
    for await (const chunk of upload.body) await file.write(chunk as Buffer)
    const source = await openTable(file, 'utf-8 or gbk')
    const lines: Line[] = []
    const seen = new Map<string, number>()
    let columns: (Field | null)[] | null = null
    for await (const { number, cells } of source.tables[0]!.rows()) {
      const texts = cells.map(textOf)
      if (columns === null) {
        columns = texts.map(fieldOf)
        if (!columns.includes('iccid')) throw new AppError('sim_card.columns_missing')
        continue
      }
      if (texts.every(text => text === '')) continue
      if (++result.rows > MAX_ROWS) throw new AppError('sim_card.too_many_rows', { params: { limit: MAX_ROWS } })
      const value = (field: Field) => texts[columns!.indexOf(field)] ?? ''
      const line = lineOf(number, value, zone, failed)
      if (!line) continue
      const twin = seen.get(line.iccid)
      if (twin !== undefined) {
        failed(number, 'iccid', line.iccid, 'sim_card.duplicate', { line: twin })
        continue
      }
      seen.set(line.iccid, number)
      lines.push(line)
    }
    if (columns === null) throw new AppError('sim_card.columns_missing')
    return lines
  } finally {
    await file.close()
  }
}

function lineOf(line: number, value: (field: Field) => string, zone: string, failed: Failed): Line | null {
  const iccid = iccidOf(value('iccid'))
  const wrong = (field: Field, text: string, code: Problem['code']) => {
    failed(line, field, text, code)
    return null
  }
  if (iccid === '') return wrong('iccid', '', 'sim_card.iccid_missing')
  // A spreadsheet keeps 15 digits of a number: the others are zeros by then, or it writes 8.986E+19.
  if (/^\d(\.\d+)?E\+?\d+$/i.test(iccid) || /^89\d{14,15}000$/.test(iccid) || /^89\d{13,14}0{4}$/.test(iccid))
    return wrong('iccid', iccid, 'sim_card.iccid_rounded')
  if (!ICCID.test(iccid)) return wrong('iccid', iccid, 'sim_card.iccid_invalid')
  const msisdn = value('msisdn').normalize('NFKC').replaceAll(/[\s-]/g, '')
  if (msisdn !== '' && !/^\d{11,15}$/.test(msisdn)) return wrong('msisdn', msisdn, 'sim_card.msisdn_invalid')
  const imsi = value('imsi').normalize('NFKC').replaceAll(/\s/g, '')
  if (imsi !== '' && !/^\d{15}$/.test(imsi)) return wrong('imsi', imsi, 'sim_card.imsi_invalid')
  /** What a cell says: null where it is empty, and the card keeps what it has. */
  const read = <T>(field: Field, of: (text: string) => T | undefined) => {
    const said = value(field)
    return said === '' ? null : of(said)
  }
  const term = read('term', termOf)
  if (term === undefined) return wrong('term', value('term'), 'sim_card.term_invalid')
  const shownPlanKb = read('shownPlanMb', megabytesOf)
  if (shownPlanKb === undefined) return wrong('shownPlanMb', value('shownPlanMb'), 'sim_card.plan_invalid')
  const shownPercent = read('shownPercent', percentOf)
  if (shownPercent === undefined) return wrong('shownPercent', value('shownPercent'), 'sim_card.percent_invalid')
  const dataUntil = read('dataUntil', text => timeOf(text, zone))
  if (dataUntil === undefined) return wrong('dataUntil', value('dataUntil'), 'sim_card.time_invalid')
  const searchable = read('searchable', yesNoOf)
  if (searchable === undefined) return wrong('searchable', value('searchable'), 'sim_card.searchable_invalid')
  const tags = value('tags')
    .split(TAG_SEPARATORS)
    .map(tag => tag.trim().slice(0, 32))
    .filter(Boolean)
  return {
    id: newId(),
    line,
    iccid,
    msisdn: msisdn || null,
    imsi: imsi || null,
    deviceId: null,
    deviceNo: value('deviceNo').trim(),
    pool: value('pool').trim().slice(0, 64) || null,
    tags: tags.length > 0 ? [...new Set(tags)].slice(0, 10) : null,
    remark: value('remark').trim().slice(0, 200) || null,
    term,
    shownPlanKb,
    shownPercent,
    dataUntil: dataUntil?.toISOString() ?? null,
    searchable,
  }
}

async function putChunk(
  scope: TenantScope,
  account: accounts.AccountRow,
  given: Line[],
  existing: 'update' | 'skip',
  failed: Failed,
  result: Result,
): Promise<void> {
  const numbers = [...new Set(given.map(line => line.deviceNo).filter(Boolean))]
  const devices = new Map<string, string[]>()
  for (const { id, deviceNo } of numbers.length > 0 ? await repo.devicesNumbered(scope, numbers) : [])
    devices.set(deviceNo, [...(devices.get(deviceNo) ?? []), id])
  const lines = given.filter(line => {
    if (line.deviceNo === '') return true
    const found = devices.get(line.deviceNo) ?? []
    if (found.length === 1) line.deviceId = found[0]!
    else failed(line.line, 'deviceNo', line.deviceNo, 'sim_card.device_no_unknown', { deviceNo: line.deviceNo })
    return found.length === 1
  })
  const iccids = lines.map(line => line.iccid)
  const known = await repo.known(
    scope,
    iccids,
    lines.flatMap(line => line.msisdn ?? []),
    lines.flatMap(line => line.deviceId ?? []),
  )
  const elsewhere = await repo.elsewhere(scope, iccids)
  const own = new Map(known.map(row => [row.iccid, row]))
  const byNumber = new Map(known.flatMap(row => (row.msisdn === null ? [] : [[row.msisdn, row.iccid] as const])))
  const byDevice = new Map(known.flatMap(row => (row.deviceId === null ? [] : [[row.deviceId, row.iccid] as const])))
  const [fresh, old]: [Line[], Line[]] = [[], []]
  for (const line of lines) {
    if (elsewhere.has(line.iccid)) {
      failed(line.line, 'iccid', line.iccid, 'sim_card.elsewhere')
      continue
    }
    const holder = line.msisdn === null ? undefined : byNumber.get(line.msisdn)
    if (holder !== undefined && holder !== line.iccid) {
      failed(line.line, 'msisdn', line.msisdn!, 'sim_card.number_taken', { number: line.msisdn })
      continue
    }
    const inDevice = line.deviceId === null ? undefined : byDevice.get(line.deviceId)
    if (inDevice !== undefined && inDevice !== line.iccid) {
      failed(line.line, 'deviceNo', line.deviceNo, 'sim_card.device_has_card', {
        device: line.deviceNo,
        iccid: inDevice,
      })
      continue
    }
    if (own.has(line.iccid)) {
      if (existing === 'skip') result.skipped++
      else old.push(line)
    } else fresh.push(line)
    if (line.msisdn) byNumber.set(line.msisdn, line.iccid)
    if (line.deviceId) byDevice.set(line.deviceId, line.iccid)
  }
  if (fresh.length > 0) result.created += await repo.insertMany(scope, account.id, fresh)
  if (old.length > 0) await repo.updateMany(scope, old)
  result.updated += old.length
}

/** A number with more digits than a spreadsheet keeps is read as it is shown: that it was rounded is said of it. */
const textOf = (cell: TableCell) => (typeof cell === 'string' ? cell.trim() : 'lost' in cell ? cell.lost.trim() : '')

function fieldOf(title: string): Field | null {
  const said = title.normalize('NFKC').trim().toLowerCase()
  const found = FIELDS.find(field => words.columns[field].normalize('NFKC').split('|').includes(said))
  // Carriers and shops write more around it.
  return found ?? (said.includes('iccid') ? 'iccid' : null)
}
