import { auditLineKey } from '../lib/crypto/audit-line.ts'
import { type Database, type DatabaseAccess, openDatabase } from '../lib/database/database.ts'
import { auditSeal, isOfAnotherKey, markEarlierLines, NO_COMPANY, readAsCompany } from '../modules/audit/index.ts'

/**
 * Opens a migrated database for a process that writes lines of the operation log, server or command. Before its first
 * line is written, those that are there without a seal are marked as lines of an earlier version.
 * @param onIdleError as in openDatabase
 */
export async function openWithLog(
  access: DatabaseAccess,
  onIdleError: (error: Error) => void,
  secretKey: string,
): Promise<Database> {
  const database = openDatabase(access, onIdleError, auditLineKey(secretKey))
  try {
    await markEarlierLines(database, auditSeal(secretKey))
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Whether this installation's log began with another SECRET_KEY: what it is sealed with cannot be verified then. */
export function logHasAnotherKey(database: Database, secretKey: string): Promise<boolean> {
  return isOfAnotherKey(readAsCompany(database, NO_COMPANY), auditSeal(secretKey))
}
