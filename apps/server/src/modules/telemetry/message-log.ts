import { Readable } from 'node:stream'
import type { QueryOf, ResponseOf } from '@thingwright/contracts'
import type { MessageView, telemetryContract } from '@thingwright/contracts/telemetry.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { StreamReply } from '../../lib/http.ts'
import { decodeCursor, encodeCursor } from '../../lib/lists/paging.ts'
import type { AuthorisedDevice } from '../devices/authorised.port.ts'
import { readAuthorisedDevice } from '../devices/index.ts'
import type { MessageRow } from './device-log.repo.ts'
import * as repo from './message-log.repo.ts'
import { HOUR_MS } from './segments/segment.ts'
import { csvLine } from './telemetry.csv.ts'
import { inSnapshot } from './telemetry.snapshot.ts'

type Contract = typeof telemetryContract
type Filters = Omit<QueryOf<Contract['messages']>, 'limit' | 'cursor'>

const QUALITY = ['good', 'uncertain', 'bad'] as const
const KINDS = ['property', 'event', 'reply', 'online', 'offline', 'refused'] as const
const PROPERTY = 1
const ONLINE = 4
const LATEST_ONLY = 7
const OFFLINE = 5
const EXPORT_PAGE = 1_000
const EXPORT_ROWS = 1_000_000
const COLUMNS = [
  'arrivedAt',
  'kind',
  'direction',
  'quality',
  'ts',
  'deviceTs',
  'late',
  'simulated',
  'refusedReason',
  'values',
  'hex',
] as const satisfies (keyof MessageView)[]

export interface MessageLogDeps {
  database: Database
  /** Hours of the message log that a company keeps; absent: all that is there. */
  messageLogHours?(tenantId: string): Promise<number>
}

interface Position {
  /** Of the journal and of the commands: what is below has not been shown. */
  seq: number | null
  command: number | null
}

interface Page {
  items: MessageView[]
  next: Position | null
  searchedTo: Date | null
}

/** Everything a device said and was told, as one list: rows of the journal and commands that were sent. */
export function createMessageLog({ database, messageLogHours }: MessageLogDeps) {
  async function wanted(ctx: Ctx, filters: Filters): Promise<repo.MessageFilter & { commands: boolean }> {
    const hours = await messageLogHours?.(ctx.tenantId)
    const oldest = hours === undefined ? null : ctx.now - hours * HOUR_MS
    const from = timeOf(filters.from)
    const bytes = bytesOf(filters.q)
    return {
      kinds: filters.kind === undefined || filters.kind === 'command' ? null : kindsOf(filters.kind),
      quality: filters.quality === undefined ? null : QUALITY.indexOf(filters.quality),
      from: oldest === null ? from : new Date(Math.max(oldest, from?.getTime() ?? 0)),
      to: timeOf(filters.to),
      text: bytes.isHex ? null : (filters.q ?? null),
      bytes: bytes.value,
      // Commands have neither a quality nor bytes of their own here.
      commands:
        (filters.kind === undefined || filters.kind === 'command') && filters.quality === undefined && !bytes.isHex,
    }
  }

  async function pageOf(
    ctx: Ctx,
    device: AuthorisedDevice,
    filters: Filters,
    at: Position,
    limit: number,
  ): Promise<Page> {
    const filter = await wanted(ctx, filters)
    const onlyCommands = filters.kind === 'command'
    const [part, commands] = await Promise.all([
      onlyCommands
        ? { rows: [], searchedTo: null, spans: [] }
        : inSnapshot(database, async reader => {
            const found = await repo.searchMessages(reader, device, filter, { before: at.seq, limit: limit + 1 })
            const [newest] = found.rows
            const oldest = found.rows.at(-1)
            const spans =
              newest && oldest
                ? await repo.simulatedSpans(reader, device, { from: oldest.arrived_at, toSeq: newest.seq })
                : []
            return { ...found, spans }
          }),
      filter.commands
        ? database.withTenant(ctx, scope =>
            repo.sentCommands(scope, device, filter, { before: at.command, limit: limit + 1 }),
          )
        : [],
    ])
    // Behind the end of a search that is not over there may be messages younger than these commands.
    const end = part.searchedTo && part.rows.length <= limit ? part.searchedTo : null
    const ready = end ? commands.filter(command => command.sent_at >= end.at) : commands
    const merged = [
      ...part.rows.map(row => ({ at: row.arrived_at, row })),
      ...ready.map(command => ({ at: command.sent_at, command })),
    ].sort((a, b) => b.at.getTime() - a.at.getTime())
    const found = merged.slice(0, limit)
    const shown = found.filter(({ at }) => device.historyFrom === null || at.getTime() >= device.historyFrom)
    // What is older was the owner's before.
    if (shown.length < found.length)
      return {
        items: shown.map(entry =>
          'row' in entry ? toMessage(entry.row, isSimulated(entry.row, part.spans)) : commandMessage(entry.command),
        ),
        next: null,
        searchedTo: null,
      }
    const more = merged.length > shown.length || end !== null
    const lastRow = shown.findLast(entry => 'row' in entry)
    const lastCommand = shown.findLast(entry => 'command' in entry)
    const allShown = merged.length === shown.length
    return {
      items: shown.map(entry =>
        'row' in entry ? toMessage(entry.row, isSimulated(entry.row, part.spans)) : commandMessage(entry.command),
      ),
      next: more
        ? {
            seq: end && allShown ? end.seq : lastRow && 'row' in lastRow ? lastRow.row.seq : at.seq,
            command: lastCommand && 'command' in lastCommand ? lastCommand.command.position : at.command,
          }
        : null,
      searchedTo: end && allShown ? end.at : null,
    }
  }

  return {
    async messages(
      ctx: Ctx,
      id: string,
      query: QueryOf<Contract['messages']>,
    ): Promise<ResponseOf<Contract['messages']>> {
      const device = await readAuthorisedDevice(database, ctx, id)
      const { items, next, searchedTo } = await pageOf(ctx, device, query, positionOf(query.cursor), query.limit ?? 50)
      return {
        items,
        nextCursor: next === null ? null : encodeCursor([next.seq ?? -1, next.command ?? -1]),
        searchedTo: searchedTo?.toISOString() ?? null,
      }
    },

    async exportMessages(ctx: Ctx, id: string, query: QueryOf<Contract['exportMessages']>): Promise<StreamReply> {
      const device = await readAuthorisedDevice(database, ctx, id)
      const csv = query.format === 'csv'
      // Asked for before the stream begins: what is wrong with the filters is an answer of its own.
      const first = await pageOf(ctx, device, query, { seq: null, command: null }, EXPORT_PAGE)
      const lines = async function* () {
        if (csv) yield `\uFEFF${COLUMNS.join(',')}\r\n`
        let count = 0
        for (let page: Page = first; ; page = await pageOf(ctx, device, query, page.next, EXPORT_PAGE)) {
          count += page.items.length
          if (page.items.length > 0)
            yield page.items
              .map(item => (csv ? csvLine(COLUMNS.map(column => item[column])) : `${JSON.stringify(item)}\n`))
              .join('')
          if (!page.next || count >= EXPORT_ROWS) return
        }
      }
      return new StreamReply(
        Readable.from(lines()),
        csv ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
        `${device.deviceNo}-messages.${csv ? 'csv' : 'ndjson'}`,
      )
    },
  }
}

