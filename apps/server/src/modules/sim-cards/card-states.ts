import type { CardState, StopReason } from '@thingwright/contracts/sim-cards.contract'
import type { CardAction, CarrierKind } from './carrier.port.ts'

/** China Mobile, CT platform: one digit. */
const CMCC_CT: Readonly<Record<string, CardState>> = {
  '1': 'pending',
  '2': 'active',
  '4': 'stopped',
  '6': 'testable',
  '7': 'inventory',
  '8': 'pre_cancel',
  '9': 'cancelled',
}
/** China Mobile, PB platform: two digits. */
const CMCC_PB: Readonly<Record<string, CardState>> = {
  '00': 'active',
  '01': 'stopped',
  '02': 'stopped',
  '03': 'pre_cancel',
  '04': 'cancelled',
  '05': 'transferred',
  '06': 'dormant',
  '07': 'pending',
  '99': 'unknown',
}
/** China Telecom, productMainStatusCd. */
const CTCC: Readonly<Record<string, CardState>> = {
  '1': 'pending',
  '2': 'testing',
  '3': 'testing',
  '4': 'active',
  '5': 'stopped',
  '6': 'carrier_hold',
  '7': 'cancelled',
}
/** China Telecom, words of DCP. */
const DCP: Readonly<Record<string, CardState>> = {
  Deactivated: 'pending',
  Active: 'active',
  Paused: 'stopped',
  Terminated: 'cancelled',
}

/** Our state for a carrier's code. A code that no document names is `unknown`; the code itself is kept beside it. */
export function cardStateOf(kind: CarrierKind, raw: string): CardState {
  const code = raw.trim()
  const table = kind === 'onelink' ? (code.length === 2 ? CMCC_PB : CMCC_CT) : code.length > 1 ? DCP : CTCC
  return table[code] ?? 'unknown'
}

/** What may be asked for in a state. */
export const ALLOWED: Readonly<Record<CardState, readonly CardAction[]>> = {
  unsynced: [],
  inventory: ['activate', 'to_pending'],
  testable: ['activate', 'to_pending', 'to_inventory'],
  testing: ['activate'],
  pending: ['activate', 'to_inventory'],
  active: ['stop', 'data_off', 'data_on', 'limit', 'unlimit', 'reset', 'bind_imei', 'unbind_imei'],
  stopped: ['resume', 'unbind_imei'],
  carrier_hold: [],
  dormant: [],
  transferred: [],
  pre_cancel: [],
  cancelled: [],
  unknown: [],
}

/** The state that an action leads to; null: it leaves the state as it is. */
export function targetOf(action: CardAction): CardState | null {
  if (action === 'activate' || action === 'resume') return 'active'
  if (action === 'to_pending') return 'pending'
  if (action === 'to_inventory') return 'inventory'
  return action === 'stop' ? 'stopped' : null
}

/** Why a card is stopped, as far as its code says; who stopped it here says more. */
export function stopReasonOf(kind: CarrierKind, raw: string): StopReason | null {
  if (cardStateOf(kind, raw) !== 'stopped') return null
  return kind === 'onelink' && raw === '01' ? 'arrears' : 'carrier'
}
