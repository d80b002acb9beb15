/** Devices or rules in one piece of a snapshot: few enough that the event loop goes on at once. */
const PIECE = 200

/** What the parts of an engine know of its snapshots. */
export interface Passes {
  /** Number of the pass that is under way; 0: none is. */
  running: number
}

/** A device or a rule: each snapshot holds a part about it. */
export abstract class Part {
  /** Its part of a snapshot; null: it has changed since that was made. */
  private json: string | null = null
  /** What the pass that is under way will take, if the part has changed since that began. */
  private before: string | null = null
  /** The last pass that has its JSON. */
  private pass = 0

  constructor(private readonly passes: Passes) {}

  /** What a snapshot holds of it, as plain values. */
  abstract state(): unknown

  /** Called before something of it changes that belongs into snapshots. */
  changes(): void {
    const { running } = this.passes
    if (running !== 0 && running !== this.pass) {
      this.before = this.text()
      this.pass = running
    }
    this.json = null
  }

  /** Its JSON as it was when a pass began. Called once in a pass. */
  take(pass: number): string {
    if (pass !== this.pass) {
      this.pass = pass
      return this.text()
    }
    const text = this.before!
    this.before = null
    return text
  }

  private text(): string {
    this.json ??= JSON.stringify(this.state())
    return this.json
  }
}

/**
 * The making of one snapshot in pieces of JSON, between which the engine goes on: what changes meanwhile keeps for it what
 * was before. No part may be added or removed before {@link finish}.
 */
export class SnapshotPass {
  private readonly pieces: Iterator<string, undefined>
  private rest: string[] | null = null

  /** @param head what belongs neither to a device nor to a rule */
  constructor(
    private readonly passes: Passes,
    number: number,
    head: object,
    devices: Iterable<Part>,
    rules: Iterable<Part>,
  ) {
    passes.running = number
    this.pieces = piecesOf(JSON.stringify(head), devices, rules, number)
  }

  /** @returns the next piece; undefined: the snapshot is complete */
  next(): string | undefined {
    return this.rest ? this.rest.shift() : this.read()
  }

  /** Makes all pieces that are left, for {@link next}. */
  finish(): void {
    if (this.rest) return
    const rest: string[] = []
    for (let piece = this.read(); piece !== undefined; piece = this.read()) rest.push(piece)
    this.rest = rest
  }

  private read(): string | undefined {
    const { value } = this.pieces.next()
    if (value !== undefined) return value
    this.passes.running = 0
    this.rest = []
    return undefined
  }
}

function* piecesOf(
  head: string,
  devices: Iterable<Part>,
  rules: Iterable<Part>,
  pass: number,
): Generator<string, undefined> {
  yield `${head.slice(0, -1)},"devices":[`
  yield* listOf(devices, pass)
  yield '],"rules":['
  yield* listOf(rules, pass)
  yield ']}'
}

function* listOf(parts: Iterable<Part>, pass: number): Generator<string> {
  let piece = ''
  let n = 0
  for (const part of parts) {
    piece += n === 0 ? part.take(pass) : `,${part.take(pass)}`
    if (++n % PIECE !== 0) continue
    yield piece
    piece = ''
  }
  yield piece
}
