import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type { ErrorCode } from '@thingwright/contracts/errors'
import type { loraLinksContract } from '@thingwright/contracts/lora-links.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import type { StreamReply, UploadedFile } from '../../lib/http.ts'
import { newId } from '../../lib/ids.ts'
import { tableExport } from '../../lib/table-export/table-export.ts'
import { openTable, type TableCell } from '../../lib/table-import/table-source.ts'
import { writtenName } from '../../lib/written-name.ts'
import type { DevicesService } from '../devices/index.ts'
import type { RunningTask, TaskResult, TasksModule } from '../tasks/index.ts'
import * as repo from './links.repo.ts'
import { DEV_EUI, type DeviceSettings, type LinksService } from './links.service.ts'
import words from './lora-words.json' with { type: 'json' }

type Contract = typeof loraLinksContract
type Field = keyof typeof words.importColumns

export interface LoraImportService {
  template(ctx: Ctx, input: QueryOf<Contract['importTemplate']>): Promise<StreamReply>
  /** @throws AppError lora_link.missing, lora_import.columns_missing, too_many_rows, import.file_invalid, import.encoding */
  start(ctx: Ctx, input: BodyOf<Contract['import']>, file: UploadedFile): Promise<ResponseOf<Contract['import']>>
  /** The task. */
  run(task: RunningTask): Promise<TaskResult>
}

export interface LoraImportDeps {
  database: Database
  box: CryptoBox
  links: LinksService
  devices: Pick<DevicesService, 'create'>
  tasks: Pick<TasksModule, 'service'>
}

/** A line as it was read: what is to be made, or why not. */
type Line = { line: number; devEui: string; name: string; settings: DeviceSettings } | Problem
interface Problem {
  line: number
  code: ErrorCode
  params: Record<string, unknown>
}

const MAX_ROWS = 20_000
/** Lines at once: ChirpStack is asked by no more than so many calls. */
const PART = 4
/** Lines one after the other that ChirpStack does not answer, after which it makes no sense to go on. */
const MOST_FAULTS = 12
const FIELDS = Object.keys(words.importColumns) as Field[]
const FORMS: Partial<Record<Field, RegExp>> = {
  devEui: DEV_EUI,
  joinEui: DEV_EUI,
  appKey: /^[0-9a-f]{32}$/,
  nwkKey: /^[0-9a-f]{32}$/,
  genAppKey: /^[0-9a-f]{32}$/,
  devAddr: /^[0-9a-f]{8}$/,
  appSKey: /^[0-9a-f]{32}$/,
  nwkSKey: /^[0-9a-f]{32}$/,
}
const context = (id: string) => `lora-import:${id}`

