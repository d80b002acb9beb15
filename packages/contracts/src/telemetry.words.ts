/** What stands in the message log; `command` is what was sent down. */
export const MESSAGE_KINDS = ['property', 'event', 'reply', 'online', 'offline', 'refused', 'command'] as const

export const QUALITIES = ['good', 'uncertain', 'bad'] as const
