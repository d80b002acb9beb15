/** One call of a codec: a frame in hexadecimal that came up, or a command to turn into a frame. */
type CodecJob = { deviceNo: string; variables: Readonly<Record<string, string>>; port?: number; logs?: boolean } & (
  | { kind: 'up'; hex: string; at: number }
  | {
      kind: 'down'
      command: { id: string; kind: 'property_set'; identifier: null; params: Record<string, unknown> }
    }
)

/** What became of the call: of a frame its values, of a command its frame and port. */
type CodecOutcome =
  | {
      ok: true
      result?: unknown
      frames?: ({ bytes: number[] } | { text: string })[]
      port?: number
      logs?: string[]
    }
  | {
      ok: false
      reason: 'script_error' | 'script_timeout' | 'script_memory'
      detail: string
      /** Line of the author's source, from 1. */
      line: number | null
      logs?: string[]
    }

/** Runs a codec once in the sandbox of scripts; the codec belongs to no product. */
export type RunScript = (source: string, job: CodecJob) => Promise<CodecOutcome>
