import type { ErrorCode } from '@thingwright/contracts/errors'
import type { AuditLine } from '../../lib/crypto/audit-line.ts'
import { part, type Statement, sql } from '../../lib/sql/statement.ts'
import { NO_COMPANY } from './audit.epoch.ts'
import { contentSql, GENESIS, lineSql, linkHash, type Seal } from './audit.hash.ts'

/** Runs one statement, each in a transaction of its own. */
export type Read = <R extends object>(statement: Statement<R>, params: unknown[]) => Promise<R[]>

export interface ChainProblem {
  code: Extract<ErrorCode, `audit.${string}`>
  /** Place in the chain; null for a line that has none. */
  seq: number | null
  auditId: string | null
}

export interface Verification {
  ok: boolean
  /** Lines whose hash was made again. */
  checked: number
  /** First and last place that was looked at; 0 for an empty chain. */
  from: number
  to: number
  /** Lines of before lines had a MAC: their place in the chain alone speaks for them. */
  earlier: number
  /** Hash of the last place, hex. */
  head: string | null
  /** The first ones; there may be more. */
  problems: ChainProblem[]
}

const BATCH = 2000
const MAX_PROBLEMS = 20
const MIN_AGE_MS = 180 * 86_400_000

interface Base {
  seq: number
  hash: Buffer
  upto: Date
  seal: Buffer
}

type Sealed = AuditLine & { mac: Buffer | null }

interface Head {
  seq: number
  hash: Buffer
  seal: Buffer
}

const CHECKPOINTS = sql<Base>`select seq, hash, upto, seal from audit_checkpoints where tenant_id = $1 and seq >= $2 and seq <= $3`

const LINKS = sql<
  Sealed & { seq: number; hash: Buffer; auditId: string; content: string | null }
>`select c.seq, c.hash, c.audit_id as "auditId", case when l.id is null then null else ${contentSql(part`l`)} end as content,
    ${lineSql(part`l`)}
  from audit_chain c left join audit_logs l on l.id = c.audit_id
  where c.tenant_id = $1 and c.seq > $2 and c.seq <= $3 order by c.seq limit ${BATCH}`

const BASE = sql<Base>`select seq, hash, upto, seal from audit_checkpoints
  where tenant_id = $1 and cut_at is not null order by seq desc limit 1`

const HEAD = sql<Head>`select seq, hash, seal from audit_heads where tenant_id = $1`

// The offsets keep it at one look into an index for each line: as a join, PostgreSQL may compare every line with every link.
const STRAY_LINES = sql<{ id: string }>`select l.id from audit_logs l
  where l.tenant_id = $1
    and not exists (select 1 from audit_chain c where c.audit_id = l.id offset 0)
    and not exists (select 1 from audit_pending p where p.audit_id = l.id offset 0)
  order by l.id limit ${MAX_PROBLEMS}`

const LOST_LINES = sql<{ id: string }>`select p.audit_id as id from audit_pending p
  where p.tenant_id = $1 and not exists (select 1 from audit_logs l where l.id = p.audit_id offset 0)
  order by p.audit_id limit ${MAX_PROBLEMS}`

const EPOCH = sql<Head>`select seq, hash, seal from audit_epochs where tenant_id = $1`

const WAITING_LINES = sql<Sealed>`select ${lineSql(part`l`)} from audit_pending p join audit_logs l on l.id = p.audit_id
  where p.tenant_id = $1 and p.audit_id > $2 order by p.audit_id limit ${BATCH}`

/**
 * Makes every hash of a company's chain again, from its beginning or the checkpoint up to which old lines were removed,
 * and looks for lines that are missing, changed, not written by the application or put in beside the chain. Beside a running server: what is
 * linked meanwhile is left for the next time.
 */
export async function verifyCompany(
  read: Read,
  seal: Seal,
  tenantId: string,
  on: { progress?(checked: number, total: number): void; cancelled?(): boolean } = {},
  now: number = Date.now(),
): Promise<Verification> {
  const base = await baseOf(read, tenantId)
  const head = await headOf(read, tenantId)
  const key = (await isOfAnotherKey(read, seal)) ? null : seal
  const found = await verifyFrom(base, head, read, key, tenantId, on, now)
  if (found.ok) return found
  // Old lines that were removed while it was read are not missing, nor is the head of a chain that began meanwhile.
  const after = await baseOf(read, tenantId)
  const began = head === undefined && (await headOf(read, tenantId)) !== undefined
  return after?.seq === base?.seq && !began
    ? found
    : verifyFrom(after, await headOf(read, tenantId), read, key, tenantId, on, now)
}

