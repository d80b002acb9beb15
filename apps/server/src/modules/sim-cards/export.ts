import type { QueryOf } from '@thingwright/contracts'
import type { SimCardView, simCardsContract } from '@thingwright/contracts/sim-cards.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { StreamReply } from '../../lib/http.ts'
import { dayOf, listExport } from '../../lib/table-export/list-export.ts'
import { EXPORT_PAGE, everyRow } from '../../lib/table-export/table-export.ts'
import type { CardsService } from './cards.service.ts'
import words from './sim-card-words.json' with { type: 'json' }

/** The cards of a list's filters as a file; its numbers are texts, so that no spreadsheet rounds them. */
export function exportCards(
  deps: { database: Database; cards: Pick<CardsService, 'list'> },
  ctx: Ctx,
  { format, ...filters }: QueryOf<(typeof simCardsContract)['export']>,
): Promise<StreamReply> {
  const { file: text, states, reasons, terms } = words[ctx.locale]
  const yesNo = (value: boolean | null) => (value === null ? null : value ? text.yes : text.no)
  return listExport<SimCardView>(deps.database, ctx, {
    action: 'sim_card.export',
    objectType: 'sim_card',
    format,
    filters,
    fileName: `${text.cards}-${dayOf(ctx.now)}`,
    columns: [
      { key: 'iccid', title: text.iccid, value: row => row.iccid },
      { key: 'msisdn', title: text.msisdn, value: row => row.msisdn },
      { key: 'imsi', title: text.imsi, value: row => row.imsi },
      { key: 'connection', title: text.connection, value: row => row.connectionName },
      { key: 'state', title: text.state, value: row => states[row.state] },
      { key: 'rawState', title: text.rawState, value: row => row.rawState },
      { key: 'stopReason', title: text.stopReason, value: row => (row.stopReason ? reasons[row.stopReason] : null) },
      { key: 'stateSince', title: text.stateSince, type: 'time', value: row => row.stateSince },
      { key: 'online', title: text.online, value: row => yesNo(row.online) },
      { key: 'imei', title: text.imei, value: row => row.imei },
      { key: 'ip', title: text.ip, value: row => row.ip },
      { key: 'apn', title: text.apn, value: row => row.apn },
      { key: 'planName', title: text.planName, value: row => row.planName },
      { key: 'planKb', title: text.planKb, type: 'number', value: row => row.planKb },
      { key: 'monthKb', title: text.monthKb, type: 'number', value: row => row.monthKb },
      { key: 'shownPlanKb', title: text.shownPlanKb, type: 'number', value: row => row.shown.planKb },
      { key: 'shownUsedKb', title: text.shownUsedKb, type: 'number', value: row => row.shown.usedKb },
      { key: 'shownRestKb', title: text.shownRestKb, type: 'number', value: row => row.shown.restKb },
      { key: 'smsOn', title: text.smsOn, value: row => yesNo(row.smsOn) },
      { key: 'monthSms', title: text.monthSms, type: 'number', value: row => row.monthSms },
      { key: 'term', title: text.term, value: row => (row.term ? terms[row.term] : null) },
      { key: 'pool', title: text.pool, value: row => row.pool },
      { key: 'device', title: text.device, value: row => row.deviceName },
      { key: 'deviceNo', title: text.deviceNo, value: row => row.deviceNo },
      { key: 'dataUntil', title: text.dataUntil, type: 'time', value: row => row.dataUntil },
      { key: 'expiresAt', title: text.expiresAt, type: 'time', value: row => row.expiresAt },
      { key: 'tags', title: text.tags, value: row => row.tags.join(', ') },
      { key: 'remark', title: text.remark, value: row => row.remark },
      { key: 'searchable', title: text.searchable, value: row => yesNo(row.searchable) },
      { key: 'syncedAt', title: text.syncedAt, type: 'time', value: row => row.syncedAt },
      { key: 'syncFault', title: text.syncFault, value: row => row.syncFault },
    ],
    rows: everyRow(cursor => deps.cards.list(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) })),
  })
}
