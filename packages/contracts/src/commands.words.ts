export const COMMAND_CONFIRMS = ['auto', 'reply', 'read_back', 'none'] as const

/** How long an answer is waited for where nothing says otherwise, ms. */
export const USUAL_TIMEOUT_MS = 10_000
/**
 * The same for a LoRaWAN device. One of class A can be told something only after it has spoken, and answers when it
 * speaks the next time: time for two uplinks of one an hour, which ChirpStack expects of a device.
 */
export const LORA_TIMEOUT_MS = 7_200_000
export const LONGEST_TIMEOUT_MS = 86_400_000

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
