import { part } from '../../lib/sql/statement.ts'
/** Id and name of every group of the company: for the lists of other modules to join. Read under the reader's policy. */
export const groupDirectory = part`(select id, name from groups)`
