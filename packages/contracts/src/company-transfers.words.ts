/** running: a task moves the devices. done: nothing more happens; some may have stayed where they were. */
export const COMPANY_TRANSFER_STATES = ['offered', 'running', 'done', 'withdrawn', 'expired'] as const
export type CompanyTransferState = (typeof COMPANY_TRANSFER_STATES)[number]

export const TRANSFER_ITEM_STATES = ['waiting', 'moved', 'failed', 'withdrawn'] as const
export type TransferItemState = (typeof TRANSFER_ITEM_STATES)[number]

/** Devices of one offer. */
export const TRANSFER_MOST = 10_000

/** Their values come by a connection that stays with the company that made it. */
export const NOT_TRANSFERABLE = ['lorawan', 'nbiot', 'video'] as const
