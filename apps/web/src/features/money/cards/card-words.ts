import type { CardOrderRow } from '@thingwright/contracts/card-orders.contract'
import { formatBytes } from '../../../lib/format.ts'
import { locale } from '../../../lib/i18n.ts'

export const CARD_BUY = '/cost/account/cardBuy'
export const CARD_INFO = '/cost/account/cardInfo'

const MB = 1_048_576

/** Data of a month, `30 MB`. */
export const dataOf = (monthMb: number): string => formatBytes(monthMb * MB)

/** The plan of an order in the language of the page. */
export const planOf = (row: Pick<CardOrderRow, 'planName' | 'planEname'>): string =>
  locale() === 'en' ? row.planEname : row.planName

/** First and last ICCID of what was shipped; a dash before. */
export const rangeOf = (row: Pick<CardOrderRow, 'firstIccid' | 'lastIccid'>): string =>
  row.firstIccid === null
    ? '–'
    : row.firstIccid === row.lastIccid
      ? row.firstIccid
      : `${row.firstIccid} – ${row.lastIccid}`
