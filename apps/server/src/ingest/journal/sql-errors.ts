/** What an error of a flush says about what to do next. */
export type FlushFault =
  /** It is not known whether the transaction was committed: connect again and look. */
  | 'lost'
  /** Something in the data: find it. */
  | 'data'
  /** No partition for the rows' hour. */
  | 'no_partition'
  /** Nothing was committed; later it may work: disk full, out of memory, cancelled, a table locked or missing. */
  | 'later'

/** Reads the SQLSTATE (PostgreSQL manual, appendix A). An error without one came from the socket. */
export function faultOf(error: unknown): FlushFault {
  const { code, routine, severity } = error as { code?: string; routine?: string; severity?: string }
  if (typeof code !== 'string' || !/^(?=.*\d)[0-9A-Z]{5}$/.test(code)) return 'lost'
  if (code === '23514' && routine === 'ExecFindPartition') return 'no_partition'
  if (code.startsWith('22') || code.startsWith('23')) return 'data'
  if (code.startsWith('57P') || code.startsWith('08') || severity === 'FATAL' || severity === 'PANIC') return 'lost'
  return 'later'
}
