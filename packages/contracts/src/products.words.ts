export const UNKNOWN_KEYS = ['refuse', 'ignore', 'collect'] as const

export const NODE_TYPES = ['device', 'gateway', 'sub_device'] as const
