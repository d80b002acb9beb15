import type { Assignment, Effect, Input } from '../src/index.ts'
import { compileRule, parseRule, TriggerEngine } from '../src/index.ts'

export const START = Date.UTC(2026, 0, 5, 8)

/** A rule that is expected to be right, compiled for devices 1 and 2 unless others are named; `d7` is device 7. */
export function assign(
  fields: object,
  { id = 'r', version = 1, switchedOff = 0, targets = [1] as number[] } = {},
): Assignment {
  const parsed = parseRule({ format: 1, scope: { productIds: ['p'] }, alarm: { level: 3 }, ...fields })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  const compiled = compileRule(
    { id, version, switchedOff, document: parsed.rule },
    { numberOf: name => Number(name.slice(1)), calendar: () => undefined },
  )
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems))
  return { program: compiled.program, targets }
}

/** An engine with some rules, told what happens by seconds since {@link START}. */
export class Stage {
  readonly seen: string[] = []
  private seq = 0
  engine = new TriggerEngine(START)

  constructor(...rules: Assignment[]) {
    for (const rule of rules) this.note(this.engine.setRule(rule))
  }

  /** Values of device 1, or of another one. */
  value(second: number, values: Record<string, unknown>, more: object = {}): this {
    const arrived = START + Math.round(second * 1_000)
    return this.tell({
      lane: 0,
      seq: ++this.seq,
      arrived,
      kind: 'property',
      device: 1,
      ts: arrived,
      values,
      ...more,
    } as Input)
  }

  /** A row or fact of another kind. */
  happen(second: number, what: object): this {
    return this.tell({
      lane: 0,
      seq: ++this.seq,
      arrived: START + Math.round(second * 1_000),
      device: 1,
      ...what,
    } as Input)
  }

  tell(...inputs: Input[]): this {
    this.note(this.engine.take(inputs))
    return this
  }

  /** Time goes by until the second. */
  until(second: number): this {
    this.note(this.engine.advance(START + Math.round(second * 1_000)))
    return this
  }

  /** What was seen since the last time: `raised@60`. */
  take(): string[] {
    return this.seen.splice(0)
  }

  note(effects: readonly Effect[]): void {
    for (const effect of effects) this.seen.push(`${effect.kind}@${(effect.cause.at - START) / 1_000}`)
  }
}
