export const COMMAND_CONFIRMS = ['auto', 'reply', 'read_back', 'none'] as const

export const CONDITION_OPERATORS = ['lt', 'lte', 'gt', 'gte', 'eq', 'ne'] as const

export const DANGER_LEVELS = ['confirm', 'pin', 'proof'] as const

export const CHECKSUMS = [
  'none',
  'crc16_modbus_lohi',
  'crc16_modbus_hilo',
  'crc16_ccitt',
  'crc32_be',
  'crc32_le',
  'sum8',
  'xor8',
] as const

export const COMMAND_STATES = [
  'queued',
  'sent',
  'delivered',
  'succeeded',
  'rejected',
  'timed_out',
  'expired',
  'failed',
  'cancelled',
] as const

/** A device of a batch: not yet its turn, taken back before its turn, refused, or what became of its command. */
export const BATCH_ITEM_STATES = ['pending', 'refused', ...COMMAND_STATES] as const