async function verifyFrom(
  base: Base | undefined,
  head: Head | undefined,
  read: Read,
  /** Null: all is sealed with another key, so that hashes alone can be held against anything. */
  seal: Seal | null,
  tenantId: string,
  on: { progress?(checked: number, total: number): void; cancelled?(): boolean },
  now: number,
): Promise<Verification> {
  const problems: ChainProblem[] = []
  const problem = (code: ChainProblem['code'], seq: number | null, auditId: string | null = null) => {
    if (problems.length < MAX_PROBLEMS) problems.push({ code, seq, auditId })
  }

  if (!seal) problem('audit.key_changed', null)

  // A cut may lie only where lines are old enough, and the time is part of the seal.
  if (
    seal &&
    base &&
    !(seal.holds(base.seal, tenantId, base.seq, base.hash, base.upto) && base.upto.getTime() < now - MIN_AGE_MS)
  )
    problem('audit.checkpoint_broken', base.seq)
  if (seal && head && !seal.holds(head.seal, tenantId, head.seq, head.hash, null))
    problem('audit.head_broken', head.seq)

  const first = (base?.seq ?? 0) + 1
  const upTo = head?.seq ?? Number.MAX_SAFE_INTEGER
  const marks = new Map<number, Base>()
  for (const mark of await read(CHECKPOINTS, [tenantId, first, upTo])) marks.set(mark.seq, mark)

  let seq = first - 1
  let hash = base?.hash ?? GENESIS
  const epoch = await epochOf(read, tenantId)
  if (seal && epoch && !seal.ofEpoch(tenantId, epoch.seq, epoch.hash).equals(epoch.seal))
    problem('audit.checkpoint_broken', epoch.seq)
  if (epoch && epoch.seq === first - 1 && !epoch.hash.equals(base?.hash ?? GENESIS))
    problem('audit.checkpoint_broken', epoch.seq)
  let earlier = 0
  /** Linked, and its hash is right; but did the application write it? */
  const unwritten = (link: Sealed & { seq: number; auditId: string }) => {
    if (link.mac === null && link.seq <= (epoch?.seq ?? 0)) earlier++
    else if (link.mac === null || seal?.wrote(link, link.mac) === false)
      problem('audit.line_unauthenticated', link.seq, link.auditId)
  }
  let checked = 0
  for (;;) {
    if (on.cancelled?.()) break
    const links = await read(LINKS, [tenantId, seq, upTo])
    for (const link of links) {
      if (link.seq !== seq + 1) problem('audit.link_missing', seq + 1)
      if (link.content === null) problem('audit.line_missing', link.seq, link.auditId)
      else if (!linkHash(hash, link.seq, link.content).equals(link.hash))
        if (link.seq === seq + 1)
          // After a gap the hash before is not known: the gap has been told already.
          problem('audit.line_changed', link.seq, link.auditId)
        else unwritten(link)
      else unwritten(link)
      if (epoch?.seq === link.seq && !epoch.hash.equals(link.hash)) problem('audit.checkpoint_broken', link.seq)
      const mark = marks.get(link.seq)
      const holds = mark && seal?.holds(mark.seal, tenantId, mark.seq, mark.hash, mark.upto) !== false
      if (mark && !(holds && mark.hash.equals(link.hash))) problem('audit.checkpoint_broken', link.seq)
      marks.delete(link.seq)
      // What follows is checked against what is stored, so that one change is told once.
      hash = link.hash
      seq = link.seq
      checked++
    }
    if (head) on.progress?.(checked, head.seq - first + 1)
    if (links.length < BATCH) break
  }
  if (!on.cancelled?.()) {
    if (head && seq < head.seq) problem('audit.link_missing', seq + 1)
    else if (head && !head.hash.equals(hash)) problem('audit.head_broken', head.seq)
    else if (!head && seq > 0) problem('audit.head_broken', seq)
    for (const mark of marks.keys()) problem('audit.link_missing', mark)
    for (const { id } of await strayLines(read, tenantId)) problem('audit.line_inserted', null, id)
    for await (const line of waitingLines(read, tenantId))
      if (line.mac === null || seal?.wrote(line, line.mac) === false)
        problem('audit.line_unauthenticated', null, line.id)
    for (const { id } of await lostLines(read, tenantId)) problem('audit.line_missing', null, id)
  }
  return {
    ok: problems.length === 0,
    checked,
    earlier,
    from: checked > 0 ? first : 0,
    to: checked > 0 ? seq : 0,
    head: checked > 0 ? hash.toString('hex') : null,
    problems,
  }
}

async function baseOf(read: Read, tenantId: string): Promise<Base | undefined> {
  return (await read(BASE, [tenantId]))[0]
}

async function headOf(read: Read, tenantId: string): Promise<Head | undefined> {
  return (await read(HEAD, [tenantId]))[0]
}

/** Lines that are neither linked nor waiting for it: put in past the trigger, or robbed of their link. */
function strayLines(read: Read, tenantId: string): Promise<{ id: string }[]> {
  return read(STRAY_LINES, [tenantId])
}

/** Lines that were removed before they were linked. */
function lostLines(read: Read, tenantId: string): Promise<{ id: string }[]> {
  return read(LOST_LINES, [tenantId])
}

/** Up to which place lines are from before lines had a MAC. */
async function epochOf(read: Read, tenantId: string): Promise<Head | undefined> {
  return (await read(EPOCH, [tenantId]))[0]
}

/** Lines that were written just now and are not linked yet. */
async function* waitingLines(read: Read, tenantId: string): AsyncGenerator<Sealed> {
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const lines = await read(WAITING_LINES, [tenantId, after])
    yield* lines
    if (lines.length < BATCH) return
    after = lines.at(-1)!.id
  }
}

/** Whether the log was marked with another key than the present one. Every company may read that row. */
export async function isOfAnotherKey(read: Read, seal: Seal): Promise<boolean> {
  const mark = await epochOf(read, NO_COMPANY)
  return mark !== undefined && !seal.ofEpoch(NO_COMPANY, mark.seq, mark.hash).equals(mark.seal)
}