/** Values that history leaves out by the property's store policy are values all the same. */
function kindsOf(kind: (typeof KINDS)[number]): number[] {
  return kind === 'property' ? [PROPERTY, LATEST_ONLY] : [KINDS.indexOf(kind) + 1]
}

function positionOf(cursor: string | undefined): Position {
  const position = decodeCursor(cursor, 2)
  if (!position) return { seq: null, command: null }
  const [seq, command] = position
  if (!Number.isSafeInteger(seq) || !Number.isSafeInteger(command)) throw new AppError('request.cursor_invalid')
  return {
    seq: (seq as number) < 0 ? null : (seq as number),
    command: (command as number) < 0 ? null : (command as number),
  }
}

/** `0x` and hex digits stand for bytes; any other text for itself and its UTF-8. */
function bytesOf(q: string | undefined): { isHex: boolean; value: Buffer | null } {
  if (q === undefined) return { isHex: false, value: null }
  const hex = /^0x((?:\s*[0-9a-f]{2})+)\s*$/i.exec(q)
  return hex
    ? { isHex: true, value: Buffer.from(hex[1]!.replaceAll(/\s/g, ''), 'hex') }
    : { isHex: false, value: Buffer.from(q) }
}

function timeOf(value: number | string | undefined): Date | null {
  if (value === undefined) return null
  const ms = typeof value === 'number' ? value : /^\d{1,16}$/.test(value) ? Number(value) : Date.parse(value)
  // The range of PostgreSQL's times is wider than that of dates here.
  if (!Number.isFinite(ms) || Math.abs(ms) > 8.64e15)
    throw new AppError('telemetry.range_invalid', { params: { days: 1 } })
  return new Date(ms)
}

/** Within a session of the simulator, its first and last row included. */
function isSimulated(row: MessageRow, spans: readonly { seq: number; kind: 'online' | 'offline' }[]): boolean {
  if (row.kind === ONLINE || row.kind === OFFLINE)
    return (row.values as { transport?: unknown } | null)?.transport === 'simulator'
  const before = spans.find(span => span.seq <= row.seq)
  return before?.kind === 'online'
}

function toMessage(row: MessageRow, simulated: boolean): MessageView {
  const kind = KINDS[row.kind - 1] ?? 'property'
  return {
    id: String(row.seq),
    kind,
    direction: row.kind === ONLINE || row.kind === OFFLINE ? 'none' : 'up',
    arrivedAt: row.arrived_at.toISOString(),
    ts: row.ts,
    deviceTs: row.device_ts,
    quality: QUALITY[row.quality] ?? 'uncertain',
    late: row.late,
    simulated,
    values: row.values ?? null,
    refusedReason: row.refused_reason,
    hex: row.raw?.toString('hex') ?? null,
    text: row.raw ? textOf(row.raw) : null,
  }
}

function commandMessage(row: repo.SentCommandRow): MessageView {
  const { id, sent_at, kind, identifier, params, state, reply } = row
  return {
    id: `c-${id}`,
    kind: 'command',
    direction: 'down',
    arrivedAt: sent_at.toISOString(),
    ts: sent_at.getTime(),
    deviceTs: null,
    quality: 'good',
    late: false,
    simulated: false,
    values: { commandId: id, kind, identifier, params, state, reply: reply ?? null },
    refusedReason: null,
    hex: null,
    text: null,
  }
}

/** The bytes as text when they are text. */
function textOf(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
