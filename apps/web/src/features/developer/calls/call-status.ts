/** How a call's HTTP status is coloured: done, the caller's fault, ours. */
export const statusKind = (status: number) => (status < 400 ? 'success' : status < 500 ? 'warning' : 'error')
