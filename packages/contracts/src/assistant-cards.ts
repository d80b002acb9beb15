import { type Static, Type } from 'typebox'
import { TOOL_CLASSES } from './assistant.words.ts'
import { Id, Nullable, Words } from './common.ts'

/** What the assistant shows beside its text. Texts are in the language of the question; names in them are plain text. */

export const ToolClassWord = Words(TOOL_CLASSES)
/** Pages of the console only: `/manage/device?…`. */
const Link = Type.Object({ title: Type.String(), to: Type.String({ pattern: '^/(?![/\\\\])' }) })
const Cell = Type.Object({ text: Type.String(), to: Type.Optional(Type.String()) })

/** A tool at work; comes again with the same id when it is done. */
const ActivityCard = Type.Object({
  kind: Words(['activity']),
  id: Type.String(),
  tool: Type.String(),
  title: Type.String(),
  state: Words(['running', 'done', 'failed']),
})

export const ApprovalStep = Type.Object({
  tool: Type.String(),
  title: Type.String(),
  class: ToolClassWord,
  /** The exact calls; empty where they depend on an earlier step's result. */
  calls: Type.Array(
    Type.Object({
      route: Type.String(),
      params: Type.Optional(Type.Unknown()),
      query: Type.Optional(Type.Unknown()),
      body: Type.Optional(Type.Unknown()),
    }),
  ),
  effects: Type.Array(Type.String()),
  changes: Type.Array(
    Type.Object({ field: Type.String(), before: Nullable(Type.String()), after: Nullable(Type.String()) }),
  ),
  object: Nullable(Link),
  /** Where the step stands once it was allowed. */
  state: Words(['waiting', 'done', 'failed', 'skipped', 'undone']),
  /** What came of it, or why not. */
  outcome: Nullable(Type.String()),
  undoable: Type.Boolean(),
})

export const ApprovalState = Words(['pending', 'running', 'done', 'failed', 'denied', 'expired', 'undone'])

/** Something that is only done when it is allowed: one step, or a plan of several. Comes again when its state changes. */
const ApprovalCard = Type.Object({
  kind: Words(['approval']),
  id: Id,
  state: ApprovalState,
  steps: Type.Array(ApprovalStep, { minItems: 1, maxItems: 10 }),
  /** Whether "allow for this chat" may be chosen: never for deletes and device control. */
  mayAllowForChat: Type.Boolean(),
  /** Whether one undo takes back what was done. */
  undoable: Type.Boolean(),
})

const TableCard = Type.Object({
  kind: Words(['table']),
  title: Type.String(),
  columns: Type.Array(
    Type.Object({ key: Type.String(), title: Type.String(), numeric: Type.Optional(Type.Boolean()) }),
  ),
  rows: Type.Array(Type.Record(Type.String(), Cell)),
  /** How many there are in all, and where they are listed. */
  total: Type.Optional(Type.Integer()),
  link: Type.Optional(Link),
})

const ChartCard = Type.Object({
  kind: Words(['chart']),
  title: Type.String(),
  unit: Type.String(),
  series: Type.Array(
    Type.Object({
      name: Type.String(),
      /** [epoch ms, value, lowest, highest] as telemetry gives them; null is a gap. */
      points: Type.Array(Type.Array(Nullable(Type.Number()), { minItems: 2, maxItems: 4 })),
    }),
  ),
  link: Type.Optional(Link),
})

const ChoicesCard = Type.Object({
  kind: Words(['choices']),
  id: Type.String(),
  question: Type.String(),
  /** What is sent as the next question when it is chosen. */
  options: Type.Array(Type.Object({ label: Type.String(), input: Type.String() })),
})

const CodeCard = Type.Object({
  kind: Words(['code']),
  title: Type.String(),
  blocks: Type.Array(Type.Object({ title: Type.String(), language: Type.String(), text: Type.String() })),
})

const LinksCard = Type.Object({ kind: Words(['links']), title: Type.String(), items: Type.Array(Link) })

export const Card = Type.Union([ActivityCard, ApprovalCard, TableCard, ChartCard, ChoicesCard, CodeCard, LinksCard])
export type Card = Static<typeof Card>
export type ActivityCard = Static<typeof ActivityCard>
export type ApprovalCard = Static<typeof ApprovalCard>
export type ApprovalStep = Static<typeof ApprovalStep>
export type TableCard = Static<typeof TableCard>
export type ChartCard = Static<typeof ChartCard>
export type ChoicesCard = Static<typeof ChoicesCard>
export type CodeCard = Static<typeof CodeCard>
export type LinksCard = Static<typeof LinksCard>
export const ApprovalCardSchema = ApprovalCard
