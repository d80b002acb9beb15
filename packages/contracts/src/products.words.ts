export const UNKNOWN_KEYS = ['refuse', 'ignore', 'collect'] as const

/** Ways in that can be chosen now; the others come with their own areas. */
export const LINKS_OFFERED = ['mqtt', 'http', 'tcp', 'udp', 'modbus_rtu', 'modbus_tcp', 'nbiot', 'lorawan'] as const

export const NODE_TYPES = ['device', 'gateway', 'sub_device'] as const
