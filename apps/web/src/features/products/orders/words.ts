/** The same words as the contracts' (command-schemas.ts), which the browser knows as types only. */
import type { Checksum, CommandCondition, CommandDanger } from '@thingwright/contracts/command-schemas'

export const CHECKSUMS: readonly Checksum[] = [
  'none',
  'crc16_modbus_lohi',
  'crc16_modbus_hilo',
  'crc16_ccitt',
  'crc32_be',
  'crc32_le',
  'sum8',
  'xor8',
]
export const CONDITION_OPERATORS: readonly CommandCondition['operator'][] = ['lt', 'lte', 'gt', 'gte', 'eq', 'ne']
export const DANGER_LEVELS: readonly CommandDanger['level'][] = ['confirm', 'pin', 'proof']
