/** What a driver's error says, wherever a query builder wrapped it. */
function databaseError(error: unknown): { code?: string; constraint?: string } {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    if ('code' in at && 'severity' in at) return at as { code?: string; constraint?: string }
  }
  return {}
}

/** Whether a write was refused because the value is taken (SQLSTATE 23505), by the named index if one is named. */
export function isUniqueViolation(error: unknown, index?: string): boolean {
  const { code, constraint } = databaseError(error)
  return code === '23505' && (index === undefined || constraint === index)
}

/** Whether a value cannot be read as its type or is out of range (SQLSTATE class 22). */
export function isDataError(error: unknown): boolean {
  return databaseError(error).code?.startsWith('22') ?? false
}
