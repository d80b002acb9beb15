import { StartError } from '../start-error.ts'
import type { SealedWriter } from './sealed-file.ts'

/** What a backup holds, in this order. */
export type BackupRecord =
  | { type: 'manifest'; manifest: Manifest }
  /** Rows as PostgreSQL's COPY writes them as text. */
  | { type: 'table'; name: string; columns: string[] }
  | { type: 'sequences'; values: SequenceValue[] }
  /** A file of the data folder, e.g. keys/secret.key. */
  | { type: 'file'; path: string }
  /** An object of the object store. */
  | { type: 'object'; key: string; contentType: string; size: number }
  | { type: 'end'; totals: Totals }

export interface Manifest {
  format: 1
  /** Of the program that wrote it. */
  program: string
  /** ISO 8601 UTC: the moment that the database is shown at. */
  at: string
  migrations: { name: string; sha256: string }[]
  partitions: { parent: string; name: string; bounds: string; options: string[] }[]
  tables: string[]
  /** The secret that everything stored sealed hangs on, also when it was given as SECRET_KEY. */
  secretKey: string
}

export interface SequenceValue {
  name: string
  value: string
  called: boolean
}

export interface Totals {
  /** Rows of each table. */
  rows: Record<string, number>
  files: number
  objects: number
}

/** record: length (4) and JSON, then pieces of length (4) and bytes, then an empty piece. */
export interface RecordWriter {
  begin(record: BackupRecord): Promise<void>
  piece(bytes: Buffer): Promise<void>
  end(): Promise<void>
}

const LARGEST_PIECE = 64 * 1024 * 1024

export function recordWriter(file: Pick<SealedWriter, 'write'>): RecordWriter {
  const block = async (bytes: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    await file.write(Buffer.concat([length, bytes]))
  }
  return {
    begin: record => block(Buffer.from(JSON.stringify(record))),
    async piece(bytes) {
      if (bytes.length) await block(bytes)
    },
    end: () => block(Buffer.alloc(0)),
  }
}

export interface ReadRecord {
  record: BackupRecord
  /** Read it to its end before the next record is asked for; what is left over is skipped. */
  body: AsyncIterable<Buffer>
}

/** Takes the content of a backup apart. @throws StartError when it does not hold together */
export async function* readRecords(content: AsyncIterable<Buffer>): AsyncGenerator<ReadRecord> {
  const source = content[Symbol.asyncIterator]()
  let waiting: Buffer[] = []
  let size = 0
  const more = async () => {
    const next = await source.next()
    if (next.done) return false
    waiting.push(next.value)
    size += next.value.length
    return true
  }
  const take = async (bytes: number): Promise<Buffer | null> => {
    while (size < bytes) if (!(await more())) return null
    const all = waiting.length === 1 ? waiting[0]! : Buffer.concat(waiting)
    waiting = all.length > bytes ? [all.subarray(bytes)] : []
    size = all.length - bytes
    return all.subarray(0, bytes)
  }
  const block = async (): Promise<Buffer | null> => {
    const length = await take(4)
    if (length === null) return null
    if (length.readUInt32BE(0) > LARGEST_PIECE) throw unreadable()
    return take(length.readUInt32BE(0))
  }
  try {
    for (;;) {
      const head = await block()
      if (head === null) {
        if (size) throw unreadable()
        return
      }
      let over = false
      const piece = async () => {
        if (over) return null
        const bytes = await block()
        if (bytes === null) throw unreadable()
        over = bytes.length === 0
        return over ? null : bytes
      }
      const body = (async function* () {
        for (let next = await piece(); next; next = await piece()) yield next
      })()
      yield { record: JSON.parse(head.toString()) as BackupRecord, body }
      while (await piece());
    }
  } finally {
    await source.return?.()
  }
}

function unreadable(): StartError {
  return new StartError('The backup does not hold together: it was written by another version of this program.')
}