/** Devices with their keys from a table: made here and at ChirpStack, line by line. */
export function createLoraImportService(deps: LoraImportDeps): LoraImportService {
  const { database, box, links, devices, tasks } = deps

  /** The device of this DevEUI, made where there is none. */
  async function deviceOf(ctx: Ctx, productId: string, { devEui, name }: { devEui: string; name: string }) {
    const there = await database.withTenant(ctx, scope => repo.numbered(scope, devEui, productId))
    if (there && there.productId !== productId)
      throw new AppError('lora_import.device_elsewhere', { params: { devEui, product: there.productName } })
    if (there) return { id: there.id, isNew: false }
    const made = await devices.create(ctx, { productId, deviceNo: devEui, name: name || devEui })
    return { id: made.id, isNew: true }
  }

  return {
    template(ctx, { format }) {
      const text = words[ctx.locale].file
      return tableExport({
        format,
        fileName: text.importTemplate,
        columns: FIELDS.map(key => ({ key, title: words[ctx.locale].importTitles[key] })),
        rows: Readable.from([]),
      })
    },

    async start(ctx, { productId, existing = 'skip' }, file) {
      const { link } = await links.product(ctx, productId)
      if (!link?.profileId) throw new AppError('lora_link.missing')
      const lines = await readLines(file)
      const id = newId(ctx.now)
      const name = file.fileName.slice(0, 128) || 'devices'
      return database.withTenant(ctx, async scope => {
        await repo.keepImport(scope, id, box.seal(JSON.stringify(lines), context(id)))
        const title = (locale: 'zh' | 'en') => `${words[locale].file.importTitle} · ${name}`
        const task = await tasks.service.startIn(scope, ctx, {
          kind: 'lora.import',
          title: { zh: title('zh'), en: title('en') },
          input: { importId: id, productId, existing },
          total: lines.length,
        })
        await recordAudit(scope, ctx, {
          action: 'lora_device.import',
          objectType: 'lora_product',
          objectId: productId,
          objectName: name,
          after: { rows: lines.length, existing },
        })
        return { taskId: task.id, rows: lines.length }
      })
    },

    async run(task) {
      const { ctx } = task
      const { importId, productId, existing } = task.input as {
        importId: string
        productId: string
        existing: 'update' | 'skip'
      }
      const cipher = await database.withTenant(ctx, scope => repo.findImport(scope, importId))
      if (!cipher) throw new AppError('lora_import.expired')
      const lines = JSON.parse(box.open(cipher, context(importId)).toString('utf8')) as Line[]
      const counts = { created: 0, registered: 0, skipped: 0, failed: 0 }
      let faults = 0
      const one = async (line: Line): Promise<void> => {
        if ('code' in line) {
          counts.failed++
          return task.failed(`${line.line}`, line.code, line.params)
        }
        try {
          const device = await deviceOf(ctx, productId, line)
          if (device.isNew) counts.created++
          else if (existing === 'skip' && (await links.deviceState(ctx, device.id)).state === 'registered') {
            counts.skipped++
            return
          }
          const { state, fault } = await links.putDevice(ctx, device.id, line.settings)
          if (state !== 'registered') throw new AppError('lora.refused', { params: { text: fault ?? state } })
          counts.registered++
          faults = 0
        } catch (error) {
          if (!isAppError(error)) throw error
          counts.failed++
          if (error.code === 'lora.refused') faults++
          task.failed(`${line.line}`, error.code, error.params)
        }
      }
      let done = task.doneBefore
      task.progress(done, lines.length)
      while (done < lines.length && !task.cancelled()) {
        const part = lines.slice(done, done + PART)
        await Promise.all(part.map(one))
        done += part.length
        task.progress(done, lines.length)
        if (faults >= MOST_FAULTS) throw new AppError('lora.unavailable', { params: { text: `${faults}` } })
      }
      return { ...(counts.registered + counts.skipped === 0 ? { nothingDone: true } : {}), summary: counts }
    },
  }
}

async function readLines(upload: UploadedFile): Promise<Line[]> {
  const path = join(tmpdir(), `thingwright-lora-${newId()}`)
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
        if (!columns.includes('devEui')) throw new AppError('lora_import.columns_missing')
        continue
      }
      if (texts.every(text => text === '')) continue
      if (lines.length >= MAX_ROWS) throw new AppError('lora_import.too_many_rows', { params: { limit: MAX_ROWS } })
      const line = lineOf(number, field => texts[columns!.indexOf(field)] ?? '')
      const twin = 'code' in line ? undefined : seen.get(line.devEui)
      if (!('code' in line)) seen.set(line.devEui, twin ?? number)
      lines.push(
        twin === undefined || 'code' in line
          ? line
          : { line: number, code: 'lora_import.duplicate', params: { devEui: line.devEui, line: twin } },
      )
    }
    if (columns === null) throw new AppError('lora_import.columns_missing')
    return lines
  } finally {
    await file.close()
  }
}

function lineOf(line: number, value: (field: Field) => string): Line {
  const settings: Record<string, string> = {}
  let devEui = ''
  for (const field of FIELDS) {
    const form = FORMS[field]
    if (!form) continue
    const text = value(field)
      .replaceAll(/[\s:-]/g, '')
      .toLowerCase()
    if (text === '' && field !== 'devEui') continue
    // A key is never repeated, in no message and no file.
    const isSecret = field.endsWith('Key')
    if (!form.test(text))
      return {
        line,
        code: 'lora_import.value_invalid',
        params: { column: words.en.importTitles[field], value: isSecret ? '•••' : text.slice(0, 40) },
      }
    if (field === 'devEui') devEui = text
    else settings[field] = text
  }
  const name = writtenName(value('name'))
  if (name === null || [...name].length > 64)
    return {
      line,
      code: 'lora_import.value_invalid',
      params: { column: words.en.importTitles.name, value: value('name').slice(0, 40) },
    }
  return {
    line,
    devEui,
    name,
    settings: { ...settings, ...(settings.devAddr ? { activation: 'abp' as const } : {}) },
  }
}

const textOf = (cell: TableCell) => (typeof cell === 'string' ? cell.trim() : '')

function fieldOf(title: string): Field | null {
  const said = title.trim().toLowerCase()
  return FIELDS.find(field => words.importColumns[field].split('|').includes(said)) ?? null
}
