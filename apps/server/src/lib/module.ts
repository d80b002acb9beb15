import type { ApprovalSource } from './approvals.ts'
import type { AttentionSource } from './attention.ts'
import type { Ctx } from './context.ts'
import type { CryptoBox } from './crypto/crypto-box.ts'
import type { Database } from './database/database.ts'
import type { DemoNetworks } from './demo-networks.ts'
import type { DependentObjects } from './dependents.ts'
import type { SearchSource } from './found.ts'
import type { BoundRoute } from './http.ts'
import type { JournalReader } from './journal/journal-reader.ts'
import type { LiveTopic } from './live-topic.ts'
import type { Hearing } from './news.ts'
import type { OwnedObjects } from './owned.ts'
import type { EntityFinder, Tool } from './tools/tools.ts'
import type { ConnectionNames, TransferSource } from './transfer-source.ts'

/**
 * When work that goes on beside requests begins. It ends in the opposite order: what is served last ends first.
 * - `journal`: before the journal is read
 * - `work`: when the journal is read
 * - `streams`: when requests are answered; ended before HTTP waits for what is open
 * - `address`: when the addresses of this server are known
 */
export type RunPhase = 'journal' | 'work' | 'streams' | 'address'

/** Work that goes on beside requests. */
export interface Run {
  /** As the log shall name it. */
  name: string
  phase: RunPhase
  start?(): Promise<void> | void
  stop(): Promise<void> | void
}

/** What is cleared away at a start and then every hour; safe beside other processes. */
export interface Sweep {
  /** What it does, as the log shall name it. */
  name: string
  run(now: number): Promise<unknown>
  /** At a start alone. */
  once?: true
}

/**
 * What a module says of itself to whoever puts the program together. Everything else that it returns is for modules that
 * are handed it: they declare in the type of their needs what they ask, and a need that nobody meets is a type error.
 */
export interface ModuleParts {
  readonly routes?: readonly BoundRoute[]
  /** What it does when it hears of something (lib/news.ts). */
  readonly hears?: Hearing
  readonly sweeps?: readonly Sweep[]
  readonly runs?: readonly Run[]
  /** What the global search finds of it. */
  readonly search?: readonly SearchSource[]
  /** Its topics of the live socket; their rights stand in the module's file of the contracts. */
  readonly live?: readonly LiveTopic[]
  /** How it reads what devices said. */
  readonly consumers?: readonly JournalReader[]
  /** What belongs to the member who made it. */
  readonly owned?: readonly OwnedObjects[]
  /** What end users make for their devices and what stops when these have another owner. */
  readonly dependents?: readonly DependentObjects[]
  /** What people of a company should look at, for its overview. */
  readonly attention?: readonly AttentionSource[]
  /** What waits for an operator's word. */
  readonly approvalSources?: readonly ApprovalSource[]
  /** What it puts into the file of a company. */
  readonly transferSources?: readonly TransferSource[]
  /** Other systems that the company is connected to through it, for the file of a company. */
  readonly connectionNames?: readonly ConnectionNames[]
  /** Looked after every quarter of an hour, one company after the other. */
  watchCompany?(tenantId: string, now: number): Promise<void>
  /** Connects the demo company to the simulated networks of this server; called at every start of these. */
  connectDemo?(ctx: Ctx, demo: DemoNetworks): Promise<void>
  /** The suffix of the portal that stands at a host (a Host header); null: none does. */
  portalOf?(host: string | undefined): Promise<string | null>
  /** The certificate that a host is served with over TLS; `id` is another for another certificate. */
  certificateOf?(host: string): Promise<{ id: string; certificate: string; key: string } | null>
  /** Numbers for `/metrics`. */
  gauges?(): Promise<Record<string, number>>
}

/**
 * A module that asks for nothing but what every module can have, and is asked by no other: one line registers it. What it
 * says to both sides (rights, pages, topics) stands in `packages/contracts/src/X.module.ts`, its words in
 * `packages/contracts/words/X.json`.
 */
export interface ModuleDefinition<Needs> {
  name: string
  tools?: readonly Tool[]
  finders?: readonly EntityFinder[]
  create(needs: Needs): ModuleParts
  /** Content of the demo company, under row-level security; may be begun again. */
  seedDemo?(database: Database, tenantId: string, seal: (purpose: string) => CryptoBox): Promise<void>
}

/** Declares a module; the function only keeps what it needs as a type. */
export function defineModule<Needs>(definition: ModuleDefinition<Needs>): ModuleDefinition<Needs> {
  return definition
}
